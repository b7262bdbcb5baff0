//! `t(X) %*% W` in one pass over X, where a row of W is computed from X's row and others, written by hand for AVX-512: four rows
//! at a time, a column of the factor and of the sums after the other; where there is only one column, a row at a time, with
//! factor and sums in registers; later rows fetched ahead. It knows rows of 97 to 104 cells. A machine without AVX-512 runs a plain loop.

#![allow(
    unsafe_code,
    reason = "intrinsics need proof that the machine has them, and raw pointers that cells are there"
)]

use rayon::prelude::*;

/// Cells of a row at most, a whole number of registers.
pub(crate) const WIDTH: usize = 104;

/// Rows that are taken at a time where there are several columns.
const ROWS: usize = 4;

/// A matrix of at most [`WIDTH`] rows by its `P` columns, zeros behind each.
pub(crate) type Columns<const P: usize> = [[f64; WIDTH]; P];

/// The columns of a matrix of `P` columns, from its rows.
pub(crate) fn columns<const P: usize>(cells: &[f64]) -> Columns<P> {
    let mut out = [[0.0; WIDTH]; P];
    for (i, row) in cells.chunks_exact(P).enumerate() {
        for (column, x) in out.iter_mut().zip(row) {
            column[i] = *x;
        }
    }
    out
}

/// `t(X) %*% W` for X of `k` columns by its rows, a multiple of four. `weigh` is given the number of the first of some rows and
/// their products with the factor, zeros where there is none, and puts these rows of W in their place. By rows of `P` cells.
///
/// # Panics
/// X has rows of other lengths than 97 to 104, or not as many as that.
pub(crate) fn product<const P: usize>(
    x: &[f64],
    k: usize,
    factor: Option<&Columns<P>>,
    weigh: impl Fn(usize, &mut [[f64; P]]) + Sync,
) -> Vec<f64> {
    /// Rows of a task.
    const TASK: usize = 4000;
    let zero = || [[0.0; WIDTH]; P];
    let added = |mut sums: Columns<P>, (task, x): (usize, &[f64])| {
        let weigh = |first: usize, weights: &mut [[f64; P]]| weigh(task * TASK + first, weights);
        add(x, k, factor, weigh, &mut sums);
        sums
    };
    let both = |mut sums: Columns<P>, others: Columns<P>| {
        let all = sums.as_flattened_mut().iter_mut();
        all.zip(others.as_flattened()).for_each(|(a, b)| *a += b);
        sums
    };
    let tasks = x.par_chunks(TASK * k).enumerate();
    let sums = tasks.fold(zero, added).reduce(zero, both);
    let row = |i: usize| sums.iter().map(move |column| column[i]);
    (0..k).flat_map(row).collect()
}

/// Adds the same to the sums.
fn add<const P: usize>(
    x: &[f64],
    k: usize,
    factor: Option<&Columns<P>>,
    weigh: impl Fn(usize, &mut [[f64; P]]),
    sums: &mut Columns<P>,
) {
    assert!((WIDTH - 7..=WIDTH).contains(&k) && x.len().is_multiple_of(ROWS * k));
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: avx512f was just detected; X has whole rows of `k` cells, which are 13 registers, the last one not whole.
        return unsafe {
            match P {
                1 => wide::add_held(x, k, factor, weigh, sums),
                _ => wide::add(x, k, factor, weigh, sums),
            }
        };
    }
    for (i, rows) in x.chunks_exact(ROWS * k).enumerate() {
        let mut weights = [[0.0; P]; ROWS];
        for (row, weights) in rows.chunks_exact(k).zip(&mut weights) {
            for (p, weight) in weights.iter_mut().enumerate() {
                *weight = factor.map_or(0.0, |factor| {
                    row.iter().zip(&factor[p]).map(|(a, b)| a * b).sum()
                });
            }
        }
        weigh(i * ROWS, &mut weights);
        for (row, weights) in rows.chunks_exact(k).zip(&weights) {
            for (weight, sums) in weights.iter().zip(sums.iter_mut()) {
                sums.iter_mut().zip(row).for_each(|(s, x)| *s += weight * x);
            }
        }
    }
}

/// The sum of all cells of X, of `k` columns by its rows, each over its row's sum and times all of these factors, one after the
/// other.
///
/// # Panics
/// X has rows of other lengths than 97 to 104.
pub(crate) fn sum_scaled(x: &[f64], k: usize, factors: &[f64]) -> f64 {
    assert!((WIDTH - 7..=WIDTH).contains(&k));
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: avx512f was just detected; rows have at most `WIDTH` cells.
        let of = |row: &[f64]| unsafe { wide::sum_scaled(row, factors) };
        return x.par_chunks_exact(k).with_min_len(1000).map(of).sum();
    }
    let of = |row: &[f64]| -> f64 {
        let total: f64 = row.iter().sum();
        let scaled = |x: &f64| factors.iter().fold(x / total, |x, factor| x * factor);
        row.iter().map(scaled).sum()
    };
    x.par_chunks_exact(k).with_min_len(1000).map(of).sum()
}

#[cfg(target_arch = "x86_64")]
#[allow(
    clippy::needless_range_loop,
    reason = "sums stay in registers where the compiler sees which one is meant"
)]
mod wide {
    use std::arch::x86_64::*;

    use super::{Columns, ROWS, WIDTH};

    const LANES: usize = 8;
    /// Registers of a row.
    const REGISTERS: usize = WIDTH / LANES;
    /// Rows are fetched so many ahead.
    const AHEAD: usize = 16;

    /// One of the registers of a row of `k` cells; the row that comes later is fetched.
    ///
    /// # Safety
    /// The machine has AVX-512F; the cells can be read, and are 97 to 104.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn load<const IS_FIRST: bool>(row: *const f64, k: usize, register: usize) -> __m512d {
        let at = row.wrapping_add(register * LANES);
        // SAFETY: lanes behind the row are masked, and not read; a prefetch may name any address.
        unsafe {
            if IS_FIRST {
                _mm_prefetch::<_MM_HINT_T0>(at.wrapping_add(AHEAD * k).cast());
            }
            match register + 1 {
                REGISTERS => _mm512_maskz_loadu_pd(0xff_u8 >> (WIDTH - k), at),
                _ => _mm512_loadu_pd(at),
            }
        }
    }

    /// # Safety
    /// The machine has AVX-512F, and `x` has rows of 97 to 104 cells, a multiple of four of them.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn add_held<const P: usize>(
        x: &[f64],
        k: usize,
        factor: Option<&Columns<P>>,
        weigh: impl Fn(usize, &mut [[f64; P]]),
        sums: &mut Columns<P>,
    ) {
        let zeros = [_mm512_setzero_pd(); REGISTERS];
        let (mut column, mut held) = (zeros, zeros);
        for j in 0..REGISTERS {
            // SAFETY: columns have `WIDTH` cells.
            unsafe {
                if let Some(factor) = factor {
                    column[j] = _mm512_loadu_pd(factor[0].as_ptr().add(j * LANES));
                }
                held[j] = _mm512_loadu_pd(sums[0].as_ptr().add(j * LANES));
            }
        }
        for i in 0..x.len() / k {
            let row = x.as_ptr().wrapping_add(i * k);
            let mut weights = [[0.0; P]];
            if factor.is_some() {
                let mut four = [_mm512_setzero_pd(); 4];
                for j in 0..REGISTERS {
                    // SAFETY: the caller's promise.
                    let cells = unsafe { load::<true>(row, k, j) };
                    four[j % 4] = _mm512_fmadd_pd(cells, column[j], four[j % 4]);
                }
                let [a, b, c, d] = four;
                let sum = _mm512_add_pd(_mm512_add_pd(a, b), _mm512_add_pd(c, d));
                weights[0][0] = _mm512_reduce_add_pd(sum);
            }
            weigh(i, &mut weights);
            let weight = _mm512_set1_pd(weights[0][0]);
            for j in 0..REGISTERS {
                // SAFETY: the caller's promise.
                let cells = unsafe {
                    match factor {
                        None => load::<true>(row, k, j),
                        Some(_) => load::<false>(row, k, j),
                    }
                };
                held[j] = _mm512_fmadd_pd(cells, weight, held[j]);
            }
        }
        for j in 0..REGISTERS {
            // SAFETY: columns have `WIDTH` cells.
            unsafe { _mm512_storeu_pd(sums[0].as_mut_ptr().add(j * LANES), held[j]) };
        }
    }

    /// # Safety
    /// The machine has AVX-512F, and `x` has rows of 97 to 104 cells, a multiple of four of them.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn add<const P: usize>(
        x: &[f64],
        k: usize,
        factor: Option<&Columns<P>>,
        weigh: impl Fn(usize, &mut [[f64; P]]),
        sums: &mut Columns<P>,
    ) {
        for first in (0..x.len() / k).step_by(ROWS) {
            let row = |r: usize| x.as_ptr().wrapping_add((first + r) * k);
            let mut weights = [[0.0; P]; ROWS];
            if let Some(factor) = factor {
                let mut products = [[_mm512_setzero_pd(); P]; ROWS];
                for j in 0..REGISTERS {
                    // SAFETY: the caller's promise; columns have `WIDTH` cells.
                    unsafe {
                        let cells: [__m512d; ROWS] =
                            std::array::from_fn(|r| load::<true>(row(r), k, j));
                        for p in 0..P {
                            let column = _mm512_loadu_pd(factor[p].as_ptr().add(j * LANES));
                            for r in 0..ROWS {
                                products[r][p] = _mm512_fmadd_pd(cells[r], column, products[r][p]);
                            }
                        }
                    }
                }
                weights = products.map(|row| row.map(|sum| _mm512_reduce_add_pd(sum)));
            }
            weigh(first, &mut weights);
            for j in 0..REGISTERS {
                // SAFETY: as above.
                unsafe {
                    let cells: [__m512d; ROWS] = std::array::from_fn(|r| match factor {
                        None => load::<true>(row(r), k, j),
                        Some(_) => load::<false>(row(r), k, j),
                    });
                    for p in 0..P {
                        let at = sums[p].as_mut_ptr().add(j * LANES);
                        let mut sum = _mm512_loadu_pd(at);
                        for r in 0..ROWS {
                            sum = _mm512_fmadd_pd(cells[r], _mm512_set1_pd(weights[r][p]), sum);
                        }
                        _mm512_storeu_pd(at, sum);
                    }
                }
            }
        }
    }

    /// # Safety
    /// The machine has AVX-512F, and `row` has 97 to 104 cells.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn sum_scaled(row: &[f64], factors: &[f64]) -> f64 {
        let mut held = [_mm512_setzero_pd(); REGISTERS];
        let mut total = _mm512_setzero_pd();
        for (j, held) in held.iter_mut().enumerate() {
            // SAFETY: the caller's promise.
            *held = unsafe { load::<true>(row.as_ptr(), row.len(), j) };
            total = _mm512_add_pd(total, *held);
        }
        let total = _mm512_set1_pd(_mm512_reduce_add_pd(total));
        for held in &mut held {
            *held = _mm512_div_pd(*held, total);
        }
        for factor in factors {
            let factor = _mm512_set1_pd(*factor);
            for held in &mut held {
                *held = _mm512_mul_pd(*held, factor);
            }
        }
        let sum = held.into_iter().reduce(|a, b| _mm512_add_pd(a, b));
        sum.map_or(0.0, |sum| _mm512_reduce_add_pd(sum))
    }
}
