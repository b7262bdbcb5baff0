//! Products of rows for machines with AVX-512: eight sums in one register.
//!
//! Where the machine has none, it says so and does nothing.

#![allow(
    unsafe_code,
    reason = "intrinsics need proof that the machine has them, and raw pointers that cells are there"
)]

use super::sampled::LANES;
use super::simd_wide::is_there;

/// Rows are fetched so many cells ahead: they lie anywhere.
#[cfg(target_arch = "x86_64")]
const AHEAD: usize = 8;

/// Short rows, of so many registers at most, are fetched so many cells ahead.
#[cfg(target_arch = "x86_64")]
const SHORT: (usize, usize) = (4, 24);

/// `out[i] = sum over j of u[j] * v[cols[i] * k + j]` for rows of `k = u.len()` cells; whether it ran. Columns behind those of
/// the results are the next ones that will be asked for.
///
/// # Panics
/// When a column has no row in `v`, or there are fewer columns than results.
pub(super) fn products(u: &[f64], v: &[f64], cols: &[u32], out: &mut [f64]) -> bool {
    if !is_there() {
        return false;
    }
    let k = u.len();
    let read = &cols[..out.len()];
    let most = read.iter().max().map_or(0, |col| (*col as usize + 1) * k);
    assert!(most <= v.len(), "a row for each column");
    #[cfg(target_arch = "x86_64")]
    // SAFETY: avx512f was just detected; each column's row of `k` cells ends in `v`.
    unsafe {
        avx512::products(u, v, cols, out);
    }
    true
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::{AHEAD, LANES, SHORT};
    use crate::kernels::simd_wide::avx512::{
        by_registers, first, lane_sums, last_register, load, row_at,
    };

    /// Registers that a row of U is held in at most.
    const HELD: usize = 20;

    /// # Safety
    /// The machine has AVX-512F, and `v` has a row of `u.len()` cells for the column of each result.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn products(u: &[f64], v: &[f64], cols: &[u32], out: &mut [f64]) {
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
    unsafe fn products_held<const V: usize>(u: &[f64], v: &[f64], cols: &[u32], out: &mut [f64]) {
        let k = u.len();
        let mask = last_register::<V>(k);
        let row = |col: u32| v.as_ptr().wrapping_add(col as usize * k);
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

    /// One product after the other.
    ///
    /// # Safety
    /// As [`products`].
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn products_of_long(u: &[f64], v: &[f64], cols: &[u32], out: &mut [f64]) {
        let k = u.len();
        let whole = k / LANES * LANES;
        for (i, (to, col)) in out.iter_mut().zip(cols).enumerate() {
            if let Some(later) = cols.get(i + AHEAD) {
                for part in (0..k).step_by(LANES) {
                    // A prefetch may name any address.
                    let line = v.as_ptr().wrapping_add(*later as usize * k + part);
                    _mm_prefetch::<_MM_HINT_T0>(line.cast());
                }
            }
            let mut sums = _mm512_setzero_pd();
            for part in (0..whole).step_by(LANES) {
                // SAFETY: `part` is a whole vector before the end of `u` and of the column's row, which lies in `v`.
                unsafe {
                    let a = _mm512_loadu_pd(u.as_ptr().add(part));
                    let b = _mm512_loadu_pd(v.as_ptr().add(*col as usize * k + part));
                    sums = _mm512_fmadd_pd(a, b, sums);
                }
            }
            if whole < k {
                let mask = first(k - whole);
                // SAFETY: lanes beyond the ends of `u` and of the column's row are masked, and not read.
                unsafe {
                    let a = _mm512_maskz_loadu_pd(mask, u.as_ptr().add(whole));
                    let b = _mm512_maskz_loadu_pd(mask, v.as_ptr().add(*col as usize * k + whole));
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
        for k in [0, 1, 8, 13, 16, 40, 47, 100, 160, 161] {
            let u: Vec<f64> = (0..k).map(|j| f64::from(j) - 3.0).collect();
            let v: Vec<f64> = (0..50 * k).map(|j| f64::from(j % 11) * 0.5).collect();
            let cols: Vec<u32> = (0..50).rev().step_by(3).collect();
            // Those behind the results are only asked for, wherever they are.
            let later = [cols.as_slice(), &[7, u32::MAX]].concat();
            let mut out = vec![f64::NAN; cols.len()];
            if !products(&u, &v, &later, &mut out) {
                return;
            }
            for (found, col) in out.iter().zip(&cols) {
                let row = &v[*col as usize * k as usize..][..k as usize];
                let expected: f64 = u.iter().zip(row).map(|(a, b)| a * b).sum();
                assert_eq!(*found, expected, "column {col} of {k}");
            }
        }
    }
}
