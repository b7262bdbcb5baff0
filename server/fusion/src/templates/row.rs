//! Row: operators whose results have the rows of a matrix, so that one row after the other can be computed; at the end
//! perhaps sums over the rows.

use sumac_la::{NodeId, Op};

use super::outer::is_outer_product;
use super::{is_column_fold, is_row_fold};
use crate::graph::Graph;
use crate::template::{Close, Pattern, Sizes};

/// The Row template.
pub(crate) struct Row;

/// Sums over rows that a thread keeps at most, in cells.
const MOST_SUMS: u64 = 1 << 18;

/// `X %*% V` with V a column or narrow, for a matrix X that is not turned.
fn is_rows_times_narrow(graph: &Graph<'_>, h: NodeId, sizes: Sizes) -> bool {
    let Some((m, k, p)) = graph.product(h) else {
        return false;
    };
    let left = graph.dag.args(h)[0];
    let is_narrow = p == 1 || (p < sizes.narrow && m > p && k > p);
    !graph.is(left, Op::Transpose)
        && graph.is_wide(left)
        && is_narrow
        && !is_outer_product(graph, h)
}

/// `t(A) %*% B` with few columns in A or B: a sum over rows. Of a transpose that is not formed B has no rows in memory, unless it is
/// a column.
fn is_sum_over_rows(graph: &Graph<'_>, h: NodeId, sizes: Sizes) -> bool {
    let Some((n, m, p)) = graph.product(h) else {
        return false;
    };
    let args = graph.dag.args(h);
    let is_narrow = |size: u64| size < sizes.narrow;
    graph.is_lazy(args[0])
        && args[0] != args[1]
        && (p == 1 || !graph.is_lazy(args[1]))
        && m > 1
        && (is_narrow(n) || is_narrow(p))
        && n.saturating_mul(p) <= MOST_SUMS
        && m > n.min(p)
        && !graph.is_single(h)
}

/// A transpose whose readers all sum over the rows of its argument. Where that is computed, one reader only: else the
/// value would be computed for each.
fn is_transposed_for_sums(graph: &Graph<'_>, h: NodeId, sizes: Sizes) -> bool {
    graph.is_lazy(h)
        && graph.cols(h).estimate().is_some_and(|m| m > 1)
        && graph.consumers(h).iter().all(|reader| {
            graph.dag.args(*reader)[0] == h && is_sum_over_rows(graph, *reader, sizes)
        })
}

fn has_rows_of(graph: &Graph<'_>, h: NodeId, input: NodeId) -> bool {
    graph.is_matrix(input)
        && graph.rows(h) == graph.rows(input)
        && graph.shape(input).is_some_and(|(m, _)| m > 1)
}

impl Pattern for Row {
    fn open(&self, graph: &Graph<'_>, h: NodeId, sizes: Sizes) -> bool {
        let args = graph.dag.args(h);
        let reads_rows = || args.iter().any(|arg| has_rows_of(graph, h, *arg));
        match graph.op(h) {
            Some(Op::MatMul) => is_rows_times_narrow(graph, h, sizes),
            Some(Op::Transpose) => is_transposed_for_sums(graph, h, sizes),
            Some(Op::RightIndex) => {
                graph.column_range(h).is_some() && graph.rows(h).estimate().is_some_and(|m| m > 1)
            }
            Some(op) if is_row_fold(op) || is_column_fold(op) => graph.is_wide(args[0]),
            Some(_) => graph.is_cellwise(h) && graph.is_wide(h) && reads_rows(),
            None => false,
        }
    }

    fn fuse(&self, graph: &Graph<'_>, h: NodeId, input: NodeId, sizes: Sizes) -> bool {
        let args = graph.dag.args(h);
        match graph.op(h) {
            Some(Op::MatMul) => {
                is_sum_over_rows(graph, h, sizes)
                    || (args[0] == input
                        && args[1] != input
                        && is_rows_times_narrow(graph, h, sizes))
            }
            Some(Op::Transpose) => {
                is_transposed_for_sums(graph, h, sizes) && graph.is_left_of_one_product(h)
            }
            Some(Op::RightIndex) => args[0] == input && graph.column_range(h).is_some(),
            Some(Op::Sum) => has_rows_of(graph, input, input),
            Some(op) if is_row_fold(op) || is_column_fold(op) => has_rows_of(graph, input, input),
            Some(_) => graph.is_cellwise(h) && has_rows_of(graph, h, input),
            None => false,
        }
    }

    fn merge(&self, graph: &Graph<'_>, h: NodeId, input: NodeId, sizes: Sizes) -> bool {
        match graph.op(h) {
            Some(Op::MatMul) => {
                is_sum_over_rows(graph, h, sizes)
                    && (graph.dag.args(h)[1] == input || graph.is(input, Op::Transpose))
            }
            Some(_) => graph.is_cellwise(h) && has_rows_of(graph, h, input),
            None => false,
        }
    }

    fn close(&self, graph: &Graph<'_>, h: NodeId, sizes: Sizes) -> Close {
        match graph.op(h) {
            Some(Op::Sum) => Close::ClosedValid,
            Some(op) if is_column_fold(op) => Close::ClosedValid,
            Some(Op::MatMul) if is_sum_over_rows(graph, h, sizes) => Close::ClosedValid,
            Some(Op::Transpose) => Close::OpenInvalid,
            _ => Close::OpenValid,
        }
    }
}
