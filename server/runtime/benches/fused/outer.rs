//! `sum(x * log(u V + eps))` over the stored cells of a row, written by hand for AVX-512: the row of U in registers, rows of
//! V fetched ahead, logarithms by eight. It knows no special values. A machine without AVX-512 runs a plain loop.

#![allow(
    unsafe_code,
    reason = "intrinsics need proof that the machine has them, and raw pointers that cells are there"
)]

use rayon::prelude::*;
use sumac_runtime::Csr;

/// `sum(X * log(U %*% t(V) + eps))` for U and V by rows of 97 to 104 cells.
///
/// # Panics
/// Rows have other lengths.
pub(crate) fn sum(x: &Csr, u: &[f64], v: &[f64], eps: f64) -> f64 {
    let width = u.len() / x.rows();
    let of_row = |i: usize| {
        let (cols, values) = x.row(i);
        row(values, cols, &u[i * width..][..width], v, eps)
    };
    (0..x.rows())
        .into_par_iter()
        .with_min_len(64)
        .map(of_row)
        .sum()
}

/// Of one row: its stored values and columns, the row of U, and V by rows of as many cells, 97 to 104.
///
/// # Panics
/// A column has no row in `v`, or rows have other lengths.
fn row(values: &[f64], cols: &[u32], u: &[f64], v: &[f64], eps: f64) -> f64 {
    let most = cols
        .iter()
        .max()
        .map_or(0, |col| (*col as usize + 1) * u.len());
    assert!(most <= v.len() && (97..=104).contains(&u.len()));
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: avx512f was just detected; each column's row ends in `v`; rows are 13 vectors.
        return unsafe { wide::row(values, cols, u, v, eps) };
    }
    let dot = |col: u32| -> f64 {
        let other = &v[col as usize * u.len()..][..u.len()];
        u.iter().zip(other).map(|(a, b)| a * b).sum()
    };
    let cells = values.iter().zip(cols);
    cells.map(|(x, col)| x * (dot(*col) + eps).ln()).sum()
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::*;

    use crate::loops::wide::log;

    /// Rows of V are fetched so many cells ahead.
    const AHEAD: usize = 8;
    /// Registers of a row of U.
    const REGISTERS: usize = 13;

    /// # Safety
    /// The machine has AVX-512F; `u` has [`REGISTERS`] vectors, the last one not whole; `v` has a row as long for each column.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn row(values: &[f64], cols: &[u32], u: &[f64], v: &[f64], eps: f64) -> f64 {
        let k = u.len();
        let mut held = [_mm512_setzero_pd(); REGISTERS];
        let last = 0xff_u8 >> (8 * REGISTERS - k);
        let mask = |part: usize| if part + 1 == REGISTERS { last } else { 0xff };
        for (i, held) in held.iter_mut().enumerate() {
            // SAFETY: lanes behind the row are masked, and not read.
            *held = unsafe { _mm512_maskz_loadu_pd(mask(i), u.as_ptr().add(8 * i)) };
        }
        let eps = _mm512_set1_pd(eps);
        let mut total = _mm512_setzero_pd();
        for (group, (values, some)) in values.chunks(8).zip(cols.chunks(8)).enumerate() {
            let mut dots = [1.0; 8];
            for (i, col) in some.iter().enumerate() {
                if let Some(later) = cols.get(8 * group + i + AHEAD) {
                    for part in 0..REGISTERS {
                        let line = v.as_ptr().wrapping_add(*later as usize * k + 8 * part);
                        _mm_prefetch::<_MM_HINT_T0>(line.cast());
                    }
                }
                let mut sum = _mm512_setzero_pd();
                for (part, held) in held.iter().enumerate() {
                    let at = v.as_ptr().wrapping_add(*col as usize * k + 8 * part);
                    // SAFETY: the column's row of `k` cells lies in `v`; lanes behind it are masked, and not read.
                    let other = unsafe { _mm512_maskz_loadu_pd(mask(part), at) };
                    sum = _mm512_fmadd_pd(*held, other, sum);
                }
                dots[i] = _mm512_reduce_add_pd(sum);
            }
            let mut x = [0.0; 8];
            x[..values.len()].copy_from_slice(values);
            // SAFETY: both arrays hold a register.
            let (x, dots) =
                unsafe { (_mm512_loadu_pd(x.as_ptr()), _mm512_loadu_pd(dots.as_ptr())) };
            total = _mm512_fmadd_pd(x, log(_mm512_add_pd(dots, eps)), total);
        }
        _mm512_reduce_add_pd(total)
    }
}
