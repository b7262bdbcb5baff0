//! From a DAG to the cheapest equal DAG that the search finds.

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::time::{Duration, Instant};

use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};
use sumac_la::{Cost, Dag, Input, Machine, Node, NodeId, Op};

use crate::expand::expand;
use crate::extract::{Chosen, Held, Plan, Pricing, States};
use crate::options::{Extraction, Options, node_budget};
use crate::polish::polish;
use crate::saturate::{Stopped, saturate};
use crate::translate::Translation;

/// Wall time of the parts of a search, in milliseconds (SPORES Figure 16).
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Phases {
    /// Into relational algebra, with the planned polyterm.
    pub translate: f64,
    /// Growing the graph by the rules.
    pub saturate: f64,
    /// Choosing the cheapest form, and back into matrices.
    pub extract: f64,
}

/// What a search did.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SearchStats {
    /// Rounds.
    pub iterations: usize,
    /// E-nodes at the end.
    pub enodes: usize,
    /// E-classes at the end.
    pub eclasses: usize,
    /// Why it ended.
    pub stopped: String,
    /// Whether a longer run could say something else (cancelled, or ended by the clock).
    pub cut_short: bool,
    /// How much cheaper than the result another form in the graph could be at most, as a share of its cost, where that
    /// was asked: 0 if none is cheaper.
    pub gap: Option<f64>,
    /// Wall time.
    pub milliseconds: f64,
    /// The same, by part.
    pub phases: Phases,
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The cheapest form, its roots in the order of the request.
    pub dag: Dag,
    /// Cost of the result, the held values being there already.
    pub after: Cost,
    /// What the search did.
    pub search: SearchStats,
}

/// Why there is no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoOutcome {
    /// A size on the way is not a number.
    UnknownSize(NodeId),
    /// An operator has no relational form for these arguments, or the term grew beyond its bounds.
    OutOfReach,
    /// Cancelled before there was anything to show.
    Cancelled,
}

/// What to optimize.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The expressions.
    pub dag: &'a Dag,
    /// The results wanted.
    pub roots: &'a [NodeId],
    /// Values that are there already, each under a name that is free in the DAG; using one costs nothing.
    pub held: &'a [(NodeId, &'a str)],
    /// The machine that costs are for.
    pub machine: &'a Machine,
    /// The loop that the expressions stand in, where something may be computed before it.
    pub around: Option<Loop<'a>>,
}

/// A loop around the expressions: what does not change in it may be computed once, and each run pays its share.
#[derive(Clone, Copy, Debug)]
pub struct Loop<'a> {
    /// The inputs that have one value in all runs.
    pub steady: &'a [NodeId],
    /// How often it runs.
    pub runs: f64,
}

/// Searches for the cheapest equal form of the request's roots. The result is a function of the request and the
/// options alone, unless [`SearchStats::cut_short`] says otherwise.
///
/// # Errors
/// See [`NoOutcome`].
pub fn optimize(
    request: Request<'_>,
    options: &Options,
    cancelled: &dyn Fn() -> bool,
) -> Result<Outcome, NoOutcome> {
    search(request, options, cancelled, None, |states, search| {
        Ok(cheapest(states, &request, options, search, cancelled)?.1)
    })
}

/// As [`optimize`], and shows the cheapest form so far to `better` while the graph still grows: whenever a round finds
/// a cheaper one and at least `every` has passed since the last look. What is shown depends on the clock, and says so by
/// [`SearchStats::cut_short`]; the result does not.
///
/// # Errors
/// See [`NoOutcome`].
pub fn optimize_anytime(
    request: Request<'_>,
    options: &Options,
    every: Duration,
    better: &mut dyn FnMut(Outcome),
    cancelled: &dyn Fn() -> bool,
) -> Result<Outcome, NoOutcome> {
    let watch = Watch { every, better };
    search(
        request,
        options,
        cancelled,
        Some(watch),
        |states, search| Ok(cheapest(states, &request, options, search, cancelled)?.1),
    )
}

/// Who wants to see results before the end, and how often at most.
struct Watch<'a> {
    every: Duration,
    better: &'a mut dyn FnMut(Outcome),
}

/// Up to `most` other equal forms, the cheapest first. Each does other work on matrices than the rest and than the result
/// of [`optimize`]: none differs only in order, transposes or scalars.
///
/// # Errors
/// See [`NoOutcome`].
pub fn alternatives(
    request: Request<'_>,
    options: &Options,
    most: usize,
    cancelled: &dyn Fn() -> bool,
) -> Result<Vec<Outcome>, NoOutcome> {
    /// Plans lowered for each form wanted: most differ from others in little.
    const PLANS: usize = 100;
    search(request, options, cancelled, None, |states, stats| {
        let (plan, best) = cheapest(states, &request, options, stats, cancelled)?;
        let mut seen = vec![likeness(&best.dag)];
        let mut found = Vec::new();
        for plan in states.others(&plan, PLANS * most, cancelled) {
            let (dag, after) = lowered(states, &plan, &request)?;
            let like = likeness(&dag);
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
    })
}

/// Grows the graph of a request, and hands its states over.
fn search<T>(
    request: Request<'_>,
    options: &Options,
    cancelled: &dyn Fn() -> bool,
    mut watch: Option<Watch<'_>>,
    choose: impl FnOnce(&States<'_>, SearchStats) -> Result<T, NoOutcome>,
) -> Result<T, NoOutcome> {
    let Request {
        dag, roots, held, ..
    } = request;
    let start = Instant::now();
    if let Some(id) = dag
        .reachable(roots)
        .into_iter()
        .find(|id| !dag.ty(*id).has_known_shape())
    {
        return Err(NoOutcome::UnknownSize(id));
    }
    let mut all = roots.to_vec();
    all.extend(held.iter().map(|(id, _)| *id));
    let mut translation = Translation::new(dag, &all).ok_or(NoOutcome::OutOfReach)?;
    expand(&mut translation, dag, &islands(dag, roots));
    let translated = start.elapsed();
    let max_nodes = room(dag, roots, options);
    let held: Vec<Held> = held
        .iter()
        .map(|(id, name)| Held {
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
        let Some(states) = states(&request, translation, &held, options, cancelled) else {
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
        let stats = stats(translation, rounds, Stopped::Time, phases);
        if let Ok((_, outcome)) = cheapest(&states, &request, &quick, stats, cancelled)
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
    let saturated = start.elapsed();
    if cancelled() {
        return Err(NoOutcome::Cancelled);
    }
    let states =
        states(&request, &translation, &held, options, cancelled).ok_or(NoOutcome::Cancelled)?;
    debug_assert!(
        !translation.relations.graph.analysis.broken,
        "merged classes disagree on their schema"
    );
    let phases = Phases {
        translate: milliseconds(translated),
        saturate: milliseconds(saturated - translated),
        extract: milliseconds(start.elapsed() - saturated),
    };
    let stats = stats(&translation, iterations, stopped, phases);
    choose(&states, stats)
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
        cut_short: matches!(stopped, Stopped::Cancelled | Stopped::Time),
        gap: None,
        milliseconds: phases.translate + phases.saturate + phases.extract,
        phases,
    }
}

/// The cheapest of the plans that extraction offers, and what it gives. What does not fit into the machine's memory counts
/// only where nothing was found that does.
fn cheapest(
    states: &States<'_>,
    request: &Request<'_>,
    options: &Options,
    mut search: SearchStats,
    cancelled: &dyn Fn() -> bool,
) -> Result<(Plan, Outcome), NoOutcome> {
    let start = Instant::now();
    let machine = request.machine;
    // States are priced one by one, the DAG as a whole: a plan that is cheaper by states need not be by the DAG.
    let mut best: Option<(Plan, Dag, Cost)> = None;
    let mut consider = |chosen: Chosen| -> Result<f64, NoOutcome> {
        let (dag, after) = lowered(states, &chosen.plan, request)?;
        let rank = options.rank(machine, &after);
        let (_, _, least) = match &mut best {
            Some(best) if options.rank(machine, &best.2) <= rank => best,
            best => best.insert((chosen.plan, dag, after)),
        };
        Ok(least.peak_bytes)
    };
    let mut peak = f64::INFINITY;
    for chosen in states.plans(options.extraction, cancelled) {
        search.gap = chosen.gap;
        peak = consider(chosen)?;
    }
    // What fits operator by operator may still not fit as a whole, and where nothing fits, less is better than more.
    let ceilings = machine
        .memory
        .into_iter()
        .flat_map(|bytes| SHARES.map(|share| bytes * share))
        .chain(SHARES.map(|share| peak * share));
    for bytes in ceilings {
        if machine.fits(peak) || cancelled() {
            break;
        }
        search.gap = None;
        for chosen in states.plans_within(bytes, options.extraction, cancelled) {
            peak = consider(chosen)?;
        }
    }
    let (plan, dag, after) = best.ok_or(NoOutcome::OutOfReach)?;
    let took = milliseconds(start.elapsed());
    search.milliseconds += took;
    search.phases.extract += took;
    Ok((plan, Outcome { dag, after, search }))
}

/// What one operator may take of the memory, or of what the best plan takes, where that does not fit as a whole.
const SHARES: [f64; 4] = [1.0, 0.5, 0.25, 0.125];

/// What a plan computes, in reading order, and what it costs.
fn lowered(
    states: &States<'_>,
    plan: &Plan,
    request: &Request<'_>,
) -> Result<(Dag, Cost), NoOutcome> {
    let lowered = states.lower(plan);
    debug_assert!(
        lowered.is_ok(),
        "extraction built a misshapen term: {lowered:?}"
    );
    let dag = polish(&lowered.map_err(|_| NoOutcome::OutOfReach)?);
    let cost = cost_of_run(&dag, request).ok_or(NoOutcome::OutOfReach)?;
    Ok((dag, cost))
}

/// What one run of the DAG costs, with its share of what may be computed before the loop.
fn cost_of_run(dag: &Dag, request: &Request<'_>) -> Option<Cost> {
    let machine = request.machine;
    let hoisted = request.around.and_then(|around| {
        let is_steady = |input: &Input| {
            around.steady.iter().any(|id| {
                let steady = request.dag.input_of(*id);
                steady.is_some_and(|steady| steady.name == input.name)
            })
        };
        // A name that no script can write is nobody's.
        let cut = dag.hoisted(&is_steady, machine, &|n| format!("once {n}"))?;
        cut.cost_of_run(around.runs, machine)
    });
    match hoisted {
        Some(cost) => Some(cost),
        None => dag.cost(dag.roots(), machine),
    }
}

/// Equal for DAGs that do the same work on matrices: they differ in the order of what commutes, in transposes, and in what
/// they do with scalars and signs.
fn likeness(dag: &Dag) -> Vec<u64> {
    let mut of: BTreeMap<NodeId, u64> = BTreeMap::new();
    let mut work = Vec::new();
    for id in dag.reachable(dag.roots()) {
        let like = match dag.node(id) {
            Node::Op(Op::Transpose | Op::Neg, args) => of[&args[0]],
            Node::Op(op, args) => {
                let mut likes: Vec<u64> = args.iter().map(|arg| of[arg]).collect();
                if matches!(op, Op::Add | Op::Mul | Op::MatMul) {
                    likes.sort_unstable();
                }
                let like = FxBuildHasher.hash_one((op, likes));
                if !args.iter().all(|arg| dag.is_scalar(*arg)) {
                    work.push(like);
                }
                like
            }
            Node::Input(_) => FxBuildHasher.hash_one(dag.input_of(id).map(|input| &input.name)),
            Node::Num(bits) => FxBuildHasher.hash_one(bits),
        };
        of.insert(id, like);
    }
    work.sort_unstable();
    work.dedup();
    work
}

/// E-nodes that the search for these roots may make.
pub(crate) fn room(dag: &Dag, roots: &[NodeId], options: &Options) -> usize {
    let is_operator = |id: &NodeId| matches!(dag.node(*id), Node::Op(..));
    let reachable = dag.reachable(roots);
    let operators = reachable.iter().filter(|id| is_operator(id)).count();
    options.max_nodes.unwrap_or_else(|| node_budget(operators))
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
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
