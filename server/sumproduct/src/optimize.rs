//! From a DAG to the cheapest equal DAG that the search finds.

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::time::{Duration, Instant};

use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};
use sumac_cost::{Cost, Hoisted, Machine, Priced, Regions};
use sumac_la::{Dag, Input, Node, NodeId, Op};

use crate::extract::{Plan, States};
use crate::joint;
use crate::normalized::normalized;
use crate::options::Options;
use crate::problem::Problem;

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
    /// Whether a longer run of the same search could say something else: it was looked at before its end, or cancelled.
    pub cut_short: bool,
    /// How much cheaper than the result another form in the graph could be at most, as a share of its cost, where that
    /// was asked: 0 if none is cheaper.
    pub gap: Option<f64>,
    /// Wall time.
    pub milliseconds: f64,
    /// The same, by part.
    pub phases: Phases,
}

impl SearchStats {
    /// Those of a form that no search of this crate found, but what `stopped` names.
    #[must_use]
    pub fn unsearched(stopped: &str) -> Self {
        SearchStats {
            iterations: 0,
            enodes: 0,
            eclasses: 0,
            stopped: stopped.to_owned(),
            cut_short: false,
            gap: None,
            milliseconds: 0.0,
            phases: Phases::default(),
        }
    }

    /// Whether a search can have said this.
    pub(crate) fn is_plausible(&self) -> bool {
        const LONGEST: usize = 200;
        !self.cut_short
            && self.stopped.len() <= LONGEST
            && !self.stopped.contains(char::is_control)
            && self.milliseconds >= 0.0
            && self.gap.is_none_or(|gap| (0.0..=1.0).contains(&gap))
    }
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The cheapest form, its roots in the order of the request.
    pub dag: Dag,
    /// Cost of the result, the held values being there already.
    pub after: Cost,
    /// What the search did.
    pub search: SearchStats,
}

/// Why there is no result.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum NoOutcome {
    /// A size on the way is not a number.
    UnknownSize,
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
    /// How whatever runs a form fuses its operators, where that is planned for each form; otherwise costs are those of the
    /// engine's patterns.
    pub fusing: Option<Regions>,
}

impl Request<'_> {
    /// What a form costs.
    fn price(&self, form: &Dag) -> Option<Cost> {
        price(form, self.machine, self.fusing)
    }

    /// A form cut in two by the loop around it, where a part of it does not change there.
    fn cut(&self, form: &Dag) -> Option<Hoisted> {
        let around = self.around?;
        let is_loop_invariant = |input: &Input| {
            around.loop_invariant.iter().any(|id| {
                let loop_invariant = self.dag.input_of(*id);
                loop_invariant.is_some_and(|loop_invariant| loop_invariant.name == input.name)
            })
        };
        // A name that no script can write is nobody's.
        form.hoisted(&is_loop_invariant, self.machine, &|n| format!("once {n}"))
    }

    /// How many seconds each run of the loop as written computes what does not change in it.
    pub(crate) fn computed_again(&self) -> f64 {
        if self.around.is_none() {
            return 0.0;
        }
        let mut written = Dag::default();
        for root in self.roots {
            let root = written.import(self.dag, *root);
            written.push_root(root);
        }
        let cut = self.cut(&written);
        let cost = cut.and_then(|cut| self.price(&cut.once));
        cost.map_or(0.0, |cost| cost.seconds)
    }
}

/// What the roots of a DAG cost on a machine: by the regions that are planned, or by the engine's patterns.
#[must_use]
pub fn price(dag: &Dag, machine: &Machine, fusing: Option<Regions>) -> Option<Cost> {
    match fusing {
        Some(regions) => dag.cost_by(dag.roots(), machine, &regions(dag, dag.roots(), machine)),
        None => dag.cost(dag.roots(), machine),
    }
}

/// A loop around the expressions: what does not change in it may be computed once, and each run pays its share.
#[derive(Clone, Copy, Debug)]
pub struct Loop<'a> {
    /// The inputs that have one value in all runs.
    pub loop_invariant: &'a [NodeId],
    /// How often it runs.
    pub trip_count: f64,
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
    let problem = Problem::new(&request, options);
    let graph = problem.grow(None, cancelled)?;
    let found = problem.cheapest(&graph, cancelled)?;
    Ok(problem.named(found))
}

/// The cheapest of the plans that extraction offers, and what it gives. What does not fit into the machine's memory counts
/// only where nothing was found that does.
pub(crate) fn cheapest(
    states: &mut States<'_>,
    request: &Request<'_>,
    options: &Options,
    mut search: SearchStats,
    cancelled: &dyn Fn() -> bool,
) -> Result<(Plan, Outcome), NoOutcome> {
    let start = Instant::now();
    let machine = request.machine;
    let computed = request.computed_again();
    // States are priced one by one, the DAG as a whole: a plan that is cheaper by states need not be by the DAG.
    let mut best: Option<(Plan, Dag, Cost)> = None;
    let mut consider = |plan: Plan, (dag, after): (Dag, Cost)| -> f64 {
        let rank = options.rank(machine, &after);
        let (_, _, least) = match &mut best {
            Some(best) if options.rank(machine, &best.2) <= rank => best,
            best => best.insert((plan, dag, after)),
        };
        least.peak_bytes
    };
    if let Some(regions) = request.fusing {
        joint::feed(states, request, regions, cancelled, &mut |plan, form| {
            consider(plan, form);
        })?;
    }
    let mut peak = f64::INFINITY;
    for chosen in states.plans(options.extraction, cancelled) {
        search.gap = chosen.gap;
        let form = lowered(states, &chosen.plan, request, computed)?;
        peak = consider(chosen.plan, form);
        if cancelled() {
            break;
        }
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
            let form = lowered(states, &chosen.plan, request, computed)?;
            peak = consider(chosen.plan, form);
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

/// What a plan computes, in reading order, and what it costs; `computed` as in [`cost_of_run`].
pub(crate) fn lowered(
    states: &States<'_>,
    plan: &Plan,
    request: &Request<'_>,
    computed: f64,
) -> Result<(Dag, Cost), NoOutcome> {
    let lowered = states.lower(plan);
    debug_assert!(
        lowered.is_ok(),
        "extraction built a misshapen term: {lowered:?}"
    );
    let dag = normalized(&lowered.map_err(|_| NoOutcome::OutOfReach)?);
    let cost = cost_of_run(&dag, request, computed).ok_or(NoOutcome::OutOfReach)?;
    Ok((dag, cost))
}

/// What one run of the DAG costs, with its share of what may be computed before the loop; `computed` is
/// [`Request::computed_again`].
pub(crate) fn cost_of_run(dag: &Dag, request: &Request<'_>, computed: f64) -> Option<Cost> {
    let cut = request.around.zip(request.cut(dag));
    let hoisted = cut.and_then(|(around, cut)| {
        cut.cost_of_run(around.trip_count, computed, &|dag| request.price(dag))
    });
    hoisted.or_else(|| request.price(dag))
}

/// Equal for DAGs that do the same work on matrices: they differ in the order of what commutes, in transposes, and in what
/// they do with scalars and signs.
pub(crate) fn structural_fingerprint(dag: &Dag) -> Vec<u64> {
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

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
