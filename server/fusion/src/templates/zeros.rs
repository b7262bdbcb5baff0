//! Which values are certainly zero wherever another one is: what lets an operator skip the cells that a sparse matrix
//! does not store.
//!
//! As in the kernels, zero times anything is zero where the zero is not stored, and so is zero divided by anything.

use rustc_hash::FxHashMap;
use sumac_la::{Node, NodeId, Op};

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
    match op {
        Op::Mul | Op::And => union(arg(0), arg(1)),
        Op::Add | Op::Sub | Op::Min2 | Op::Max2 | Op::Or => common(&arg(0), arg(1)),
        Op::Div
        | Op::Neg
        | Op::Sqrt
        | Op::Abs
        | Op::Sign
        | Op::Round
        | Op::Floor
        | Op::Ceil
        | Op::Sin
        | Op::Tan
        | Op::Asin
        | Op::Atan
        | Op::Sinh
        | Op::Tanh => arg(0),
        Op::Pow if number(graph, args[1]).is_some_and(|x| x > 0.0) => arg(0),
        Op::Ne if number(graph, args[1]) == Some(0.0) => arg(0),
        Op::Gt if number(graph, args[1]).is_some_and(|x| x >= 0.0) => arg(0),
        Op::Lt if number(graph, args[1]).is_some_and(|x| x <= 0.0) => arg(0),
        _ => Vec::new(),
    }
}

fn number(graph: &Graph<'_>, id: NodeId) -> Option<f64> {
    graph.dag.value(id)
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
