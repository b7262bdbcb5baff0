//! How kernels split their work: fixed chunks, so that results never depend on the number of threads, run side by
//! side only when the whole work is worth the dispatch (about 0.3 ms).

use std::ops::Range;

use rayon::prelude::*;

use crate::matrix::{Csr, CsrBuilder};

/// From this many units of work (a unit is about a nanosecond) chunks are handed to the thread pool.
pub(crate) const PARALLEL_FROM: usize = 300_000;

/// A chunk of about this many units is one task.
const CHUNK: usize = 100_000;

/// How many rows of `work_per_row` units make one task.
fn rows_per_chunk(work_per_row: usize) -> usize {
    (CHUNK / work_per_row.max(1)).max(1)
}

/// Calls `f(first_row, cells_of_some_rows)` for consecutive groups of rows of `out`, which has `cols` columns.
pub(crate) fn for_rows(
    out: &mut [f64],
    cols: usize,
    work_per_row: usize,
    f: impl Fn(usize, &mut [f64]) + Sync,
) {
    if out.is_empty() {
        return;
    }
    let rows = out.len() / cols;
    let step = rows_per_chunk(work_per_row);
    if rows * work_per_row.max(1) < PARALLEL_FROM || step >= rows {
        return f(0, out);
    }
    out.par_chunks_mut(step * cols)
        .enumerate()
        .for_each(|(i, cells)| f(i * step, cells));
}

/// Results of `f` over consecutive ranges of `0..len`, in order. The ranges depend on `len` and `work_per_item` only;
/// there are at most `most` of them.
pub(crate) fn map_ranges<T: Send>(
    len: usize,
    work_per_item: usize,
    most: usize,
    f: impl Fn(Range<usize>) -> T + Sync,
) -> Vec<T> {
    let step = rows_per_chunk(work_per_item)
        .max(len.div_ceil(most.max(1)))
        .max(1);
    let chunks = len.div_ceil(step);
    let range = |i: usize| i * step..((i + 1) * step).min(len);
    if chunks <= 1 || len * work_per_item.max(1) < PARALLEL_FROM {
        (0..chunks).map(|i| f(range(i))).collect()
    } else {
        (0..chunks).into_par_iter().map(|i| f(range(i))).collect()
    }
}

/// A sparse matrix built row by row: `fill(row, builder)` pushes a row's cells; the rest is done here.
pub(crate) fn build_csr(
    rows: usize,
    cols: usize,
    work_per_row: usize,
    nnz: usize,
    fill: impl Fn(Range<usize>, &mut CsrBuilder) + Sync,
) -> Csr {
    let mut parts = map_ranges(rows, work_per_row, usize::MAX, |range| {
        let share = nnz.div_ceil(rows.max(1)) * range.len();
        let mut part = CsrBuilder::new(range.len(), cols, share.min(nnz));
        fill(range, &mut part);
        part
    })
    .into_iter();
    // Most matrices are one part: it is the result, without a copy.
    let Some(mut first) = parts.next() else {
        return Csr::zero(rows, cols);
    };
    for part in parts {
        first.append(&part);
    }
    first.finish_with_rows(rows)
}
