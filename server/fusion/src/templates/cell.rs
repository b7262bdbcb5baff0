//! Cell: operators over matrices of one shape, cell by cell, perhaps folded at the end.

use sumac_la::{NodeId, Op};

use super::{is_dot, is_fold};
use crate::graph::Graph;
use crate::template::{Close, Pattern, Sizes};

/// The Cell template.
pub(crate) struct Cell;

/// A column that is turned for a product with another column.
fn is_transposed_column(graph: &Graph<'_>, h: NodeId) -> bool {
    graph.is_left_of_one_product(h)
        && graph.rows(h).is_one()
        && is_dot(graph, graph.consumers(h)[0])
}

impl Pattern for Cell {
    fn open(&self, graph: &Graph<'_>, h: NodeId, _: Sizes) -> bool {
        graph.is_cellwise(h)
    }

    fn fuse(&self, graph: &Graph<'_>, h: NodeId, input: NodeId, _: Sizes) -> bool {
        // What is smaller than the result would be computed once for each cell that it is repeated in.
        (graph.is_cellwise(h) && graph.same_shape(h, input))
            || (graph.op(h).is_some_and(is_fold) && graph.is_sized(input))
            || (is_dot(graph, h) && graph.is_sized(input))
            || is_transposed_column(graph, h)
    }

    fn merge(&self, graph: &Graph<'_>, h: NodeId, input: NodeId, _: Sizes) -> bool {
        (graph.is_cellwise(h) && graph.same_shape(h, input))
            || (is_dot(graph, h) && graph.is_sized(input))
    }

    fn close(&self, graph: &Graph<'_>, h: NodeId, _: Sizes) -> Close {
        match graph.op(h) {
            Some(op) if is_fold(op) => Close::ClosedValid,
            Some(Op::MatMul) if is_dot(graph, h) => Close::ClosedValid,
            Some(Op::MatMul) | None => Close::ClosedInvalid,
            Some(Op::Transpose) => Close::OpenInvalid,
            Some(_) => Close::OpenValid,
        }
    }
}
