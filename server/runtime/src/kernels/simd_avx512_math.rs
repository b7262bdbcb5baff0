//! Exponential and logarithm for machines with AVX-512, whose instructions take numbers apart and put them together.
//! Their results are written down, or added up right away.
//!
//! The bound of two units in the last place is that of `simd_math`, and so is the polynomial of the logarithm. The
//! exponential looks sixteenths of powers of two up in two registers, which leaves it half of the other's polynomial.
//! Each function says whether it ran; where the machine has no AVX-512 it does nothing.

#![allow(
    unsafe_code,
    reason = "intrinsics need proof that the machine has them, and raw pointers that cells are there"
)]

use sumac_la::Op;

use super::simd_avx512::is_there;
use super::simd_cells::{Affine, Prefetch};

/// Which function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Function {
    Exp,
    Log,
}

impl Function {
    /// The function that an operator is, where the machine has AVX-512.
    pub(crate) fn of(op: Op) -> Option<Function> {
        let function = match op {
            Op::Exp => Function::Exp,
            Op::Log => Function::Log,
            _ => return None,
        };
        is_there().then_some(function)
    }

    /// How long it takes, beside the other.
    pub(crate) fn time(self) -> usize {
        match self {
            Function::Exp => 2,
            Function::Log => 3,
        }
    }
}

/// The function of each cell, in its place.
pub(crate) fn in_place(function: Function, cells: &mut [f64]) -> bool {
    let there = is_there();
    #[cfg(target_arch = "x86_64")]
    if there {
        let at = cells.as_mut_ptr();
        // SAFETY: avx512f was just detected; all reads and writes are inside of `cells`, each cell read before it is
        // written.
        unsafe { avx512::each(function, None, at, at, cells.len(), Prefetch::default()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (function, cells);
    there
}

/// The function of each cell of `x`, or of what is done with it first, into `out`.
///
/// # Panics
/// When the slices differ in length.
pub(crate) fn into(
    function: Function,
    affine: Option<Affine>,
    x: &[f64],
    out: &mut [f64],
    ahead: Prefetch<'_>,
) -> bool {
    assert_eq!(x.len(), out.len(), "a result for each cell");
    let there = is_there();
    #[cfg(target_arch = "x86_64")]
    if there {
        // SAFETY: avx512f was just detected, and both slices have the same length.
        unsafe {
            avx512::each(
                function,
                affine,
                x.as_ptr(),
                out.as_mut_ptr(),
                x.len(),
                ahead,
            );
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (function, affine, x, out, ahead);
    there
}

/// The sum of `f(x) * times + plus` over some hundred cells, where both may be missing; each product is rounded, and the sum is
/// that of [`simd::sum`](super::simd::sum) over what would be written down.
///
/// # Panics
/// When the slices differ in length, or the machine has no AVX-512.
pub(crate) fn sum(
    function: Function,
    affine: Option<Affine>,
    x: &[f64],
    rows: [Option<&[f64]>; 2],
    ahead: Prefetch<'_>,
) -> f64 {
    for row in rows.into_iter().flatten() {
        assert_eq!(x.len(), row.len(), "a cell for each other one");
    }
    #[cfg(target_arch = "x86_64")]
    if is_there() {
        // SAFETY: avx512f was just detected, and all slices have the same length.
        return unsafe { avx512::sum(function, affine, x, rows, ahead) };
    }
    unreachable!("{function:?} {affine:?} {ahead:?}: of a machine without AVX-512");
}

#[cfg(target_arch = "x86_64")]
#[allow(
    clippy::needless_range_loop,
    reason = "registers stay registers where the compiler sees which one is meant"
)]
mod avx512 {
    use std::arch::x86_64::*;

    use super::{Affine, Function, Prefetch};
    use crate::kernels::simd::{by_halves, prefetch_from};
    use crate::kernels::simd_avx512::avx512::first;
    use crate::kernels::simd_math::{LN2_HIGH, LN2_LOW, LOG, LOG2_E};

    const LANES: usize = 8;

    /// Registers that are worked on side by side: a step of one polynomial need not wait for the step before it.
    const AT_ONCE: usize = 4;

    /// Cells that are worked on side by side.
    const STEP: usize = AT_ONCE * LANES;

    type Registers = [__m512d; AT_ONCE];

    /// `2^(i / 16)`.
    const POWERS: [f64; 2 * LANES] = [
        1.0,
        1.044_273_782_427_413_8,
        1.090_507_732_665_257_7,
        1.138_788_634_756_691_6,
        1.189_207_115_002_721,
        1.241_857_812_073_484,
        1.296_839_554_651_009_6,
        1.354_255_546_936_892_7,
        std::f64::consts::SQRT_2,
        1.476_826_145_939_499_3,
        1.542_210_825_407_940_7,
        1.610_490_331_949_254_3,
        1.681_792_830_507_429,
        1.756_252_160_373_299_5,
        1.834_008_086_409_342_4,
        1.915_206_561_397_147_4,
    ];

    /// `(exp(r) - 1 - r) / r^2` for `|r|` up to ln 2 / 32: Taylor's terms, the next one spread over them as the fifth
    /// Chebyshev polynomial tells.
    const EXP: [f64; 5] = [
        0.5,
        0.166_666_666_653_017_02,
        0.041_666_666_666_666_664,
        0.008_333_449_700_495_14,
        0.001_388_888_888_888_889,
    ];

    /// # Safety
    /// `len` cells can be read at `from` and written at `to`; the two are the same place or do not overlap.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn each(
        function: Function,
        affine: Option<Affine>,
        from: *const f64,
        to: *mut f64,
        len: usize,
        ahead: Prefetch<'_>,
    ) {
        let write = |place: usize, cells: Registers, masks: Option<[__mmask8; AT_ONCE]>| {
            for r in 0..AT_ONCE {
                let to = to.wrapping_add(place + r * LANES);
                // SAFETY: the place is one of `len`, or lanes beyond it are masked.
                unsafe {
                    match masks {
                        None => _mm512_storeu_pd(to, cells[r]),
                        Some(masks) => _mm512_mask_storeu_pd(to, masks[r], cells[r]),
                    }
                }
            }
        };
        // SAFETY: the caller's promise.
        unsafe { walk(function, affine, from, len, ahead, write) };
    }

    /// # Safety
    /// All slices have the same length.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn sum(
        function: Function,
        affine: Option<Affine>,
        x: &[f64],
        rows: [Option<&[f64]>; 2],
        ahead: Prefetch<'_>,
    ) -> f64 {
        let [times, plus] = rows.map(|row| row.map(<[f64]>::as_ptr));
        let mut lanes = [_mm512_setzero_pd(); AT_ONCE];
        let mut last = [0.0; STEP];
        let add = |place: usize, mut cells: Registers, masks: Option<[__mmask8; AT_ONCE]>| {
            // SAFETY: the place is one of `x.len()`, or lanes beyond it are masked.
            let read = |row: *const f64, r: usize| unsafe {
                let from = row.wrapping_add(place + r * LANES);
                match masks {
                    None => _mm512_loadu_pd(from),
                    Some(masks) => _mm512_maskz_loadu_pd(masks[r], from),
                }
            };
            if let Some(times) = times {
                for r in 0..AT_ONCE {
                    cells[r] = _mm512_mul_pd(cells[r], read(times, r));
                }
            }
            if let Some(plus) = plus {
                for r in 0..AT_ONCE {
                    cells[r] = _mm512_add_pd(cells[r], read(plus, r));
                }
            }
            for r in 0..AT_ONCE {
                match masks {
                    None => lanes[r] = _mm512_add_pd(lanes[r], cells[r]),
                    // SAFETY: `last` has a cell for each lane.
                    Some(_) => unsafe {
                        _mm512_storeu_pd(last.as_mut_ptr().add(r * LANES), cells[r]);
                    },
                }
            }
        };
        // SAFETY: so many cells can be read at `x`.
        unsafe { walk(function, affine, x.as_ptr(), x.len(), ahead, add) };
        let mut all = [0.0; STEP];
        for r in 0..AT_ONCE {
            // SAFETY: `all` has a cell for each lane.
            unsafe { _mm512_storeu_pd(all.as_mut_ptr().add(r * LANES), lanes[r]) };
        }
        let rest: f64 = last[..x.len() % STEP].iter().sum();
        by_halves(&mut all) + rest
    }

    /// Gives the function's results to `end`, from place to place; where fewer are left, with those that count.
    ///
    /// # Safety
    /// `len` cells can be read at `from`.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn walk(
        function: Function,
        affine: Option<Affine>,
        from: *const f64,
        len: usize,
        ahead: Prefetch<'_>,
        end: impl FnMut(usize, Registers, Option<[__mmask8; AT_ONCE]>),
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            match (function, affine) {
                (Function::Exp, None) => map(from, len, ahead, |x| exp(x), end),
                (Function::Log, None) => map(from, len, ahead, |x| log(x), end),
                (Function::Exp, Some(first)) => {
                    map(from, len, ahead, |x| exp(shifted(x, first)), end);
                }
                (Function::Log, Some(first)) => {
                    map(from, len, ahead, |x| log(shifted(x, first)), end);
                }
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
    /// As [`walk`].
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn map(
        from: *const f64,
        len: usize,
        ahead: Prefetch<'_>,
        f: impl Fn(Registers) -> Registers,
        mut end: impl FnMut(usize, Registers, Option<[__mmask8; AT_ONCE]>),
    ) {
        let mut cells = [_mm512_setzero_pd(); AT_ONCE];
        let whole = len / STEP * STEP;
        for i in (0..whole).step_by(STEP) {
            for row in ahead.rows {
                prefetch_from(row.as_ptr().wrapping_add(ahead.from + i), STEP);
            }
            for r in 0..AT_ONCE {
                // SAFETY: `i + STEP` is at most `len`.
                cells[r] = unsafe { _mm512_loadu_pd(from.add(i + r * LANES)) };
            }
            end(i, f(cells), None);
        }
        if whole < len {
            let place = |r: usize| whole + r * LANES;
            let masks = [0, 1, 2, 3].map(|r| first(len.saturating_sub(place(r))));
            for r in 0..AT_ONCE {
                // SAFETY: lanes beyond `len` are not read.
                cells[r] = unsafe { _mm512_maskz_loadu_pd(masks[r], from.wrapping_add(place(r))) };
            }
            end(whole, f(cells), Some(masks));
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
        /// Adding and subtracting this rounds to sixteenths, of which the last digits say how many are beyond a whole
        /// number.
        const ROUND: f64 = 1.5 * 281_474_976_710_656.0;
        /// More than what is left of an argument whose sixteenths were taken off.
        const REST: f64 = 0.03;
        let round = _mm512_set1_pd(ROUND);
        // SAFETY: the table has sixteen numbers.
        let (low, high) = unsafe {
            let powers = POWERS.as_ptr();
            (_mm512_loadu_pd(powers), _mm512_loadu_pd(powers.add(LANES)))
        };
        let (mut n, mut rest, mut power) = (x, x, x);
        for r in 0..AT_ONCE {
            let rounded = _mm512_fmadd_pd(x[r], _mm512_set1_pd(LOG2_E), round);
            let sixteenths = _mm512_castpd_si512(rounded);
            power[r] = _mm512_permutex2var_pd(low, sixteenths, high);
            n[r] = _mm512_sub_pd(rounded, round);
            rest[r] = _mm512_fnmadd_pd(n[r], _mm512_set1_pd(LN2_HIGH), x[r]);
            rest[r] = _mm512_fnmadd_pd(n[r], _mm512_set1_pd(LN2_LOW), rest[r]);
            // Of an argument whose result is infinite or zero anything may be left, NaN too: of that both give the
            // second argument. Such an `n` decides alone, and that of a NaN is a NaN.
            rest[r] = _mm512_max_pd(rest[r], _mm512_set1_pd(-REST));
            rest[r] = _mm512_min_pd(rest[r], _mm512_set1_pd(REST));
        }
        let above = polynomial(rest, &EXP);
        for r in 0..AT_ONCE {
            let less_one = _mm512_fmadd_pd(_mm512_mul_pd(rest[r], rest[r]), above[r], rest[r]);
            // It scales by the power of two of the whole part.
            x[r] = _mm512_scalef_pd(_mm512_fmadd_pd(power[r], less_one, power[r]), n[r]);
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
