//! Aggregates over all cells, over rows and over columns, of dense and sparse matrices.
//!
//! Sums are compensated: dense ones add pairs of halves, sparse column sums carry the lost digits (Neumaier, ZAMM
//! 54, 1974). Sums of `n` cells are off by a few units in the last place of `sum |x|`, whatever `n` is.
//! The sum of nothing is 0, its minimum infinity, its mean NaN; but a row or a column without cells gives 0 of every aggregate, as in
//! SystemDS.

use sumac_la::Op;

use crate::compressed;
use crate::error::OpError;
use crate::kernels::cell::name;
use crate::kernels::parallel::{PARALLEL_FROM, for_rows, map_ranges};
use crate::kernels::{scalar, simd};
use crate::matrix::{Csr, Matrix, View};
use crate::memory;

/// What is done along the aggregated cells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fold {
    Sum,
    Mean,
    Min,
    Max,
}

impl Fold {
    fn of_extreme(self) -> fn(f64, f64) -> f64 {
        if self == Fold::Min {
            scalar::min
        } else {
            scalar::max
        }
    }

    fn start(self) -> f64 {
        match self {
            Fold::Sum | Fold::Mean => 0.0,
            Fold::Min => f64::INFINITY,
            Fold::Max => f64::NEG_INFINITY,
        }
    }
}

/// `sum`, `mean`, `min`, `max`, `prod` or `trace` of a matrix.
///
/// # Errors
/// When `op` is none of these, or `trace` is asked of a matrix that is not square.
pub fn full(op: Op, m: &Matrix) -> Result<f64, OpError> {
    if let Some(found) = compressed::full(op, m) {
        return Ok(found);
    }
    Ok(match op {
        Op::Sum => sum(stored(m)),
        Op::Mean => sum(stored(m)) / m.len() as f64,
        Op::Min => extreme(Fold::Min, m),
        Op::Max => extreme(Fold::Max, m),
        Op::Prod => match m.view() {
            View::Sparse(csr) if csr.nnz() < m.len() => 0.0,
            _ => stored(m).iter().copied().fold(1.0, scalar::product),
        },
        Op::Trace => {
            if m.rows() != m.cols() {
                return Err(OpError::argument(
                    "trace",
                    "a square matrix",
                    format!("{} x {}", m.rows(), m.cols()),
                ));
            }
            let diagonal: Vec<f64> = (0..m.rows()).map(|i| m.get(i, i)).collect();
            sum(&diagonal)
        }
        _ => {
            return Err(OpError::argument(
                name(op),
                "to be no aggregate of all cells",
                "one",
            ));
        }
    })
}

/// One number a row: `rowSums`, `rowMeans`, `rowMins`, `rowMaxs`.
///
/// # Errors
/// When `op` is none of these.
pub fn rows(op: Op, m: &Matrix) -> Result<Matrix, OpError> {
    let fold = match op {
        Op::RowSums => Fold::Sum,
        Op::RowMeans => Fold::Mean,
        Op::RowMins => Fold::Min,
        Op::RowMaxs => Fold::Max,
        _ => {
            return Err(OpError::argument(
                name(op),
                "to be no aggregate of rows",
                "one",
            ));
        }
    };
    if m.is_empty() {
        return Ok(Matrix::fill(m.rows(), 1, 0.0));
    }
    if let Some(found) = compressed::rows(op, m) {
        return Ok(found);
    }
    let cols = m.cols();
    let mut out = memory::zeroed(m.rows());
    let work = match m.view() {
        View::Dense(_) => cols / 2 + 1,
        View::Sparse(csr) => csr.nnz() / csr.rows().max(1) + 1,
    };
    for_rows(&mut out, 1, work, |first, part| match m.view() {
        View::Dense(cells) => {
            let cells = &cells[first * cols..(first + part.len()) * cols];
            match fold {
                Fold::Sum | Fold::Mean => simd::row_sums(cells, cols, part),
                Fold::Min => simd::row_mins(cells, cols, part),
                Fold::Max => simd::row_maxs(cells, cols, part),
            }
            if fold == Fold::Mean {
                part.iter_mut().for_each(|sum| *sum /= cols as f64);
            }
        }
        View::Sparse(csr) => {
            for (i, result) in part.iter_mut().enumerate() {
                *result = fold_cells(fold, csr.row(first + i).1, cols);
            }
        }
    });
    Ok(Matrix::dense(m.rows(), 1, out))
}

/// One number a column: `colSums`, `colMeans`, `colMins`, `colMaxs`.
///
/// # Errors
/// When `op` is none of these.
pub fn cols(op: Op, m: &Matrix) -> Result<Matrix, OpError> {
    let fold = match op {
        Op::ColSums => Fold::Sum,
        Op::ColMeans => Fold::Mean,
        Op::ColMins => Fold::Min,
        Op::ColMaxs => Fold::Max,
        _ => {
            return Err(OpError::argument(
                name(op),
                "to be no aggregate of columns",
                "one",
            ));
        }
    };
    if m.is_empty() {
        return Ok(Matrix::fill(1, m.cols(), 0.0));
    }
    if let Some(found) = compressed::cols(op, m) {
        return Ok(found);
    }
    let mut out = match m.view() {
        View::Dense(cells) if m.cols() == 1 => vec![fold_cells(fold, cells, m.rows())],
        View::Dense(cells) => dense_cols(fold, cells, m.rows(), m.cols()),
        View::Sparse(csr) => sparse_cols(fold, csr),
    };
    if fold == Fold::Mean && (m.is_sparse() || m.cols() != 1) {
        out.iter_mut().for_each(|x| *x /= m.rows() as f64);
    }
    Ok(Matrix::dense(1, m.cols(), out).settled())
}

fn stored(m: &Matrix) -> &[f64] {
    match m.view() {
        View::Dense(cells) => cells,
        View::Sparse(csr) => csr.values(),
    }
}

fn sum(cells: &[f64]) -> f64 {
    if cells.len() < PARALLEL_FROM {
        return simd::sum(cells);
    }
    let parts = map_ranges(cells.len(), 1, usize::MAX, |range| simd::sum(&cells[range]));
    simd::sum(&parts)
}

fn extreme(fold: Fold, m: &Matrix) -> f64 {
    let cells = stored(m);
    let f = fold.of_extreme();
    let parts = map_ranges(cells.len(), 1, usize::MAX, |range| {
        extreme_of(fold, &cells[range])
    });
    let least = parts.into_iter().fold(fold.start(), f);
    if cells.len() < m.len() {
        f(least, 0.0)
    } else {
        least
    }
}

fn extreme_of(fold: Fold, cells: &[f64]) -> f64 {
    match fold {
        Fold::Min => simd::min(cells),
        _ => simd::max(cells),
    }
}

/// Folds the stored cells of a row or column that has `len` cells.
fn fold_cells(fold: Fold, cells: &[f64], len: usize) -> f64 {
    match fold {
        Fold::Sum => simd::sum(cells),
        Fold::Mean => simd::sum(cells) / len as f64,
        Fold::Min | Fold::Max => {
            let found = extreme_of(fold, cells);
            if cells.len() < len {
                fold.of_extreme()(found, 0.0)
            } else {
                found
            }
        }
    }
}

fn dense_cols(fold: Fold, cells: &[f64], rows: usize, cols: usize) -> Vec<f64> {
    let combine = |total: &mut Vec<f64>, part: &[f64]| match fold {
        Fold::Sum | Fold::Mean => simd::axpy(1.0, part, total),
        Fold::Min => total
            .iter_mut()
            .zip(part)
            .for_each(|(a, &b)| *a = scalar::min(*a, b)),
        Fold::Max => total
            .iter_mut()
            .zip(part)
            .for_each(|(a, &b)| *a = scalar::max(*a, b)),
    };
    let parts = map_ranges(rows, cols, 64, |range| {
        by_halves(cells, cols, fold.start(), range, &combine)
    });
    let mut parts = parts.into_iter();
    let mut total = parts.next().unwrap_or_else(|| vec![fold.start(); cols]);
    for part in parts {
        combine(&mut total, &part);
    }
    total
}

/// Folds rows in pairs of halves, so that rounding grows with the logarithm of their number.
fn by_halves(
    cells: &[f64],
    cols: usize,
    start: f64,
    rows: std::ops::Range<usize>,
    combine: &impl Fn(&mut Vec<f64>, &[f64]),
) -> Vec<f64> {
    const LEAF: usize = 64;
    if rows.len() <= LEAF {
        let mut total = vec![start; cols];
        for row in rows {
            combine(&mut total, &cells[row * cols..][..cols]);
        }
        return total;
    }
    let middle = rows.start + rows.len() / 2;
    let mut left = by_halves(cells, cols, start, rows.start..middle, combine);
    combine(
        &mut left,
        &by_halves(cells, cols, start, middle..rows.end, combine),
    );
    left
}

fn sparse_cols(fold: Fold, csr: &Csr) -> Vec<f64> {
    let mut out = vec![fold.start(); csr.cols()];
    match fold {
        Fold::Sum | Fold::Mean => {
            let mut lost = vec![0.0; csr.cols()];
            for (_, col, value) in csr.iter() {
                let (old, new) = (out[col], out[col] + value);
                lost[col] += if old.abs() >= value.abs() {
                    (old - new) + value
                } else {
                    (value - new) + old
                };
                out[col] = new;
            }
            // Where the sum is not finite the lost digits are not numbers.
            out.iter_mut()
                .zip(lost)
                .filter(|(x, _)| x.is_finite())
                .for_each(|(x, lost)| *x += lost);
        }
        Fold::Min | Fold::Max => {
            let f = fold.of_extreme();
            let mut count = vec![0_usize; csr.cols()];
            for (_, col, value) in csr.iter() {
                out[col] = f(out[col], value);
                count[col] += 1;
            }
            for (x, n) in out.iter_mut().zip(count) {
                if n < csr.rows() {
                    *x = f(*x, 0.0);
                }
            }
        }
    }
    out
}
