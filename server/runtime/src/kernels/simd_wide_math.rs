//! Exponential and logarithm for machines with AVX-512, whose instructions take numbers apart and put them together.
//!
//! The polynomials and the bound of two units in the last place are those of `simd_math`. Each function says whether it
//! ran; where the machine has no AVX-512 it does nothing.

#![allow(
    unsafe_code,
    reason = "intrinsics need proof that the machine has them, and raw pointers that cells are there"
)]

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
        unsafe { avx512::each(function, at, at, cells.len()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (function, cells);
    there
}

/// The function of each cell of `x`, into `out`.
///
/// # Panics
/// When the slices differ in length.
pub(crate) fn into(function: Function, x: &[f64], out: &mut [f64]) -> bool {
    assert_eq!(x.len(), out.len(), "a result for each cell");
    let there = is_there();
    #[cfg(target_arch = "x86_64")]
    if there {
        // SAFETY: avx512f was just detected, and both slices have the same length.
        unsafe { avx512::each(function, x.as_ptr(), out.as_mut_ptr(), x.len()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (function, x, out);
    there
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::Function;
    use crate::kernels::simd_math::{EXP, LN2_HIGH, LN2_LOW, LOG, LOG2_E};

    const LANES: usize = 8;

    /// # Safety
    /// `len` cells can be read at `from` and written at `to`; the two are the same place or do not overlap.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn each(function: Function, from: *const f64, to: *mut f64, len: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            match function {
                Function::Exp => map(from, to, len, |x| exp(x)),
                Function::Log => map(from, to, len, |x| log(x)),
            }
        }
    }

    /// # Safety
    /// As [`each`].
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn map(from: *const f64, to: *mut f64, len: usize, f: impl Fn(__m512d) -> __m512d) {
        let whole = len / LANES * LANES;
        let mut i = 0;
        while i < whole {
            // SAFETY: `i + LANES` is at most `len`.
            unsafe { _mm512_storeu_pd(to.add(i), f(_mm512_loadu_pd(from.add(i)))) };
            i += LANES;
        }
        if i < len {
            let mask = (1 << (len - i)) - 1;
            // SAFETY: lanes beyond `len` are neither read nor written.
            unsafe {
                let x = _mm512_maskz_loadu_pd(mask, from.add(i));
                _mm512_mask_storeu_pd(to.add(i), mask, f(x));
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn polynomial<const N: usize>(x: __m512d, c: &[f64; N]) -> __m512d {
        let mut sum = _mm512_set1_pd(c[N - 1]);
        for i in (0..N - 1).rev() {
            sum = _mm512_fmadd_pd(sum, x, _mm512_set1_pd(c[i]));
        }
        sum
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn exp(x: __m512d) -> __m512d {
        const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
        // Beyond these the result is infinite, or zero. Of a NaN both give the second argument.
        let x = _mm512_min_pd(_mm512_set1_pd(710.0), x);
        let x = _mm512_max_pd(_mm512_set1_pd(-746.0), x);
        let n = _mm512_roundscale_pd::<NEAREST>(_mm512_mul_pd(x, _mm512_set1_pd(LOG2_E)));
        let r = _mm512_fnmadd_pd(n, _mm512_set1_pd(LN2_HIGH), x);
        let r = _mm512_fnmadd_pd(n, _mm512_set1_pd(LN2_LOW), r);
        let less_one = _mm512_fmadd_pd(_mm512_mul_pd(r, r), polynomial(r, &EXP), r);
        _mm512_scalef_pd(_mm512_add_pd(_mm512_set1_pd(1.0), less_one), n)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn log(x: __m512d) -> __m512d {
        /// What becomes of numbers by their class, four bits each from the lowest: NaNs stay, zero gives minus infinity,
        /// one is usual, minus infinity gives NaN, infinity stays, negative numbers give NaN, positive ones are usual.
        const SPECIAL: i64 = 0x0353_0422;
        let one = _mm512_set1_pd(1.0);
        let m = _mm512_getmant_pd::<_MM_MANT_NORM_1_2, _MM_MANT_SIGN_SRC>(x);
        let k = _mm512_getexp_pd(x);
        // Between the roots of 1/2 and 2.
        let large = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(m, _mm512_set1_pd(std::f64::consts::SQRT_2));
        let m = _mm512_mask_mul_pd(m, large, m, _mm512_set1_pd(0.5));
        let k = _mm512_mask_add_pd(k, large, k, one);
        let f = _mm512_sub_pd(m, one);
        let s = _mm512_div_pd(f, _mm512_add_pd(m, one));
        let z = _mm512_mul_pd(s, s);
        let rest = _mm512_fnmadd_pd(z, polynomial(z, &LOG), f);
        let low = _mm512_fnmadd_pd(s, rest, _mm512_mul_pd(k, _mm512_set1_pd(LN2_LOW)));
        let log = _mm512_fmadd_pd(k, _mm512_set1_pd(LN2_HIGH), _mm512_add_pd(f, low));
        _mm512_fixupimm_pd::<0>(log, x, _mm512_set1_epi64(SPECIAL))
    }
}
