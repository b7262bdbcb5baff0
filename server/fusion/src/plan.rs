//! The plan of a DAG: which operators are fused, in which order everything runs, and what choosing it took.
//!
//! Where sizes are not known nothing has a cost; then only what is read once is fused, and the plan says so.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sumac_la::{Dag, NodeId};

use crate::bits::Bits;
use crate::build::{Built, build};
use crate::costing::Costing;
use crate::explore::explore_allowed;
use crate::graph::Graph;
use crate::kernel::{Access, Kernel};
use crate::memo::Memo;
use crate::opened::{Opened, Seconds, alone};
use crate::partition::{Partition, partitions};
use crate::placement::{Placement, allows_entry, place};
use crate::rates::Rates;
use crate::schedule::{Unit, order};
use crate::search::{Found, Limits, fuse_all, fuse_no_redundancy, search};
use crate::shared::{
    common_driver, merged, remember, shared_seconds, together, with_shared_passes,
};
use crate::template::{Sizes, Template};

/// How a plan is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
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
    /// What it takes; `None` where a size is not known.
    pub seconds: Option<Seconds>,
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
        // Behind each stands an index, or a sign.
        let names = |ids: &[NodeId]| ids.iter().map(|id| bound(name(*id))).collect::<Vec<_>>();
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

/// The text of a value so that an index or a sign behind it, or before it, is about all of it.
fn bound(text: String) -> String {
    let mut depth = 0_usize;
    let is_open = text.chars().any(|c| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && !(c.is_alphanumeric() || "_.$#%)]".contains(c))
    });
    if is_open { format!("({text})") } else { text }
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
    /// Where each unit of the schedule runs; nothing where there is no cluster.
    pub placements: Vec<Placement>,
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
            // From zero: what has no terms sums up to one with a sign.
            .fold(0.0, |sum, power| sum + power);
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

    /// Where a unit of the schedule runs; `None` where there is no cluster.
    #[must_use]
    pub fn placement(&self, of: Unit) -> Option<&Placement> {
        let at = self.schedule.iter().position(|unit| *unit == of)?;
        self.placements.get(at)
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
    let cluster = options.rates.cluster;
    let mut memo = explore_allowed(&graph, options.sizes, is_heuristic, &|id, entry| {
        cluster.is_none_or(|cluster| allows_entry(&graph, &cluster, id, entry))
    });
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
    let mut places = Vec::new();
    for group in groups {
        if let Some(built) = build(&graph, &group) {
            if group.len() > 1 {
                remember(&graph, &mut memo, &group);
            }
            let placed = cluster.map(|cluster| place(&graph, &cluster, &merged(&graph, &group)));
            places.extend(placed);
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
        Unit::Fused(i) => operators[*i].seconds.map_or(0.0, |seconds| seconds.total()),
        Unit::Alone(id) => alone(&graph, &options.rates, *id).seconds.total(),
    };
    let placements = cluster.map_or(Vec::new(), |cluster| {
        let of_unit = |unit: &Unit| match unit {
            Unit::Fused(i) => places[*i].clone(),
            Unit::Alone(id) => place(&graph, &cluster, &alone(&graph, &options.rates, *id)),
        };
        schedule.iter().map(of_unit).collect()
    });
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
        placements,
    }
}

/// The choice for a partition, and the operators that follow from it.
fn decide(
    graph: &Graph<'_>,
    memo: &Memo,
    partition: &Partition,
    options: &Options,
) -> (Bits, Option<Found>, Vec<Opened>) {
    let costed = Costing::new(graph, memo, partition, options.rates);
    let is_costed = costed.is_some();
    let costing =
        costed.unwrap_or_else(|| Costing::unsized_of(graph, memo, partition, options.rates));
    if is_costed && options.policy == Policy::CostBased {
        let mut found = search(&costing, memo, options.limits);
        prefer_no_redundancy(&costing, &mut found);
        let apart = taken_apart(&costing, &mut found);
        let opened = costing.operators(&found.written, &apart);
        return (found.written.clone(), Some(found), opened);
    }
    let costing = costing.whatever_it_costs();
    let written = if is_costed && options.policy == Policy::FuseAll {
        fuse_all(&costing)
    } else {
        fuse_no_redundancy(&costing)
    };
    let opened = costing.operators(&written, &[]);
    (written, None, opened)
}

/// Takes the choice that computes nothing twice where it costs about as much: estimates let all computing hide behind reading, and
/// are too low for what is computed again.
fn prefer_no_redundancy(costing: &Costing<'_>, found: &mut Found) {
    /// The share of its cost by which a choice must be cheaper.
    const LEAST_GAIN: f64 = 0.02;
    let written = fuse_no_redundancy(costing);
    let seconds = costing.cost(&written, &[], f64::INFINITY);
    if found.seconds > seconds * (1.0 - LEAST_GAIN) {
        (found.written, found.seconds) = (written, seconds);
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

fn planned(graph: &Graph<'_>, rates: &Rates, group: &[Opened], built: Built) -> PlannedOperator {
    let (covers, _) = together(group);
    PlannedOperator {
        template: built.kernel.template,
        roots: group.iter().map(|o| o.root).collect(),
        covers,
        inputs: built.inputs,
        driver: common_driver(group),
        seconds: shared_seconds(graph, rates, group),
        kernel: Arc::new(built.kernel),
    }
}

/// Everything that the roots need, in an order in which it can run; `None` where operators wait for each other.
fn schedule(graph: &Graph<'_>, operators: &[PlannedOperator]) -> Option<Vec<Unit>> {
    let units: Vec<_> = operators
        .iter()
        .map(|o| (o.roots.clone(), o.inputs.clone()))
        .collect();
    order(graph, &units)
}

#[cfg(test)]
mod tests {
    use super::bound;

    #[test]
    fn an_index_behind_a_text_is_about_all_of_it() {
        let same = [
            "X",
            "%8",
            "once_g.2",
            "t(U)",
            "sum(A * B)",
            "X[1, 2]",
            "0.5",
        ];
        for text in same {
            assert_eq!(bound(text.to_owned()), text);
        }
        for text in ["1 - 0.002 * lambda", "t(U) %*% U", "-x", "(a) * (b)"] {
            assert_eq!(bound(text.to_owned()), format!("({text})"));
        }
    }
}
