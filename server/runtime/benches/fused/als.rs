//! `((X != 0) * (U %*% t(V))) %*% V + c * U * r` over the stored cells of X, written by hand for AVX-512: rows of U and of the result in
//! registers, rows of V read once and fetched ahead. It knows ranks of 17 to 24. A machine without AVX-512 runs a plain loop.

#![allow(
    unsafe_code,
    reason = "intrinsics need proof that the machine has them, and raw pointers that cells are there"
)]

use rayon::prelude::*;
use sumac_runtime::Csr;

/// Registers of a row of U, of V and of the result.
const REGISTERS: usize = 3;

/// The whole update, for U and V by rows of so many cells.
///
/// # Panics
/// The rank is another one.
pub(crate) fn update(x: &Csr, rank: usize, u: &[f64], v: &[f64], c: f64, r: &[f64]) -> Vec<f64> {
    assert!((8 * REGISTERS - 7..=8 * REGISTERS).contains(&rank));
    let mut out = vec![0.0; x.rows() * rank];
    let rows = out.par_chunks_mut(rank).enumerate().with_min_len(64);
    rows.for_each(|(i, to)| row(x.row(i).0, &u[i * rank..][..rank], v, c * r[i], to));
    out
}

/// One row, of cells in these columns.
///
/// # Panics
/// A column has no row in `v`.
fn row(cols: &[u32], u: &[f64], v: &[f64], ridge: f64, to: &mut [f64]) {
    let most = cols.iter().max();
    let end = most.map_or(0, |col| (*col as usize + 1) * u.len());
    assert!(end <= v.len() && to.len() == u.len());
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: avx512f was just detected; each column's row ends in `v`; rows are three registers.
        return unsafe { wide::row(cols, u, v, ridge, to) };
    }
    to.iter_mut().zip(u).for_each(|(to, u)| *to = ridge * u);
    for col in cols {
        let other = &v[*col as usize * u.len()..][..u.len()];
        let product: f64 = u.iter().zip(other).map(|(a, b)| a * b).sum();
        to.iter_mut()
            .zip(other)
            .for_each(|(to, v)| *to += product * v);
    }
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::*;

    use super::REGISTERS;

    /// Rows of V are fetched so many cells ahead.
    const AHEAD: usize = 16;

    /// # Safety
    /// The machine has AVX-512F; rows have [`REGISTERS`] registers, and `v` one for each column.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn row(cols: &[u32], u: &[f64], v: &[f64], ridge: f64, to: &mut [f64]) {
        let k = u.len();
        let last = 0xff_u8 >> (8 * REGISTERS - k);
        let mask = |part: usize| if part + 1 == REGISTERS { last } else { 0xff };
        let read = |row: *const f64| {
            let mut held = [_mm512_setzero_pd(); REGISTERS];
            for (part, held) in held.iter_mut().enumerate() {
                // SAFETY: the row lies in `u` or `v`; lanes behind it are masked, and not read.
                *held = unsafe { _mm512_maskz_loadu_pd(mask(part), row.wrapping_add(8 * part)) };
            }
            held
        };
        let held = read(u.as_ptr());
        let row = |col: u32| v.as_ptr().wrapping_add(col as usize * k);
        let mut sums = held.map(|u| _mm512_mul_pd(u, _mm512_set1_pd(ridge)));
        for (i, col) in cols.iter().enumerate() {
            if let Some(later) = cols.get(i + AHEAD) {
                for part in 0..REGISTERS {
                    _mm_prefetch::<_MM_HINT_T0>(row(*later).wrapping_add(8 * part).cast());
                }
            }
            let other = read(row(*col));
            let mut product = _mm512_mul_pd(held[0], other[0]);
            for part in 1..REGISTERS {
                product = _mm512_fmadd_pd(held[part], other[part], product);
            }
            let product = _mm512_set1_pd(_mm512_reduce_add_pd(product));
            for (sum, other) in sums.iter_mut().zip(other) {
                *sum = _mm512_fmadd_pd(product, other, *sum);
            }
        }
        for (part, sum) in sums.into_iter().enumerate() {
            // SAFETY: lanes behind the row are masked, and not written.
            unsafe { _mm512_mask_storeu_pd(to.as_mut_ptr().add(8 * part), mask(part), sum) };
        }
    }
}
