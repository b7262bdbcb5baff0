//! Running sums, products, minima and maxima: down each column, or along each row.
//!
//! Sums carry the digits that rounding loses (Kahan, CACM 8(1), 1965), as SystemDS does. A result is dense unless its
//! zeros call for the sparse format.

use crate::error::OpError;
use crate::kernels::scalar;
use crate::matrix::Matrix;

/// What runs along.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Running {
    /// `cumsum`.
    Sum,
    /// `cumprod`.
    Product,
    /// `cummin`.
    Min,
    /// `cummax`.
    Max,
}

/// A sum and what it is short of.
#[derive(Clone, Copy, Default)]
pub(crate) struct Kahan {
    pub(crate) sum: f64,
    lost: f64,
}

impl Kahan {
    pub(crate) fn add(&mut self, x: f64) {
        let corrected = x + self.lost;
        let sum = self.sum + corrected;
        self.lost = corrected - (sum - self.sum);
        self.sum = sum;
        if !self.lost.is_finite() {
            // Beyond infinity there are no digits to be lost.
            self.lost = 0.0;
        }
    }
}

/// Down each column; the shape stays.
#[must_use]
pub fn down(running: Running, m: &Matrix) -> Matrix {
    let (rows, cols) = m.shape();
    let mut cells = m.to_cells();
    let mut sums = vec![Kahan::default(); cols];
    for row in 0..rows {
        let (before, rest) = cells.split_at_mut(row * cols);
        let here = &mut rest[..cols];
        let above = &before[before.len().saturating_sub(cols)..];
        match running {
            Running::Sum => {
                for (sum, x) in sums.iter_mut().zip(here) {
                    sum.add(*x);
                    *x = sum.sum;
                }
            }
            _ if row == 0 => {}
            Running::Product => here.iter_mut().zip(above).for_each(|(x, a)| *x *= a),
            Running::Min => here
                .iter_mut()
                .zip(above)
                .for_each(|(x, a)| *x = scalar::min(*a, *x)),
            Running::Max => here
                .iter_mut()
                .zip(above)
                .for_each(|(x, a)| *x = scalar::max(*a, *x)),
        }
    }
    Matrix::dense(rows, cols, cells).settled()
}

/// The running sum along each row; the shape stays.
#[must_use]
pub fn along(m: &Matrix) -> Matrix {
    let (rows, cols) = m.shape();
    let mut cells = m.to_cells();
    for row in cells.chunks_exact_mut(cols.max(1)) {
        let mut sum = Kahan::default();
        for x in row {
            sum.add(*x);
            *x = sum.sum;
        }
    }
    Matrix::dense(rows, cols, cells).settled()
}

/// `y[i] = x[i, 1] + x[i, 2] * y[i - 1]`, from nothing: a column.
///
/// # Errors
/// When there are not two columns.
pub fn sum_product(m: &Matrix) -> Result<Matrix, OpError> {
    if m.cols() != 2 {
        return Err(OpError::argument(
            "cumsumprod",
            "a matrix of two columns, summands and factors",
            format!("{} x {}", m.rows(), m.cols()),
        ));
    }
    let mut last = 0.0;
    let cells = m
        .to_cells()
        .chunks_exact(2)
        .map(|pair| {
            last = pair[0] + pair[1] * last;
            last
        })
        .collect();
    Ok(Matrix::dense(m.rows(), 1, cells))
}
