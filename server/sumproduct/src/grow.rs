//! The graph of a request's equal forms: grown once, asked as often as one likes.
//!
//! Growing looks at no costs, so a graph serves every cost model, machine and extraction.

use std::time::{Duration, Instant};

use sumac_la::{Dag, Node, NodeId, Op};

use crate::expand::expand;
use crate::extract::{Held, Pricing, States};
use crate::footprint;
use crate::optimize::{
    NoOutcome, Outcome, Phases, Request, SearchStats, cheapest, lowered, milliseconds,
    structural_fingerprint,
};
use crate::options::{Extraction, Options, node_budget};
use crate::saturate::{Stopped, saturate};
use crate::translate::Translation;

/// Who wants to see results before the end, and how often at most.
pub(crate) struct Watch<'a> {
    pub(crate) every: Duration,
    pub(crate) better: &'a mut dyn FnMut(Outcome),
}

/// The equal forms of a request that a search has found. What they cost, and which of them is wanted, is asked of it as often as
/// one likes.
#[derive(Clone, Debug)]
pub struct Graph {
    translation: Translation,
    held: Vec<Held>,
    iterations: usize,
    stopped: Stopped,
    phases: Phases,
}

impl Graph {
    /// The cheapest form of the request that the graph was grown for, or of one that differs in costs only.
    ///
    /// # Errors
    /// See [`NoOutcome`].
    pub(crate) fn cheapest(
        &self,
        request: Request<'_>,
        options: &Options,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Outcome, NoOutcome> {
        let (mut states, stats) = self.states(&request, options, cancelled)?;
        Ok(cheapest(&mut states, &request, options, stats, cancelled)?.1)
    }

    /// Other equal forms: see [`crate::Problem::alternatives`].
    pub(crate) fn alternatives(
        &self,
        request: Request<'_>,
        options: &Options,
        most: usize,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<Outcome>, NoOutcome> {
        /// Plans lowered for each form wanted: most differ from others in little.
        const PLANS: usize = 100;
        let (mut states, stats) = self.states(&request, options, cancelled)?;
        let (plan, best) = cheapest(&mut states, &request, options, stats, cancelled)?;
        let mut seen = vec![structural_fingerprint(&best.dag)];
        let computed = request.computed_again();
        let mut found = Vec::new();
        for plan in states.others(&plan, PLANS * most, cancelled) {
            if cancelled() {
                return Err(NoOutcome::Cancelled);
            }
            let (dag, after) = lowered(&states, &plan, &request, computed)?;
            let like = structural_fingerprint(&dag);
            if !seen.contains(&like) {
                seen.push(like);
                found.push(Outcome {
                    dag,
                    after,
                    search: SearchStats {
                        gap: None,
                        ..best.search.clone()
                    },
                });
            }
        }
        let rank = |outcome: &Outcome| options.rank(request.machine, &outcome.after);
        found.sort_by(|a, b| rank(a).total_cmp(rank(b)));
        found.truncate(most);
        Ok(found)
    }

    /// Bytes that it takes, estimated.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        footprint::of_graph(&self.translation.relations) as u64
    }

    fn states<'a>(
        &'a self,
        request: &Request<'a>,
        options: &Options,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(States<'a>, SearchStats), NoOutcome> {
        let start = Instant::now();
        let states = states(request, &self.translation, &self.held, options, cancelled)
            .ok_or(NoOutcome::Cancelled)?;
        let phases = Phases {
            extract: milliseconds(start.elapsed()),
            ..self.phases
        };
        let stats = stats(&self.translation, self.iterations, self.stopped, phases);
        Ok((states, stats))
    }
}

/// Grows the graph of a request.
pub(crate) fn grow(
    request: Request<'_>,
    options: &Options,
    cancelled: &dyn Fn() -> bool,
    mut watch: Option<Watch<'_>>,
) -> Result<Graph, NoOutcome> {
    let Request {
        dag, roots, held, ..
    } = request;
    let start = Instant::now();
    let is_known = |id: &NodeId| dag.ty(*id).is_sized();
    if !dag.reachable(roots).iter().all(is_known) {
        return Err(NoOutcome::UnknownSize);
    }
    let mut all = roots.to_vec();
    all.extend(held.iter().map(|(id, _)| *id));
    let sizes = sizes(&request);
    let mut translation =
        Translation::with_sizes(dag, &all, &sizes).ok_or(NoOutcome::OutOfReach)?;
    expand(&mut translation, dag, &islands(dag, roots));
    let translated = start.elapsed();
    let max_nodes = room(dag, roots, options);
    let held: Vec<Held> = held
        .iter()
        .map(|(id, name)| Held {
            node: *id,
            term: translation.term(*id),
            name: (*name).to_owned(),
            ty: dag.ty(*id).clone(),
        })
        .collect();
    let mut last = start;
    let mut least = None;
    let mut look = |translation: &Translation, rounds: usize| {
        let Some(watch) = watch.as_mut().filter(|watch| last.elapsed() >= watch.every) else {
            return;
        };
        let Some(mut states) = states(&request, translation, &held, options, cancelled) else {
            return;
        };
        let quick = Options {
            extraction: Extraction::Greedy,
            ..*options
        };
        let phases = Phases {
            translate: milliseconds(translated),
            saturate: milliseconds(start.elapsed() - translated),
            extract: 0.0,
        };
        let stats = SearchStats {
            cut_short: true,
            ..stats(translation, rounds, Stopped::Cancelled, phases)
        };
        if let Ok((_, outcome)) = cheapest(&mut states, &request, &quick, stats, cancelled)
            && let rank = options.rank(request.machine, &outcome.after)
            && least.is_none_or(|least| rank < least)
        {
            least = Some(rank);
            (watch.better)(outcome);
        }
        last = Instant::now();
    };
    let (iterations, stopped) =
        saturate(&mut translation, options, max_nodes, cancelled, &mut look);
    if cancelled() {
        return Err(NoOutcome::Cancelled);
    }
    debug_assert!(
        !translation.relations.graph.analysis.broken,
        "merged classes disagree on their schema"
    );
    let phases = Phases {
        translate: milliseconds(translated),
        saturate: milliseconds(start.elapsed() - translated),
        extract: 0.0,
    };
    Ok(Graph {
        translation,
        held,
        iterations,
        stopped,
        phases,
    })
}

/// The scalars that compute a size of something that the roots read.
fn sizes(request: &Request<'_>) -> Vec<NodeId> {
    let dag = request.dag;
    let is_held = |id: NodeId| request.held.iter().any(|(held, _)| *held == id);
    let read = dag.reachable_by(request.roots, |id| match is_held(id) {
        true => &[],
        false => dag.args(id),
    });
    let is_read =
        |id: NodeId| read.binary_search(&id).is_ok() && (dag.args(id).is_empty() || is_held(id));
    let is_size = |id: &NodeId| match dag.node(*id) {
        Node::Input(_) => dag.is_scalar(*id) && is_read(*id),
        Node::Op(Op::Nrow | Op::Ncol, args) => is_read(args[0]),
        _ => false,
    };
    dag.ids().filter(is_size).collect()
}

/// The states of the request's roots in the graph as it is; `None` if cancelled.
fn states<'a>(
    request: &Request<'a>,
    translation: &'a Translation,
    held: &'a [Held],
    options: &Options,
    cancelled: &dyn Fn() -> bool,
) -> Option<States<'a>> {
    let terms: Vec<_> = request.roots.iter().map(|r| translation.term(*r)).collect();
    let types: Vec<_> = request.roots.iter().map(|r| request.dag.ty(*r)).collect();
    let pricing = Pricing {
        model: options.cost,
        machine: request.machine,
        around: request.around,
    };
    let roots = (&terms[..], types);
    States::new(request.dag, translation, roots, held, pricing, cancelled)
}

/// What is to be said of a search that stopped after so many rounds.
fn stats(
    translation: &Translation,
    rounds: usize,
    stopped: Stopped,
    phases: Phases,
) -> SearchStats {
    SearchStats {
        iterations: rounds,
        enodes: translation.relations.graph.total_size(),
        eclasses: translation.relations.graph.number_of_classes(),
        stopped: stopped.name().to_owned(),
        cut_short: stopped == Stopped::Cancelled,
        gap: None,
        milliseconds: phases.translate + phases.saturate + phases.extract,
        phases,
    }
}

/// E-nodes that the search for these roots may make.
pub(crate) fn room(dag: &Dag, roots: &[NodeId], options: &Options) -> usize {
    let is_operator = |id: &NodeId| matches!(dag.node(*id), Node::Op(..));
    let reachable = dag.reachable(roots);
    let operators = reachable.iter().filter(|id| is_operator(id)).count();
    options.max_nodes.unwrap_or_else(|| node_budget(operators))
}

/// Where sum-product algebra begins anew: the roots, and the arguments of functions that it does not look into.
pub(crate) fn islands(dag: &Dag, roots: &[NodeId]) -> Vec<NodeId> {
    let mut tops = roots.to_vec();
    for id in dag.reachable(roots) {
        if let Node::Op(op, args) = dag.node(id)
            && !transparent(*op)
        {
            tops.extend_from_slice(args);
        }
    }
    tops.sort_unstable();
    tops.dedup();
    tops
}

fn transparent(op: Op) -> bool {
    matches!(
        op,
        Op::Add
            | Op::Sub
            | Op::Mul
            | Op::Neg
            | Op::Pow
            | Op::MatMul
            | Op::Transpose
            | Op::Sum
            | Op::RowSums
            | Op::ColSums
            | Op::AsScalar
            | Op::AsMatrix
    )
}
