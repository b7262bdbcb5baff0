//! Products of tall and narrow matrices with all sums in registers, for machines with AVX-512.
//!
//! Compilers spill sums that are held in arrays, so these kernels are written with intrinsics. Each function says
//! whether it ran: where the machine has no AVX-512 it does nothing, and the caller takes another way.

#![allow(
    unsafe_code,
    reason = "intrinsics need proof that the machine has them, and raw pointers that cells are there"
)]

use sumac_vectors::Tier;

/// Columns on the right up to which [`rows_times_narrow`] is faster than a product of any two matrices.
pub(crate) const MOST_COLUMNS: usize = 16;

/// Whether this machine runs the kernels of this file.
#[inline]
pub(crate) fn is_there() -> bool {
    Tier::here() == Tier::Avx512
}

/// The transpose of a `k` x `p` matrix with each row filled up with zeros to whole registers: what
/// [`rows_times_narrow`] takes.
pub(crate) fn packed_transpose(v: &[f64], k: usize, p: usize) -> Vec<f64> {
    let stride = k.next_multiple_of(8);
    let mut packed = vec![0.0; stride * p];
    for (j, row) in v.chunks_exact(p).enumerate() {
        for (c, &cell) in row.iter().enumerate() {
            packed[c * stride + j] = cell;
        }
    }
    packed
}

/// `out = x V` for rows of `k` cells and the `p` columns of V, packed by [`packed_transpose`]. What lies behind the
/// rows is asked for as they are read.
///
/// # Panics
/// When the slices do not have the lengths that go with `k` and `p`.
pub(crate) fn rows_times_narrow(
    x: &[f64],
    packed: &[f64],
    k: usize,
    p: usize,
    out: &mut [f64],
) -> bool {
    if !is_there() {
        return false;
    }
    check(x, packed, (k, p), out);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: avx512f was just detected, and the lengths were just checked.
    unsafe {
        avx512::rows_times_narrow(x, packed, k, p, out);
    }
    true
}

/// That the slices have the lengths that go with `k` and `p`.
fn check(x: &[f64], packed: &[f64], (k, p): (usize, usize), out: &[f64]) {
    let rows = out.len() / p.max(1);
    assert!(
        p > 0 && k > 0 && out.len() == rows * p,
        "whole rows of results"
    );
    assert_eq!(x.len(), rows * k, "a row of X for each row of results");
    assert_eq!(packed.len(), k.next_multiple_of(8) * p, "packed columns");
}

/// The same for rows that are near already. Meanwhile the memory of `next` is asked for.
///
/// # Panics
/// As [`rows_times_narrow`].
pub(crate) fn rows_of_tile_times_narrow(
    x: &[f64],
    packed: &[f64],
    (k, p): (usize, usize),
    next: &[f64],
    out: &mut [f64],
) -> bool {
    if !is_there() {
        return false;
    }
    check(x, packed, (k, p), out);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: avx512f was just detected, and the lengths were just checked.
    unsafe {
        avx512::rows_of_tile_times_narrow(x, packed, (k, p), next, out);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = next;
    true
}

#[cfg(target_arch = "x86_64")]
#[allow(
    clippy::needless_range_loop,
    reason = "sums stay in registers where the compiler sees which one is meant"
)]
pub(super) mod avx512 {
    use std::arch::x86_64::*;

    use crate::kernels::simd::prefetch;

    const LANES: usize = 8;

    /// Calls `$f::<V>` with `V` the number of registers of a row that is held in registers.
    macro_rules! by_registers {
        ($count:expr, $f:ident $args:tt, $($registers:literal)*) => {
            match $count {
                $($registers => $f::<$registers> $args,)*
                _ => unreachable!("longer rows are not held"),
            }
        };
    }
    pub(in crate::kernels) use by_registers;

    /// The first `n` lanes, at most all.
    pub(in crate::kernels) fn first(n: usize) -> __mmask8 {
        if n >= LANES { 0xff } else { (1 << n) - 1 }
    }

    /// The lanes of the last of `V` registers that hold `k` cells.
    pub(in crate::kernels) fn last_register<const V: usize>(k: usize) -> __mmask8 {
        first(k - (V - 1) * LANES)
    }

    /// A row of `V` registers.
    ///
    /// # Safety
    /// The cells can be read, those of the last register as far as `mask` says.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(in crate::kernels) unsafe fn row_at<const V: usize>(
        row: *const f64,
        mask: __mmask8,
    ) -> [__m512d; V] {
        let mut held = [_mm512_setzero_pd(); V];
        for u in 0..V {
            // SAFETY: the caller's promise.
            held[u] = unsafe { load::<V>(row, u, mask) };
        }
        held
    }

    /// The register of this number of a row that has `V` of them; of the last one only the lanes of `mask`.
    ///
    /// # Safety
    /// The cells can be read.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(in crate::kernels) unsafe fn load<const V: usize>(
        row: *const f64,
        number: usize,
        mask: __mmask8,
    ) -> __m512d {
        let at = row.wrapping_add(number * LANES);
        // SAFETY: the caller's promise; masked lanes are not read.
        unsafe {
            if number + 1 == V {
                _mm512_maskz_loadu_pd(mask, at)
            } else {
                _mm512_loadu_pd(at)
            }
        }
    }

    /// The sums of the lanes of eight registers.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(in crate::kernels) fn lane_sums(r: [__m512d; 8]) -> __m512d {
        let pair = |a, b| _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
        let quad = |a, b| {
            _mm512_add_pd(
                _mm512_shuffle_f64x2::<0x88>(a, b),
                _mm512_shuffle_f64x2::<0xdd>(a, b),
            )
        };
        let low = quad(pair(r[0], r[1]), pair(r[2], r[3]));
        let high = quad(pair(r[4], r[5]), pair(r[6], r[7]));
        quad(low, high)
    }

    /// # Safety
    /// `x` has as many rows of `k` cells as `out` has rows of `p`, and `packed` has `p` rows of `k` cells filled up to
    /// whole registers.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn rows_times_narrow(
        x: &[f64],
        packed: &[f64],
        k: usize,
        p: usize,
        out: &mut [f64],
    ) {
        /// Cells ahead of four rows.
        const AHEAD: usize = 2048;
        // SAFETY: the caller's promise.
        unsafe {
            by_four(x, packed, (k, p), out, |row, count| {
                prefetch(x, row * k + AHEAD..(row + count) * k + AHEAD);
            });
        }
    }

    /// # Safety
    /// As [`rows_times_narrow`].
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn rows_of_tile_times_narrow(
        x: &[f64],
        packed: &[f64],
        (k, p): (usize, usize),
        next: &[f64],
        out: &mut [f64],
    ) {
        // A share for each group of rows: all at once would take more requests than the processor can have under way.
        let groups = (x.len() / k).div_ceil(4).max(1);
        let share = next.len().div_ceil(groups).next_multiple_of(LANES);
        // SAFETY: the caller's promise.
        unsafe {
            by_four(x, packed, (k, p), out, |row, _| {
                let from = row / 4 * share;
                prefetch(next, from..from + share);
            });
        }
    }

    /// Four rows after the other, with all columns. Before each `ask` is told which rows and how many.
    ///
    /// # Safety
    /// As [`rows_times_narrow`].
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn by_four(
        x: &[f64],
        packed: &[f64],
        (k, p): (usize, usize),
        out: &mut [f64],
        ask: impl Fn(usize, usize),
    ) {
        let stride = k.next_multiple_of(LANES);
        let rows = out.len() / p;
        let mut row = 0;
        while row < rows {
            let count = (rows - row).min(4);
            ask(row, count);
            // Rows that are not there are the last one once more; their sums are not written.
            let at = [0, 1, 2, 3].map(|r: usize| (row + r.min(count - 1)) * k);
            let mut col = 0;
            while col < p {
                // Five columns at a time, or four where that leaves none alone.
                let left = p - col;
                let width = match left {
                    1..=5 => left,
                    6 => 3,
                    7 | 8 | 11 | 12 => 4,
                    _ => 5,
                };
                let mut sums = [0.0; 24];
                // Where these are all columns, the sums lie as the results do.
                let (to, len) = if width == p {
                    (out[row * p..].as_mut_ptr(), count * p)
                } else {
                    (sums.as_mut_ptr(), 4 * width)
                };
                // SAFETY: the rows at `at` end inside `x`; `col + width` is at most `p`, so the columns are packed; there are
                // `count` rows of results, and room for four rows of five columns in `sums`.
                unsafe {
                    let rows = at.map(|at| x.as_ptr().add(at));
                    let columns = packed.as_ptr().add(col * stride);
                    match width {
                        1 => quad::<1>(rows, columns, k, to, len),
                        2 => quad::<2>(rows, columns, k, to, len),
                        3 => quad::<3>(rows, columns, k, to, len),
                        4 => quad::<4>(rows, columns, k, to, len),
                        _ => quad::<5>(rows, columns, k, to, len),
                    }
                }
                if width < p {
                    for r in 0..count {
                        out[(row + r) * p + col..][..width]
                            .copy_from_slice(&sums[r * width..][..width]);
                    }
                }
                col += width;
            }
            row += count;
        }
    }

    /// The products of four rows and `C` columns, row by row: the first `len` of them are written to `to`.
    ///
    /// # Safety
    /// `k` cells can be read at each of `rows`, and `C` rows of `k` cells filled up to whole registers at `columns`; `len` can be
    /// written at `to`.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn quad<const C: usize>(
        rows: [*const f64; 4],
        columns: *const f64,
        k: usize,
        to: *mut f64,
        len: usize,
    ) {
        let stride = k.next_multiple_of(LANES);
        let mut acc = [[_mm512_setzero_pd(); C]; 4];
        let mut j = 0;
        while j < k {
            let mask = first(k - j);
            // SAFETY: masked lanes are not read; columns are filled up to whole registers.
            unsafe {
                let x = rows.map(|row| _mm512_maskz_loadu_pd(mask, row.add(j)));
                for c in 0..C {
                    let v = _mm512_loadu_pd(columns.add(c * stride + j));
                    for r in 0..4 {
                        acc[r][c] = _mm512_fmadd_pd(x[r], v, acc[r][c]);
                    }
                }
            }
            j += LANES;
        }
        let zero = _mm512_setzero_pd();
        for group in 0..(4 * C).div_ceil(LANES) {
            let mut eight = [zero; LANES];
            for (l, place) in eight.iter_mut().enumerate() {
                let i = group * LANES + l;
                if i < 4 * C {
                    *place = acc[i / C][i % C];
                }
            }
            let from = group * LANES;
            let mask = first(len.saturating_sub(from));
            // SAFETY: lanes beyond `len` are masked, and not written.
            unsafe { _mm512_mask_storeu_pd(to.wrapping_add(from), mask, lane_sums(eight)) };
        }
    }
}
