//! `t(X) %*% (w * (X %*% v))` in one pass over X: what gradients and Hessian products are made of.
//!
//! Row by row, a row's product with `v` is weighted and the row added so often to the result. X %*% v is never
//! written down.

use sumac_la::Op;

use super::{Factor, sparse, sparse_wide};
use crate::compressed;
use crate::error::OpError;
use crate::kernels::cell::{self, Operand};
use crate::kernels::parallel::map_ranges;
use crate::kernels::{simd, simd_avx512_rows};
use crate::matrix::{Matrix, View};
use crate::memory;

/// `t(X) %*% (X %*% v)`, or with weights `t(X) %*% (w * (X %*% v))`, for X of m x n, `v` of n x 1 and `w` of m x 1: a
/// matrix of n x 1. Each cell is off by at most about `(m + n) * 2^-53` of the sum of the magnitudes that go into it.
///
/// # Errors
/// When the shapes do not fit.
pub fn chain(x: &Matrix, v: &Matrix, w: Option<&Matrix>) -> Result<Matrix, OpError> {
    let (m, n) = x.shape();
    if v.shape() != (n, 1) {
        let rule = format!("v in `t(X) %*% (X %*% v)` must be {n} x 1");
        return Err(OpError::shapes("%*%", x, v, rule));
    }
    if let Some(w) = w
        && w.shape() != (m, 1)
    {
        let rule = format!("w in `t(X) %*% (w * (X %*% v))` must be {m} x 1");
        return Err(OpError::shapes("*", x, w, rule));
    }
    if let Some(done) = by_groups(x, v, w) {
        return Ok(done);
    }
    let cells = |matrix: &Matrix| match matrix.view() {
        View::Dense(_) => None,
        View::Sparse(_) => Some(matrix.to_cells()),
    };
    let (v_cells, w_cells) = (cells(v), w.and_then(cells));
    let v = dense(v, v_cells.as_deref());
    let w = w.map(|w| dense(w, w_cells.as_deref()));
    if m == 0 || n == 0 {
        return Ok(Matrix::fill(n, 1, 0.0));
    }
    let work = match x.view() {
        View::Dense(_) => n / 3 + 1,
        View::Sparse(csr) => 2 * csr.nnz() / m + 1,
    };
    // Rows are taken in fixed groups whose sums are added in order: threads never change the result.
    let parts = map_ranges(m, work, 16, |range| {
        let mut acc = memory::zeroed(n);
        let w = w.map(|w| &w[range.clone()]);
        match x.view() {
            View::Dense(cells) => {
                let rows = &cells[range.start * n..range.end * n];
                if !simd_avx512_rows::chain_rows(rows, v, w, &mut acc) {
                    simd::chain_rows(rows, v, w, &mut acc);
                }
            }
            View::Sparse(csr) if sparse_wide::chain_rows(csr, range.clone(), v, w, &mut acc) => {}
            View::Sparse(csr) => {
                for (i, row) in range.enumerate() {
                    let (cols, values) = csr.row(row);
                    let product = sparse::sparse_dot(cols, values, v);
                    let weighted = w.map_or(product, |w| w[i] * product);
                    for (&col, &value) in cols.iter().zip(values) {
                        acc[col as usize] += value * weighted;
                    }
                }
            }
        }
        acc
    });
    let mut parts = parts.into_iter();
    let mut total = parts.next().unwrap_or_else(|| memory::zeroed(n));
    for part in parts {
        simd::axpy(1.0, &part, &mut total);
    }
    Ok(Matrix::dense(n, 1, total))
}

/// The same of a compressed matrix, by its two products.
fn by_groups(x: &Matrix, v: &Matrix, w: Option<&Matrix>) -> Option<Matrix> {
    x.compressed()?;
    let product = compressed::product(Factor::plain(x), Factor::plain(v))?;
    let weighted = match w {
        None => product,
        Some(w) => cell::binary_into_right(Op::Mul, Operand::Matrix(w), product).ok()?,
    };
    compressed::product(Factor::transposed(x), Factor::plain(&weighted))
}

/// The cells of a vector: its own, or those that were unpacked.
fn dense<'a>(matrix: &'a Matrix, unpacked: Option<&'a [f64]>) -> &'a [f64] {
    match (unpacked, matrix.view()) {
        (Some(cells), _) | (None, View::Dense(cells)) => cells,
        (None, View::Sparse(csr)) => csr.values(),
    }
}
