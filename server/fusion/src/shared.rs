//! Aggregates that share a pass over the same cells (MAgg): which are put together, and what the pass takes. It never
//! changes what is inside of an operator.

use sumac_la::NodeId;

use crate::graph::Graph;
use crate::memo::{Entry, Memo, Reference};
use crate::opened::{Opened, Seconds, alone, inputs, seconds, visited};
use crate::rates::Rates;
use crate::schedule::order;
use crate::template::{Close, Template};
use crate::templates::{is_full_fold, most_outputs};

/// Operators with aggregates over the same cells put together, where one pass is cheaper than several.
pub(crate) fn with_shared_passes(
    graph: &Graph<'_>,
    rates: &Rates,
    chosen: Vec<Opened>,
) -> Vec<Vec<Opened>> {
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
    let is_cheaper = |seconds: Seconds| seconds.total() < apart;
    graph.same_shape(first, own)
        && shares
        && shared_seconds(graph, rates, &all).is_some_and(is_cheaper)
}

/// One operator that computes several: the first one, with what the others take in and read.
pub(crate) fn merged(graph: &Graph<'_>, all: &[Opened]) -> Opened {
    let (covers, inside) = together(all);
    Opened {
        inputs: inputs(graph, &covers, &inside),
        driver: common_driver(all),
        covers,
        inside,
        ..all[0].clone()
    }
}

/// What a pass takes that computes some operators; `None` where a size is not known.
pub(crate) fn shared_seconds(graph: &Graph<'_>, rates: &Rates, all: &[Opened]) -> Option<Seconds> {
    if let [one] = all {
        return seconds(graph, rates, one);
    }
    let rest = all[1..].iter();
    let write: f64 = rest.filter_map(|o| rates.writing(graph.dag, o.root)).sum();
    let first = seconds(graph, rates, &merged(graph, all))?;
    Some(Seconds {
        write: first.write + write,
        ..first
    })
}

/// The matrix whose cells all of them visit.
pub(crate) fn common_driver(all: &[Opened]) -> Option<NodeId> {
    all[0]
        .driver
        .filter(|driver| all.iter().all(|o| o.driver == Some(*driver)))
}

pub(crate) fn together(all: &[Opened]) -> (Vec<NodeId>, Vec<(NodeId, usize)>) {
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
pub(crate) fn remember(graph: &Graph<'_>, memo: &mut Memo, group: &[Opened]) {
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
