//! Products of rows for machines with AVX-512: eight sums in one register.
//!
//! Where the machine has none, it says so and does nothing.

#![allow(
    unsafe_code,
    reason = "intrinsics need proof that the machine has them, and raw pointers that cells are there"
)]

use std::ops::Range;

use super::sampled::LANES;
use super::simd_avx512::is_there;
use crate::matrix::Csr;

/// Rows are fetched so many cells ahead: they lie anywhere.
#[cfg(target_arch = "x86_64")]
const AHEAD: usize = 8;

/// Short rows, of so many registers at most, are fetched so many cells ahead.
#[cfg(target_arch = "x86_64")]
const SHORT: (usize, usize) = (4, 24);

/// `out[i] = sum over j of u[j] * v[cols[i] * width + j]` for rows of `width` cells of `v`, of which as many count as `u` has, and the
/// columns of the stored cells of `x` from the number `first` on; whether it ran.
///
/// # Panics
/// When `v` has not a row for each column of `x`, a row of it fewer cells than `u`, or `x` fewer stored cells.
pub(super) fn products(
    u: &[f64],
    (v, width): (&[f64], usize),
    (x, first): (&Csr, usize),
    out: &mut [f64],
) -> bool {
    if !is_there() {
        return false;
    }
    assert!(u.len() <= width, "cells for each of `u`");
    assert_eq!(v.len(), x.cols() * width, "a row for each column");
    assert!(first + out.len() <= x.nnz(), "cells that are stored");
    #[cfg(target_arch = "x86_64")]
    // SAFETY: avx512f was just detected; every stored column is below `x.cols()`, so each of the rows read lies in `v`.
    unsafe {
        avx512::products(u, (v, width), &x.col_indices()[first..], out);
    }
    true
}

/// Up to so many cells of a row the sums of [`add_products`] stay in registers beside it.
pub(super) const MOST_ADDED: usize = 64;

/// `sums[j] += sum over i of (sum over l of u[l] * v[i, l]) * v[i, j]` for rows of `width` cells of `v`, of which as many count as `u`
/// has, and the columns `i` of these stored cells of `x`: each row is read once. Whether it ran.
///
/// # Panics
/// When `v` has not a row for each column of `x`, a row of it fewer cells than `u`, `u` and the sums are not as many or more than
/// [`MOST_ADDED`], or `x` has fewer stored cells.
pub(super) fn add_products(
    u: &[f64],
    (v, width): (&[f64], usize),
    (x, cells): (&Csr, Range<usize>),
    sums: &mut [f64],
) -> bool {
    if !is_there() {
        return false;
    }
    assert!(u.len() <= width.min(MOST_ADDED), "cells for each of `u`");
    assert_eq!(v.len(), x.cols() * width, "a row for each column");
    assert_eq!(u.len(), sums.len(), "a sum for each cell of `u`");
    let (count, cols) = (cells.len(), &x.col_indices()[cells.start..]);
    assert!(count <= cols.len(), "cells that are stored");
    #[cfg(target_arch = "x86_64")]
    // SAFETY: avx512f was just detected; every stored column is below `x.cols()`, so each of the rows read lies in `v`.
    unsafe {
        avx512::add_products(u, (v, width), (cols, count), sums);
    }
    true
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::{AHEAD, LANES, SHORT};
    use crate::kernels::simd_avx512::avx512::{
        by_registers, first, lane_sums, last_register, load, row_at,
    };

    /// Registers that a row of U is held in at most.
    const HELD: usize = 20;

    /// # Safety
    /// The machine has AVX-512F, and `v` has a row of at least `u.len()` cells for the column of each result. Columns behind those are
    /// the next ones that will be asked for.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn products(u: &[f64], v: (&[f64], usize), cols: &[u32], out: &mut [f64]) {
        // SAFETY: the caller's promise.
        unsafe {
            match u.len().div_ceil(LANES) {
                0 => out.fill(0.0),
                registers if registers <= HELD => {
                    by_registers!(registers, products_held(u, v, cols, out),
                        1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20);
                }
                _ => products_of_long(u, v, cols, out),
            }
        }
    }

    /// Eight products at a time, with the row of U in `V` registers.
    ///
    /// # Safety
    /// As [`products`]; `V` is the number of registers that hold the row.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn products_held<const V: usize>(
        u: &[f64],
        (v, width): (&[f64], usize),
        cols: &[u32],
        out: &mut [f64],
    ) {
        let mask = last_register::<V>(u.len());
        let row = |col: u32| v.as_ptr().wrapping_add(col as usize * width);
        // SAFETY: the row has `V` registers.
        let held = unsafe { row_at::<V>(u.as_ptr(), mask) };
        for (group, out) in out.chunks_mut(LANES).enumerate() {
            let cols = &cols[group * LANES..];
            let mut sums = [_mm512_setzero_pd(); LANES];
            for (i, sum) in sums.iter_mut().enumerate() {
                let ahead = if V <= SHORT.0 { SHORT.1 } else { AHEAD };
                if let Some(later) = cols.get(i + ahead) {
                    for register in 0..V {
                        // A prefetch may name any address.
                        _mm_prefetch::<_MM_HINT_T0>(
                            row(*later).wrapping_add(register * LANES).cast(),
                        );
                    }
                }
                // Lanes behind the results are not written.
                if i >= out.len() {
                    break;
                }
                let row = row(cols[i]);
                for (register, held) in held.iter().enumerate() {
                    // SAFETY: the column's row of `V` registers lies in `v`.
                    let cells = unsafe { load::<V>(row, register, mask) };
                    *sum = _mm512_fmadd_pd(*held, cells, *sum);
                }
            }
            // SAFETY: lanes behind the results are masked.
            unsafe {
                _mm512_mask_storeu_pd(out.as_mut_ptr(), first(out.len()), lane_sums(sums));
            }
        }
    }

    /// # Safety
    /// The machine has AVX-512F; `u` and the sums have as many cells, [`MOST_ADDED`](super::MOST_ADDED) at most, and `v` has a row of
    /// at least so many for each of the first `count` columns. Those behind them are the next ones that will be asked for.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn add_products(
        u: &[f64],
        v: (&[f64], usize),
        cols: (&[u32], usize),
        sums: &mut [f64],
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            match u.len().div_ceil(LANES) {
                0 => {}
                registers => {
                    by_registers!(registers, add_products_held(u, v, cols, sums), 1 2 3 4 5 6 7 8);
                }
            }
        }
    }

    /// Eight products at a time, and then their rows, which are near now.
    ///
    /// # Safety
    /// As [`add_products`]; `V` is the number of registers that hold the row.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn add_products_held<const V: usize>(
        u: &[f64],
        (v, width): (&[f64], usize),
        (cols, count): (&[u32], usize),
        out: &mut [f64],
    ) {
        let mask = last_register::<V>(u.len());
        let row = |col: u32| v.as_ptr().wrapping_add(col as usize * width);
        // SAFETY: the row and the sums have `V` registers.
        let (held, mut sums) = unsafe {
            (
                row_at::<V>(u.as_ptr(), mask),
                row_at::<V>(out.as_ptr(), mask),
            )
        };
        for start in (0..count).step_by(LANES) {
            let some = &cols[start..count.min(start + LANES)];
            let mut products = [_mm512_setzero_pd(); LANES];
            for (i, product) in products.iter_mut().enumerate() {
                if let Some(later) = cols.get(start + i + SHORT.1) {
                    for register in 0..V {
                        // A prefetch may name any address.
                        _mm_prefetch::<_MM_HINT_T0>(
                            row(*later).wrapping_add(register * LANES).cast(),
                        );
                    }
                }
                let Some(col) = some.get(i) else { break };
                for (register, held) in held.iter().enumerate() {
                    // SAFETY: the column's row of `V` registers lies in `v`.
                    let cells = unsafe { load::<V>(row(*col), register, mask) };
                    *product = _mm512_fmadd_pd(*held, cells, *product);
                }
            }
            let mut each = [0.0; LANES];
            // SAFETY: there is room for all lanes.
            unsafe { _mm512_storeu_pd(each.as_mut_ptr(), lane_sums(products)) };
            for (col, product) in some.iter().zip(each) {
                let product = _mm512_set1_pd(product);
                for (register, sum) in sums.iter_mut().enumerate() {
                    // SAFETY: as above.
                    let cells = unsafe { load::<V>(row(*col), register, mask) };
                    *sum = _mm512_fmadd_pd(product, cells, *sum);
                }
            }
        }
        for (register, sum) in sums.into_iter().enumerate() {
            let lanes = if register + 1 == V { mask } else { 0xff };
            let to = out.as_mut_ptr().wrapping_add(register * LANES);
            // SAFETY: lanes behind the sums are masked.
            unsafe { _mm512_mask_storeu_pd(to, lanes, sum) };
        }
    }

    /// One product after the other.
    ///
    /// # Safety
    /// As [`products`].
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn products_of_long(
        u: &[f64],
        (v, width): (&[f64], usize),
        cols: &[u32],
        out: &mut [f64],
    ) {
        let k = u.len();
        let row = |col: u32| v.as_ptr().wrapping_add(col as usize * width);
        let whole = k / LANES * LANES;
        for (i, (to, col)) in out.iter_mut().zip(cols).enumerate() {
            if let Some(later) = cols.get(i + AHEAD) {
                for part in (0..k).step_by(LANES) {
                    // A prefetch may name any address.
                    _mm_prefetch::<_MM_HINT_T0>(row(*later).wrapping_add(part).cast());
                }
            }
            let mut sums = _mm512_setzero_pd();
            for part in (0..whole).step_by(LANES) {
                // SAFETY: `part` is a whole vector before the end of `u` and of the column's row, which lies in `v`.
                unsafe {
                    let a = _mm512_loadu_pd(u.as_ptr().add(part));
                    let b = _mm512_loadu_pd(row(*col).add(part));
                    sums = _mm512_fmadd_pd(a, b, sums);
                }
            }
            if whole < k {
                let mask = first(k - whole);
                // SAFETY: lanes beyond the ends of `u` and of the column's row are masked, and not read.
                unsafe {
                    let a = _mm512_maskz_loadu_pd(mask, u.as_ptr().add(whole));
                    let b = _mm512_maskz_loadu_pd(mask, row(*col).add(whole));
                    sums = _mm512_fmadd_pd(a, b, sums);
                }
            }
            *to = _mm512_reduce_add_pd(sums);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_multiplied_wherever_they_lie() {
        let sizes = [0, 1, 8, 13, 16, 40, 47, 100, 160, 161].map(|k| (k, k));
        let cols: Vec<u32> = (0..50).step_by(3).collect();
        let x = Csr::from_parts(
            2,
            50,
            vec![0, 3, cols.len()],
            [&[7, 8, 9], &cols[3..]].concat(),
            vec![1.0; cols.len()],
        );
        for (k, width) in sizes.into_iter().chain([(5, 8), (20, 24), (161, 170)]) {
            let u: Vec<f64> = (0..k).map(|j| j as f64 - 3.0).collect();
            let v: Vec<f64> = (0..50 * width).map(|j| (j % 11) as f64 * 0.5).collect();
            for first in [0, 3, 5, x.nnz()] {
                let mut out = vec![f64::NAN; x.nnz() - first];
                if !products(&u, (&v, width), (&x, first), &mut out) {
                    return;
                }
                for (found, col) in out.iter().zip(&x.col_indices()[first..]) {
                    let row = &v[*col as usize * width..][..k];
                    let expected: f64 = u.iter().zip(row).map(|(a, b)| a * b).sum();
                    assert_eq!(*found, expected, "column {col} of {k}, {width} apart");
                }
            }
        }
    }

    #[test]
    fn rows_are_added_by_their_products() {
        let cols: Vec<u32> = (0..50).step_by(3).collect();
        let stored = cols.len();
        let x = Csr::from_parts(1, 50, vec![0, stored], cols, vec![1.0; stored]);
        let sizes = [0, 1, 7, 8, 9, 20, 24, 33, 63, 64].map(|k| (k, k));
        for (k, width) in sizes.into_iter().chain([(3, 8), (20, 24)]) {
            let u: Vec<f64> = (0..k).map(|j| j as f64 - 3.0).collect();
            let v: Vec<f64> = (0..50 * width).map(|j| (j % 11) as f64 * 0.5).collect();
            for cells in [0..0, 0..1, 3..11, 0..stored, stored..stored] {
                let mut sums = vec![3.0; k + 1];
                let some = (&x, cells.clone());
                if !add_products(&u, (&v, width), some, &mut sums[..k]) {
                    return;
                }
                let mut expected = vec![3.0; k + 1];
                for col in &x.col_indices()[cells] {
                    let row = &v[*col as usize * width..][..k];
                    let product: f64 = u.iter().zip(row).map(|(a, b)| a * b).sum();
                    for (sum, cell) in expected.iter_mut().zip(row) {
                        *sum += product * cell;
                    }
                }
                assert_eq!(sums, expected, "{k} cells, {width} apart");
            }
        }
    }

    #[test]
    #[should_panic(expected = "a row for each column")]
    fn a_column_without_a_row_is_refused() {
        let x = Csr::from_parts(1, 3, vec![0, 1], vec![2], vec![1.0]);
        if !products(&[1.0; 2], (&[0.0; 4], 2), (&x, 0), &mut [0.0]) {
            panic!("a row for each column, which a machine without AVX-512 need not ask for");
        }
    }
}
