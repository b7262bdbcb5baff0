//! Operators that move cells: transpose, reverse, diagonal, reshape. No cell's value changes.

use crate::error::OpError;
use crate::kernels::parallel::for_rows;
use crate::matrix::{Csr, CsrBuilder, Matrix, View};
use crate::memory;

/// Rows become columns.
#[must_use]
pub fn transpose(m: &Matrix) -> Matrix {
    let (rows, cols) = m.shape();
    match m.view() {
        // Columns are dense. Anything else stays as it is stored: products read a factor either way.
        View::Sparse(csr) if rows == 1 => Matrix::from(csr.transpose()).settled(),
        View::Sparse(csr) => Matrix::from(csr.transpose()),
        View::Dense(cells) if rows == 1 || cols == 1 => Matrix::dense(cols, rows, cells.to_vec()),
        View::Dense(cells) => {
            const TILE: usize = 16;
            let mut out = memory::for_overwriting(cells.len());
            for_rows(&mut out, rows.max(1), 2 * rows, |first, part| {
                let count = part.len() / rows;
                for tile in (0..count).step_by(TILE) {
                    let width = TILE.min(count - tile);
                    for low in (0..rows).step_by(TILE) {
                        for row in low..rows.min(low + TILE) {
                            let from = &cells[row * cols + first + tile..][..width];
                            for (j, &value) in from.iter().enumerate() {
                                part[(tile + j) * rows + row] = value;
                            }
                        }
                    }
                }
            });
            Matrix::dense(cols, rows, out)
        }
    }
}

/// Rows in reverse order.
#[must_use]
pub fn rev(m: &Matrix) -> Matrix {
    let (rows, cols) = m.shape();
    match m.view() {
        View::Dense(cells) => {
            let mut out = Vec::with_capacity(cells.len());
            for row in (0..rows).rev() {
                out.extend_from_slice(&cells[row * cols..][..cols]);
            }
            Matrix::dense(rows, cols, out)
        }
        View::Sparse(csr) => {
            let mut out = CsrBuilder::new(rows, cols, csr.nnz());
            for row in (0..rows).rev() {
                push_row(&mut out, csr, row, 0);
                out.end_row();
            }
            Matrix::from(out.finish())
        }
    }
}

/// A column vector becomes the diagonal of a square matrix; a square matrix gives its diagonal as a column.
///
/// # Errors
/// When the matrix is neither.
pub fn diag(m: &Matrix) -> Result<Matrix, OpError> {
    match m.shape() {
        (n, 1) => {
            let mut out = CsrBuilder::new(n, n, n);
            for i in 0..n {
                out.push(i, m.get(i, 0));
                out.end_row();
            }
            Ok(Matrix::from(out.finish()).settled())
        }
        (r, c) if r == c => Ok(Matrix::dense(r, 1, (0..r).map(|i| m.get(i, i)).collect())),
        (r, c) => Err(OpError::argument(
            "diag",
            "a column vector or a square matrix",
            format!("{r} x {c}"),
        )),
    }
}

/// The same cells, row after row, in another shape.
///
/// # Errors
/// When the shape has another number of cells.
pub fn reshape(m: &Matrix, rows: usize, cols: usize) -> Result<Matrix, OpError> {
    if rows.checked_mul(cols) != Some(m.len()) {
        return Err(OpError::argument(
            "matrix",
            format!(
                "a shape of {} cells, those of {} x {}",
                m.len(),
                m.rows(),
                m.cols()
            ),
            format!("{rows} x {cols}"),
        ));
    }
    Ok(match m.view() {
        View::Dense(cells) => Matrix::dense(rows, cols, cells.to_vec()),
        View::Sparse(_) if cols > crate::matrix::MAX_COLS => {
            Matrix::dense(rows, cols, m.to_cells())
        }
        View::Sparse(csr) => {
            let mut out = CsrBuilder::new(rows, cols, csr.nnz());
            for (row, col, value) in csr.iter() {
                let at = row * csr.cols() + col;
                out.end_rows_before(at / cols);
                out.push(at % cols, value);
            }
            Matrix::from(out.finish()).settled()
        }
    })
}

/// Appends a row's cells to the builder's present row, `offset` columns further right.
pub(super) fn push_row(out: &mut CsrBuilder, csr: &Csr, row: usize, offset: usize) {
    let (cols, values) = csr.row(row);
    for (&col, &value) in cols.iter().zip(values) {
        out.push(offset + col as usize, value);
    }
}
