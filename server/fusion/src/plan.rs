//! The plan of a DAG: which operators are fused, in which order everything runs, and what choosing it took.
//!
//! Where sizes are not known nothing has a cost; then only what is read once is fused, and the plan says so.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::Serialize;
use sumac_la::{Dag, Node, NodeId};

use crate::bits::Bits;
use crate::build::{Built, build};
use crate::costing::Costing;
use crate::explore::explore;
use crate::graph::Graph;
use crate::kernel::{Access, Kernel};
use crate::memo::{Entry, Memo, Reference};
use crate::opened::{Opened, Seconds, alone, inputs, seconds, visited};
use crate::partition::{Partition, partitions};
use crate::rates::Rates;
use crate::search::{Found, Limits, fuse_all, fuse_no_redundancy, search};
use crate::template::{Close, Sizes, Template};
use crate::templates::{is_full_fold, most_outputs};

/// How a plan is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// The cheapest.
    #[default]
    CostBased,
    /// As much as possible, whatever is computed twice.
    FuseAll,
    /// As much as possible while nothing is computed twice.
    FuseNoRedundancy,
    /// Nothing.
    None,
}

/// What a plan is made with.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// How it is chosen.
    pub policy: Policy,
    /// What things take.
    pub rates: Rates,
    /// Sizes that templates depend on.
    pub sizes: Sizes,
    /// How far a search goes.
    pub limits: Limits,
}

impl Options {
    /// Cost-based, with these rates.
    #[must_use]
    pub fn new(rates: Rates) -> Options {
        Options {
            policy: Policy::CostBased,
            rates,
            sizes: Sizes::default(),
            limits: Limits::default(),
        }
    }
}

/// A fused operator of a plan.
#[derive(Clone, Debug)]
pub struct PlannedOperator {
    /// Its kind.
    pub template: Template,
    /// Its results; several only in MAgg.
    pub roots: Vec<NodeId>,
    /// The operators in it, arguments first.
    pub covers: Vec<NodeId>,
    /// By slot of the kernel: the value that it reads.
    pub inputs: Vec<NodeId>,
    /// The sparse matrix whose cells it visits instead of all.
    pub driver: Option<NodeId>,
    /// What it takes, where sizes are known.
    pub seconds: Seconds,
    /// What it computes.
    pub kernel: Arc<Kernel>,
}

impl PlannedOperator {
    /// The largest of the matrices whose rows or cells it goes through.
    #[must_use]
    pub fn main(&self, dag: &Dag) -> Option<NodeId> {
        let size = |id: &NodeId| dag.ty(*id).cells().unwrap_or(0.0);
        let slots = self.inputs.iter().zip(&self.kernel.slots);
        slots
            .filter(|(_, access)| matches!(access, Access::Cells | Access::Column))
            .map(|(id, _)| *id)
            .max_by(|a, b| size(a).total_cmp(&size(b)))
    }

    /// What it computes as a short program, with names for values.
    #[must_use]
    pub fn program(&self, dag: &Dag, name: &dyn Fn(NodeId) -> String) -> String {
        let names = |ids: &[NodeId]| ids.iter().map(|id| name(*id)).collect::<Vec<_>>();
        let main = || self.main(dag).map_or_else(|| "the result".to_owned(), name);
        let over = match (self.template, self.driver) {
            (Template::Row, _) => format!("row r of {}", main()),
            (_, Some(driver)) => format!("non-zero (r,c) of {}", name(driver)),
            (_, None) => format!("cell (r,c) of {}", main()),
        };
        let (inputs, outputs) = (names(&self.inputs), names(&self.roots));
        self.kernel.program(&inputs, &outputs, &over)
    }
}

/// One thing that is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// A fused operator of the plan, by its number.
    Fused(usize),
    /// An operator alone.
    Alone(NodeId),
}

/// What was decided in one partition.
#[derive(Clone, Debug)]
pub struct Share {
    /// The partition.
    pub partition: Partition,
    /// How the choice was found; `None` where sizes are not known.
    pub found: Option<Found>,
    /// What is written down.
    pub written: Bits,
}

/// A plan.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The candidates.
    pub memo: Memo,
    /// What was decided, by partition.
    pub shares: Vec<Share>,
    /// The fused operators, in the order in which they run.
    pub operators: Vec<PlannedOperator>,
    /// Everything that runs, in order.
    pub schedule: Vec<Unit>,
    /// What the plan takes; `None` where a size is not known.
    pub seconds: Option<f64>,
    /// What it takes without fusion.
    pub unfused_seconds: Option<f64>,
}

impl Plan {
    /// Plans that were costed.
    #[must_use]
    pub fn costed(&self) -> u64 {
        self.found().map(|found| found.costed).sum()
    }

    /// Points of all partitions.
    #[must_use]
    pub fn points(&self) -> usize {
        self.shares
            .iter()
            .map(|share| share.partition.points.len())
            .sum()
    }

    /// Plans that there are with all partitions taken together, and with each alone.
    #[must_use]
    pub fn choices(&self) -> (f64, f64) {
        let power = |points: usize| 2_f64.powi(i32::try_from(points).unwrap_or(i32::MAX));
        let apart = self
            .shares
            .iter()
            .map(|share| power(share.partition.points.len()))
            .sum();
        (power(self.points()), apart)
    }

    /// Whether a limit ended a search.
    #[must_use]
    pub fn cut_short(&self) -> bool {
        self.found().any(|found| found.cut_short)
    }

    /// Whether all sizes are known, so that costs decided.
    #[must_use]
    pub fn is_costed(&self) -> bool {
        self.seconds.is_some()
    }

    fn found(&self) -> impl Iterator<Item = &Found> {
        self.shares.iter().filter_map(|share| share.found.as_ref())
    }
}

/// The plan for the values `roots` of a DAG.
#[must_use]
pub fn plan(dag: &Dag, roots: &[NodeId], options: &Options) -> Plan {
    let graph = Graph::new(dag, roots);
    let is_heuristic = matches!(options.policy, Policy::FuseAll | Policy::FuseNoRedundancy);
    let mut memo = explore(&graph, options.sizes, is_heuristic);
    let parts = match options.policy {
        Policy::None => Vec::new(),
        _ => partitions(&graph, &memo),
    };
    let mut chosen: Vec<Opened> = Vec::new();
    let mut shares = Vec::new();
    for partition in parts {
        let (written, found, opened) = decide(&graph, &memo, &partition, options);
        chosen.extend(opened.into_iter().filter(|o| o.template.is_some()));
        shares.push(Share {
            partition,
            found,
            written,
        });
    }
    let groups = match options.policy {
        Policy::None => Vec::new(),
        _ => with_shared_passes(&graph, &options.rates, chosen),
    };
    let mut operators = Vec::new();
    for group in groups {
        if let Some(built) = build(&graph, &group) {
            if group.len() > 1 {
                remember(&graph, &mut memo, &group);
            }
            operators.push(planned(&graph, &options.rates, &group, built));
        }
    }
    let schedule = schedule(&graph, &operators).unwrap_or_else(|| {
        // Operators that wait for each other: only shared passes can, and each was tried before it was kept.
        operators.clear();
        schedule(&graph, &operators).unwrap_or_default()
    });
    let is_sized = graph.order.iter().all(|id| dag.ty(*id).cells().is_some());
    let of_unit = |unit: &Unit| match unit {
        Unit::Fused(i) => operators[*i].seconds.total(),
        Unit::Alone(id) => alone(&graph, &options.rates, *id).seconds.total(),
    };
    let seconds = is_sized.then(|| schedule.iter().map(of_unit).sum());
    let unfused_seconds = is_sized.then(|| {
        let is_op = |id: &&NodeId| graph.op(**id).is_some();
        let all = graph.order.iter().filter(is_op);
        all.map(|id| alone(&graph, &options.rates, *id).seconds.total())
            .sum()
    });
    Plan {
        memo,
        shares,
        operators,
        schedule,
        seconds,
        unfused_seconds,
    }
}

/// The choice for a partition, and the operators that follow from it.
fn decide(
    graph: &Graph<'_>,
    memo: &Memo,
    partition: &Partition,
    options: &Options,
) -> (Bits, Option<Found>, Vec<Opened>) {
    let Some(costing) = Costing::new(graph, memo, partition, options.rates) else {
        let costing = Costing::unsized_of(graph, memo, partition, options.rates);
        let written = fuse_no_redundancy(&costing);
        let opened = costing.operators(&written, &[]);
        return (written, None, opened);
    };
    match options.policy {
        Policy::FuseAll => {
            let written = fuse_all(&costing);
            let opened = costing.operators(&written, &[]);
            (written, None, opened)
        }
        Policy::FuseNoRedundancy | Policy::None => {
            let written = fuse_no_redundancy(&costing);
            let opened = costing.operators(&written, &[]);
            (written, None, opened)
        }
        Policy::CostBased => {
            let mut found = search(&costing, memo, options.limits);
            let apart = taken_apart(&costing, &mut found);
            let opened = costing.operators(&found.written, &apart);
            (found.written.clone(), Some(found), opened)
        }
    }
}

/// Operators of a partition that are tried as what they are made of.
const MOST_TRIED: usize = 64;

/// The operators of a choice that are cheaper as what they are made of.
fn taken_apart(costing: &Costing<'_>, found: &mut Found) -> Vec<NodeId> {
    let mut apart = Vec::new();
    let mut tried = Vec::new();
    loop {
        let opened = costing.operators(&found.written, &apart);
        let next = opened
            .iter()
            .rev()
            .find(|o| o.template.is_some() && !tried.contains(&o.root));
        let Some(next) = next.filter(|_| tried.len() < MOST_TRIED) else {
            return apart;
        };
        tried.push(next.root);
        apart.push(next.root);
        let cost = costing.cost(&found.written, &apart, f64::INFINITY);
        if cost < found.seconds * (1.0 - 1e-9) {
            found.seconds = cost;
        } else {
            apart.pop();
        }
    }
}

/// Operators with aggregates over the same cells put together, where one pass is cheaper than several.
fn with_shared_passes(graph: &Graph<'_>, rates: &Rates, chosen: Vec<Opened>) -> Vec<Vec<Opened>> {
    let is_aggregate = |o: &Opened| {
        o.template == Some(Template::Cell) && graph.op(o.root).is_some_and(is_full_fold)
    };
    let covered: Vec<NodeId> = chosen.iter().map(|o| o.root).collect();
    let (mut aggregates, others): (Vec<Opened>, Vec<Opened>) =
        chosen.into_iter().partition(is_aggregate);
    // Aggregates of one value alone can join.
    for &id in &graph.order {
        let is_lone = graph.op(id).is_some_and(is_full_fold)
            && !covered.contains(&id)
            && others.iter().all(|o| o.covers.binary_search(&id).is_err())
            && graph.is_matrix(graph.dag.args(id)[0])
            && graph.is_sized(graph.dag.args(id)[0]);
        if is_lone {
            aggregates.push(Opened {
                template: Some(Template::Cell),
                ..alone(graph, rates, id)
            });
        }
    }
    aggregates.sort_by_key(|o| o.root);
    let mut groups: Vec<Vec<Opened>> = others.into_iter().map(|o| vec![o]).collect();
    let fixed = groups.len();
    for aggregate in aggregates {
        let joined = (fixed..groups.len())
            .find(|i| {
                groups[*i].len() < most_outputs() && joins(graph, rates, &groups[*i], &aggregate)
            })
            .filter(|i| {
                let mut with = groups.clone();
                with[*i].push(aggregate.clone());
                runs(graph, &with)
            });
        match joined {
            Some(i) => groups[i].push(aggregate),
            None => groups.push(vec![aggregate]),
        }
    }
    groups.retain(|group| group.len() > 1 || group[0].covers.len() > 1);
    groups
}

/// Whether an aggregate shares a pass with others: the same cells, a common input, and a pass that is cheaper.
fn joins(graph: &Graph<'_>, rates: &Rates, group: &[Opened], more: &Opened) -> bool {
    let value = |o: &Opened| visited(graph, o.root, &o.covers, &o.inside);
    let (Some(first), Some(own)) = (value(&group[0]), value(more)) else {
        return false;
    };
    let shares = group.iter().any(|o| {
        o.inputs
            .iter()
            .any(|id| more.inputs.contains(id) && graph.is_matrix(*id))
    });
    let all: Vec<Opened> = group.iter().chain([more]).cloned().collect();
    let apart: f64 = all.iter().map(|o| o.seconds.total()).sum();
    graph.same_shape(first, own) && shares && shared_seconds(graph, rates, &all).total() < apart
}

/// What a pass takes that computes several operators.
fn shared_seconds(graph: &Graph<'_>, rates: &Rates, all: &[Opened]) -> Seconds {
    let (covers, inside) = together(all);
    let of_first = Opened {
        inputs: inputs(graph, &covers, &inside),
        driver: common_driver(all),
        covers,
        inside,
        ..all[0].clone()
    };
    let rest = all[1..].iter();
    let write: f64 = rest.filter_map(|o| rates.writing(graph.dag, o.root)).sum();
    let first = seconds(graph, rates, &of_first).unwrap_or_default();
    Seconds {
        write: first.write + write,
        ..first
    }
}

/// The matrix whose cells all of them visit.
fn common_driver(all: &[Opened]) -> Option<NodeId> {
    all[0]
        .driver
        .filter(|driver| all.iter().all(|o| o.driver == Some(*driver)))
}

fn together(all: &[Opened]) -> (Vec<NodeId>, Vec<(NodeId, usize)>) {
    let mut covers: Vec<NodeId> = all.iter().flat_map(|o| o.covers.clone()).collect();
    let mut inside: Vec<(NodeId, usize)> = all.iter().flat_map(|o| o.inside.clone()).collect();
    covers.sort_unstable();
    covers.dedup();
    inside.sort_unstable();
    inside.dedup();
    (covers, inside)
}

/// Whether no two groups wait for each other.
fn runs(graph: &Graph<'_>, groups: &[Vec<Opened>]) -> bool {
    let units: Vec<(Vec<NodeId>, Vec<NodeId>)> = groups
        .iter()
        .map(|group| {
            let (covers, inside) = together(group);
            let roots = group.iter().map(|o| o.root).collect();
            (roots, inputs(graph, &covers, &inside))
        })
        .collect();
    order(graph, &units).is_some()
}

/// The table gets an entry for each aggregate of a shared pass: its inputs are what the others compute too.
fn remember(graph: &Graph<'_>, memo: &mut Memo, group: &[Opened]) {
    for operator in group {
        let args = graph.dag.args(operator.root);
        let is_inside = |i: usize| operator.inside.binary_search(&(operator.root, i)).is_ok();
        let inputs = (0..args.len())
            .map(|i| {
                if is_inside(i) {
                    Reference::Fused {
                        same: false,
                        cell: true,
                    }
                } else {
                    Reference::Materialized
                }
            })
            .collect();
        memo.add(
            operator.root,
            Entry {
                template: Template::MAgg,
                inputs,
                close: Close::ClosedValid,
            },
        );
    }
}

fn planned(graph: &Graph<'_>, rates: &Rates, group: &[Opened], built: Built) -> PlannedOperator {
    let (covers, _) = together(group);
    let seconds = match group {
        [one] => one.seconds,
        _ => shared_seconds(graph, rates, group),
    };
    PlannedOperator {
        template: built.kernel.template,
        roots: group.iter().map(|o| o.root).collect(),
        covers,
        inputs: built.inputs,
        driver: common_driver(group),
        seconds,
        kernel: Arc::new(built.kernel),
    }
}

/// Everything that the roots need, in an order in which it can run; `None` where operators wait for each other.
fn schedule(graph: &Graph<'_>, operators: &[PlannedOperator]) -> Option<Vec<Unit>> {
    let units: Vec<(Vec<NodeId>, Vec<NodeId>)> = operators
        .iter()
        .map(|o| (o.roots.clone(), o.inputs.clone()))
        .collect();
    order(graph, &units)
}

fn order(graph: &Graph<'_>, fused: &[(Vec<NodeId>, Vec<NodeId>)]) -> Option<Vec<Unit>> {
    let of: FxHashMap<NodeId, usize> = fused
        .iter()
        .enumerate()
        .flat_map(|(i, (roots, _))| roots.iter().map(move |root| (*root, i)))
        .collect();
    let unit = |id: NodeId| of.get(&id).map_or(Unit::Alone(id), |i| Unit::Fused(*i));
    let needs = |unit: Unit| -> Vec<NodeId> {
        match unit {
            Unit::Fused(i) => fused[i].1.clone(),
            // Products read what is below a transpose that is never formed.
            Unit::Alone(id) => graph.dag.args(id).to_vec(),
        }
    };
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        Waiting,
        Done,
    }
    let mut marks: FxHashMap<usize, Mark> = FxHashMap::default();
    let key = |unit: Unit| match unit {
        Unit::Fused(i) => i,
        Unit::Alone(id) => fused.len() + id.index(),
    };
    let mut found = Vec::new();
    let mut open: Vec<(Unit, bool)> = graph
        .roots
        .iter()
        .rev()
        .map(|id| (unit(*id), false))
        .collect();
    while let Some((at, is_after)) = open.pop() {
        if let Unit::Alone(id) = at
            && !matches!(graph.dag.node(id), Node::Op(..))
        {
            continue;
        }
        if is_after {
            marks.insert(key(at), Mark::Done);
            found.push(at);
            continue;
        }
        match marks.get(&key(at)) {
            Some(Mark::Done) => continue,
            Some(Mark::Waiting) => return None,
            None => {}
        }
        marks.insert(key(at), Mark::Waiting);
        open.push((at, true));
        for need in needs(at) {
            if marks.get(&key(unit(need))) != Some(&Mark::Done) {
                open.push((unit(need), false));
            }
        }
    }
    Some(found)
}
