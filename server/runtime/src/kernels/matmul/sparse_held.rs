//! A row of a sparse matrix times a dense one of up to 64 columns, with its sums in registers; for machines with AVX-512.
//!
//! It says whether it ran; where the machine has no AVX-512 it does nothing.

#![allow(
    unsafe_code,
    reason = "intrinsics need proof that the machine has them, and raw pointers that cells are there"
)]

use crate::kernels::simd_avx512::is_there;
use crate::matrix::Csr;

/// Up to this many columns the sums stay in registers.
pub(crate) const MOST: usize = 64;

/// Where the rows of the dense matrix lie that a stored cell names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rows {
    /// In the nearest cache. Those of so many stored cells later, which are read after what is near, are asked for into the second one.
    Near { next: usize },
    /// Anywhere: they are asked for some cells ahead.
    Far,
}

/// `sums[j] += sum over i of values[i] * y[cols[i] * width + j]` for rows of `width` cells of `y`, of which as many count as there are
/// sums, and the columns of the stored cells of `x` from the number `first` on.
///
/// # Panics
/// When there are no sums or more than [`MOST`] or than a row has cells, `x` has fewer stored cells than there are values, or `y` not a
/// row for each column of `x`.
pub(crate) fn add_row(
    (x, first): (&Csr, usize),
    values: &[f64],
    (y, width): (&[f64], usize),
    rows: Rows,
    sums: &mut [f64],
) -> bool {
    if !is_there() {
        return false;
    }
    let n = sums.len();
    assert!((1..=MOST.min(width)).contains(&n), "1 to {MOST} columns");
    assert_eq!(y.len(), x.cols() * width, "a row for each column");
    assert!(first + values.len() <= x.nnz(), "cells that are stored");
    #[cfg(target_arch = "x86_64")]
    // SAFETY: avx512f was just detected; every stored column is below `x.cols()`, so its row of `width` cells lies in `y`.
    unsafe {
        avx512::add_row(&x.col_indices()[first..], values, (y, width), rows, sums);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = rows;
    true
}

#[cfg(target_arch = "x86_64")]
#[allow(
    clippy::needless_range_loop,
    reason = "sums stay in registers where the compiler sees which one is meant"
)]
mod avx512 {
    use std::arch::x86_64::*;

    use super::Rows;
    use crate::kernels::simd_avx512::avx512::{by_registers, last_register, load, row_at};

    const LANES: usize = 8;

    /// Stored cells ahead of the present one whose rows are fetched.
    const AHEAD: usize = 16;

    /// # Safety
    /// The machine has AVX-512F; there are up to 64 sums and a column for each value, whose row of at least as many cells lies in `y`.
    /// Columns behind those are the next ones that will be asked for.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn add_row(
        cols: &[u32],
        values: &[f64],
        y: (&[f64], usize),
        rows: Rows,
        sums: &mut [f64],
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            by_registers!(sums.len().div_ceil(LANES), held(cols, values, y, rows, sums), 1 2 3 4 5 6 7 8);
        }
    }

    /// # Safety
    /// As [`add_row`]; `V` is the number of registers that hold the sums.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn held<const V: usize>(
        cols: &[u32],
        values: &[f64],
        (y, width): (&[f64], usize),
        rows: Rows,
        sums: &mut [f64],
    ) {
        let mask = last_register::<V>(sums.len());
        let row = |col: u32| y.as_ptr().wrapping_add(col as usize * width);
        // SAFETY: there are `V` registers of sums.
        let mut even = unsafe { row_at::<V>(sums.as_ptr(), mask) };
        // Two sums a cell: one addition need not wait for the other.
        let mut odd = [_mm512_setzero_pd(); V];
        let add = |sums: &mut [__m512d; V], i: usize| {
            let (ahead, is_soon) = match rows {
                Rows::Far => (AHEAD, true),
                Rows::Near { next } => (next, false),
            };
            if let Some(later) = cols.get(i + ahead) {
                for r in 0..V {
                    let line = row(*later).wrapping_add(r * LANES).cast();
                    // A prefetch may name any address.
                    if is_soon {
                        _mm_prefetch::<_MM_HINT_T0>(line);
                    } else {
                        _mm_prefetch::<_MM_HINT_T1>(line);
                    }
                }
            }
            let (value, from) = (_mm512_set1_pd(values[i]), row(cols[i]));
            for r in 0..V {
                // SAFETY: the column's row of `V` registers lies in `y`.
                let cells = unsafe { load::<V>(from, r, mask) };
                sums[r] = _mm512_fmadd_pd(value, cells, sums[r]);
            }
        };
        for pair in 0..values.len() / 2 {
            add(&mut even, 2 * pair);
            add(&mut odd, 2 * pair + 1);
        }
        if !values.len().is_multiple_of(2) {
            add(&mut even, values.len() - 1);
        }
        for r in 0..V {
            let lanes = if r + 1 == V { mask } else { 0xff };
            let to = sums.as_mut_ptr().wrapping_add(r * LANES);
            // SAFETY: lanes behind the sums are masked.
            unsafe { _mm512_mask_storeu_pd(to, lanes, _mm512_add_pd(even[r], odd[r])) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_added_wherever_they_lie_and_no_other_cell_is_touched() {
        let cols: Vec<u32> = (0..50).step_by(3).collect();
        let stored = cols.len();
        let x = Csr::from_parts(1, 50, vec![0, stored], cols, vec![1.0; stored]);
        let cases = [1, 2, 7, 8, 9, 16, 20, 31, 32, 63, 64].map(|n| (n, n));
        for (n, width) in cases.into_iter().chain([(3, 8), (20, 24)]) {
            let y: Vec<f64> = (0..50 * width)
                .map(|i| (i % 11) as f64 * 0.5 - 1.0)
                .collect();
            for (first, count) in [(0, 0), (0, 1), (3, 2), (0, 5), (1, 16), (17, 0)] {
                let cols = &x.col_indices()[first..first + count];
                let values: Vec<f64> = (0..count).map(|i| i as f64 - 2.0).collect();
                for rows in [Rows::Near { next: 4 }, Rows::Far] {
                    let mut sums = vec![3.0; n + 1];
                    if !add_row((&x, first), &values, (&y, width), rows, &mut sums[..n]) {
                        return;
                    }
                    for (j, found) in sums[..n].iter().enumerate() {
                        let products = cols.iter().zip(&values);
                        let sum: f64 = products
                            .map(|(col, x)| x * y[*col as usize * width + j])
                            .sum();
                        assert_eq!(
                            *found,
                            3.0 + sum,
                            "column {j} of {n}, {count} cells, {rows:?}"
                        );
                    }
                    assert_eq!(sums[n], 3.0, "behind {n} columns");
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "a row for each column")]
    fn a_column_without_a_row_is_refused() {
        let x = Csr::from_parts(1, 3, vec![0, 1], vec![2], vec![1.0]);
        if !add_row((&x, 0), &[1.0], (&[0.0; 4], 2), Rows::Far, &mut [0.0; 2]) {
            panic!("a row for each column, which a machine without AVX-512 need not ask for");
        }
    }
}
