//! Blocks of sums of products: the innermost loops of a nest, on vectors, with a tile of sums in registers.
//!
//! `c[i, j] += sum over p of a[i, p] * b[p, j]`, where rows and sums lie any steps apart and `j` counts neighbours. The
//! products of one sum are added in the order of the loops. Where the machine has a fused multiply-add, it is used.

#![allow(
    unsafe_code,
    reason = "vectors of the machine are loaded by address, and functions for them are called where it has them"
)]

use std::ops::{Add, Mul};

use sumac_vectors::Tier;

/// Loops over a sum: how often, and how far apart numbers of both factors are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Steps {
    /// How often.
    pub count: usize,
    /// From one number of the first factor to the next.
    pub a: usize,
    /// From one row of the second factor to the next.
    pub b: usize,
}

/// The shape of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// How many rows.
    pub rows: usize,
    /// From one row of sums to the next: at least `lanes` where there are rows.
    pub c_row: usize,
    /// From a number of the first factor to that of the next row.
    pub a_row: usize,
    /// Neighbours: sums in a row.
    pub lanes: usize,
    /// The loops over the sum, the outer one first.
    pub sums: [Steps; 2],
}

impl Block {
    /// The numbers of `c`, `a` and `b` that the block reaches to.
    ///
    /// # Panics
    /// They are more than an address can say.
    fn reach(&self) -> [usize; 3] {
        let far = |parts: &[(usize, usize)]| {
            let mut end = 1_usize;
            for (count, step) in parts {
                let way = (count - 1).checked_mul(*step);
                end = way
                    .and_then(|way| end.checked_add(way))
                    .expect("a block is no larger than its buffers");
            }
            end
        };
        let [o, i] = self.sums;
        [
            far(&[(self.rows, self.c_row), (self.lanes, 1)]),
            far(&[(self.rows, self.a_row), (o.count, o.a), (i.count, i.a)]),
            far(&[(self.lanes, 1), (o.count, o.b), (i.count, i.b)]),
        ]
    }
}

/// Adds a block on f32.
///
/// # Panics
/// The slices are shorter than the block is.
pub fn add_f32(block: &Block, c: &mut [f32], a: &[f32], b: &[f32]) {
    #[cfg(target_arch = "x86_64")]
    {
        match Tier::here() {
            Tier::Avx512 => return run(block, c, a, b, wide::f32_512),
            Tier::Avx2 => return run(block, c, a, b, wide::f32_256),
            Tier::Portable => {}
        }
    }
    run(block, c, a, b, panels::<[f32; 4], 4>);
}

/// Adds a block on f64.
///
/// # Panics
/// The slices are shorter than the block is.
pub fn add_f64(block: &Block, c: &mut [f64], a: &[f64], b: &[f64]) {
    #[cfg(target_arch = "x86_64")]
    {
        match Tier::here() {
            Tier::Avx512 => return run(block, c, a, b, wide::f64_512),
            Tier::Avx2 => return run(block, c, a, b, wide::f64_256),
            Tier::Portable => {}
        }
    }
    run(block, c, a, b, panels::<[f64; 4], 4>);
}

/// A kernel: the block, where its sums begin, and where its factors do.
type Kernel<T> = unsafe fn(&Block, *mut T, *const T, *const T);

fn run<T>(block: &Block, c: &mut [T], a: &[T], b: &[T], kernel: Kernel<T>) {
    if block.rows == 0 || block.lanes == 0 || block.sums.iter().any(|sum| sum.count == 0) {
        return;
    }
    let [c_end, a_end, b_end] = block.reach();
    assert!(
        c_end <= c.len() && a_end <= a.len() && b_end <= b.len(),
        "a block is inside of its buffers"
    );
    // SAFETY: all that a kernel touches is below the three ends, which were just compared; the callers name kernels of
    // features that they detected.
    unsafe { kernel(block, c.as_mut_ptr(), a.as_ptr(), b.as_ptr()) }
}

/// A vector of the machine.
trait Lanes: Copy {
    type T: Copy + Add<Output = Self::T> + Mul<Output = Self::T>;
    /// Its numbers.
    const N: usize;
    /// # Safety
    /// `N` numbers stand there, and the machine has such vectors.
    unsafe fn load(at: *const Self::T) -> Self;
    /// # Safety
    /// `N` numbers may be written there, and the machine has such vectors.
    unsafe fn store(self, at: *mut Self::T);
    /// # Safety
    /// The machine has such vectors.
    unsafe fn splat(one: Self::T) -> Self;
    /// `self * b + c`.
    ///
    /// # Safety
    /// The machine has such vectors.
    unsafe fn fma(self, b: Self, c: Self) -> Self;
}

/// All rows of one or two vectors, then of the next ones; numbers that are left are added one by one.
///
/// # Safety
/// What the block reaches is there, and the machine has such vectors.
#[inline(always)]
unsafe fn panels<V: Lanes, const ROWS: usize>(
    block: &Block,
    c: *mut V::T,
    a: *const V::T,
    b: *const V::T,
) {
    let mut j = 0;
    while j + 2 * V::N <= block.lanes {
        // SAFETY: two vectors from j on are within the lanes.
        unsafe { rows::<V, ROWS, 2>(block, c.add(j), a, b.add(j)) };
        j += 2 * V::N;
    }
    while j + V::N <= block.lanes {
        // SAFETY: a vector from j on is within the lanes.
        unsafe { rows::<V, ROWS, 1>(block, c.add(j), a, b.add(j)) };
        j += V::N;
    }
    for j in j..block.lanes {
        for i in 0..block.rows {
            // SAFETY: row i and lane j are within the block.
            unsafe {
                one::<V::T>(
                    block,
                    c.add(i * block.c_row + j),
                    a.add(i * block.a_row),
                    b.add(j),
                );
            };
        }
    }
}

/// One sum.
///
/// # Safety
/// The sum and its factors are there.
#[inline(always)]
unsafe fn one<T: Copy + Add<Output = T> + Mul<Output = T>>(
    block: &Block,
    c: *mut T,
    a: *const T,
    b: *const T,
) {
    let [outer, inner] = block.sums;
    // SAFETY: all of it is within the block.
    unsafe {
        let mut sum = *c;
        for o in 0..outer.count {
            for i in 0..inner.count {
                let (a, b) = (
                    *a.add(o * outer.a + i * inner.a),
                    *b.add(o * outer.b + i * inner.b),
                );
                sum = sum + a * b;
            }
        }
        *c = sum;
    }
}

/// # Safety
/// What the block reaches from here on is there, and the machine has such vectors.
#[inline(always)]
unsafe fn rows<V: Lanes, const ROWS: usize, const WIDE: usize>(
    block: &Block,
    c: *mut V::T,
    a: *const V::T,
    b: *const V::T,
) {
    let mut i = 0;
    // SAFETY: the rows of each tile are within the block.
    unsafe {
        while i + ROWS <= block.rows {
            tile::<V, ROWS, WIDE>(block, c.add(i * block.c_row), a.add(i * block.a_row), b);
            i += ROWS;
        }
        if i + 4 <= block.rows {
            tile::<V, 4, WIDE>(block, c.add(i * block.c_row), a.add(i * block.a_row), b);
            i += 4;
        }
        while i < block.rows {
            tile::<V, 1, WIDE>(block, c.add(i * block.c_row), a.add(i * block.a_row), b);
            i += 1;
        }
    }
}

/// # Safety
/// What so many rows and vectors of the block reach is there, and the machine has such vectors.
#[inline(always)]
unsafe fn tile<V: Lanes, const ROWS: usize, const WIDE: usize>(
    block: &Block,
    c: *mut V::T,
    a: *const V::T,
    b: *const V::T,
) {
    let [outer, inner] = block.sums;
    // SAFETY: row r, vector w, and each step of the sums are within the block.
    unsafe {
        let mut sums = [[V::splat(*c); WIDE]; ROWS];
        for (r, row) in sums.iter_mut().enumerate() {
            for (w, sum) in row.iter_mut().enumerate() {
                *sum = V::load(c.add(r * block.c_row + w * V::N));
            }
        }
        for o in 0..outer.count {
            let (a, b) = (a.add(o * outer.a), b.add(o * outer.b));
            for i in 0..inner.count {
                let (a, b) = (a.add(i * inner.a), b.add(i * inner.b));
                let mut factors = [V::splat(*b); WIDE];
                for (w, factor) in factors.iter_mut().enumerate() {
                    *factor = V::load(b.add(w * V::N));
                }
                for (r, row) in sums.iter_mut().enumerate() {
                    let x = V::splat(*a.add(r * block.a_row));
                    for (sum, factor) in row.iter_mut().zip(factors) {
                        *sum = x.fma(factor, *sum);
                    }
                }
            }
        }
        for (r, row) in sums.iter().enumerate() {
            for (w, sum) in row.iter().enumerate() {
                sum.store(c.add(r * block.c_row + w * V::N));
            }
        }
    }
}

/// Where nothing is known of the machine: four numbers side by side.
impl<T: Copy + Add<Output = T> + Mul<Output = T>> Lanes for [T; 4] {
    type T = T;
    const N: usize = 4;

    #[inline(always)]
    unsafe fn load(at: *const T) -> Self {
        // SAFETY: four numbers stand there.
        unsafe { at.cast::<[T; 4]>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn store(self, at: *mut T) {
        // SAFETY: four numbers may be written there.
        unsafe { at.cast::<[T; 4]>().write_unaligned(self) }
    }

    #[inline(always)]
    unsafe fn splat(one: T) -> Self {
        [one; 4]
    }

    #[inline(always)]
    unsafe fn fma(self, b: Self, c: Self) -> Self {
        std::array::from_fn(|n| self[n] * b[n] + c[n])
    }
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::{
        __m256, __m256d, __m512, __m512d, _mm256_fmadd_pd, _mm256_fmadd_ps, _mm256_loadu_pd,
        _mm256_loadu_ps, _mm256_set1_pd, _mm256_set1_ps, _mm256_storeu_pd, _mm256_storeu_ps,
        _mm512_fmadd_pd, _mm512_fmadd_ps, _mm512_loadu_pd, _mm512_loadu_ps, _mm512_set1_pd,
        _mm512_set1_ps, _mm512_storeu_pd, _mm512_storeu_ps,
    };

    use super::{Block, Lanes, panels};

    macro_rules! lanes {
        ($vector:ident, $number:ident, $n:literal, $load:ident, $store:ident, $splat:ident, $fma:ident) => {
            impl Lanes for $vector {
                type T = $number;
                const N: usize = $n;

                #[inline(always)]
                unsafe fn load(at: *const $number) -> Self {
                    // SAFETY: as the trait asks.
                    unsafe { $load(at) }
                }

                #[inline(always)]
                unsafe fn store(self, at: *mut $number) {
                    // SAFETY: as the trait asks.
                    unsafe { $store(at, self) }
                }

                #[inline(always)]
                unsafe fn splat(one: $number) -> Self {
                    // SAFETY: as the trait asks.
                    unsafe { $splat(one) }
                }

                #[inline(always)]
                unsafe fn fma(self, b: Self, c: Self) -> Self {
                    // SAFETY: as the trait asks.
                    unsafe { $fma(self, b, c) }
                }
            }
        };
    }

    lanes!(
        __m512,
        f32,
        16,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_set1_ps,
        _mm512_fmadd_ps
    );
    lanes!(
        __m512d,
        f64,
        8,
        _mm512_loadu_pd,
        _mm512_storeu_pd,
        _mm512_set1_pd,
        _mm512_fmadd_pd
    );
    lanes!(
        __m256,
        f32,
        8,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_set1_ps,
        _mm256_fmadd_ps
    );
    lanes!(
        __m256d,
        f64,
        4,
        _mm256_loadu_pd,
        _mm256_storeu_pd,
        _mm256_set1_pd,
        _mm256_fmadd_pd
    );

    macro_rules! kernel {
        ($name:ident, $features:literal, $number:ident, $vector:ident, $rows:literal) => {
            /// # Safety
            /// What the block reaches is there, and the machine has the features.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn $name(
                block: &Block,
                c: *mut $number,
                a: *const $number,
                b: *const $number,
            ) {
                // SAFETY: the same is asked of the caller.
                unsafe { panels::<$vector, $rows>(block, c, a, b) }
            }
        };
    }

    // Thirty-two registers hold eight rows of two vectors; sixteen hold four.
    kernel!(f32_512, "avx512f", f32, __m512, 8);
    kernel!(f64_512, "avx512f", f64, __m512d, 8);
    kernel!(f32_256, "avx2,fma", f32, __m256, 4);
    kernel!(f64_256, "avx2,fma", f64, __m256d, 4);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of which sums of products are exact.
    fn numbers(len: usize, seed: u32) -> Vec<f64> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 28) - 7.0
        };
        (0..len).map(|_| next()).collect()
    }

    fn single(numbers: &[f64]) -> Vec<f32> {
        #[expect(clippy::cast_possible_truncation, reason = "small whole numbers")]
        numbers.iter().map(|x| *x as f32).collect()
    }

    fn all(block: &Block) {
        let [c_end, a_end, b_end] = if block.rows == 0 || block.lanes == 0 {
            [1; 3]
        } else {
            block.reach()
        };
        let (c, a, b) = (numbers(c_end, 1), numbers(a_end, 2), numbers(b_end, 3));
        let mut expected = c.clone();
        let [o, i] = block.sums;
        for row in 0..block.rows {
            for lane in 0..block.lanes {
                for p in 0..o.count {
                    for q in 0..i.count {
                        expected[row * block.c_row + lane] +=
                            a[row * block.a_row + p * o.a + q * i.a] * b[p * o.b + q * i.b + lane];
                    }
                }
            }
        }
        let mut found = c.clone();
        add_f64(block, &mut found, &a, &b);
        assert_eq!(found, expected, "{block:?}");
        let mut found = single(&c);
        add_f32(block, &mut found, &single(&a), &single(&b));
        assert_eq!(found, single(&expected), "{block:?}");
        let mut found = c.clone();
        run(block, &mut found, &a, &b, panels::<[f64; 4], 4>);
        assert_eq!(found, expected, "{block:?}");
        #[cfg(target_arch = "x86_64")]
        if Tier::here() >= Tier::Avx2 {
            let mut found = c.clone();
            run(block, &mut found, &a, &b, wide::f64_256);
            assert_eq!(found, expected, "{block:?}");
            let mut found = single(&c);
            run(block, &mut found, &single(&a), &single(&b), wide::f32_256);
            assert_eq!(found, single(&expected), "{block:?}");
        }
    }

    #[test]
    fn blocks_of_all_shapes_are_the_sums_that_loops_give() {
        let sum = |count, a, b| Steps { count, a, b };
        for rows in [0, 1, 3, 4, 8, 13, 32] {
            for lanes in [0, 1, 4, 7, 16, 24, 32, 53] {
                for sums in [
                    [sum(1, 0, 0), sum(5, 1, lanes)],
                    [sum(3, 20, 70), sum(2, 7, 60)],
                    [sum(1, 0, 0), sum(0, 1, 1)],
                ] {
                    if sums[1].count > 0 {
                        all(&Block {
                            rows,
                            c_row: lanes + 3,
                            a_row: 9,
                            lanes,
                            sums,
                        });
                    }
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "inside of its buffers")]
    fn a_block_that_is_larger_than_its_buffers_is_refused() {
        let one = Steps {
            count: 1,
            a: 0,
            b: 0,
        };
        let block = Block {
            rows: 2,
            c_row: 4,
            a_row: 1,
            lanes: 4,
            sums: [one, one],
        };
        add_f32(&block, &mut [0.0; 7], &[0.0; 2], &[0.0; 4]);
    }
}
