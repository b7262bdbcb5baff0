//! Matrix products of dense and sparse matrices, either of them read as its transpose without forming it.
//!
//! A zero that is not stored never meets anything: `0 * NaN` counts as nothing there, as in SystemDS.

mod chain;
mod dense;
mod sparse;
pub(crate) mod sparse_held;
mod sparse_rows;
mod sparse_wide;

pub use chain::chain;
pub(crate) use sparse::{add_transposed_times_dense, rows_times_dense};

use crate::compressed;
use crate::error::OpError;
use crate::kernels::reorg::transpose;
use crate::matrix::{Csr, Matrix, View};

/// A matrix, or its transpose.
#[derive(Clone, Copy, Debug)]
pub struct Factor<'a> {
    /// What is stored.
    pub matrix: &'a Matrix,
    /// Whether the transpose is meant.
    pub transposed: bool,
}

impl<'a> Factor<'a> {
    /// The matrix as it is.
    #[must_use]
    pub fn plain(matrix: &'a Matrix) -> Factor<'a> {
        Factor {
            matrix,
            transposed: false,
        }
    }

    /// Its transpose.
    #[must_use]
    pub fn transposed(matrix: &'a Matrix) -> Factor<'a> {
        Factor {
            matrix,
            transposed: true,
        }
    }

    /// What it was formed as, if it was.
    fn or_formed(self, formed: &'a Option<Matrix>) -> Factor<'a> {
        formed.as_ref().map_or(self, Factor::plain)
    }

    fn shape(&self) -> (usize, usize) {
        let (rows, cols) = self.matrix.shape();
        if self.transposed {
            (cols, rows)
        } else {
            (rows, cols)
        }
    }

    fn csr<'b>(&self, csr: &'b Csr) -> std::borrow::Cow<'b, Csr> {
        if self.transposed {
            std::borrow::Cow::Owned(csr.transpose())
        } else {
            std::borrow::Cow::Borrowed(csr)
        }
    }
}

/// The column that a factor is, where it is the transpose of a sparse row.
fn column_of_sparse_row(factor: Factor<'_>) -> Option<Matrix> {
    let matrix = factor.matrix;
    let is_sparse_row = matrix.rows() == 1 && matrix.is_sparse();
    (factor.transposed && is_sparse_row).then(|| transpose(matrix))
}

/// `a %*% b`. Against the product in exact arithmetic each cell is off by at most about
/// `k * 2^-53 * sum |a| |b|` for `k` columns of `a`.
///
/// # Errors
/// When the columns of `a` are not the rows of `b`.
pub fn matmul(a: Factor<'_>, b: Factor<'_>) -> Result<Matrix, OpError> {
    let ((m, k), (k_right, n)) = (a.shape(), b.shape());
    if k != k_right {
        let shape = |(rows, cols): (usize, usize)| format!("{rows} x {cols}");
        return Err(OpError::Shapes {
            op: "%*%".to_owned(),
            left: shape(a.shape()),
            right: shape(b.shape()),
            rule: format!("columns of the left ({k}) must equal rows of the right ({k_right})"),
        });
    }
    if m == 0 || n == 0 || k == 0 {
        return Ok(Matrix::fill(m, n, 0.0));
    }
    // A column is dense once it is formed, so that NaN meets its zeros; nobody can tell whether it was.
    let columns = [a, b].map(column_of_sparse_row);
    let (a, b) = (a.or_formed(&columns[0]), b.or_formed(&columns[1]));
    if let Some(done) = compressed::product(a, b) {
        return Ok(done);
    }
    Ok(match (a.matrix.view(), b.matrix.view()) {
        (View::Dense(x), View::Dense(y)) => dense::product(
            dense::Strided::new(x, (m, k), a.transposed),
            dense::Strided::new(y, (k, n), b.transposed),
        ),
        (View::Sparse(x), View::Sparse(y)) => sparse::sparse_sparse(&a.csr(x), &b.csr(y)),
        (View::Sparse(x), View::Dense(_)) => {
            let turned = b.transposed.then(|| transpose(b.matrix));
            let View::Dense(y) = turned.as_ref().unwrap_or(b.matrix).view() else {
                unreachable!("the transpose of a dense matrix is dense")
            };
            if a.transposed {
                sparse::transposed_sparse_dense(x, y, n)
            } else {
                sparse::sparse_dense(x, y, n)
            }
        }
        (View::Dense(x), View::Sparse(y)) if a.transposed => {
            // t(X) Y = t(t(Y) X), or with both transposed t(Y X): the stored cells of Y are met once, X by rows.
            let swapped = if b.transposed {
                sparse::sparse_dense(y, x, m)
            } else {
                sparse::transposed_sparse_dense(y, x, m)
            };
            transpose(&swapped)
        }
        (View::Dense(x), View::Sparse(y)) => sparse::dense_sparse(x, &b.csr(y)),
    })
}
