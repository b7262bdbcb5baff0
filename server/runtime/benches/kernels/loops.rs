//! Loops written by hand for AVX-512, as one would who needs nothing but this one expression: what kernels are held
//! against. They know no special values. A machine without AVX-512 runs plain loops in their place.

#![allow(
    unsafe_code,
    reason = "intrinsics need proof that the machine has them"
)]

/// The sum of all cells, not compensated.
pub(crate) fn sum(x: &[f64]) -> f64 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: avx512f was just detected.
        return unsafe { wide::sum(x) };
    }
    x.iter().sum()
}

/// `sum(exp(x) * y + log(z + 1))`, not compensated.
pub(crate) fn sum_exp_log(x: &[f64], y: &[f64], z: &[f64]) -> f64 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: avx512f was just detected.
        return unsafe { wide::sum_exp_log(x, y, z) };
    }
    x.iter()
        .zip(y)
        .zip(z)
        .map(|((x, y), z)| x.exp() * y + (z + 1.0).ln())
        .sum()
}

/// Copies past the caches.
pub(crate) fn copy_past_caches(from: &[f64], to: &mut [f64]) {
    assert_eq!(from.len(), to.len(), "as many cells");
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") && to.as_ptr().addr().is_multiple_of(64) {
        // SAFETY: avx512f was just detected, both slices have the same length, and `to` is aligned.
        return unsafe { wide::copy(from, to) };
    }
    to.copy_from_slice(from);
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod wide {
    use std::arch::x86_64::*;

    /// Cells of a register.
    const LANES: usize = 8;
    /// Bytes ahead of what is read now.
    const AHEAD: usize = 2048;

    #[target_feature(enable = "avx512f")]
    pub(super) fn sum(x: &[f64]) -> f64 {
        let mut acc = [_mm512_setzero_pd(); 4];
        let chunks = x.chunks_exact(4 * LANES);
        let rest: f64 = chunks.remainder().iter().sum();
        for chunk in chunks {
            for (u, acc) in acc.iter_mut().enumerate() {
                // SAFETY: the chunk holds four registers; a prefetch may name any address.
                let cells = unsafe {
                    let at = chunk.as_ptr().add(u * LANES);
                    _mm_prefetch::<_MM_HINT_T0>(at.wrapping_byte_add(AHEAD).cast());
                    _mm512_loadu_pd(at)
                };
                *acc = _mm512_add_pd(*acc, cells);
            }
        }
        let [a, b, c, d] = acc;
        rest + _mm512_reduce_add_pd(_mm512_add_pd(_mm512_add_pd(a, b), _mm512_add_pd(c, d)))
    }

    /// # Safety
    /// Both slices have the same length, and `to` lies at a multiple of 64.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn copy(from: &[f64], to: &mut [f64]) {
        let whole = from.len() / LANES * LANES;
        for i in (0..whole).step_by(LANES) {
            // SAFETY: `i + LANES` is at most the length of both; `to` is aligned as the caller promises.
            unsafe {
                _mm512_stream_pd(
                    to.as_mut_ptr().add(i),
                    _mm512_loadu_pd(from.as_ptr().add(i)),
                );
            }
        }
        to[whole..].copy_from_slice(&from[whole..]);
        _mm_sfence();
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn sum_exp_log(x: &[f64], y: &[f64], z: &[f64]) -> f64 {
        let one = _mm512_set1_pd(1.0);
        let mut acc = [_mm512_setzero_pd(); 2];
        let n = x.len().min(y.len()).min(z.len());
        let whole = n / (2 * LANES) * (2 * LANES);
        for i in (0..whole).step_by(2 * LANES) {
            for (u, acc) in acc.iter_mut().enumerate() {
                let at = i + u * LANES;
                // SAFETY: `at + LANES` is at most `n`; a prefetch may name any address.
                let [x, y, z] = unsafe {
                    [x, y, z].map(|side| {
                        let at = side.as_ptr().add(at);
                        _mm_prefetch::<_MM_HINT_T0>(at.wrapping_byte_add(AHEAD).cast());
                        _mm512_loadu_pd(at)
                    })
                };
                let log = log(_mm512_add_pd(z, one));
                *acc = _mm512_add_pd(*acc, _mm512_fmadd_pd(exp(x), y, log));
            }
        }
        let rest: f64 = (whole..n)
            .map(|i| x[i].exp() * y[i] + (z[i] + 1.0).ln())
            .sum();
        rest + _mm512_reduce_add_pd(_mm512_add_pd(acc[0], acc[1]))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn polynomial(x: __m512d, coefficients: &[f64]) -> __m512d {
        let (last, others) = coefficients.split_last().expect("coefficients");
        others.iter().rev().fold(_mm512_set1_pd(*last), |p, c| {
            _mm512_fmadd_pd(p, x, _mm512_set1_pd(*c))
        })
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn exp(x: __m512d) -> __m512d {
        const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
        let n = _mm512_roundscale_pd::<NEAREST>(_mm512_mul_pd(
            x,
            _mm512_set1_pd(std::f64::consts::LOG2_E),
        ));
        let r = _mm512_fnmadd_pd(n, _mm512_set1_pd(6.931_471_803_691_238e-1), x);
        let r = _mm512_fnmadd_pd(n, _mm512_set1_pd(1.908_214_929_270_587_7e-10), r);
        // The Taylor polynomial to the twelfth power.
        let mut factorial = 1.0;
        let mut coefficients = [1.0; 13];
        for (i, c) in coefficients.iter_mut().enumerate().skip(1) {
            factorial *= i as f64;
            *c = 1.0 / factorial;
        }
        _mm512_scalef_pd(polynomial(r, &coefficients), n)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn log(x: __m512d) -> __m512d {
        let one = _mm512_set1_pd(1.0);
        // Mantissas between 0.75 and 1.5, and the exponents that go with them.
        let m = _mm512_getmant_pd::<_MM_MANT_NORM_P75_1P5, _MM_MANT_SIGN_SRC>(x);
        let e = _mm512_getexp_pd(_mm512_div_pd(x, m));
        let s = _mm512_div_pd(_mm512_sub_pd(m, one), _mm512_add_pd(m, one));
        let z = _mm512_mul_pd(s, s);
        // 2 atanh(s): odd powers, 2 / 3, 2 / 5, …
        let coefficients: [f64; 11] = std::array::from_fn(|i| 2.0 / (2 * i + 1) as f64);
        _mm512_fmadd_pd(
            e,
            _mm512_set1_pd(std::f64::consts::LN_2),
            _mm512_mul_pd(s, polynomial(z, &coefficients)),
        )
    }
}
