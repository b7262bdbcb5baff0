//! Chains of cellwise steps that keep cells in registers from the first one to the last. Each result is what the steps give one by
//! one, to the last bit: nothing here changes their order or takes numbers together.

#![allow(
    unsafe_code,
    reason = "intrinsics need proof that the machine has them, and raw pointers that cells are there"
)]

use sumac_la::Op;

use super::simd::{fma, multiversion};
use super::simd_avx512;
use super::simd_cells::{self, Affine, Prefetch, Row};

/// Where the cells of a chain come from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Start<'a> {
    /// From memory.
    Cells(&'a [f64]),
    /// From a head: one of two arguments each.
    Head(Head, Row<'a>, Row<'a>),
}

/// An operator of two arguments that a chain may begin with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Head {
    Add,
    Sub,
    Mul,
    Div,
}

impl Head {
    /// The head that an operator is.
    pub(crate) fn of(op: Op) -> Option<Head> {
        Some(match op {
            Op::Add => Head::Add,
            Op::Sub => Head::Sub,
            Op::Mul => Head::Mul,
            Op::Div => Head::Div,
            _ => return None,
        })
    }

    fn op(self) -> Op {
        match self {
            Head::Add => Op::Add,
            Head::Sub => Op::Sub,
            Head::Mul => Op::Mul,
            Head::Div => Op::Div,
        }
    }
}

/// What the steps do with each cell, one after the other, into `out`; each result is rounded. Meanwhile what lies ahead is asked for.
///
/// # Panics
/// When an argument has not as many cells as `out`.
pub(crate) fn chain(start: Start<'_>, steps: &[Affine], out: &mut [f64], ahead: Prefetch<'_>) {
    let rows = match start {
        Start::Cells(x) => [Row::Many(x); 2],
        Start::Head(_, x, y) => [x, y],
    };
    for row in rows {
        if let Row::Many(cells) = row {
            assert_eq!(cells.len(), out.len(), "a result for each cell");
        }
    }
    #[cfg(target_arch = "x86_64")]
    if simd_avx512::is_there() {
        // SAFETY: avx512f was just detected, and the lengths were just checked.
        return unsafe { avx512::chain(start, steps, out, ahead) };
    }
    let _ = ahead;
    without_wide_registers(start, steps, out);
}

/// The same where the machine has no AVX-512: the head first, then what is in registers from the first step to the last.
fn without_wide_registers(start: Start<'_>, steps: &[Affine], out: &mut [f64]) {
    match start {
        Start::Cells(x) => out.copy_from_slice(x),
        Start::Head(head, x, y) => simd_cells::binary(head.op(), x, y, out),
    }
    in_place(steps, out);
}

multiversion! {
    /// What the steps do with each cell, in its place.
    fn in_place = in_place_body(steps: &[Affine], cells: &mut [f64]);
}

#[inline(always)]
fn in_place_body<const FUSED: bool>(steps: &[Affine], cells: &mut [f64]) {
    /// Eight registers of 256 bits: a multiplication takes as long as eight of them need to begin.
    const AT_ONCE: usize = 32;
    for cells in cells.chunks_mut(AT_ONCE) {
        // The last ones are as many: one by one they would take as long.
        let mut held = [0.0; AT_ONCE];
        held[..cells.len()].copy_from_slice(cells);
        for step in steps {
            for cell in &mut held {
                *cell = fma::<FUSED>(*cell, step.times, step.plus);
            }
        }
        cells.copy_from_slice(&held[..cells.len()]);
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(
    clippy::needless_range_loop,
    reason = "registers stay registers where the compiler sees which one is meant"
)]
mod avx512 {
    use std::arch::x86_64::*;

    use super::{Affine, Head, Prefetch, Row, Start};
    use crate::kernels::simd::prefetch;
    use crate::kernels::simd_avx512::avx512::first;

    const LANES: usize = 8;

    /// Registers of a block: as many again as multiplications can be under way.
    const BLOCK: usize = 16;

    /// # Safety
    /// Arguments with cells of their own have as many as `out`.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn chain(
        start: Start<'_>,
        steps: &[Affine],
        out: &mut [f64],
        ahead: Prefetch<'_>,
    ) {
        let len = out.len();
        let read = |row: Row<'_>, at: usize| match row {
            Row::One(x) => _mm512_set1_pd(x),
            // SAFETY: there are `len` cells, and lanes behind the last one are masked.
            Row::Many(cells) => unsafe {
                let from = cells.as_ptr().wrapping_add(at);
                if at + LANES <= len {
                    _mm512_loadu_pd(from)
                } else {
                    _mm512_maskz_loadu_pd(first(len.saturating_sub(at)), from)
                }
            },
        };
        match start {
            Start::Cells(x) => blocks(steps, out, ahead, |at| read(Row::Many(x), at)),
            Start::Head(head, x, y) => match head {
                Head::Add => blocks(steps, out, ahead, |at| {
                    _mm512_add_pd(read(x, at), read(y, at))
                }),
                Head::Sub => blocks(steps, out, ahead, |at| {
                    _mm512_sub_pd(read(x, at), read(y, at))
                }),
                Head::Mul => blocks(steps, out, ahead, |at| {
                    _mm512_mul_pd(read(x, at), read(y, at))
                }),
                Head::Div => blocks(steps, out, ahead, |at| {
                    _mm512_div_pd(read(x, at), read(y, at))
                }),
            },
        }
    }

    /// Block by block, what the steps do with the cells that `start` gives from a place on. While a block's steps are under way the
    /// next one's first cells are computed, a register after each few steps.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn blocks(
        steps: &[Affine],
        out: &mut [f64],
        ahead: Prefetch<'_>,
        start: impl Fn(usize) -> __m512d,
    ) {
        let few = steps.len().div_ceil(BLOCK).max(1);
        let mut next = [_mm512_setzero_pd(); BLOCK];
        for r in 0..BLOCK {
            next[r] = start(r * LANES);
        }
        let mut at = 0;
        for out in out.chunks_mut(BLOCK * LANES) {
            let mut held = next;
            let mut steps = steps.chunks(few);
            for i in 0..BLOCK {
                let line = ahead.from + at + i * LANES;
                for row in ahead.rows {
                    prefetch(row, line..line + LANES);
                }
                for step in steps.next().unwrap_or_default() {
                    let (times, plus) = (_mm512_set1_pd(step.times), _mm512_set1_pd(step.plus));
                    for r in 0..BLOCK {
                        held[r] = _mm512_fmadd_pd(held[r], times, plus);
                    }
                }
                next[i] = start(at + (BLOCK + i) * LANES);
            }
            for r in 0..BLOCK {
                let left = out.len().saturating_sub(r * LANES).min(LANES);
                let to = out.as_mut_ptr().wrapping_add(r * LANES);
                // SAFETY: lanes behind the last cell are masked.
                unsafe { _mm512_mask_storeu_pd(to, first(left), held[r]) };
            }
            at += BLOCK * LANES;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::scalar;

    const LENGTHS: [usize; 9] = [0, 1, 7, 8, 31, 127, 128, 129, 300];

    fn steps(count: usize) -> Vec<Affine> {
        (0..count)
            .map(|i| match i % 3 {
                0 => Affine::times(1.0 + i as f64 / 7.0),
                1 => Affine::plus(-0.3 * i as f64),
                _ => Affine::less_than(0.1),
            })
            .collect()
    }

    /// Cells of which one is zero, one infinite and one no number.
    fn numbers(len: usize, seed: usize) -> Vec<f64> {
        let number = |i: usize| match (i + seed) % 97 {
            3 => 0.0,
            5 => f64::INFINITY,
            7 => f64::NAN,
            n => (n as f64 - 50.0) / 7.0,
        };
        (0..len).map(number).collect()
    }

    fn bits(cells: &[f64]) -> Vec<u64> {
        // Which of several NaNs is the result is left open.
        let one = |x: &f64| if x.is_nan() { f64::NAN } else { *x }.to_bits();
        cells.iter().map(one).collect()
    }

    #[test]
    fn chains_are_their_steps_one_by_one_to_the_last_bit() {
        for len in LENGTHS {
            let (x, y) = (numbers(len, 1), numbers(len, 2));
            let (many_x, many_y) = (Row::Many(&x), Row::Many(&y));
            let mut starts = vec![Start::Cells(&x)];
            for head in [Head::Add, Head::Sub, Head::Mul, Head::Div] {
                starts.push(Start::Head(head, many_x, many_y));
                starts.push(Start::Head(head, many_x, Row::One(3.0)));
                starts.push(Start::Head(head, Row::One(3.0), many_y));
                starts.push(Start::Head(head, Row::One(3.0), Row::One(7.0)));
            }
            for count in [1, 2, 15, 16, 17, 100] {
                let steps = steps(count);
                for start in &starts {
                    let one = |i: usize| {
                        let begun = match start {
                            Start::Cells(x) => x[i],
                            Start::Head(head, x, y) => {
                                scalar::binary(head.op(), x.at(i), y.at(i)).unwrap()
                            }
                        };
                        let step = |x: f64, step: &Affine| x * step.times + step.plus;
                        steps.iter().fold(begun, step)
                    };
                    let expected: Vec<f64> = (0..len).map(one).collect();
                    let mut found = vec![f64::NAN; len];
                    let ahead = Prefetch {
                        rows: &[&x, &[]],
                        from: 0,
                    };
                    chain(*start, &steps, &mut found, ahead);
                    let what = format!("{len} cells, {count} steps, {start:?}");
                    assert_eq!(bits(&found), bits(&expected), "{what}");
                    without_wide_registers(*start, &steps, &mut found);
                    assert_eq!(bits(&found), bits(&expected), "{what}, plain");
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "a result for each cell")]
    fn an_argument_that_is_too_short_is_refused() {
        let start = Start::Head(Head::Mul, Row::Many(&[1.0; 7]), Row::One(1.0));
        chain(start, &steps(2), &mut [0.0; 8], Prefetch::default());
    }
}
