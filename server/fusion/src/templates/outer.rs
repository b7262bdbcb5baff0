//! Outer: cells of a product of a tall and a wide matrix that is never formed, computed where a sparse matrix has cells,
//! then kept, summed, or multiplied with a narrow matrix from either side.

use sumac_la::{NodeId, Op};

use super::zero_with;
use crate::graph::Graph;
use crate::template::{Close, Pattern, Sizes};

/// The Outer template.
pub(crate) struct Outer;

/// Whether the result of a product has more rows and columns than its factors have in common.
pub(crate) fn is_outer_product(graph: &Graph<'_>, id: NodeId) -> bool {
    graph
        .product(id)
        .is_some_and(|(m, k, n)| k > 0 && m > k && n > k)
}

/// Whether `h` multiplies what ends at `input` with a narrow matrix: `E %*% W`, `t(E) %*% W` or `t(W) %*% E`.
fn is_second_product(graph: &Graph<'_>, h: NodeId, input: NodeId, sizes: Sizes) -> bool {
    let Some((m, _, n)) = graph.product(h) else {
        return false;
    };
    let args = graph.dag.args(h);
    if is_outer_product(graph, h) || args[0] == args[1] {
        return false;
    }
    if args[0] == input {
        return n < sizes.narrow;
    }
    args[1] == input
        && m < sizes.narrow
        && graph.is_lazy(args[0])
        && graph.transposed(args[0]).is_some_and(|w| w != input)
}

/// Whether a matrix that can be read makes `id` zero: one that is not computed cell by cell, or one that is stored
/// sparse, which may be written down. Which one drives an operator is decided where it is known what the operator takes
/// in.
fn has_driver(graph: &Graph<'_>, id: NodeId) -> bool {
    let id = graph.transposed(id).unwrap_or(id);
    let is_leaf = |node: NodeId| {
        let is_read = !graph.is_cellwise(node) || graph.dag.ty(node).is_stored_sparse();
        node != id && is_read && !is_outer_product(graph, node)
    };
    !zero_with(graph, id, &is_leaf).is_empty()
}

/// Whether `input`, an argument of `h`, drives only when it is read: it is sparse and makes `h` zero, and nothing that
/// it is computed from makes it zero, as in `(A + t(A)) * (u %*% t(v))`.
fn drives_when_read(graph: &Graph<'_>, h: NodeId, input: NodeId) -> bool {
    let is_read = |node: NodeId| !graph.is_cellwise(node) && !is_outer_product(graph, node);
    graph.dag.ty(input).is_stored_sparse()
        && !zero_with(graph, h, &|node| node == input).is_empty()
        && zero_with(graph, input, &is_read).is_empty()
}

impl Pattern for Outer {
    fn open(&self, graph: &Graph<'_>, h: NodeId, sizes: Sizes) -> bool {
        is_outer_product(graph, h)
            && graph
                .shape(h)
                .is_some_and(|(m, n)| m > sizes.least_outer && n > sizes.least_outer)
    }

    fn fuse(&self, graph: &Graph<'_>, h: NodeId, input: NodeId, sizes: Sizes) -> bool {
        (graph.is_cellwise(h) && graph.same_shape(h, input))
            || graph.is(h, Op::Sum)
            || (graph.is_left_of_one_product(h)
                && graph.is_lazy(h)
                && !is_outer_product(graph, graph.consumers(h)[0]))
            || is_second_product(graph, h, input, sizes)
    }

    fn merge(&self, graph: &Graph<'_>, h: NodeId, input: NodeId, _: Sizes) -> bool {
        graph.is_cellwise(h) && graph.same_shape(h, input) && !drives_when_read(graph, h, input)
    }

    fn close(&self, graph: &Graph<'_>, h: NodeId, _: Sizes) -> Close {
        let valid_if = |holds: bool, yes: Close, no: Close| if holds { yes } else { no };
        match graph.op(h) {
            Some(Op::MatMul) if is_outer_product(graph, h) => Close::OpenInvalid,
            Some(Op::Transpose) => Close::OpenInvalid,
            Some(Op::Sum) => {
                let holds = has_driver(graph, graph.dag.args(h)[0]);
                valid_if(holds, Close::ClosedValid, Close::ClosedInvalid)
            }
            Some(Op::MatMul) => {
                // The wide factor is the one whose cells are computed.
                let args = graph.dag.args(h);
                let holds = args.iter().any(|arg| has_driver(graph, *arg));
                valid_if(holds, Close::ClosedValid, Close::ClosedInvalid)
            }
            _ => valid_if(has_driver(graph, h), Close::OpenValid, Close::OpenInvalid),
        }
    }
}
