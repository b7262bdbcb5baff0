//! Which values are certainly zero wherever another one is: what lets an operator skip the cells that a sparse matrix
//! does not store.
//!
//! As in the kernels, zero times anything is zero where the zero is not stored, and so is zero divided by anything.

use rustc_hash::FxHashMap;
use sumac_la::{Node, NodeId, Op, SparseSafe};

use crate::graph::Graph;

/// The nodes among those that `is_leaf` names whose zeros make `id` zero. Only matrices of the shape of `id` count.
pub(crate) fn zero_with(
    graph: &Graph<'_>,
    id: NodeId,
    is_leaf: &dyn Fn(NodeId) -> bool,
) -> Vec<NodeId> {
    let mut known: Known = FxHashMap::default();
    // Arguments first, without recursion: chains may be long.
    let mut open = vec![(id, false)];
    while let Some((at, is_after)) = open.pop() {
        if known.contains_key(&at) {
            continue;
        }
        if !graph.is_matrix(at) || !graph.same_shape(at, id) {
            known.insert(at, Vec::new());
        } else if is_leaf(at) {
            known.insert(at, vec![at]);
        } else if !graph.is_cellwise(at) {
            known.insert(at, Vec::new());
        } else if is_after {
            let found = of(graph, at, &known);
            known.insert(at, found);
        } else {
            open.push((at, true));
            open.extend(graph.dag.args(at).iter().map(|arg| (*arg, false)));
        }
    }
    known.remove(&id).unwrap_or_default()
}

type Known = FxHashMap<NodeId, Vec<NodeId>>;

/// Of a cellwise operator, whose arguments are known.
fn of(graph: &Graph<'_>, id: NodeId, known: &Known) -> Vec<NodeId> {
    let Node::Op(op, args) = graph.dag.node(id) else {
        return Vec::new();
    };
    let arg = |i: usize| known.get(&args[i]).cloned().unwrap_or_default();
    let number = |i: usize| graph.dag.value(args[i]);
    let is_zero = |args: &[f64]| op.eval(args) == Some(0.0);
    let either = |holds: bool, zeros: Vec<NodeId>| if holds { zeros } else { Vec::new() };
    match args.len() {
        1 => either(is_zero(&[0.0]), arg(0)),
        2 => match (number(0), number(1)) {
            // Against a number, what the operator gives for a zero decides.
            (_, Some(y)) => either(is_zero(&[0.0, y]), arg(0)),
            (Some(x), _) => either(is_zero(&[x, 0.0]), arg(1)),
            (None, None) => match op.info().sparse_safe {
                SparseSafe::Any => union(arg(0), arg(1)),
                SparseSafe::All => common(&arg(0), arg(1)),
                SparseSafe::First if *op == Op::Div => arg(0),
                SparseSafe::First | SparseSafe::No => Vec::new(),
            },
        },
        _ => Vec::new(),
    }
}

fn union(mut a: Vec<NodeId>, b: Vec<NodeId>) -> Vec<NodeId> {
    a.extend(b);
    a.sort_unstable();
    a.dedup();
    a
}

fn common(a: &[NodeId], mut b: Vec<NodeId>) -> Vec<NodeId> {
    b.retain(|id| a.contains(id));
    b
}
