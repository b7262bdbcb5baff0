//! Where an operator runs if there is a cluster behind the driver, what it moves there, and which operators the cluster
//! cannot run at all.
//!
//! An operator that fits into the driver runs there and may be any. Beyond that, a Row operator needs whole rows in one
//! block, an Outer operator a whole row of each factor, and what is read beside the largest input must reach its blocks:
//! sent to every executor, or joined (Boehm et al., section 4.4). What has no size counts as too large to send. It never
//! chooses a plan.

use smallvec::SmallVec;
use sumac_cost::{Cluster, matrix_bytes};
use sumac_la::NodeId;

use crate::graph::Graph;
use crate::memo::Entry;
use crate::opened::{Opened, Seconds};
use crate::rates::Rates;
use crate::template::Template;
use crate::templates::is_outer_product;

/// Where an operator runs.
#[derive(Clone, PartialEq, Debug)]
pub enum Placement {
    /// In the driver.
    Driver,
    /// Where the blocks of its largest input lie.
    Cluster(Moves),
    /// Its sizes are not known.
    Unknown,
}

/// What an operator on the cluster reads beside the blocks that lie there.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Moves {
    /// Inputs that are sent to every executor.
    pub sent: Vec<NodeId>,
    /// Inputs whose blocks are moved to where they are joined.
    pub joined: Vec<NodeId>,
    /// Seconds that takes.
    pub seconds: f64,
}

/// Bytes of the inputs, and of the result; `None` where a size is not known.
fn sizes(graph: &Graph<'_>, inputs: &[NodeId], root: NodeId) -> Option<(SmallVec<[f64; 8]>, f64)> {
    let mut bytes = SmallVec::new();
    for id in inputs {
        bytes.push(matrix_bytes(graph.dag.ty(*id))?);
    }
    Some((bytes, matrix_bytes(graph.dag.ty(root))?))
}

/// Where an operator runs, and what it moves.
pub(crate) fn place(graph: &Graph<'_>, cluster: &Cluster, opened: &Opened) -> Placement {
    let Some((bytes, result)) = sizes(graph, &opened.inputs, opened.root) else {
        return Placement::Unknown;
    };
    if graph.is_lazy(opened.root) || !cluster.takes(bytes.iter().sum::<f64>() + result) {
        return Placement::Driver;
    }
    let main = main(opened, &bytes);
    if opened.template.is_none() {
        if let Some((_, inner, _)) = graph.product(opened.root) {
            return Placement::Cluster(product(cluster, opened, &bytes, (main, result, inner)));
        }
        if graph.transposed(opened.root).is_some() {
            let seconds = bytes.first().map_or(0.0, |bytes| cluster.shuffling(*bytes));
            return Placement::Cluster(Moves {
                joined: opened.inputs.clone(),
                seconds,
                ..Moves::default()
            });
        }
    }
    Placement::Cluster(sides(graph, cluster, opened, &bytes, main))
}

/// The input whose blocks stay: the matrix whose cells an Outer operator visits, else the largest.
fn main(opened: &Opened, bytes: &[f64]) -> usize {
    let driver = opened
        .driver
        .filter(|_| opened.template == Some(Template::Outer));
    let driven = driver.and_then(|id| opened.inputs.iter().position(|input| *input == id));
    driven.unwrap_or_else(|| {
        let by_size = |a: &usize, b: &usize| bytes[*a].total_cmp(&bytes[*b]).then(b.cmp(a));
        (0..bytes.len()).max_by(by_size).unwrap_or(0)
    })
}

/// What a product moves that runs alone.
fn product(
    cluster: &Cluster,
    opened: &Opened,
    bytes: &[f64],
    (main, result, inner): (usize, f64, u64),
) -> Moves {
    // A matrix that is multiplied with itself is one input.
    let side = (0..bytes.len()).find(|i| *i != main).unwrap_or(main);
    let seconds = cluster.moving_factors(bytes[main], bytes[side], result, inner);
    let is_sent = bytes[side] <= cluster.broadcast_budget();
    let (mut sent, mut joined) = (Vec::new(), Vec::new());
    if is_sent {
        sent.push(opened.inputs[side]);
    } else {
        joined.clone_from(&opened.inputs);
    }
    Moves {
        sent,
        joined,
        seconds,
    }
}

/// What comes to the blocks of the main input; for ever where something cannot.
fn sides(
    graph: &Graph<'_>,
    cluster: &Cluster,
    opened: &Opened,
    bytes: &[f64],
    main: usize,
) -> Moves {
    let others: SmallVec<[usize; 8]> = (0..bytes.len()).filter(|i| *i != main).collect();
    let sent = cluster.broadcasts(&others.iter().map(|i| bytes[*i]).collect::<Vec<_>>());
    let mut moves = Moves::default();
    let around = opened.inputs.get(main).and_then(|id| graph.shape(*id));
    for (i, is_sent) in others.into_iter().zip(sent) {
        let id = opened.inputs[i];
        if is_sent {
            moves.seconds += cluster.sending(bytes[i]);
            moves.sent.push(id);
        } else {
            let shapes = graph.shape(id).zip(around);
            let copies = shapes.and_then(|(side, main)| cluster.copies(side, main));
            moves.seconds += copies.map_or(f64::INFINITY, |n| cluster.shuffling(bytes[i] * n));
            moves.joined.push(id);
        }
    }
    moves
}

/// What an operator takes that runs on the cluster, from what it takes in the driver: each executor has its share of the
/// blocks. `touched` are the bytes that are read of the main input.
pub(crate) fn on_cluster(
    graph: &Graph<'_>,
    rates: &Rates,
    cluster: &Cluster,
    opened: &Opened,
    touched: &[f64],
    alone: Seconds,
) -> Option<Seconds> {
    let Placement::Cluster(moves) = place(graph, cluster, opened) else {
        return Some(alone);
    };
    let (bytes, result) = sizes(graph, &opened.inputs, opened.root)?;
    let read = touched.get(main(opened, &bytes)).copied().unwrap_or(0.0);
    Some(Seconds {
        write: cluster.keeping(result, rates.write),
        read: cluster.reading(read, rates.read),
        compute: alone.compute / cluster.nodes(),
        moved: moves.seconds,
        start: alone.start + cluster.job,
    })
}

/// Whether a partial plan at one operator may be part of a fused one, as far as its own inputs tell: whatever the plan
/// grows to, it reads these.
pub(crate) fn allows_entry(graph: &Graph<'_>, cluster: &Cluster, h: NodeId, entry: &Entry) -> bool {
    let args = graph.dag.args(h).iter().zip(&entry.inputs);
    let read: SmallVec<[NodeId; 4]> = args
        .filter(|(arg, input)| !input.is_fused() && graph.is_matrix(**arg))
        .map(|(arg, _)| *arg)
        .collect();
    let bytes = |id: &NodeId| matrix_bytes(graph.dag.ty(graph.stored(*id)));
    match entry.template {
        Template::Row => {
            let known: Option<f64> = read.iter().map(bytes).sum();
            !known.is_some_and(|bytes| cluster.takes(bytes))
                || is_within_block(graph, cluster, &[h])
        }
        // A vector of unknown size may be too large to be sent along.
        Template::Cell if graph.is_cellwise(h) => {
            let is_aligned = |id: &NodeId| graph.is_single(*id) || graph.same_shape(*id, h);
            bytes(&h).is_some() || read.iter().all(is_aligned)
        }
        Template::Cell | Template::MAgg | Template::Outer => true,
    }
}

/// Whether a fused operator can run where its size puts it.
pub(crate) fn allows(graph: &Graph<'_>, cluster: &Cluster, opened: &Opened) -> bool {
    let Placement::Cluster(moves) = place(graph, cluster, opened) else {
        return true;
    };
    let is_valid = match opened.template {
        Some(Template::Row) => is_within_block(graph, cluster, &opened.covers),
        Some(Template::Outer) => opened.covers.iter().all(|id| {
            !is_outer_product(graph, *id)
                || graph
                    .product(*id)
                    .is_some_and(|(_, k, _)| k <= cluster.block)
        }),
        _ => true,
    };
    is_valid && moves.seconds.is_finite()
}

/// Whether the rows lie in one block each of all matrices that a Row operator goes through. What is turned has its rows
/// in columns.
fn is_within_block(graph: &Graph<'_>, cluster: &Cluster, covers: &[NodeId]) -> bool {
    let is_narrow = |id: NodeId| {
        let stored = graph.transposed(id).unwrap_or(id);
        let cols = graph.cols(stored).estimate();
        !graph.is_matrix(id) || cols.is_some_and(|cols| cols <= cluster.block)
    };
    let with_args =
        |id: &NodeId| is_narrow(*id) && graph.dag.args(*id).iter().all(|a| is_narrow(*a));
    covers.iter().all(with_args)
}
