//! Products with a sparse factor: only stored cells are met. All loops walk rows, with 32-bit column indices.

use super::sparse_held::{self, Rows};
use super::sparse_rows::{each_row, rows_times_sparse};
use super::{sparse_rows, sparse_wide};
use crate::kernels::parallel::{build_csr, for_groups, for_rows, map_ranges};
use crate::kernels::simd;
use crate::matrix::{Csr, Matrix, RowSums, SPARSE_BELOW};
use crate::memory;

/// Bytes of private results that a transposed product may use at most, all parts together.
const PRIVATE_BYTES: usize = 64 << 20;

/// `x y` for dense `y` with `n` columns.
pub(super) fn sparse_dense(x: &Csr, y: &[f64], n: usize) -> Matrix {
    let mut out = memory::zeroed(x.rows() * n);
    let work = x.nnz() / x.rows().max(1) * (n / 4 + 1) + n;
    for_rows(&mut out, n, work, |first, part| {
        rows_times_dense(x, first, y, n, part);
    });
    Matrix::dense(x.rows(), n, out)
}

/// Rows `first..` of `x y` for dense `y` with `n` columns, into rows of `out`, which are zeros.
pub(crate) fn rows_times_dense(x: &Csr, first: usize, y: &[f64], n: usize, out: &mut [f64]) {
    let is_done = if n <= sparse_wide::MOST {
        sparse_wide::rows_times_dense(x, first, y, n, out)
    } else {
        n <= sparse_held::MOST && rows_times_held(x, first, y, n, out)
    };
    if !is_done {
        sparse_rows::rows_times_dense(x, first, y, n, out);
    }
}

/// The same with the sums of a row in registers; whether the machine has them.
fn rows_times_held(x: &Csr, first: usize, y: &[f64], n: usize, out: &mut [f64]) -> bool {
    let mut rows = out.chunks_exact_mut(n).enumerate();
    rows.all(|(i, sums)| {
        let row = first + i;
        let cells = (x, x.row_starts()[row]);
        sparse_held::add_row(cells, x.row(row).1, (y, n), Rows::Far, sums)
    })
}

pub(super) fn sparse_dot(cols: &[u32], values: &[f64], v: &[f64]) -> f64 {
    let mut acc = [0.0; 4];
    let (col_chunks, value_chunks) = (cols.chunks_exact(4), values.chunks_exact(4));
    let rest: f64 = col_chunks
        .remainder()
        .iter()
        .zip(value_chunks.remainder())
        .map(|(&c, &x)| x * v[c as usize])
        .sum();
    for (c, x) in col_chunks.zip(value_chunks) {
        for l in 0..4 {
            acc[l] += x[l] * v[c[l] as usize];
        }
    }
    (acc[0] + acc[1]) + (acc[2] + acc[3]) + rest
}

/// `t(x) y` for dense `y` with `n` columns: each row of `y` is added to the rows that the stored cells name.
pub(super) fn transposed_sparse_dense(x: &Csr, y: &[f64], n: usize) -> Matrix {
    let size = x.cols() * n;
    let work = x.nnz() / x.rows().max(1) * (n / 4 + 1) + 1;
    // Private results cost `size` each: they pay only where the products are many more.
    let most = (x.nnz() * n / (32 * size.max(1))).min(PRIVATE_BYTES / (8 * size.max(1)));
    let most = [8, 4, 2].into_iter().find(|parts| *parts <= most);
    let mut parts = map_ranges(x.rows(), work, most.unwrap_or(1), |range| {
        let mut acc = memory::zeroed(size);
        let y = &y[range.start * n..range.end * n];
        add_transposed_times_dense(x, range, y, n, &mut acc);
        acc
    })
    .into_iter();
    let mut total = parts.next().unwrap_or_else(|| memory::zeroed(size));
    for part in parts {
        simd::axpy(1.0, &part, &mut total);
    }
    Matrix::dense(x.cols(), n, total)
}

/// `acc += t(x[rows]) y` for rows `y` of `n` cells.
pub(crate) fn add_transposed_times_dense(
    x: &Csr,
    rows: std::ops::Range<usize>,
    y: &[f64],
    n: usize,
    acc: &mut [f64],
) {
    if n > sparse_wide::MOST || !sparse_wide::add_transposed_times_dense(x, rows.clone(), y, n, acc)
    {
        sparse_rows::add_transposed_times_dense(x, rows, y, n, acc);
    }
}

/// `x y` for dense `x`. Some rows of `x` are turned into columns, and each stored cell of `y` met once for all of them:
/// it takes a row of these columns to a row of the turned result.
pub(super) fn dense_sparse(x: &[f64], y: &Csr) -> Matrix {
    /// A cache line of cells.
    const ROWS: usize = 8;
    let (k, n) = (y.rows(), y.cols());
    let m = x.len() / k;
    let mut out = memory::zeroed(m * n);
    let groups = m.div_ceil(ROWS);
    let work = y.nnz() + 2 * (k + n) * ROWS;
    // As many rows a task as one group, whatever their work.
    let fill = |first: usize, part: &mut [f64]| {
        let mut columns = memory::zeroed(k * ROWS);
        let mut sums = memory::zeroed(n * ROWS + ROWS);
        // A row of sums is a whole line, where it takes as much.
        let line = sums
            .as_ptr()
            .align_offset(ROWS * size_of::<f64>())
            .min(ROWS);
        for (group, part) in part.chunks_mut(ROWS * n).enumerate() {
            let rows = part.len() / n;
            let first = (first + group) * ROWS;
            for (i, row) in x[first * k..(first + rows) * k].chunks_exact(k).enumerate() {
                for (column, &cell) in columns[i..].iter_mut().step_by(rows).zip(row) {
                    *column = cell;
                }
            }
            let sums = &mut sums[line..line + n * rows];
            sums.fill(0.0);
            add_transposed_times_dense(y, 0..k, &columns[..k * rows], rows, sums);
            for (i, row) in part.chunks_exact_mut(n).enumerate() {
                for (cell, sum) in row.iter_mut().zip(sums[i..].iter().step_by(rows)) {
                    *cell = *sum;
                }
            }
        }
    };
    for_groups(&mut out, ROWS * n, groups, work, fill);
    Matrix::dense(m, n, out)
}

/// `x y` of two sparse matrices (Gustavson, ACM TOMS 4(3), 1978: row by row), dense where that is what comes out.
pub(super) fn sparse_sparse(x: &Csr, y: &Csr) -> Matrix {
    let (m, n) = (x.rows(), y.cols());
    let of_row = |k: &u32| y.row_starts()[*k as usize + 1] - y.row_starts()[*k as usize];
    let products: usize = x.col_indices().iter().map(of_row).sum();
    if products as f64 >= SPARSE_BELOW * m as f64 * n as f64 || n == 1 {
        let mut out = memory::zeroed(m * n);
        for_rows(&mut out, n, products / m.max(1) + n, |first, part| {
            for (i, row_out) in part.chunks_exact_mut(n).enumerate() {
                each_row(x, y, first + i, |factor, of_y| {
                    let (cols, values) = y.row(of_y);
                    for (&col, &value) in cols.iter().zip(values) {
                        row_out[col as usize] += factor * value;
                    }
                });
            }
        });
        return Matrix::dense(m, n, out).settled();
    }
    let csr = build_csr(m, n, 4 * products / m.max(1) + 1, products, |range, out| {
        let mut row_sums = RowSums::new(n);
        rows_times_sparse(x, y, range, &mut row_sums, out);
    });
    Matrix::from(csr).settled()
}
