//! Inner loops compiled once for each vector width of the machine and chosen at run time.
//!
//! The loops are plain Rust; only the target features differ. Where the machine has a fused multiply-add the last
//! bits differ from a machine that has none; on one machine results are always the same.

#![allow(
    unsafe_code,
    reason = "calling a function compiled for more features needs proof that the machine has them"
)]

use super::scalar;

/// `a * b + c`, fused where that is fast.
#[inline(always)]
pub(crate) fn fma<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// Defines `fn name(args) -> ret`, which runs `body::<FUSED>` compiled for the widest vectors that kernels may use.
macro_rules! multiversion {
    ($(#[$doc:meta])* fn $name:ident = $body:ident($($arg:ident: $ty:ty),*) $(-> $ret:ty)?;) => {
        $(#[$doc])*
        #[inline]
        pub(crate) fn $name($($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,fma,avx2,bmi1,bmi2,popcnt")]
                fn avx512($($arg: $ty),*) $(-> $ret)? { $body::<true>($($arg),*) }
                #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
                fn avx2($($arg: $ty),*) $(-> $ret)? { $body::<true>($($arg),*) }
                match ::sumac_vectors::Tier::here() {
                    // SAFETY: no tier is named whose instructions the processor lacks.
                    ::sumac_vectors::Tier::Avx512 => return unsafe { avx512($($arg),*) },
                    // SAFETY: as above.
                    ::sumac_vectors::Tier::Avx2 => return unsafe { avx2($($arg),*) },
                    ::sumac_vectors::Tier::Portable => {}
                }
            }
            $body::<false>($($arg),*)
        }
    };
}

pub(crate) use multiversion;

multiversion! {
    /// `out[i] = sum over j of x[i * k + j] * v[j]` for rows of `k = v.len()` cells.
    fn rows_times_vector = rows_times_vector_body(x: &[f64], v: &[f64], out: &mut [f64]);
}

multiversion! {
    /// `acc[c * k + j] += w[i * p + c] * x[i * k + j]`: the transposed product of some rows of X and W, into `p` rows
    /// of `k` cells.
    fn add_transposed_product = add_transposed_product_body(x: &[f64], w: &[f64], k: usize, p: usize, acc: &mut [f64]);
}

multiversion! {
    /// `y[j] += a * x[j]`.
    fn axpy = axpy_body(a: f64, x: &[f64], y: &mut [f64]);
}

multiversion! {
    /// `acc[j] += x[j]` for each row of as many cells, one after the other.
    fn add_rows = add_rows_body(x: &[f64], acc: &mut [f64]);
}

multiversion! {
    /// `acc[j] = min(acc[j], x[j])` for each row of as many cells, one after the other; NaN if there is one.
    fn min_rows = min_rows_body(x: &[f64], acc: &mut [f64]);
}

multiversion! {
    /// `acc[j] = max(acc[j], x[j])` for each row of as many cells, one after the other; NaN if there is one.
    fn max_rows = max_rows_body(x: &[f64], acc: &mut [f64]);
}

multiversion! {
    /// The sum, by pairs of halves over blocks: rounding grows with the logarithm of the length.
    fn sum = sum_body(x: &[f64]) -> f64;
}

multiversion! {
    /// `acc += t(x) (w * (x v))` for rows of `v.len()` cells, each read once; weights of one where there are none.
    fn chain_rows = chain_rows_body(x: &[f64], v: &[f64], w: Option<&[f64]>, acc: &mut [f64]);
}

multiversion! {
    /// The sum of each row of `k` cells, as [`sum`] gives it.
    fn row_sums = row_sums_body(x: &[f64], k: usize, out: &mut [f64]);
}

multiversion! {
    /// The smallest cell and infinity, NaN if there is one.
    fn min = min_body(x: &[f64]) -> f64;
}

multiversion! {
    /// The largest cell and minus infinity, NaN if there is one.
    fn max = max_body(x: &[f64]) -> f64;
}

multiversion! {
    /// The smallest cell of each row of `k` cells, as [`min`] gives it; 0 of a row without cells.
    fn row_mins = row_mins_body(x: &[f64], k: usize, out: &mut [f64]);
}

multiversion! {
    /// The largest cell of each row of `k` cells, as [`max`] gives it; 0 of a row without cells.
    fn row_maxs = row_maxs_body(x: &[f64], k: usize, out: &mut [f64]);
}

const LANES: usize = 8;

#[inline(always)]
fn rows_times_vector_body<const FUSED: bool>(x: &[f64], v: &[f64], out: &mut [f64]) {
    let k = v.len();
    if k == 0 {
        return out.fill(0.0);
    }
    for (row, y) in x.chunks_exact(k).zip(out) {
        let mut acc = [[0.0; LANES]; 4];
        let (quads, rest) = (row.chunks_exact(4 * LANES), v.chunks_exact(4 * LANES));
        let (row_rest, v_rest) = (quads.remainder(), rest.remainder());
        for (a, b) in quads.zip(rest) {
            for (u, lanes) in acc.iter_mut().enumerate() {
                for (l, lane) in lanes.iter_mut().enumerate() {
                    *lane = fma::<FUSED>(a[u * LANES + l], b[u * LANES + l], *lane);
                }
            }
        }
        let [a, b, c, d] = &acc;
        let mut total = 0.0;
        for (((a, b), c), d) in a.iter().zip(b).zip(c).zip(d) {
            total += (a + b) + (c + d);
        }
        for (a, b) in row_rest.iter().zip(v_rest) {
            total = fma::<FUSED>(*a, *b, total);
        }
        *y = total;
    }
}

#[inline(always)]
fn add_transposed_product_body<const FUSED: bool>(
    x: &[f64],
    w: &[f64],
    k: usize,
    p: usize,
    acc: &mut [f64],
) {
    if k == 0 || p == 0 {
        return;
    }
    // Four rows of X for each pass over an accumulator row: one load and one store for four multiplications.
    let mut blocks = x.chunks_exact(4 * k);
    let mut weights = w.chunks_exact(4 * p);
    for (rows, ws) in (&mut blocks).zip(&mut weights) {
        let (r0, rest) = rows.split_at(k);
        let (r1, rest) = rest.split_at(k);
        let (r2, r3) = rest.split_at(k);
        for (c, acc_row) in acc.chunks_exact_mut(k).enumerate() {
            let (w0, w1, w2, w3) = (ws[c], ws[p + c], ws[2 * p + c], ws[3 * p + c]);
            for ((((y, a), b), c), d) in acc_row.iter_mut().zip(r0).zip(r1).zip(r2).zip(r3) {
                *y = fma::<FUSED>(
                    w3,
                    *d,
                    fma::<FUSED>(w2, *c, fma::<FUSED>(w1, *b, fma::<FUSED>(w0, *a, *y))),
                );
            }
        }
    }
    for (row, ws) in blocks
        .remainder()
        .chunks_exact(k)
        .zip(weights.remainder().chunks_exact(p))
    {
        for (acc_row, &weight) in acc.chunks_exact_mut(k).zip(ws) {
            axpy_body::<FUSED>(weight, row, acc_row);
        }
    }
}

#[inline(always)]
fn axpy_body<const FUSED: bool>(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y = fma::<FUSED>(a, x, *y);
    }
}

#[inline(always)]
fn add_rows_body<const FUSED: bool>(x: &[f64], acc: &mut [f64]) {
    join_rows(x, acc, |a, b| a + b);
}

#[inline(always)]
fn min_rows_body<const FUSED: bool>(x: &[f64], acc: &mut [f64]) {
    join_rows(x, acc, scalar::min);
}

#[inline(always)]
fn max_rows_body<const FUSED: bool>(x: &[f64], acc: &mut [f64]) {
    join_rows(x, acc, scalar::max);
}

#[inline(always)]
fn join_rows(x: &[f64], acc: &mut [f64], f: impl Fn(f64, f64) -> f64) {
    let cols = acc.len().max(1);
    let (acc, acc_rest) = acc.as_chunks_mut::<LANES>();
    for row in x.chunks_exact(cols) {
        let (row, rest) = row.as_chunks::<LANES>();
        for (acc, row) in acc.iter_mut().zip(row) {
            for (acc, x) in acc.iter_mut().zip(row) {
                *acc = f(*acc, *x);
            }
        }
        for (acc, x) in acc_rest.iter_mut().zip(rest) {
            *acc = f(*acc, *x);
        }
    }
}

/// Adds numbers by pairs of halves, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Pairwise {
    /// Sums of 2^i numbers wait at `waiting[i]` for their other half, as carries of a binary counter.
    waiting: [f64; usize::BITS as usize],
    count: usize,
}

impl Default for Pairwise {
    fn default() -> Self {
        Pairwise {
            waiting: [0.0; usize::BITS as usize],
            count: 0,
        }
    }
}

impl Pairwise {
    /// One more number.
    #[inline(always)]
    pub(crate) fn add(&mut self, number: f64) {
        let mut total = number;
        let mut level = 0;
        while self.count >> level & 1 == 1 {
            total += self.waiting[level];
            level += 1;
        }
        self.waiting[level] = total;
        self.count += 1;
    }

    /// The sum of all numbers so far.
    #[inline(always)]
    pub(crate) fn total(&self) -> f64 {
        let mut total = 0.0;
        for (level, part) in self.waiting.iter().enumerate() {
            if self.count >> level & 1 == 1 {
                total += part;
            }
        }
        total
    }
}

/// Cells that are added before the sum takes part in pairs.
const SUM_BLOCK: usize = 512;

#[inline(always)]
fn sum_body<const FUSED: bool>(x: &[f64]) -> f64 {
    let mut total = Pairwise::default();
    for (i, block) in x.chunks(SUM_BLOCK).enumerate() {
        prefetch(x, (i + 2) * SUM_BLOCK..(i + 3) * SUM_BLOCK);
        total.add(sum_block(block));
    }
    total.total()
}

#[inline(always)]
fn row_sums_body<const FUSED: bool>(x: &[f64], k: usize, out: &mut [f64]) {
    if k == 0 {
        return out.fill(0.0);
    }
    for (row, sum) in x.chunks_exact(k).zip(out) {
        *sum = if k <= SUM_BLOCK {
            sum_block(row)
        } else {
            sum_body::<FUSED>(row)
        };
    }
}

#[inline(always)]
fn min_body<const FUSED: bool>(x: &[f64]) -> f64 {
    extreme(x, f64::INFINITY, scalar::min)
}

#[inline(always)]
fn max_body<const FUSED: bool>(x: &[f64]) -> f64 {
    extreme(x, f64::NEG_INFINITY, scalar::max)
}

#[inline(always)]
fn row_mins_body<const FUSED: bool>(x: &[f64], k: usize, out: &mut [f64]) {
    row_extremes(x, k, out, f64::INFINITY, scalar::min);
}

#[inline(always)]
fn row_maxs_body<const FUSED: bool>(x: &[f64], k: usize, out: &mut [f64]) {
    row_extremes(x, k, out, f64::NEG_INFINITY, scalar::max);
}

/// The largest (or smallest) cell of each row. Short rows go side by side: one of them alone would wait for each of its cells.
#[inline(always)]
fn row_extremes(
    x: &[f64],
    k: usize,
    out: &mut [f64],
    start: f64,
    f: impl Fn(f64, f64) -> f64 + Copy,
) {
    if k == 0 {
        return out.fill(0.0);
    }
    if k >= 4 * LANES {
        for (row, found) in x.chunks_exact(k).zip(out) {
            *found = extreme(row, start, f);
        }
        return;
    }
    let (blocks, rest) = out.as_chunks_mut::<LANES>();
    let (wide, rest_rows) = x.split_at(blocks.len() * LANES * k);
    for (rows, found) in wide.chunks_exact(LANES * k).zip(blocks) {
        *found = [start; LANES];
        for j in 0..k {
            for (l, lane) in found.iter_mut().enumerate() {
                *lane = f(*lane, rows[l * k + j]);
            }
        }
    }
    for (row, found) in rest_rows.chunks_exact(k).zip(rest) {
        *found = row.iter().fold(start, |a, &b| f(a, b));
    }
}

/// The largest (or smallest) cell. What comes after the next ones is asked for: processors that foresee it do so late.
#[inline(always)]
fn extreme(x: &[f64], start: f64, f: impl Fn(f64, f64) -> f64) -> f64 {
    /// Cells ahead of those that are looked at.
    const AHEAD: usize = 512;
    let mut lanes = [start; 4 * LANES];
    let chunks = x.chunks_exact(4 * LANES);
    let rest = chunks.remainder().iter().fold(start, |a, &b| f(a, b));
    for chunk in chunks {
        prefetch_from(chunk.as_ptr().wrapping_add(AHEAD), chunk.len());
        for (lane, &cell) in lanes.iter_mut().zip(chunk) {
            *lane = f(*lane, cell);
        }
    }
    lanes.into_iter().fold(rest, f)
}

/// Asks for these cells' memory, as far as they exist. It changes nothing but how long later reads take.
#[inline(always)]
pub(crate) fn prefetch<T>(cells: &[T], range: std::ops::Range<usize>) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let mut at = range.start;
        while at < range.end.min(cells.len()) {
            // SAFETY: a prefetch has no effect on memory, whatever the address; SSE is part of x86-64.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(cells.as_ptr().wrapping_add(at).cast()) };
            at += 64 / size_of::<T>();
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (cells, range);
}

/// Asks for the memory of so many values from an address on, whatever is there. It changes nothing but how long later reads
/// take.
#[inline(always)]
pub(crate) fn prefetch_from<T>(at: *const T, count: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        for i in (0..count).step_by(64 / size_of::<T>()) {
            // SAFETY: a prefetch has no effect on memory, whatever the address; SSE is part of x86-64.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(at.wrapping_add(i).cast()) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (at, count);
}

#[inline(always)]
fn sum_block(x: &[f64]) -> f64 {
    let mut acc = [0.0; 4 * LANES];
    let chunks = x.chunks_exact(4 * LANES);
    let rest: f64 = chunks.remainder().iter().sum();
    for chunk in chunks {
        for (lane, value) in acc.iter_mut().zip(chunk) {
            *lane += value;
        }
    }
    by_halves(&mut acc) + rest
}

/// The sum of all lanes. Compilers that see its last pairs beside the loop that fills the lanes fill them two at a time, so the last
/// eight are looked at as numbers in memory.
#[inline(always)]
pub(crate) fn by_halves(acc: &mut [f64; 4 * LANES]) -> f64 {
    let mut width = acc.len();
    while width > LANES {
        width /= 2;
        for i in 0..width {
            acc[i] += acc[i + width];
        }
    }
    let mut last: [f64; LANES] = std::array::from_fn(|i| acc[i]);
    std::hint::black_box(&mut last);
    while width > 1 {
        width /= 2;
        for i in 0..width {
            last[i] += last[i + width];
        }
    }
    last[0]
}

#[inline(always)]
fn chain_rows_body<const FUSED: bool>(x: &[f64], v: &[f64], w: Option<&[f64]>, acc: &mut [f64]) {
    const ROWS: usize = 4;
    /// Cells ahead of those that are worked on.
    const AHEAD: usize = 2048;
    let k = v.len();
    if k == 0 {
        return;
    }
    let weight = |row: usize| w.map_or(1.0, |w| w[row]);
    let whole = x.len() / k / ROWS * ROWS;
    for first in (0..whole).step_by(ROWS) {
        let start = first * k;
        prefetch(x, start + AHEAD..start + AHEAD + ROWS * k);
        let rows = &x[start..start + ROWS * k];
        let (r0, rest) = rows.split_at(k);
        let (r1, rest) = rest.split_at(k);
        let (r2, r3) = rest.split_at(k);
        let mut dots = [[0.0; 2 * LANES]; ROWS];
        let tail = k / (2 * LANES) * (2 * LANES);
        for j in (0..tail).step_by(2 * LANES) {
            let vs = &v[j..j + 2 * LANES];
            for (dot, row) in dots.iter_mut().zip([r0, r1, r2, r3]) {
                for ((lane, x), v) in dot.iter_mut().zip(&row[j..j + 2 * LANES]).zip(vs) {
                    *lane = fma::<FUSED>(*x, *v, *lane);
                }
            }
        }
        let mut weights = [0.0; ROWS];
        for (i, (dot, row)) in dots.iter().zip([r0, r1, r2, r3]).enumerate() {
            let mut total: f64 = (0..LANES).map(|l| dot[l] + dot[l + LANES]).sum();
            for (x, v) in row[tail..].iter().zip(&v[tail..]) {
                total = fma::<FUSED>(*x, *v, total);
            }
            weights[i] = match w {
                Some(w) => w[first + i] * total,
                None => total,
            };
        }
        let [w0, w1, w2, w3] = weights;
        for ((((y, a), b), c), d) in acc.iter_mut().zip(r0).zip(r1).zip(r2).zip(r3) {
            *y = fma::<FUSED>(
                w3,
                *d,
                fma::<FUSED>(w2, *c, fma::<FUSED>(w1, *b, fma::<FUSED>(w0, *a, *y))),
            );
        }
    }
    for (i, row) in x.chunks_exact(k).enumerate().skip(whole) {
        let mut dot = [0.0];
        rows_times_vector_body::<FUSED>(row, v, &mut dot);
        axpy_body::<FUSED>(weight(i) * dot[0], row, acc);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(n: usize) -> Vec<f64> {
        (0..n)
            .map(|i| ((i * 37 % 101) as f64 - 50.0) / 7.0)
            .collect()
    }

    #[test]
    fn every_compiled_variant_agrees_with_the_plain_one() {
        for k in [1, 3, 8, 31, 32, 33, 100] {
            let (x, v) = (numbers(5 * k), numbers(k));
            let (mut chosen, mut plain) = (vec![0.0; 5], vec![0.0; 5]);
            rows_times_vector(&x, &v, &mut chosen);
            rows_times_vector_body::<false>(&x, &v, &mut plain);
            for (a, b) in chosen.iter().zip(&plain) {
                assert!((a - b).abs() < 1e-11, "k = {k}: {a} and {b}");
            }
            let w = numbers(5 * 3);
            let (mut chosen, mut plain) = (vec![1.0; 3 * k], vec![1.0; 3 * k]);
            add_transposed_product(&x, &w, k, 3, &mut chosen);
            add_transposed_product_body::<false>(&x, &w, k, 3, &mut plain);
            for (a, b) in chosen.iter().zip(&plain) {
                assert!((a - b).abs() < 1e-11, "k = {k}: {a} and {b}");
            }
            let (mut chosen, mut plain) = (v.clone(), v.clone());
            add_rows(&x, &mut chosen);
            for row in x.chunks_exact(k) {
                axpy_body::<false>(1.0, row, &mut plain);
            }
            assert_eq!(chosen, plain, "k = {k}");
            let mut holed = x.clone();
            holed[k / 2] = f64::NAN;
            let (mut least, mut largest) = (v.clone(), v.clone());
            min_rows(&holed, &mut least);
            max_rows(&holed, &mut largest);
            for j in 0..k {
                let column = || (0..5).map(|i| holed[i * k + j]);
                let (low, high) = (
                    column().fold(v[j], scalar::min),
                    column().fold(v[j], scalar::max),
                );
                assert_eq!(least[j].to_bits(), low.to_bits(), "k = {k}");
                assert_eq!(largest[j].to_bits(), high.to_bits(), "k = {k}");
                assert_eq!(low.is_nan(), j == k / 2);
            }
            let rows = numbers(21 * k);
            let mut rows: Vec<f64> = rows
                .iter()
                .map(|x| if *x == 0.0 { -0.0 } else { *x })
                .collect();
            rows[4 * k] = f64::NAN;
            let (mut least, mut largest) = (vec![0.0; 21], vec![0.0; 21]);
            row_mins(&rows, k, &mut least);
            row_maxs(&rows, k, &mut largest);
            for (i, row) in rows.chunks_exact(k).enumerate() {
                let low = row.iter().copied().fold(f64::INFINITY, scalar::min);
                let high = row.iter().copied().fold(f64::NEG_INFINITY, scalar::max);
                assert_eq!(least[i].to_bits(), low.to_bits(), "k = {k}, row {i}");
                assert_eq!(largest[i].to_bits(), high.to_bits(), "k = {k}, row {i}");
            }
            // The chain is a product and a transposed product.
            for weights in [None, Some(&w[..5])] {
                let (mut chosen, mut plain) = (vec![1.0; k], vec![1.0; k]);
                chain_rows(&x, &v, weights, &mut chosen);
                chain_rows_body::<false>(&x, &v, weights, &mut plain);
                let (mut dots, mut expected) = (vec![0.0; 5], vec![1.0; k]);
                rows_times_vector_body::<false>(&x, &v, &mut dots);
                for (dot, w) in dots.iter_mut().zip(weights.unwrap_or(&[1.0; 5])) {
                    *dot *= w;
                }
                add_transposed_product_body::<false>(&x, &dots, k, 1, &mut expected);
                for ((a, b), c) in chosen.iter().zip(&plain).zip(&expected) {
                    assert!(
                        (a - c).abs() < 1e-9 * c.abs().max(1.0)
                            && (b - c).abs() < 1e-9 * c.abs().max(1.0),
                        "k = {k}: {a} and {b} for {c}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_sum_loses_no_digits_over_many_cells() {
        // Adding 0.1 one after another would be off by about 1e-4 here.
        let x = vec![0.1; 3_000_001];
        assert!((sum(&x) - 300_000.1).abs() < 1e-9, "{}", sum(&x));
        assert_eq!(sum(&[]), 0.0);
        assert_eq!(sum(&[f64::INFINITY, 1.0]), f64::INFINITY);
        assert!(sum(&[f64::NAN, 1.0]).is_nan());
    }
}
