//! Sparse matrices put together row by row, from cells in the order of their columns or in any order. What is built keeps
//! the invariants of [`Csr`]; nothing here reads a finished matrix.

#![allow(
    unsafe_code,
    reason = "a row's sums are written behind a vector's end, read there, and then become part of it"
)]

use std::mem::MaybeUninit;

use rayon::prelude::*;

use super::{Csr, MAX_COLS};
use crate::memory;

/// Up to this many columns a row has only one kind of marks.
const MARKED_ALONE: usize = 1 << 14;

/// The sums of a row's cells while they are found in any order.
pub(crate) struct RowSums {
    sums: Vec<f64>,
    /// A bit for each column that was added to.
    marks: Vec<u64>,
    /// A bit for each of the marks that is not zero: wide rows have few.
    groups: Vec<u64>,
}

impl RowSums {
    /// For rows of so many columns.
    pub(crate) fn new(cols: usize) -> RowSums {
        RowSums {
            sums: vec![0.0; cols],
            marks: vec![0; cols.div_ceil(64)],
            // Looking at all marks of a row that is not very wide costs less than a second kind of marks.
            groups: if cols <= MARKED_ALONE {
                Vec::new()
            } else {
                vec![0; cols.div_ceil(64 * 64)]
            },
        }
    }

    /// Adds `factor` times a row of a matrix.
    ///
    /// # Panics
    /// When the matrix is wider than the sums.
    #[inline(always)]
    pub(crate) fn add_row(&mut self, factor: f64, matrix: &Csr, row: usize) {
        assert!(matrix.cols <= self.sums.len(), "sums for all columns");
        let (cols, values) = matrix.row(row);
        for (&col, &value) in cols.iter().zip(values) {
            let col = col as usize;
            // SAFETY: a stored column is one of the matrix's, and so many sums there are, with a mark for each and a group for
            // each 64 marks, if there are groups.
            unsafe {
                *self.sums.get_unchecked_mut(col) += factor * value;
                *self.marks.get_unchecked_mut(col / 64) |= 1 << (col % 64);
                if !self.groups.is_empty() {
                    *self.groups.get_unchecked_mut(col / (64 * 64)) |= 1 << (col / 64 % 64);
                }
            }
        }
    }

    /// Writes columns, ascending, and sums that are not zero to the beginnings of these slices, and leaves no sums.
    ///
    /// # Panics
    /// When the slices have no room for all columns that were added to and [`AT_ONCE`] more.
    #[inline(always)]
    fn drain_into(
        &mut self,
        cols: &mut [MaybeUninit<u32>],
        values: &mut [MaybeUninit<f64>],
    ) -> usize {
        let found = self.columns_into(cols);
        let values = &mut values[..found];
        let cols = cols[..found].as_mut_ptr().cast::<u32>();
        let mut zeros = 0;
        for (at, to) in values.iter_mut().enumerate() {
            // SAFETY: so many columns were just written, and each of them is one of sums that are there.
            let value = unsafe {
                let col = *cols.add(at);
                std::mem::take(self.sums.get_unchecked_mut(col as usize))
            };
            to.write(value);
            zeros += usize::from(value == 0.0);
        }
        if zeros == 0 {
            return found;
        }
        let values = values.as_mut_ptr().cast::<f64>();
        let mut written = 0;
        for at in 0..found {
            // SAFETY: all of them were just written, and no more is written here than was read.
            unsafe {
                let value = *values.add(at);
                *cols.add(written) = *cols.add(at);
                *values.add(written) = value;
                // A zero is written over by the next one.
                written += usize::from(value != 0.0);
            }
        }
        written
    }

    /// Writes the columns that were added to, ascending, and some more cells behind, and leaves no marks. Gives how many they
    /// are.
    #[inline(always)]
    fn columns_into(&mut self, cols: &mut [MaybeUninit<u32>]) -> usize {
        #[cfg(target_arch = "x86_64")]
        if sumac_vectors::has_compress() {
            // SAFETY: both are there, and each processor that has them has the others.
            return unsafe { self.columns_at_once_into(cols) };
        }
        self.each_word(|marks, base, found| places(marks, base, &mut cols[found..]))
    }

    /// [`Self::columns_into`] for processors that find the places of all bits of a word at once.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt,bmi1,bmi2")]
    fn columns_at_once_into(&mut self, cols: &mut [MaybeUninit<u32>]) -> usize {
        use std::arch::x86_64::*;
        const PLACES: [u8; 64] = {
            let mut places = [0; 64];
            let mut at = 0;
            while at < places.len() {
                places[at] = at as u8;
                at += 1;
            }
            places
        };
        // SAFETY: these are 64 bytes.
        let all = unsafe { _mm512_loadu_si512(PLACES.as_ptr().cast()) };
        self.each_word(|marks, base, found| {
            let count = marks.count_ones() as usize;
            let to = cols[found..found + AT_ONCE].as_mut_ptr();
            let places = _mm512_maskz_compress_epi8(marks, all);
            let base = _mm512_set1_epi32(base as i32);
            // SAFETY: there is room for as many columns as a word has bits.
            let write = |quarter: usize, places: __m128i| unsafe {
                let cols = _mm512_add_epi32(base, _mm512_cvtepu8_epi32(places));
                _mm512_storeu_si512(to.add(16 * quarter).cast(), cols);
            };
            write(0, _mm512_castsi512_si128(places));
            if count > 16 {
                write(1, _mm512_extracti32x4_epi32::<1>(places));
                if count > 32 {
                    write(2, _mm512_extracti32x4_epi32::<2>(places));
                    write(3, _mm512_extracti32x4_epi32::<3>(places));
                }
            }
            count
        })
    }

    /// Calls `f` with each word of marks that may not be zero, the first column of it, and what all calls before gave, summed
    /// up. Leaves no marks, and gives the sum.
    #[inline(always)]
    fn each_word(&mut self, mut f: impl FnMut(u64, usize, usize) -> usize) -> usize {
        let mut found = 0;
        if self.groups.is_empty() {
            for (word, marks) in self.marks.iter_mut().enumerate() {
                found += f(std::mem::take(marks), word * 64, found);
            }
        } else {
            for (high, groups) in self.groups.iter_mut().enumerate() {
                for group in bits(std::mem::take(groups)) {
                    let word = high * 64 + group;
                    found += f(std::mem::take(&mut self.marks[word]), word * 64, found);
                }
            }
        }
        found
    }
}

/// Places of bits are written so many at most at once, whether there are as many or not: how many there are is hard to
/// foresee.
const AT_ONCE: usize = 64;

/// Writes `base` and the place of each bit that is set, ascending, and some more cells behind. Gives how many are set.
#[inline(always)]
fn places(mut word: u64, base: usize, out: &mut [MaybeUninit<u32>]) -> usize {
    /// So many at once.
    const FEW: usize = 4;
    let count = word.count_ones() as usize;
    let mut at = 0;
    while at < count {
        for cell in &mut out[at..at + FEW] {
            cell.write(base as u32 + word.trailing_zeros());
            word &= word.wrapping_sub(1);
        }
        at += FEW;
    }
    count
}

/// The places of the bits that are set, lowest first.
#[inline(always)]
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = word.trailing_zeros() as usize;
        (word != 0).then(|| {
            word &= word - 1;
            lowest
        })
    })
}

/// Builds a [`Csr`] row by row.
pub struct CsrBuilder {
    rows: usize,
    cols: usize,
    row_starts: Vec<usize>,
    col_indices: Vec<u32>,
    values: Vec<f64>,
}

impl CsrBuilder {
    /// For a matrix of `rows` x `cols` with about `nnz` non-zeros.
    #[must_use]
    pub fn new(rows: usize, cols: usize, nnz: usize) -> Self {
        assert!(
            cols <= MAX_COLS,
            "a sparse matrix has at most {MAX_COLS} columns, not {cols}"
        );
        let mut row_starts = Vec::with_capacity(rows + 1);
        row_starts.push(0);
        CsrBuilder {
            rows,
            cols,
            row_starts,
            col_indices: memory::with_room(nnz),
            values: memory::with_room(nnz),
        }
    }

    /// With all rows of a matrix, from its rows, columns and values other than zero: in any order of the rows, and from left to
    /// right in each of them.
    ///
    /// # Panics
    /// When a row is not one of `rows`.
    #[must_use]
    pub(crate) fn of_cells(rows: usize, cols: usize, cells: &[(u32, u32, f64)]) -> Self {
        let mut row_starts = vec![0; rows + 1];
        for (row, ..) in cells {
            row_starts[*row as usize + 1] += 1;
        }
        for row in 0..rows {
            row_starts[row + 1] += row_starts[row];
        }
        let mut next = row_starts.clone();
        let (mut col_indices, mut values) =
            (memory::defaults(cells.len()), memory::defaults(cells.len()));
        for (row, col, value) in cells {
            debug_assert!(
                (*col as usize) < cols && *value != 0.0,
                "{value} at {col} of {cols}"
            );
            let place = &mut next[*row as usize];
            col_indices[*place] = *col;
            values[*place] = *value;
            *place += 1;
        }
        CsrBuilder {
            rows,
            cols,
            row_starts,
            col_indices,
            values,
        }
    }

    /// Appends a cell right of the row's last one; zeros are ignored.
    ///
    /// # Panics
    /// When there is no such column. Kernels look at places by the columns that are stored, and do not ask again.
    #[inline]
    pub fn push(&mut self, col: usize, value: f64) {
        assert!(col < self.cols, "column {col} of {}", self.cols);
        debug_assert!(
            self.col_indices.len() == *self.row_starts.last().unwrap_or(&0)
                || self
                    .col_indices
                    .last()
                    .is_none_or(|&last| (last as usize) < col),
            "columns ascend"
        );
        if value != 0.0 {
            self.col_indices.push(col as u32);
            self.values.push(value);
        }
    }

    /// Ends the present row.
    pub fn end_row(&mut self) {
        self.row_starts.push(self.values.len());
    }

    /// Ends all rows before `row`.
    pub fn end_rows_before(&mut self, row: usize) {
        while self.row_starts.len() <= row {
            self.end_row();
        }
    }

    /// Ends the present row with the cells that were summed, at most so many, columns ascending, and leaves no sums.
    ///
    /// # Panics
    /// When more were summed.
    #[inline(always)]
    pub(crate) fn push_sums(&mut self, row: &mut RowSums, most: usize) {
        assert!(
            row.sums.len() <= self.cols,
            "sums of {} columns in {}",
            row.sums.len(),
            self.cols
        );
        // What is written behind the last one does not count.
        let room = most.min(row.sums.len()) + AT_ONCE;
        self.col_indices.reserve(room);
        self.values.reserve(room);
        let written = row.drain_into(
            self.col_indices.spare_capacity_mut(),
            self.values.spare_capacity_mut(),
        );
        // SAFETY: so many columns and values were just written behind the ones that were there.
        unsafe {
            self.col_indices.set_len(self.col_indices.len() + written);
            self.values.set_len(self.values.len() + written);
        }
        self.end_row();
    }

    /// The rows of all parts, one after the other.
    ///
    /// # Panics
    /// When the parts are not `cols` wide.
    #[must_use]
    pub(crate) fn joined(cols: usize, parts: &[CsrBuilder]) -> Csr {
        let nnz: usize = parts.iter().map(|part| part.values.len()).sum();
        let rows: usize = parts.iter().map(|part| part.row_starts.len() - 1).sum();
        let mut row_starts = Vec::with_capacity(rows + 1);
        row_starts.push(0);
        let mut base = 0;
        for part in parts {
            assert_eq!(part.cols, cols, "parts of one matrix have one width");
            row_starts.extend(part.row_starts[1..].iter().map(|start| base + start));
            base += part.values.len();
        }
        let (mut col_indices, mut values): (Vec<u32>, Vec<f64>) =
            (memory::defaults(nnz), memory::defaults(nnz));
        let (mut cols_left, mut values_left) = (&mut col_indices[..], &mut values[..]);
        let mut places = Vec::with_capacity(parts.len());
        for part in parts {
            let (to_cols, rest) = cols_left.split_at_mut(part.values.len());
            cols_left = rest;
            let (to_values, rest) = values_left.split_at_mut(part.values.len());
            values_left = rest;
            places.push((part, to_cols, to_values));
        }
        places.into_par_iter().for_each(|(part, cols, values)| {
            cols.copy_from_slice(&part.col_indices);
            values.copy_from_slice(&part.values);
        });
        Csr {
            rows,
            cols,
            row_starts: row_starts.into(),
            col_indices: col_indices.into(),
            values,
        }
    }

    /// The matrix; rows that were not ended are empty.
    ///
    /// # Panics
    /// When more rows were ended than the matrix has.
    #[must_use]
    pub fn finish(mut self) -> Csr {
        self.end_rows_before(self.rows);
        assert_eq!(
            self.row_starts.len(),
            self.rows + 1,
            "more rows were built than the matrix has"
        );
        Csr {
            rows: self.rows,
            cols: self.cols,
            row_starts: self.row_starts.into(),
            col_indices: self.col_indices.into(),
            values: self.values,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns of which some words have none, some few and some all.
    fn crowded(cols: usize) -> Vec<usize> {
        let is_there = |col: &usize| {
            let word = col / 64;
            word % 7 == 1 || (word % 7 != 2 && (col * 2_654_435_761) % 101 < 10 * (word % 7))
        };
        (0..cols).filter(is_there).collect()
    }

    #[test]
    #[should_panic(expected = "column 3 of 3")]
    fn a_cell_beyond_the_last_column_is_refused() {
        let mut rows = CsrBuilder::new(1, 3, 1);
        rows.push(3, 1.0);
    }

    #[test]
    fn a_cell_of_the_last_column_is_kept() {
        let mut rows = CsrBuilder::new(1, 3, 1);
        rows.push(2, 1.0);
        rows.end_row();
        assert_eq!(rows.finish(), Csr::from_entries(1, 3, vec![(0, 2, 1.0)]));
    }

    #[test]
    fn cells_go_to_their_rows_in_the_order_in_which_they_come() {
        let cells = [(2, 0, 1.0), (0, 1, 2.0), (2, 3, 3.0), (0, 4, 4.0)];
        let built = CsrBuilder::of_cells(4, 5, &cells).finish();
        let entries = cells.map(|(row, col, value)| (row as usize, col as usize, value));
        assert_eq!(built, Csr::from_entries(4, 5, entries.to_vec()));
        assert_eq!(CsrBuilder::of_cells(0, 3, &[]).finish(), Csr::zero(0, 3));
    }

    #[test]
    fn both_ways_find_all_columns_that_were_added_to() {
        for cols in [
            1,
            63,
            64,
            65,
            1000,
            5000,
            MARKED_ALONE,
            MARKED_ALONE + 1,
            40_000,
        ] {
            let expected = crowded(cols);
            let entries = expected.iter().map(|&col| (0, col, 1.0)).collect();
            let row = Csr::from_entries(1, cols, entries);
            let mut sums = RowSums::new(cols);
            let mut found = |way: &dyn Fn(&mut RowSums, &mut [MaybeUninit<u32>]) -> usize| {
                sums.add_row(1.0, &row, 0);
                let mut room = vec![MaybeUninit::new(u32::MAX); expected.len() + AT_ONCE];
                let count = way(&mut sums, &mut room);
                assert!(sums.marks.iter().chain(&sums.groups).all(|&word| word == 0));
                // SAFETY: all of them have a value from the beginning.
                let col = |cell: &MaybeUninit<u32>| unsafe { cell.assume_init() } as usize;
                room[..count].iter().map(col).collect::<Vec<_>>()
            };
            assert_eq!(found(&RowSums::columns_into), expected, "{cols} columns");
            let one_by_one = |sums: &mut RowSums, cols: &mut [MaybeUninit<u32>]| {
                sums.each_word(|marks, base, found| places(marks, base, &mut cols[found..]))
            };
            assert_eq!(found(&one_by_one), expected, "{cols} columns");
        }
    }

    #[test]
    fn sums_that_are_zero_are_left_out_and_others_move_up() {
        let row = Csr::from_entries(1, 200, (0..200).map(|col| (0, col, 1.0)).collect());
        let some = Csr::from_entries(1, 200, (0..200).step_by(3).map(|c| (0, c, -2.0)).collect());
        let mut sums = RowSums::new(200);
        let mut out = CsrBuilder::new(3, 200, 0);
        for factor in [1.0, 0.5, 0.5] {
            sums.add_row(1.0, &row, 0);
            sums.add_row(factor, &some, 0);
            out.push_sums(&mut sums, 400);
        }
        let csr = out.finish();
        let of = |col: usize, factor: f64| {
            1.0 - if col.is_multiple_of(3) {
                2.0 * factor
            } else {
                0.0
            }
        };
        for (at, factor) in [1.0, 0.5, 0.5].into_iter().enumerate() {
            let left: Vec<usize> = (0..200).filter(|&col| of(col, factor) != 0.0).collect();
            let (cols, values) = csr.row(at);
            assert!(cols.iter().map(|&col| col as usize).eq(left));
            assert!(
                cols.iter()
                    .zip(values)
                    .all(|(&c, &v)| v == of(c as usize, factor))
            );
        }
    }
}
