//! The transpose of a sparse matrix, by counting: where a column's cells go is known once all columns are counted.

#![allow(
    unsafe_code,
    reason = "cells are written once each, in the order of columns, to memory that nothing was written to before"
)]

use std::mem::MaybeUninit;

use super::{Csr, MAX_COLS};
use crate::memory;

/// Cells ahead of the present one whose places are fetched: each column has a place of its own, all of them together are
/// more than a core's caches hold.
const AHEAD: usize = 32;

impl Csr {
    /// Rows become columns, in time linear in rows, columns and non-zeros.
    #[must_use]
    pub fn transpose(&self) -> Csr {
        assert!(
            self.rows <= MAX_COLS,
            "a sparse matrix has at most {MAX_COLS} columns, not {}",
            self.rows
        );
        // Where the next cell of each column goes is kept as small as can be, for it is looked at all the time.
        if u32::try_from(self.nnz()).is_ok() {
            self.transpose_with(|at: u32| at as usize, |at| at as u32)
        } else {
            self.transpose_with(|at: usize| at, |at| at)
        }
    }

    /// With places in this form.
    fn transpose_with<T: Copy>(&self, from: fn(T) -> usize, to: fn(usize) -> T) -> Csr {
        let nnz = self.nnz();
        let mut next = vec![to(0); self.cols];
        for &col in self.col_indices.iter() {
            let count = &mut next[col as usize];
            *count = to(from(*count) + 1);
        }
        let mut row_starts = Vec::with_capacity(self.cols + 1);
        let mut start = 0;
        for next in &mut next {
            row_starts.push(start);
            start += from(*next);
            *next = to(*row_starts.last().unwrap_or(&0));
        }
        row_starts.push(start);
        let mut col_indices: Vec<u32> = memory::with_room(nnz);
        let mut values: Vec<f64> = memory::with_room(nnz);
        let rows_out = &mut col_indices.spare_capacity_mut()[..nnz];
        let values_out = &mut values.spare_capacity_mut()[..nnz];
        for row in 0..self.rows {
            let range = self.row_starts[row]..self.row_starts[row + 1];
            for at in range {
                // SAFETY: rows end where the values do. Columns are those of the matrix; a column's places begin where those of
                // the columns before it end, and are as many as the column has cells, `nnz` together.
                unsafe {
                    if let Some(&col) = self.col_indices.get(at + AHEAD) {
                        let place = from(*next.get_unchecked(col as usize));
                        fetch(rows_out, place);
                        fetch(values_out, place);
                    }
                    let col = *self.col_indices.get_unchecked(at) as usize;
                    let next = next.get_unchecked_mut(col);
                    let place = from(*next);
                    *next = to(place + 1);
                    rows_out.get_unchecked_mut(place).write(row as u32);
                    let value = *self.values.get_unchecked(at);
                    values_out.get_unchecked_mut(place).write(value);
                }
            }
        }
        // SAFETY: each of the `nnz` stored cells was just written to a place of its own.
        unsafe {
            col_indices.set_len(nnz);
            values.set_len(nnz);
        }
        Csr {
            rows: self.cols,
            cols: self.rows,
            row_starts: row_starts.into(),
            col_indices: col_indices.into(),
            values,
        }
    }
}

/// Asks for the memory of a place that is to be written.
#[inline(always)]
fn fetch<T>(cells: &[MaybeUninit<T>], at: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        // SAFETY: a prefetch has no effect on memory, whatever the address; SSE is part of x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_ET0>(cells.as_ptr().wrapping_add(at).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (cells, at);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix whose columns have very different numbers of cells.
    fn uneven(rows: usize, cols: usize) -> Csr {
        let entries = (0..rows).flat_map(|row| {
            let step = 1 + row * 7 % 5;
            (row % 3..cols)
                .step_by(step)
                .map(move |col| (row, col, (row * cols + col + 1) as f64))
        });
        Csr::from_entries(rows, cols, entries.collect())
    }

    #[test]
    fn each_cell_changes_its_place_and_rows_stay_in_order() {
        for (rows, cols) in [(0, 0), (0, 3), (3, 0), (1, 1), (1, 90), (90, 1), (37, 113)] {
            let m = uneven(rows, cols);
            let wide = |m: &Csr| m.transpose_with(|at: usize| at, |at| at);
            for transposed in [m.transpose(), wide(&m)] {
                assert_eq!((transposed.rows(), transposed.cols()), (cols, rows));
                assert_eq!(transposed.nnz(), m.nnz());
                for (row, col, value) in m.iter() {
                    assert_eq!(transposed.get(col, row), value);
                }
                // What is built keeps the invariants.
                let again = Csr::from_parts(
                    cols,
                    rows,
                    transposed.row_starts().to_vec(),
                    transposed.col_indices().to_vec(),
                    transposed.values().to_vec(),
                );
                assert_eq!(again, transposed);
                assert_eq!(transposed.transpose(), m);
            }
        }
    }
}
