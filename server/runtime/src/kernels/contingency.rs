//! Contingency tables: how often, or with which sum of weights, pairs of numbers occur.
//!
//! The result is sparse where its zeros call for it, and is built in memory that grows with the number of pairs.

use crate::error::OpError;
use crate::kernels::cell::Operand;
use crate::kernels::cumulative::Kahan;
use crate::kernels::generate::check_addressable;
use crate::matrix::{Csr, MAX_COLS, Matrix, prefers_sparse};

/// Row `i`, column `j` holds the sum of the weights of the cells where `a` is `i` and `b` is `j`. Fractions are cut off,
/// pairs with NaN do not count. Without `shape` the largest numbers are the sizes; with it, pairs beyond are left out.
///
/// # Errors
/// When the arguments differ in length, a number is below 1, or the sizes cannot be addressed.
pub fn table(
    a: Operand<'_>,
    b: Operand<'_>,
    weights: Operand<'_>,
    shape: Option<(usize, usize)>,
) -> Result<Matrix, OpError> {
    const OP: &str = "table";
    let (left, right, weights) = match (a, b, weights) {
        (Operand::Matrix(a), b, w) => (a.to_cells(), values(b, a)?, values(w, a)?),
        (a, Operand::Matrix(b), w) => (values(a, b)?, b.to_cells(), values(w, b)?),
        (Operand::Scalar(_), Operand::Scalar(_), _) => {
            return Err(OpError::argument(OP, "at least one vector", "numbers"));
        }
    };
    let mut entries = Vec::with_capacity(left.len());
    let (mut rows, mut cols) = (0, 0);
    for ((a, b), w) in left.into_iter().zip(right).zip(weights) {
        if a.is_nan() || b.is_nan() || w.is_nan() {
            continue;
        }
        let index = |x: f64| {
            let place = (x + f64::EPSILON / 2.0).floor();
            if (1.0..=2f64.powi(48)).contains(&place) {
                Ok(place as usize)
            } else {
                let found = crate::format::number(x);
                Err(OpError::argument(OP, "numbers from 1", found))
            }
        };
        let (row, col) = (index(a)?, index(b)?);
        if shape.is_some_and(|(rows, cols)| row > rows || col > cols) {
            continue;
        }
        rows = rows.max(row);
        cols = cols.max(col);
        entries.push((row - 1, col - 1, w));
    }
    let (rows, cols) = shape.unwrap_or((rows, cols));
    entries.sort_by_key(|entry| (entry.0, entry.1));
    let mut merged: Vec<(usize, usize, Kahan)> = Vec::with_capacity(entries.len());
    for (row, col, w) in entries {
        match merged.last_mut() {
            Some(last) if (last.0, last.1) == (row, col) => last.2.add(w),
            _ => {
                let mut sum = Kahan::default();
                sum.add(w);
                merged.push((row, col, sum));
            }
        }
    }
    if prefers_sparse(rows, cols, merged.len()) && cols <= MAX_COLS {
        let entries = merged
            .into_iter()
            .map(|(row, col, sum)| (row, col, sum.sum));
        let entries: Vec<_> = entries.filter(|entry| entry.2 != 0.0).collect();
        return Ok(Matrix::from(Csr::from_entries(rows, cols, entries)).settled());
    }
    check_addressable(OP, rows, cols)?;
    let mut cells = crate::memory::zeroed(rows * cols);
    for (row, col, sum) in merged {
        cells[row * cols + col] = sum.sum;
    }
    Ok(Matrix::dense(rows, cols, cells).settled())
}

/// A value for each cell of `like`.
fn values(operand: Operand<'_>, like: &Matrix) -> Result<Vec<f64>, OpError> {
    match operand {
        Operand::Scalar(x) => Ok(vec![x; like.len()]),
        Operand::Matrix(m) if m.len() == like.len() => Ok(m.to_cells()),
        Operand::Matrix(m) => Err(OpError::shapes(
            "table",
            like,
            m,
            "all must be equally long",
        )),
    }
}
