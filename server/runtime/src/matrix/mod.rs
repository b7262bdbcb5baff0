//! A matrix of 64-bit floating-point cells: dense by rows, compressed sparse rows, or compressed in groups of columns.
//!
//! The format follows the non-zeros as in SystemDS: sparse when there is more than one column and fewer than
//! [`SPARSE_BELOW`] of the cells are non-zero. Shapes with no rows or no columns are matrices like any other. A compressed matrix
//! stands for one of the other two: whoever looks at its cells finds that one, made then and kept. No operator
//! compresses a matrix by itself.

mod csr;

use std::sync::OnceLock;

use ndarray::{Array2, ArrayView2};

pub(crate) use csr::RowSums;
pub use csr::{Csr, CsrBuilder, MAX_COLS};

use crate::compressed::Compressed;
use crate::memory;

/// A matrix with more than one column is stored sparse below this share of non-zero cells.
pub const SPARSE_BELOW: f64 = 0.4;

/// A matrix; immutable once made.
#[derive(Clone, Debug)]
pub struct Matrix {
    store: Store,
    /// Number of non-zero cells, counted when first asked for.
    nnz: OnceLock<usize>,
}

/// How the cells are kept.
#[derive(Clone, Debug)]
pub enum Store {
    /// All cells, row after row (always in standard layout).
    Dense(Array2<f64>),
    /// Only the non-zero cells.
    Sparse(Csr),
    /// Groups of columns.
    Compressed(Box<LazilyDecompressed>),
}

/// A compressed matrix and, once somebody has looked at its cells, the matrix that it stands for.
#[derive(Debug)]
pub struct LazilyDecompressed {
    compressed: Compressed,
    plain: OnceLock<Matrix>,
}

/// The plain cells are made again where they are needed.
impl Clone for LazilyDecompressed {
    fn clone(&self) -> LazilyDecompressed {
        LazilyDecompressed {
            compressed: self.compressed.clone(),
            plain: OnceLock::new(),
        }
    }
}

impl LazilyDecompressed {
    fn plain(&self) -> &Matrix {
        self.plain.get_or_init(|| self.compressed.decompress())
    }
}

/// A matrix's cells, borrowed.
#[derive(Clone, Copy, Debug)]
pub enum View<'a> {
    /// `rows * cols` cells, row after row.
    Dense(&'a [f64]),
    /// Only the non-zero cells.
    Sparse(&'a Csr),
}

/// Whether a matrix of this shape and number of non-zeros is kept sparse.
#[must_use]
pub fn prefers_sparse(rows: usize, cols: usize, nnz: usize) -> bool {
    cols > 1 && cols <= MAX_COLS && (nnz as f64) < SPARSE_BELOW * rows as f64 * cols as f64
}

impl Matrix {
    /// A dense matrix from its cells, row after row.
    ///
    /// # Panics
    /// When there are not exactly `rows * cols` cells.
    #[must_use]
    pub fn dense(rows: usize, cols: usize, cells: Vec<f64>) -> Matrix {
        assert_eq!(cells.len(), rows * cols, "{rows} x {cols} cells expected");
        let array = Array2::from_shape_vec((rows, cols), cells).expect("the length was checked");
        Matrix {
            store: Store::Dense(array),
            nnz: OnceLock::new(),
        }
    }

    /// A dense matrix from an array, brought to standard layout where it is not.
    #[must_use]
    pub fn from_array(array: Array2<f64>) -> Matrix {
        let array = if array.is_standard_layout() {
            array
        } else {
            array.as_standard_layout().into_owned()
        };
        let (rows, cols) = array.dim();
        if array.as_slice().is_some() {
            return Matrix {
                store: Store::Dense(array),
                nnz: OnceLock::new(),
            };
        }
        Matrix::dense(rows, cols, array.iter().copied().collect())
    }

    /// From rows of equal length; no rows give a 0 x 0 matrix.
    ///
    /// # Panics
    /// When the rows differ in length.
    #[must_use]
    pub fn from_rows(rows: &[&[f64]]) -> Matrix {
        let cols = rows.first().map_or(0, |row| row.len());
        assert!(
            rows.iter().all(|row| row.len() == cols),
            "rows of equal length expected"
        );
        Matrix::dense(rows.len(), cols, rows.concat())
    }

    /// All cells equal; zero is kept sparse where that is allowed.
    #[must_use]
    pub fn fill(rows: usize, cols: usize, value: f64) -> Matrix {
        if value == 0.0 && prefers_sparse(rows, cols, 0) {
            return Matrix::from(Csr::zero(rows, cols));
        }
        Matrix::dense(rows, cols, memory::filled(rows * cols, value))
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        match &self.store {
            Store::Dense(array) => array.nrows(),
            Store::Sparse(csr) => csr.rows(),
            Store::Compressed(standing) => standing.compressed.rows(),
        }
    }

    /// Number of columns.
    #[must_use]
    pub fn cols(&self) -> usize {
        match &self.store {
            Store::Dense(array) => array.ncols(),
            Store::Sparse(csr) => csr.cols(),
            Store::Compressed(standing) => standing.compressed.cols(),
        }
    }

    /// Rows and columns.
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        (self.rows(), self.cols())
    }

    /// Number of cells.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows() * self.cols()
    }

    /// Whether there are no cells at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of non-zero cells (NaN counts).
    #[must_use]
    pub fn nnz(&self) -> usize {
        *self.nnz.get_or_init(|| match &self.store {
            Store::Dense(array) => array.iter().filter(|&&x| x != 0.0).count(),
            Store::Sparse(csr) => csr.nnz(),
            Store::Compressed(standing) => standing.compressed.nnz(),
        })
    }

    /// Share of non-zero cells; 0 for a matrix without cells.
    #[must_use]
    pub fn sparsity(&self) -> f64 {
        if self.is_empty() {
            0.0
        } else {
            self.nnz() as f64 / self.len() as f64
        }
    }

    /// Whether only the non-zero cells are stored, or would be without compression.
    #[must_use]
    pub fn is_sparse(&self) -> bool {
        match &self.store {
            Store::Dense(_) => false,
            Store::Sparse(_) => true,
            Store::Compressed(standing) => standing.compressed.is_sparse(),
        }
    }

    /// The groups of columns, where the matrix is compressed.
    #[must_use]
    pub fn compressed(&self) -> Option<&Compressed> {
        match &self.store {
            Store::Compressed(standing) => Some(&standing.compressed),
            Store::Dense(_) | Store::Sparse(_) => None,
        }
    }

    /// Bytes of the stored cells and indices; of a compressed matrix also of the plain cells that were asked for.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (match &self.store {
            Store::Compressed(standing) => {
                return standing.compressed.bytes() + standing.plain.get().map_or(0, Matrix::bytes);
            }
            Store::Dense(array) => array.len() * size_of::<f64>(),
            Store::Sparse(csr) => {
                csr.nnz() * (size_of::<f64>() + size_of::<u32>())
                    + (csr.rows() + 1) * size_of::<usize>()
            }
        }) as u64
    }

    /// The cells. Of a compressed matrix the plain ones, which are made at the first call and kept.
    ///
    /// # Panics
    /// Never: dense matrices are in standard layout.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        match &self.store {
            Store::Dense(array) => View::Dense(
                array
                    .as_slice()
                    .expect("dense matrices are in standard layout"),
            ),
            Store::Sparse(csr) => View::Sparse(csr),
            Store::Compressed(standing) => standing.plain().view(),
        }
    }

    /// As an array, where the matrix is dense.
    #[must_use]
    pub fn as_array(&self) -> Option<ArrayView2<'_, f64>> {
        match &self.store {
            Store::Dense(array) => Some(array.view()),
            Store::Sparse(_) => None,
            Store::Compressed(standing) => standing.plain().as_array(),
        }
    }

    /// The cell's value.
    ///
    /// # Panics
    /// When the cell lies outside the matrix.
    #[must_use]
    pub fn get(&self, row: usize, col: usize) -> f64 {
        assert!(
            row < self.rows() && col < self.cols(),
            "cell ({row}, {col}) of {} x {}",
            self.rows(),
            self.cols()
        );
        match &self.store {
            Store::Dense(array) => array[(row, col)],
            Store::Sparse(csr) => csr.get(row, col),
            Store::Compressed(standing) => match standing.plain.get() {
                Some(plain) => plain.get(row, col),
                None => standing.compressed.get(row, col),
            },
        }
    }

    /// The only cell of a 1 x 1 matrix.
    #[must_use]
    pub fn as_scalar(&self) -> Option<f64> {
        (self.shape() == (1, 1)).then(|| self.get(0, 0))
    }

    /// All cells, row after row.
    #[must_use]
    pub fn to_cells(&self) -> Vec<f64> {
        if let Store::Compressed(standing) = &self.store
            && standing.plain.get().is_none()
        {
            return standing.compressed.to_cells();
        }
        match self.view() {
            View::Dense(cells) => memory::copied(cells),
            View::Sparse(csr) => {
                let mut cells = memory::zeroed(csr.rows() * csr.cols());
                for (row, col, value) in csr.iter() {
                    cells[row * csr.cols() + col] = value;
                }
                cells
            }
        }
    }

    /// All cells, row after row, without a copy where they are stored so.
    #[must_use]
    pub fn into_cells(mut self) -> Vec<f64> {
        match &mut self.store {
            Store::Dense(array) => std::mem::take(array).into_raw_vec_and_offset().0,
            Store::Compressed(standing) => match standing.plain.take() {
                Some(plain) => plain.into_cells(),
                None => standing.compressed.to_cells(),
            },
            Store::Sparse(_) => self.to_cells(),
        }
    }

    /// The same matrix with all cells stored.
    #[must_use]
    pub fn to_dense(&self) -> Matrix {
        if self.is_sparse() || self.compressed().is_some() {
            Matrix::dense(self.rows(), self.cols(), self.to_cells())
        } else {
            self.clone()
        }
    }

    /// The same matrix with only the non-zero cells stored.
    ///
    /// # Panics
    /// When there are more than [`MAX_COLS`] columns.
    #[must_use]
    pub fn to_sparse(&self) -> Matrix {
        Matrix::from(self.to_csr())
    }

    /// The non-zero cells by rows.
    ///
    /// # Panics
    /// When there are more than [`MAX_COLS`] columns.
    #[must_use]
    pub fn to_csr(&self) -> Csr {
        match self.view() {
            View::Sparse(csr) => csr.clone(),
            View::Dense(cells) => {
                let mut out = CsrBuilder::new(self.rows(), self.cols(), self.nnz());
                for row in 0..self.rows() {
                    for (col, &value) in
                        cells[row * self.cols()..][..self.cols()].iter().enumerate()
                    {
                        out.push(col, value);
                    }
                    out.end_row();
                }
                out.finish()
            }
        }
    }

    /// The matrix in the format that its non-zeros call for. A compressed matrix stays so.
    #[must_use]
    pub fn settled(mut self) -> Matrix {
        if let Store::Compressed(standing) = &mut self.store {
            let was_sparse = standing.compressed.is_sparse();
            standing.compressed.settle();
            if standing.compressed.is_sparse() != was_sparse {
                standing.plain.take();
            }
            return self;
        }
        match (
            self.is_sparse(),
            prefers_sparse(self.rows(), self.cols(), self.nnz()),
        ) {
            (true, false) => self.to_dense(),
            (false, true) => self.to_sparse(),
            _ => self,
        }
    }

    /// A sparse matrix with too many non-zeros becomes dense; a dense one is not looked at.
    #[must_use]
    pub fn settled_if_sparse(self) -> Matrix {
        if self.is_sparse() {
            self.settled()
        } else {
            self
        }
    }
}

/// Cells that nobody needs any more may serve again.
impl Drop for Matrix {
    fn drop(&mut self) {
        memory::recycle(match &mut self.store {
            Store::Dense(array) => std::mem::take(array).into_raw_vec_and_offset().0,
            Store::Sparse(csr) => csr.take_values(),
            // The groups have vectors of other kinds; plain cells are given back as the matrix that they are.
            Store::Compressed(_) => return,
        });
    }
}

impl From<Compressed> for Matrix {
    fn from(compressed: Compressed) -> Matrix {
        Matrix {
            store: Store::Compressed(Box::new(LazilyDecompressed {
                compressed,
                plain: OnceLock::new(),
            })),
            nnz: OnceLock::new(),
        }
    }
}

impl From<Csr> for Matrix {
    fn from(csr: Csr) -> Matrix {
        Matrix {
            store: Store::Sparse(csr),
            nnz: OnceLock::new(),
        }
    }
}

/// Equal shapes and equal cells, whatever the formats; NaN differs from everything.
impl PartialEq for Matrix {
    fn eq(&self, other: &Matrix) -> bool {
        if self.shape() != other.shape() {
            return false;
        }
        match (self.view(), other.view()) {
            (View::Dense(a), View::Dense(b)) => a == b,
            (View::Sparse(a), View::Sparse(b)) => a == b,
            _ => self.to_csr() == other.to_csr(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_follows_the_non_zeros() {
        let m = Matrix::dense(
            2,
            5,
            vec![0.0, 0.0, 3.0, 0.0, 0.0, 0.0, f64::NAN, 0.0, 0.0, 0.0],
        )
        .settled();
        assert!(m.is_sparse());
        assert_eq!(m.nnz(), 2);
        assert!(
            !Matrix::fill(3, 1, 0.0).settled().is_sparse(),
            "a column vector stays dense"
        );
        assert!(
            !Matrix::from(Matrix::fill(2, 2, 1.0).to_csr())
                .settled()
                .is_sparse()
        );
    }

    #[test]
    fn shapes_without_cells_convert_both_ways() {
        for (rows, cols) in [(0, 0), (0, 3), (3, 0)] {
            let m = Matrix::dense(rows, cols, Vec::new());
            assert_eq!(m.to_sparse().shape(), (rows, cols));
            assert_eq!(m.to_sparse().to_dense(), m);
            assert_eq!(m.sparsity(), 0.0);
        }
    }

    #[test]
    fn an_array_in_column_order_is_brought_to_rows() {
        let a = Array2::from_shape_vec((2, 3), vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        let m = Matrix::from_array(a.reversed_axes());
        assert_eq!(
            m,
            Matrix::from_rows(&[&[1.0, 4.0], &[2.0, 5.0], &[3.0, 6.0]])
        );
    }
}
