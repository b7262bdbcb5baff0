//! Products of the rows of a matrix with a vector, for machines with AVX-512: they read each cell once and do next to
//! nothing with it, so the order in which memory is read decides what they take.
//!
//! Rows of usual length are read one after the other, cell by cell as they lie in memory, for that is what processors
//! fetch ahead by themselves. Several rows side by side, as [`simd_avx512`](super::simd_avx512) has them, take two and a half
//! times as long from memory where a row is shorter than a page. Each function says whether it ran; where the machine
//! has no AVX-512 it does nothing.

#![allow(
    unsafe_code,
    reason = "intrinsics need proof that the machine has them, and raw pointers that cells are there"
)]

use super::simd_avx512::is_there;

/// `out[i] = sum over j of x[i * k + j] * v[j]` for rows of `k = v.len()` cells.
///
/// # Panics
/// When there is not a row for each result.
pub(crate) fn rows_times_vector(x: &[f64], v: &[f64], out: &mut [f64]) -> bool {
    if !is_there() {
        return false;
    }
    assert_eq!(x.len(), out.len() * v.len(), "a row for each result");
    #[cfg(target_arch = "x86_64")]
    // SAFETY: avx512f was just detected, and the lengths were just checked.
    unsafe {
        avx512::rows_times_vector(x, v, out);
    }
    true
}

/// `acc[j] += w[i] * x[i * k + j]` over all rows `i` of `k = acc.len()` cells.
///
/// # Panics
/// When there is not a weight for each row.
pub(crate) fn add_transposed_times_vector(x: &[f64], w: &[f64], acc: &mut [f64]) -> bool {
    if !is_there() {
        return false;
    }
    assert_eq!(x.len(), w.len() * acc.len(), "a weight for each row");
    #[cfg(target_arch = "x86_64")]
    // SAFETY: avx512f was just detected, and the lengths were just checked.
    unsafe {
        avx512::add_transposed_times_vector(x, w, acc);
    }
    true
}

/// `acc += t(x) (w * (x v))` for rows of `v.len()` cells, each read from memory once; weights of one where there are
/// none.
///
/// # Panics
/// When the slices do not have the lengths that go together.
pub(crate) fn chain_rows(x: &[f64], v: &[f64], w: Option<&[f64]>, acc: &mut [f64]) -> bool {
    if !is_there() {
        return false;
    }
    let k = v.len();
    assert!(k > 0 && acc.len() == k, "a sum for each column");
    let rows = x.len() / k;
    assert_eq!(x.len(), rows * k, "whole rows");
    assert!(w.is_none_or(|w| w.len() == rows), "a weight for each row");
    #[cfg(target_arch = "x86_64")]
    // SAFETY: avx512f was just detected, and the lengths were just checked.
    unsafe {
        avx512::chain_rows(x, v, w, acc);
    }
    true
}

#[cfg(target_arch = "x86_64")]
#[allow(
    clippy::needless_range_loop,
    reason = "sums stay in registers where the compiler sees which one is meant"
)]
mod avx512 {
    use std::arch::x86_64::*;

    use crate::kernels::simd_avx512::avx512::{
        by_registers, first, lane_sums, last_register, load, row_at,
    };

    const LANES: usize = 8;

    /// Rows of at most so many cells are taken side by side: eight of them are few cache lines.
    const SHORT: usize = 32;

    /// So are rows of more cells: the vector fills the nearest cache, and each row is a stream of its own.
    const LONG: usize = 1 << 11;

    /// Registers that a row of sums is held in at most.
    const HELD: usize = 24;

    /// Registers that a vector and a row of sums are held in at most, each.
    const BOTH_HELD: usize = 13;

    /// Cells are asked for so many ahead where rows are held: what a row waits for holds up the ones behind it.
    const AHEAD: usize = 1536;

    /// # Safety
    /// `x` has a row of `v.len()` cells for each cell of `out`.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn rows_times_vector(x: &[f64], v: &[f64], out: &mut [f64]) {
        /// Rows that are taken side by side.
        const ROWS: usize = 8;
        let k = v.len();
        let row = |i: usize| x.as_ptr().wrapping_add(i * k);
        if k > SHORT && k <= LONG {
            for (i, product) in out.iter_mut().enumerate() {
                // SAFETY: there is a row for each result.
                *product = unsafe { dot(row(i), v) };
            }
            return;
        }
        for (group, products) in out.chunks_mut(ROWS).enumerate() {
            // Rows that are not there are the last one once more; their products are not written.
            let last = products.len() - 1;
            let rows = std::array::from_fn(|r| row(group * ROWS + r.min(last)));
            // SAFETY: there is a row for each result, and lanes beyond the results are masked.
            unsafe {
                let sums = dots_side_by_side(rows, v);
                _mm512_mask_storeu_pd(products.as_mut_ptr(), first(products.len()), sums);
            }
        }
    }

    /// # Safety
    /// `x` has a row of `acc.len()` cells for each cell of `w`.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn add_transposed_times_vector(x: &[f64], w: &[f64], acc: &mut [f64]) {
        /// Longer rows than are held are taken one by one up to so many cells, and beyond them in groups of eight.
        const ALONE: usize = 768;
        let weight = |_, start, weights: &mut [f64]| {
            weights.copy_from_slice(&w[start..start + weights.len()]);
        };
        // SAFETY: the caller's promise.
        unsafe {
            match (acc.len().div_ceil(LANES), acc.len()) {
                (0, _) => {}
                (registers, _) if registers <= HELD => {
                    by_registers!(registers, add_held(x, w, acc),
                        1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24);
                }
                (_, k) if k <= ALONE => add_groups::<1>(x, acc, weight),
                _ => add_groups::<8>(x, acc, weight),
            }
        }
    }

    /// # Safety
    /// `x` has rows of `v.len()` cells, `acc` as many cells as `v`, and `w` one for each row.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn chain_rows(x: &[f64], v: &[f64], w: Option<&[f64]>, acc: &mut [f64]) {
        /// Rows of at most so many cells are taken in groups of four.
        const FOUR: usize = 512;
        /// Rows of at most so many cells are taken in groups of eight, longer ones alone: a group is still near when it
        /// is read a second time.
        const EIGHT: usize = 1 << 13;
        let weight = |row: *const f64, i: usize, weights: &mut [f64]| {
            for (r, weight) in weights.iter_mut().enumerate() {
                // SAFETY: there is a row of `v.len()` cells for each weight.
                let product = unsafe { dot(row.wrapping_add(r * v.len()), v) };
                *weight = w.map_or(product, |w| w[i + r] * product);
            }
        };
        // SAFETY: the caller's promise.
        unsafe {
            match (v.len().div_ceil(LANES), v.len()) {
                (registers, _) if registers <= BOTH_HELD => {
                    by_registers!(registers, chain_held(x, v, w, acc),
                        1 2 3 4 5 6 7 8 9 10 11 12 13);
                }
                (_, k) if k <= FOUR => add_groups::<4>(x, acc, weight),
                (_, k) if k <= EIGHT => add_groups::<8>(x, acc, weight),
                _ => add_groups::<1>(x, acc, weight),
            }
        }
    }

    /// `acc += t(x) (w * (x v))` with the vector and the sums in `V` registers each.
    ///
    /// # Safety
    /// As [`chain_rows`]; `V` is the number of registers that hold a row.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn chain_held<const V: usize>(x: &[f64], v: &[f64], w: Option<&[f64]>, acc: &mut [f64]) {
        let (k, mask) = (v.len(), last_register::<V>(v.len()));
        // SAFETY: the vector, the sums and each of the rows have `V` registers.
        unsafe {
            let held = row_at::<V>(v.as_ptr(), mask);
            let mut sums = row_at::<V>(acc.as_ptr(), mask);
            for i in 0..x.len() / k {
                let row = x.as_ptr().wrapping_add(i * k);
                // Four sums: one addition need not wait for the other.
                let mut four = [_mm512_setzero_pd(); 4];
                for u in 0..V {
                    let cells = load_ahead::<V>(row, u, mask);
                    four[u % 4] = _mm512_fmadd_pd(cells, held[u], four[u % 4]);
                }
                let product = total(four);
                let weight = _mm512_set1_pd(w.map_or(product, |w| w[i] * product));
                for u in 0..V {
                    sums[u] = _mm512_fmadd_pd(weight, load::<V>(row, u, mask), sums[u]);
                }
            }
            write_row(acc, sums, mask);
        }
    }

    /// As [`load`]; what lies [`AHEAD`] is asked for.
    ///
    /// # Safety
    /// As [`load`].
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn load_ahead<const V: usize>(
        row: *const f64,
        number: usize,
        mask: __mmask8,
    ) -> __m512d {
        // SAFETY: a prefetch may name any address; the rest is the caller's promise.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(row.wrapping_add(number * LANES + AHEAD).cast());
            load::<V>(row, number, mask)
        }
    }

    /// The products of eight rows and a vector, one a lane.
    ///
    /// # Safety
    /// `v.len()` cells can be read at each of `rows`.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn dots_side_by_side(rows: [*const f64; 8], v: &[f64]) -> __m512d {
        let k = v.len();
        let mut sums = [_mm512_setzero_pd(); 8];
        for j in (0..k).step_by(LANES) {
            let mask = first(k - j);
            // SAFETY: masked lanes are not read, the others lie inside of the rows and of `v`.
            unsafe {
                let v = _mm512_maskz_loadu_pd(mask, v.as_ptr().add(j));
                for r in 0..8 {
                    let cells = _mm512_maskz_loadu_pd(mask, rows[r].add(j));
                    sums[r] = _mm512_fmadd_pd(cells, v, sums[r]);
                }
            }
        }
        lane_sums(sums)
    }

    /// The product of a row and a vector. It is one loop in one place, for processors learn from which instruction reads
    /// where what to fetch ahead.
    ///
    /// # Safety
    /// `v.len()` cells can be read at `row`.
    #[inline(never)]
    #[target_feature(enable = "avx512f")]
    unsafe fn dot(row: *const f64, v: &[f64]) -> f64 {
        const SUMS: usize = 4;
        let (k, v) = (v.len(), v.as_ptr());
        let mut sums = [_mm512_setzero_pd(); SUMS];
        let mut j = 0;
        // SAFETY: whole groups of registers end inside of both; masked lanes are not read.
        unsafe {
            while j + SUMS * LANES <= k {
                for s in 0..SUMS {
                    let at = j + s * LANES;
                    let cells = _mm512_loadu_pd(row.add(at));
                    sums[s] = _mm512_fmadd_pd(cells, _mm512_loadu_pd(v.add(at)), sums[s]);
                }
                j += SUMS * LANES;
            }
            while j < k {
                let mask = first(k - j);
                let cells = _mm512_maskz_loadu_pd(mask, row.add(j));
                let v = _mm512_maskz_loadu_pd(mask, v.add(j));
                sums[0] = _mm512_fmadd_pd(cells, v, sums[0]);
                j += LANES;
            }
        }
        total(sums)
    }

    /// The sum of all lanes.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn total([a, b, c, d]: [__m512d; 4]) -> f64 {
        _mm512_reduce_add_pd(_mm512_add_pd(_mm512_add_pd(a, b), _mm512_add_pd(c, d)))
    }

    /// Writes a row of `V` registers.
    ///
    /// # Safety
    /// `row` has as many cells as the registers, with the lanes of `mask` in the last.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn write_row<const V: usize>(row: &mut [f64], held: [__m512d; V], mask: __mmask8) {
        for u in 0..V {
            let mask = if u + 1 == V { mask } else { 0xff };
            // SAFETY: the caller's promise; masked lanes are not written.
            unsafe { _mm512_mask_storeu_pd(row.as_mut_ptr().add(u * LANES), mask, held[u]) };
        }
    }

    /// Adds all rows of `x` to `acc`, `N` at a time, each so often as its weight says: `weigh` is given a group's place,
    /// its first row, and where its weights go. Rows behind the last whole group are added one by one.
    ///
    /// # Safety
    /// `x` has rows of `acc.len()` cells.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn add_groups<const N: usize>(
        x: &[f64],
        acc: &mut [f64],
        weigh: impl Fn(*const f64, usize, &mut [f64]),
    ) {
        let k = acc.len();
        let rows = x.len() / k;
        for start in (0..rows).step_by(N) {
            let row = |r: usize| x.as_ptr().wrapping_add((start + r) * k);
            let mut weights = [0.0; N];
            let count = N.min(rows - start);
            weigh(row(0), start, &mut weights[..count]);
            // SAFETY: rows `start..start + count` are there.
            unsafe {
                if count == N {
                    let weights = weights.map(|weight| _mm512_set1_pd(weight));
                    add_rows(std::array::from_fn(row), weights, acc);
                } else {
                    // Only rows that are there: zero times infinity would be seen.
                    for (r, weight) in weights[..count].iter().enumerate() {
                        add_rows([row(r)], [_mm512_set1_pd(*weight)], acc);
                    }
                }
            }
        }
    }

    /// Adds some rows to `acc`, each so often as its weight says.
    ///
    /// # Safety
    /// `acc.len()` cells can be read at each of `rows`.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn add_rows<const N: usize>(
        rows: [*const f64; N],
        weights: [__m512d; N],
        acc: &mut [f64],
    ) {
        let k = acc.len();
        let whole = k / LANES * LANES;
        // SAFETY: whole registers end inside of the rows, and the last one is masked.
        unsafe {
            for j in (0..whole).step_by(LANES) {
                add_register(rows, weights, acc.as_mut_ptr(), j, 0xff);
            }
            if whole < k {
                add_register(rows, weights, acc.as_mut_ptr(), whole, first(k - whole));
            }
        }
    }

    /// # Safety
    /// The cells from `j` on that `mask` names can be read at each of `rows` and at `acc`, and written there.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn add_register<const N: usize>(
        rows: [*const f64; N],
        weights: [__m512d; N],
        acc: *mut f64,
        j: usize,
        mask: __mmask8,
    ) {
        let to = acc.wrapping_add(j);
        // SAFETY: masked lanes are neither read nor written, the others are the caller's promise.
        unsafe {
            // Two sums: one addition need not wait for the other.
            let mut even = _mm512_maskz_loadu_pd(mask, to);
            let mut odd = _mm512_setzero_pd();
            for r in 0..N {
                let cells = _mm512_maskz_loadu_pd(mask, rows[r].wrapping_add(j));
                if r % 2 == 0 {
                    even = _mm512_fmadd_pd(weights[r], cells, even);
                } else {
                    odd = _mm512_fmadd_pd(weights[r], cells, odd);
                }
            }
            _mm512_mask_storeu_pd(to, mask, _mm512_add_pd(even, odd));
        }
    }

    /// Adds all rows, with the sums in `V` registers.
    ///
    /// # Safety
    /// `x` has a row of `acc.len()` cells for each cell of `w`; `V` is the number of registers that hold a row.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn add_held<const V: usize>(x: &[f64], w: &[f64], acc: &mut [f64]) {
        let k = acc.len();
        let mask = last_register::<V>(k);
        // SAFETY: the sums and each of the rows have `V` registers.
        unsafe {
            let mut sums = row_at::<V>(acc.as_ptr(), mask);
            for (i, &weight) in w.iter().enumerate() {
                let row = x.as_ptr().wrapping_add(i * k);
                let weight = _mm512_set1_pd(weight);
                for u in 0..V {
                    sums[u] = _mm512_fmadd_pd(weight, load_ahead::<V>(row, u, mask), sums[u]);
                }
            }
            write_row(acc, sums, mask);
        }
    }
}
