//! Matrices from entries in any order. Cells that occur more than once are summed in the order of the entries, as
//! SciPy does; zeros leave the structure. It never looks at text, and trusts that entries lie in the matrix.

use rayon::prelude::*;

use crate::matrix::{Csr, Matrix, prefers_sparse};
use crate::memory;

/// Cells, from 0, in the order of a file: one array each for rows, columns and values.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Entries {
    rows: Vec<usize>,
    cols: Vec<u32>,
    values: Vec<f64>,
}

impl Entries {
    /// None yet, with room for `count`.
    pub(super) fn with_capacity(count: usize) -> Entries {
        Entries {
            rows: Vec::with_capacity(count),
            cols: Vec::with_capacity(count),
            values: Vec::with_capacity(count),
        }
    }

    /// Appends a cell; its column is one of a sparse matrix.
    #[inline]
    pub(super) fn push(&mut self, row: usize, col: usize, value: f64) {
        self.rows.push(row);
        self.cols.push(col as u32);
        self.values.push(value);
    }

    fn iter(&self) -> impl Iterator<Item = (usize, u32, f64)> + '_ {
        let places = self.rows.iter().zip(&self.cols);
        let cells = places.zip(&self.values);
        cells.map(|((&row, &col), &value)| (row, col, value))
    }

    fn place(&self, at: usize) -> (usize, u32) {
        (self.rows[at], self.cols[at])
    }

    /// Whether cells come row after row, columns ascending, none twice.
    fn ascend(&self) -> bool {
        let rows = self.rows.windows(2).zip(self.cols.windows(2));
        rows.fold(true, |ascend, (row, col)| {
            ascend & ((row[0] < row[1]) | ((row[0] == row[1]) & (col[0] < col[1])))
        })
    }
}

/// A matrix of `rows` x `cols` in the format that its non-zeros call for. The order of the parts is that of the
/// entries.
pub(super) fn assemble(rows: usize, cols: usize, parts: &[Entries]) -> Matrix {
    let count = parts.iter().map(|part| part.values.len()).sum();
    if !prefers_sparse(rows, cols, count) {
        let mut cells = memory::zeroed(rows * cols);
        for (row, col, value) in parts.iter().flat_map(Entries::iter) {
            cells[row * cols + col as usize] += value;
        }
        return Matrix::dense(rows, cols, cells).settled();
    }
    let csr = if are_ascending(parts) {
        in_order(rows, cols, count, parts)
    } else {
        by_counting(rows, cols, count, parts)
    };
    Matrix::from(csr).settled()
}

/// Whether each part ascends, and each begins behind the one before it.
fn are_ascending(parts: &[Entries]) -> bool {
    let full: Vec<&Entries> = parts.iter().filter(|part| !part.rows.is_empty()).collect();
    let joined = |pair: &[&Entries]| pair[0].place(pair[0].rows.len() - 1) < pair[1].place(0);
    full.windows(2).all(joined) && full.par_iter().all(|part| part.ascend())
}

/// From ascending entries, in one pass.
fn in_order(rows: usize, cols: usize, count: usize, parts: &[Entries]) -> Csr {
    let mut starts = Vec::with_capacity(rows + 1);
    let mut col_indices = Vec::with_capacity(count);
    let mut values = Vec::with_capacity(count);
    for part in parts {
        for (at, &row) in (values.len()..).zip(&part.rows) {
            if starts.len() <= row {
                starts.resize(row + 1, at);
            }
        }
        col_indices.extend_from_slice(&part.cols);
        values.extend_from_slice(&part.values);
    }
    starts.resize(rows + 1, count);
    Csr::from_parts(rows, cols, starts, col_indices, values)
}

/// Sorts by rows in linear time, and within a row where its columns do not ascend already.
fn by_counting(rows: usize, cols: usize, count: usize, parts: &[Entries]) -> Csr {
    let mut starts = vec![0_usize; rows + 1];
    for &row in parts.iter().flat_map(|part| &part.rows) {
        starts[row + 1] += 1;
    }
    for row in 0..rows {
        starts[row + 1] += starts[row];
    }
    let mut next = starts.clone();
    let mut col_indices = vec![0_u32; count];
    let mut values = vec![0.0; count];
    for (row, col, value) in parts.iter().flat_map(Entries::iter) {
        let at = next[row];
        next[row] += 1;
        col_indices[at] = col;
        values[at] = value;
    }
    drop(next);
    // From here on `kept` cells are final; what is read lies at or behind them.
    let mut kept = 0;
    let mut begin = 0;
    for row in 0..rows {
        let end = starts[row + 1];
        let range = begin..end;
        if !col_indices[range.clone()].is_sorted() {
            sort(&mut col_indices[range.clone()], &mut values[range.clone()]);
        }
        let mut at = begin;
        while at < end {
            let col = col_indices[at];
            let mut value = values[at];
            at += 1;
            while at < end && col_indices[at] == col {
                value += values[at];
                at += 1;
            }
            if value != 0.0 {
                col_indices[kept] = col;
                values[kept] = value;
                kept += 1;
            }
        }
        begin = end;
        starts[row + 1] = kept;
    }
    col_indices.truncate(kept);
    values.truncate(kept);
    Csr::from_parts(rows, cols, starts, col_indices, values)
}

/// Brings columns into ascending order, and values with them; equal columns keep their order.
fn sort(cols: &mut [u32], values: &mut [f64]) {
    let mut pairs: Vec<(u32, f64)> = cols.iter().copied().zip(values.iter().copied()).collect();
    pairs.sort_by_key(|pair| pair.0);
    for (at, (col, value)) in pairs.into_iter().enumerate() {
        cols[at] = col;
        values[at] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(cells: &[(usize, usize, f64)]) -> Entries {
        let mut entries = Entries::default();
        for &(row, col, value) in cells {
            entries.push(row, col, value);
        }
        entries
    }

    #[test]
    fn any_order_gives_one_matrix() {
        let ordered = [(0, 1, 1.0), (2, 0, 2.0), (2, 3, 3.0)];
        let mut reversed = ordered;
        reversed.reverse();
        let parts = [entries(&ordered[..1]), entries(&[]), entries(&ordered[1..])];
        let m = assemble(4, 5, &parts);
        assert!(are_ascending(&parts) && m.is_sparse());
        assert!(!are_ascending(&[
            entries(&ordered[1..]),
            entries(&ordered[..1])
        ]));
        assert!(!are_ascending(&[
            entries(&ordered[..1]),
            entries(&ordered[..1])
        ]));
        assert_eq!(m, assemble(4, 5, &[entries(&reversed)]));
        assert_eq!((m.get(0, 1), m.get(2, 0), m.get(2, 3)), (1.0, 2.0, 3.0));
        assert_eq!(m.nnz(), 3);
    }

    #[test]
    fn cells_that_occur_twice_are_summed_and_zeros_dropped() {
        let cells = entries(&[
            (1, 2, 1.0),
            (0, 4, 5.0),
            (1, 0, 7.0),
            (1, 2, 2.0),
            (0, 4, -5.0),
            (1, 3, 0.0),
        ]);
        let sparse = assemble(4, 5, std::slice::from_ref(&cells));
        assert_eq!((sparse.is_sparse(), sparse.nnz()), (true, 2));
        assert_eq!((sparse.get(1, 2), sparse.get(1, 0)), (3.0, 7.0));
        let dense = assemble(2, 5, &[cells]);
        assert_eq!((dense.get(1, 2), dense.nnz()), (3.0, 2));
        let zeros = assemble(4, 5, &[entries(&[(0, 0, 0.0), (3, 1, 0.0)])]);
        assert_eq!((zeros.is_sparse(), zeros.nnz()), (true, 0));
    }

    #[test]
    fn shapes_without_cells_need_no_entries() {
        for (rows, cols) in [(0, 0), (0, 5), (5, 0), (5, 5)] {
            assert_eq!(assemble(rows, cols, &[]).shape(), (rows, cols));
        }
    }
}
