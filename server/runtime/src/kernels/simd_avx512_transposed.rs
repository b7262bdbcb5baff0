//! Products of a transposed tall matrix with another one, with groups of sums in registers, for machines with AVX-512.
//!
//! As in `simd_avx512`, each function says whether it ran: where the machine has no AVX-512 it does nothing.

#![allow(
    unsafe_code,
    reason = "intrinsics need proof that the machine has them, and raw pointers that cells are there"
)]

use super::simd_avx512::is_there;

/// Which sums of a transposed product are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sums {
    /// All of them.
    All,
    /// Those on and right of the diagonal, and some left of it: both factors are the same.
    Upper,
}

/// `acc[c * k + j] += w[i * p + c] * x[i * k + j]` over all rows `i`.
///
/// # Panics
/// When the slices do not have the lengths that go with `k` and `p`.
pub(crate) fn add_transposed_product(
    x: &[f64],
    w: &[f64],
    k: usize,
    p: usize,
    acc: &mut [f64],
    sums: Sums,
) -> bool {
    /// Cells of rows that stay near while their columns are taken in groups.
    const NEAR: usize = 3 << 10;
    check(x, w, (k, p));
    if !is_there() {
        return false;
    }
    let rows = (NEAR / k).clamp(8, 512);
    let mut rest = x;
    for w in w.chunks(rows * p) {
        let (tile, behind) = rest.split_at(w.len() / p * k);
        let next = &behind[..tile.len().min(behind.len())];
        add_transposed_product_of_tile(tile, w, (k, p), acc, sums, next);
        rest = behind;
    }
    true
}

/// That there are as many whole rows of the one as of the other.
fn check(x: &[f64], w: &[f64], (k, p): (usize, usize)) {
    assert!(p > 0 && k > 0, "rows with cells");
    assert_eq!(x.len() % k, 0, "whole rows of X");
    assert_eq!(x.len() / k * p, w.len(), "a row of W for each of X");
}

/// The same for rows that are near already. Meanwhile the memory of `next` is asked for.
///
/// # Panics
/// When the slices do not have the lengths that go with `k` and `p`.
pub(crate) fn add_transposed_product_of_tile(
    x: &[f64],
    w: &[f64],
    (k, p): (usize, usize),
    acc: &mut [f64],
    sums: Sums,
    next: &[f64],
) -> bool {
    if !is_there() {
        return false;
    }
    check(x, w, (k, p));
    assert_eq!(acc.len(), k * p, "a row of sums for each column of W");
    #[cfg(target_arch = "x86_64")]
    // SAFETY: avx512f was just detected, and the lengths were just checked.
    unsafe {
        avx512::add_transposed_product(x, w, (k, p), acc, sums, next);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (sums, next);
    true
}

#[cfg(target_arch = "x86_64")]
#[allow(
    clippy::needless_range_loop,
    reason = "sums stay in registers where the compiler sees which one is meant"
)]
mod avx512 {
    use std::arch::x86_64::*;

    use super::Sums;
    use crate::kernels::simd::prefetch;
    use crate::kernels::simd_avx512::avx512::first;

    const LANES: usize = 8;

    /// # Safety
    /// `x` has rows of `k` cells, `w` as many of `p`, and `acc` `p` rows of `k`.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn add_transposed_product(
        x: &[f64],
        w: &[f64],
        (k, p): (usize, usize),
        acc: &mut [f64],
        sums: Sums,
        next: &[f64],
    ) {
        let mut col = 0;
        while col < p {
            // Groups of nearly equal size: of 16 columns two of 8, of 13 one of 7 and one of 6.
            let groups = (p - col).div_ceil(12);
            let width = if p > 64 {
                (p - col).min(8)
            } else {
                (p - col).div_ceil(groups)
            };
            let from = match sums {
                Sums::All => 0,
                Sums::Upper => col / LANES * LANES,
            };
            // SAFETY: there are as many rows of W as of X, and columns `col..col + width` of W.
            unsafe {
                let block = Block {
                    x: x.as_ptr(),
                    w: w.as_ptr().add(col),
                    acc: acc.as_mut_ptr().add(col * k),
                    rows: x.len() / k,
                    k,
                    p,
                    from,
                    next: if col == 0 { next } else { &[] },
                };
                match width {
                    1 => block.run::<1, 6, 7>(),
                    2 => block.run::<2, 6, 7>(),
                    3 => block.run::<3, 6, 7>(),
                    4 => block.run::<4, 6, 7>(),
                    5 => block.run::<5, 4, 5>(),
                    6 => block.run::<6, 4, 4>(),
                    7 => block.run::<7, 3, 3>(),
                    8 => block.run::<8, 3, 3>(),
                    9 => block.run::<9, 2, 2>(),
                    10 => block.run::<10, 2, 2>(),
                    11 => block.run::<11, 2, 2>(),
                    _ => block.run::<12, 2, 2>(),
                }
            }
            col += width;
        }
    }

    /// Some rows, some columns of W, all columns of X from one on.
    struct Block<'a> {
        x: *const f64,
        w: *const f64,
        acc: *mut f64,
        rows: usize,
        k: usize,
        p: usize,
        from: usize,
        /// What is asked for meanwhile.
        next: &'a [f64],
    }

    impl Block<'_> {
        /// In groups of `V` registers; where `LAST` are left, they are one group.
        ///
        /// # Safety
        /// At `x` are `rows` rows of `k` cells, at `w` as many of `P` cells, `p` apart, and at `acc` `P` rows of `k`.
        #[inline]
        #[target_feature(enable = "avx512f")]
        unsafe fn run<const P: usize, const V: usize, const LAST: usize>(&self) {
            // How many of so many registers are next.
            let group = |left: usize| match left {
                _ if left == LAST => LAST,
                _ if left >= V => V,
                _ => 1,
            };
            let (mut tiles, mut left) = (0, (self.k - self.from).div_ceil(LANES));
            while left > 0 {
                left -= group(left);
                tiles += 1;
            }
            // A share of what comes next for each tile.
            let mut shares = self
                .next
                .chunks(self.next.len().div_ceil(tiles.max(1)).max(1));
            let mut share = || shares.next().unwrap_or_default();
            let mut j = self.from;
            while j < self.k {
                let count = group((self.k - j).div_ceil(LANES));
                let mask = first(self.k - j - (count - 1) * LANES);
                // SAFETY: the registers but the last one end inside the rows, and the last one is masked.
                unsafe {
                    if count == LAST {
                        self.tile::<P, LAST>(j, mask, share());
                    } else if count == V {
                        self.tile::<P, V>(j, mask, share());
                    } else {
                        self.tile::<P, 1>(j, mask, share());
                    }
                }
                j += count * LANES;
            }
        }

        /// # Safety
        /// As [`Block::run`]; the lanes of `mask` are inside the rows for the last of `V` registers from `j` on.
        #[inline]
        #[target_feature(enable = "avx512f")]
        unsafe fn tile<const P: usize, const V: usize>(
            &self,
            j: usize,
            mask: __mmask8,
            next: &[f64],
        ) {
            // Some lines a row: all at once would take more requests than the processor can have under way.
            let step = next
                .len()
                .div_ceil(self.rows.max(1))
                .next_multiple_of(LANES);
            let mut ahead = 0;
            let zero = _mm512_setzero_pd();
            let mut acc = [[zero; V]; P];
            // SAFETY: the caller's promise.
            unsafe {
                let load = |at: *const f64, v: usize| {
                    if v + 1 == V {
                        _mm512_maskz_loadu_pd(mask, at.add(v * LANES))
                    } else {
                        _mm512_loadu_pd(at.add(v * LANES))
                    }
                };
                for c in 0..P {
                    for v in 0..V {
                        acc[c][v] = load(self.acc.add(c * self.k + j), v);
                    }
                }
                let (mut x, mut w) = (self.x.add(j), self.w);
                for _ in 0..self.rows {
                    prefetch(next, ahead..ahead + step);
                    ahead += step;
                    let mut cells = [zero; V];
                    for (v, cells) in cells.iter_mut().enumerate() {
                        *cells = load(x, v);
                    }
                    for c in 0..P {
                        let weight = _mm512_set1_pd(*w.add(c));
                        for v in 0..V {
                            acc[c][v] = _mm512_fmadd_pd(weight, cells[v], acc[c][v]);
                        }
                    }
                    // Past the last row the pointers are not read.
                    x = x.wrapping_add(self.k);
                    w = w.wrapping_add(self.p);
                }
                for c in 0..P {
                    for v in 0..V {
                        let at = self.acc.add(c * self.k + j + v * LANES);
                        let mask = if v + 1 == V { mask } else { 0xff };
                        _mm512_mask_storeu_pd(at, mask, acc[c][v]);
                    }
                }
            }
        }
    }
}
