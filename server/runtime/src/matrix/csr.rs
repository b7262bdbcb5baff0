//! Compressed sparse rows with 32-bit column indices.
//!
//! Invariants, kept by every constructor: row pointers ascend, columns ascend strictly within a row, and no stored
//! value is zero (a stored NaN is a non-zero). Never builds a dense copy.

mod builder;
mod transpose;

use std::sync::Arc;

use sprs::{CsMatI, TriMatI};

pub use builder::CsrBuilder;
pub(crate) use builder::RowSums;

/// A sparse matrix by rows. Matrices that differ in values only share where these are.
#[derive(Clone, Debug, PartialEq)]
pub struct Csr {
    rows: usize,
    cols: usize,
    row_starts: Arc<Vec<usize>>,
    col_indices: Arc<Vec<u32>>,
    values: Vec<f64>,
}

/// The most columns a sparse matrix can have.
pub const MAX_COLS: usize = u32::MAX as usize;

impl Csr {
    /// All cells zero.
    #[must_use]
    pub fn zero(rows: usize, cols: usize) -> Self {
        assert!(
            cols <= MAX_COLS,
            "a sparse matrix has at most {MAX_COLS} columns, not {cols}"
        );
        Csr {
            rows,
            cols,
            row_starts: Arc::new(vec![0; rows + 1]),
            col_indices: Arc::default(),
            values: Vec::new(),
        }
    }

    /// From entries in any order; cells that occur more than once are summed, zeros are dropped.
    ///
    /// # Panics
    /// When an entry lies outside `rows` x `cols`.
    #[must_use]
    pub fn from_entries(rows: usize, cols: usize, entries: Vec<(usize, usize, f64)>) -> Self {
        assert!(
            cols <= MAX_COLS,
            "a sparse matrix has at most {MAX_COLS} columns, not {cols}"
        );
        let mut row_indices = Vec::with_capacity(entries.len());
        let mut col_indices = Vec::with_capacity(entries.len());
        let mut values = Vec::with_capacity(entries.len());
        for (row, col, value) in entries {
            assert!(
                row < rows && col < cols,
                "entry ({row}, {col}) outside {rows} x {cols}"
            );
            row_indices.push(row);
            col_indices.push(col);
            values.push(value);
        }
        let triplets =
            TriMatI::<f64, usize>::from_triplets((rows, cols), row_indices, col_indices, values);
        let compressed: CsMatI<f64, usize> = triplets.to_csr();
        let mut out = CsrBuilder::new(rows, cols, compressed.nnz());
        for row in compressed.outer_iterator() {
            for (col, &value) in row.iter() {
                out.push(col, value);
            }
            out.end_row();
        }
        out.finish()
    }

    /// From the three arrays; zeros among the values are dropped.
    ///
    /// # Panics
    /// When the arrays break the invariants stated above.
    #[must_use]
    pub fn from_parts(
        rows: usize,
        cols: usize,
        row_starts: Vec<usize>,
        col_indices: Vec<u32>,
        values: Vec<f64>,
    ) -> Self {
        assert!(
            cols <= MAX_COLS,
            "a sparse matrix has at most {MAX_COLS} columns, not {cols}"
        );
        assert_eq!(row_starts.len(), rows + 1, "one row pointer more than rows");
        assert_eq!(row_starts[0], 0, "the first row starts at 0");
        assert_eq!(
            row_starts[rows],
            values.len(),
            "the last row ends where the values end"
        );
        assert_eq!(
            col_indices.len(),
            values.len(),
            "one column index for each value"
        );
        for row in 0..rows {
            let cols_of_row = &col_indices[row_starts[row]..row_starts[row + 1]];
            assert!(
                cols_of_row.windows(2).all(|w| w[0] < w[1]),
                "columns of row {row} ascend"
            );
            assert!(
                cols_of_row.last().is_none_or(|&c| (c as usize) < cols),
                "columns of row {row} are below {cols}"
            );
        }
        let out = Csr {
            rows,
            cols,
            row_starts: row_starts.into(),
            col_indices: col_indices.into(),
            values,
        };
        if out.values.contains(&0.0) {
            out.map_cells(|_, _, x| x)
        } else {
            out
        }
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Number of non-zero cells.
    #[must_use]
    pub fn nnz(&self) -> usize {
        self.values.len()
    }

    /// Columns and values of a row.
    #[must_use]
    pub fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let range = self.row_starts[row]..self.row_starts[row + 1];
        (&self.col_indices[range.clone()], &self.values[range])
    }

    /// Where each row starts among the values, and after them their number.
    #[must_use]
    pub fn row_starts(&self) -> &[usize] {
        &self.row_starts
    }

    /// The columns of all values, row after row.
    #[must_use]
    pub fn col_indices(&self) -> &[u32] {
        &self.col_indices
    }

    /// All values, row after row.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The cell's value.
    #[must_use]
    pub fn get(&self, row: usize, col: usize) -> f64 {
        let (cols, values) = self.row(row);
        cols.binary_search(&(col as u32))
            .map_or(0.0, |at| values[at])
    }

    /// Non-zero cells, row after row, columns ascending.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.rows).flat_map(move |row| {
            let (cols, values) = self.row(row);
            cols.iter()
                .zip(values)
                .map(move |(&col, &value)| (row, col as usize, value))
        })
    }

    /// Applies `f`, which must take 0 to 0, to the non-zero cells.
    #[must_use]
    pub fn map(&self, f: impl Fn(f64) -> f64) -> Csr {
        self.with_values(self.values.iter().map(|value| f(*value)).collect())
    }

    /// The values, for who lets go of the matrix.
    pub(crate) fn take_values(&mut self) -> Vec<f64> {
        std::mem::take(&mut self.values)
    }

    /// Other values in the place of the non-zero cells.
    ///
    /// # Panics
    /// When there are not as many as non-zero cells.
    #[must_use]
    pub fn with_values(&self, values: Vec<f64>) -> Csr {
        assert_eq!(values.len(), self.nnz(), "a value for each non-zero cell");
        let out = Csr {
            rows: self.rows,
            cols: self.cols,
            row_starts: self.row_starts.clone(),
            col_indices: self.col_indices.clone(),
            values,
        };
        if out.values.contains(&0.0) {
            // Some cells became zero (an underflow, a comparison): they leave the structure.
            return out.map_cells(|_, _, value| value);
        }
        out
    }

    /// Applies `f`, which is given row, column and value, to the non-zero cells; the others stay zero.
    #[must_use]
    pub fn map_cells(&self, f: impl Fn(usize, usize, f64) -> f64) -> Csr {
        let mut out = CsrBuilder::new(self.rows, self.cols, self.nnz());
        for row in 0..self.rows {
            let (cols, values) = self.row(row);
            for (&col, &value) in cols.iter().zip(values) {
                out.push(col as usize, f(row, col as usize, value));
            }
            out.end_row();
        }
        out.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_in_any_order_are_sorted_summed_and_freed_of_zeros() {
        let m = Csr::from_entries(
            2,
            3,
            vec![
                (1, 2, 1.0),
                (0, 1, 2.0),
                (1, 2, 3.0),
                (0, 0, 5.0),
                (0, 0, -5.0),
            ],
        );
        assert_eq!(m.iter().collect::<Vec<_>>(), vec![(0, 1, 2.0), (1, 2, 4.0)]);
    }

    #[test]
    fn transposing_twice_gives_the_matrix_back() {
        let m = Csr::from_entries(3, 2, vec![(0, 1, 1.0), (2, 0, f64::INFINITY), (2, 1, 4.0)]);
        assert_eq!(m.transpose().transpose(), m);
        assert_eq!(m.transpose().get(1, 2), 4.0);
        assert_eq!(Csr::zero(0, 5).transpose().rows(), 5);
    }

    #[test]
    #[should_panic(expected = "columns of row 0 ascend")]
    fn unsorted_columns_are_refused() {
        let _ = Csr::from_parts(1, 3, vec![0, 2], vec![2, 1], vec![1.0, 1.0]);
    }
}
