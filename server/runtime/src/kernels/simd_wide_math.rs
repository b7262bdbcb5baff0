//! Exponential and logarithm for machines with AVX-512, whose instructions take numbers apart and put them together.
//!
//! The polynomials and the bound of two units in the last place are those of `simd_math`. Each function says whether it
//! ran; where the machine has no AVX-512 it does nothing.

#![allow(
    unsafe_code,
    reason = "intrinsics need proof that the machine has them, and raw pointers that cells are there"
)]

use super::simd_cells::Affine;
use super::simd_wide::is_there;

/// Which function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Function {
    Exp,
    Log,
}

/// The function of each cell, in its place.
pub(crate) fn in_place(function: Function, cells: &mut [f64]) -> bool {
    let there = is_there();
    #[cfg(target_arch = "x86_64")]
    if there {
        let at = cells.as_mut_ptr();
        // SAFETY: avx512f was just detected; all reads and writes are inside of `cells`, each cell read before it is
        // written.
        unsafe { avx512::each(function, None, at, at, cells.len()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (function, cells);
    there
}

/// The function of each cell of `x`, or of what is done with it first, into `out`.
///
/// # Panics
/// When the slices differ in length.
pub(crate) fn into(function: Function, affine: Option<Affine>, x: &[f64], out: &mut [f64]) -> bool {
    assert_eq!(x.len(), out.len(), "a result for each cell");
    let there = is_there();
    #[cfg(target_arch = "x86_64")]
    if there {
        // SAFETY: avx512f was just detected, and both slices have the same length.
        unsafe { avx512::each(function, affine, x.as_ptr(), out.as_mut_ptr(), x.len()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (function, affine, x, out);
    there
}

#[cfg(target_arch = "x86_64")]
#[allow(
    clippy::needless_range_loop,
    reason = "registers stay registers where the compiler sees which one is meant"
)]
mod avx512 {
    use std::arch::x86_64::*;

    use super::{Affine, Function};
    use crate::kernels::simd_math::{EXP, LN2_HIGH, LN2_LOW, LOG, LOG2_E};
    use crate::kernels::simd_wide::avx512::first;

    const LANES: usize = 8;

    /// Registers that are worked on side by side: a step of one polynomial need not wait for the step before it.
    const AT_ONCE: usize = 4;

    type Registers = [__m512d; AT_ONCE];

    /// # Safety
    /// `len` cells can be read at `from` and written at `to`; the two are the same place or do not overlap.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn each(
        function: Function,
        affine: Option<Affine>,
        from: *const f64,
        to: *mut f64,
        len: usize,
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            match (function, affine) {
                (Function::Exp, None) => map(from, to, len, |x| exp(x)),
                (Function::Log, None) => map(from, to, len, |x| log(x)),
                (Function::Exp, Some(first)) => map(from, to, len, |x| exp(shifted(x, first))),
                (Function::Log, Some(first)) => map(from, to, len, |x| log(shifted(x, first))),
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn shifted(mut x: Registers, affine: Affine) -> Registers {
        let (times, plus) = (_mm512_set1_pd(affine.times), _mm512_set1_pd(affine.plus));
        for r in 0..AT_ONCE {
            x[r] = _mm512_fmadd_pd(x[r], times, plus);
        }
        x
    }

    /// # Safety
    /// As [`each`].
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn map(from: *const f64, to: *mut f64, len: usize, f: impl Fn(Registers) -> Registers) {
        const STEP: usize = AT_ONCE * LANES;
        let mut cells = [_mm512_setzero_pd(); AT_ONCE];
        let whole = len / STEP * STEP;
        for i in (0..whole).step_by(STEP) {
            // SAFETY: `i + STEP` is at most `len`.
            unsafe {
                for r in 0..AT_ONCE {
                    cells[r] = _mm512_loadu_pd(from.add(i + r * LANES));
                }
                cells = f(cells);
                for r in 0..AT_ONCE {
                    _mm512_storeu_pd(to.add(i + r * LANES), cells[r]);
                }
            }
        }
        if whole < len {
            let place = |r: usize| whole + r * LANES;
            let masks = [0, 1, 2, 3].map(|r| first(len.saturating_sub(place(r))));
            // SAFETY: lanes beyond `len` are neither read nor written.
            unsafe {
                for r in 0..AT_ONCE {
                    cells[r] = _mm512_maskz_loadu_pd(masks[r], from.wrapping_add(place(r)));
                }
                cells = f(cells);
                for r in 0..AT_ONCE {
                    _mm512_mask_storeu_pd(to.wrapping_add(place(r)), masks[r], cells[r]);
                }
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn polynomial<const N: usize>(x: Registers, c: &[f64; N]) -> Registers {
        let mut sum = [_mm512_set1_pd(c[N - 1]); AT_ONCE];
        for i in (0..N - 1).rev() {
            for r in 0..AT_ONCE {
                sum[r] = _mm512_fmadd_pd(sum[r], x[r], _mm512_set1_pd(c[i]));
            }
        }
        sum
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn exp(mut x: Registers) -> Registers {
        const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
        let one = _mm512_set1_pd(1.0);
        let (mut n, mut rest) = (x, x);
        for r in 0..AT_ONCE {
            // Beyond these the result is infinite, or zero. Of a NaN both give the second argument.
            x[r] = _mm512_min_pd(_mm512_set1_pd(710.0), x[r]);
            x[r] = _mm512_max_pd(_mm512_set1_pd(-746.0), x[r]);
            n[r] = _mm512_mul_pd(x[r], _mm512_set1_pd(LOG2_E));
            n[r] = _mm512_roundscale_pd::<NEAREST>(n[r]);
            rest[r] = _mm512_fnmadd_pd(n[r], _mm512_set1_pd(LN2_HIGH), x[r]);
            rest[r] = _mm512_fnmadd_pd(n[r], _mm512_set1_pd(LN2_LOW), rest[r]);
        }
        let above = polynomial(rest, &EXP);
        for r in 0..AT_ONCE {
            let less_one = _mm512_fmadd_pd(_mm512_mul_pd(rest[r], rest[r]), above[r], rest[r]);
            x[r] = _mm512_scalef_pd(_mm512_add_pd(one, less_one), n[r]);
        }
        x
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn log(mut x: Registers) -> Registers {
        /// What becomes of numbers by their class, four bits each from the lowest: NaNs stay, zero gives minus infinity,
        /// one is usual, minus infinity gives NaN, infinity stays, negative numbers give NaN, positive ones are usual.
        const SPECIAL: i64 = 0x0353_0422;
        let one = _mm512_set1_pd(1.0);
        let [mut k, mut f, mut s, mut z] = [x; 4];
        for r in 0..AT_ONCE {
            let m = _mm512_getmant_pd::<_MM_MANT_NORM_1_2, _MM_MANT_SIGN_SRC>(x[r]);
            k[r] = _mm512_getexp_pd(x[r]);
            // Between the roots of 1/2 and 2.
            let root = _mm512_set1_pd(std::f64::consts::SQRT_2);
            let large = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(m, root);
            let m = _mm512_mask_mul_pd(m, large, m, _mm512_set1_pd(0.5));
            k[r] = _mm512_mask_add_pd(k[r], large, k[r], one);
            f[r] = _mm512_sub_pd(m, one);
            s[r] = _mm512_div_pd(f[r], _mm512_add_pd(m, one));
            z[r] = _mm512_mul_pd(s[r], s[r]);
        }
        let above = polynomial(z, &LOG);
        for r in 0..AT_ONCE {
            let (k, f, s) = (k[r], f[r], s[r]);
            let rest = _mm512_fnmadd_pd(z[r], above[r], f);
            let low = _mm512_fnmadd_pd(s, rest, _mm512_mul_pd(k, _mm512_set1_pd(LN2_LOW)));
            let log = _mm512_fmadd_pd(k, _mm512_set1_pd(LN2_HIGH), _mm512_add_pd(f, low));
            x[r] = _mm512_fixupimm_pd::<0>(log, x[r], _mm512_set1_epi64(SPECIAL));
        }
        x
    }
}
