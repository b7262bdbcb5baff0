//! Which values are certainly zero wherever another one is: what lets an operator skip the cells that a sparse matrix
//! does not store.
//!
//! As in the kernels, zero times anything is zero where the zero is not stored, and so is zero divided by anything.

use sumac_la::{Node, NodeId, Op};

use crate::graph::Graph;

/// The nodes among those that `is_leaf` names whose zeros make `id` zero. Only matrices of the shape of `id` count.
pub(crate) fn zero_with(
    graph: &Graph<'_>,
    id: NodeId,
    is_leaf: &dyn Fn(NodeId) -> bool,
) -> Vec<NodeId> {
    let mut known = rustc_hash::FxHashMap::default();
    of(graph, id, id, is_leaf, &mut known)
}

type Known = rustc_hash::FxHashMap<NodeId, Vec<NodeId>>;

fn of(
    graph: &Graph<'_>,
    id: NodeId,
    whole: NodeId,
    is_leaf: &dyn Fn(NodeId) -> bool,
    known: &mut Known,
) -> Vec<NodeId> {
    if let Some(found) = known.get(&id) {
        return found.clone();
    }
    if !graph.is_matrix(id) || !graph.same_shape(id, whole) {
        return Vec::new();
    }
    let found = if is_leaf(id) {
        vec![id]
    } else {
        match graph.dag.node(id) {
            Node::Op(op, args) if graph.is_cellwise(id) => {
                let mut arg = |i: usize| of(graph, args[i], whole, is_leaf, known);
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
            Node::Op(..) | Node::Input(_) | Node::Num(_) => Vec::new(),
        }
    };
    known.insert(id, found.clone());
    found
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
