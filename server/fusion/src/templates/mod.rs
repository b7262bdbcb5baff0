//! The four templates.

mod cell;
mod magg;
mod outer;
mod row;
mod zeros;

pub(crate) use cell::Cell;
pub(crate) use magg::{MAgg, most_outputs};
pub(crate) use outer::{Outer, is_outer_product};
pub(crate) use row::Row;
pub(crate) use zeros::zero_with;

use sumac_la::{NodeId, Op};

use crate::graph::Graph;

/// Whether `id` folds all cells, each row, or each column of a matrix that a fused operator can fold as it goes.
pub(crate) fn is_fold(op: Op) -> bool {
    is_full_fold(op) || is_row_fold(op) || is_column_fold(op)
}

/// Of all cells.
pub(crate) fn is_full_fold(op: Op) -> bool {
    matches!(op, Op::Sum | Op::Mean | Op::Min | Op::Max)
}

/// Of each row.
pub(crate) fn is_row_fold(op: Op) -> bool {
    matches!(op, Op::RowSums | Op::RowMeans | Op::RowMins | Op::RowMaxs)
}

/// Of each column.
pub(crate) fn is_column_fold(op: Op) -> bool {
    matches!(op, Op::ColSums | Op::ColMeans | Op::ColMins | Op::ColMaxs)
}

/// Whether `id` is `t(a) %*% b` for columns `a` and `b`: the sum of the products of their cells.
pub(crate) fn is_dot(graph: &Graph<'_>, id: NodeId) -> bool {
    graph.is(id, Op::MatMul)
        && graph.is_single(id)
        && graph.is(graph.dag.args(id)[0], Op::Transpose)
        && graph.cols(graph.dag.args(id)[1]).is_one()
        && graph.dag.args(id)[0] != graph.dag.args(id)[1]
}
