//! Sparse times narrow dense for machines with AVX-512: a row of up to 16 sums in one or two registers, and the rows that
//! stored cells name fetched ahead.
//!
//! Each function says whether it ran; where the machine has no AVX-512 it does nothing.

#![allow(
    unsafe_code,
    reason = "intrinsics need proof that the machine has them, and raw pointers that cells are there"
)]

use std::ops::Range;

use crate::kernels::simd_avx512::is_there;
use crate::matrix::Csr;

/// Up to this many columns the sums stay in registers.
pub(super) const MOST: usize = 16;

/// Rows `first..` of `x y` for dense `y` with `n` columns, at most [`MOST`], into rows of `out`.
///
/// # Panics
/// When `y` has not a row for each column of `x`, or `x` has fewer rows than asked for.
pub(super) fn rows_times_dense(
    x: &Csr,
    first: usize,
    y: &[f64],
    n: usize,
    out: &mut [f64],
) -> bool {
    if !is_there() {
        return false;
    }
    assert!((1..=MOST).contains(&n), "1 to {MOST} columns");
    assert_eq!(y.len(), x.cols() * n, "a row for each column");
    assert!(first + out.len() / n <= x.rows(), "rows that are there");
    #[cfg(target_arch = "x86_64")]
    // SAFETY: avx512f was just detected; every stored column is below `x.cols()`, so each of the rows read ends in `y`.
    unsafe {
        avx512::rows_times_dense(x, first, y, n, out);
    }
    true
}

/// `acc += t(x[rows]) y` for the rows `y` of `n` cells, at most [`MOST`], that belong to these rows of `x`.
///
/// # Panics
/// When `acc` has not a row for each column of `x`, or `y` not one for each of the rows.
pub(super) fn add_transposed_times_dense(
    x: &Csr,
    rows: Range<usize>,
    y: &[f64],
    n: usize,
    acc: &mut [f64],
) -> bool {
    if !is_there() {
        return false;
    }
    assert!((1..=MOST).contains(&n), "1 to {MOST} columns");
    assert_eq!(acc.len(), x.cols() * n, "a row for each column");
    assert!(
        rows.end <= x.rows() && y.len() >= rows.len() * n,
        "rows that are there"
    );
    #[cfg(target_arch = "x86_64")]
    // SAFETY: avx512f was just detected; every stored column is below `x.cols()`, so each of the rows written ends in
    // `acc`, and `y` has a row for each of `rows`.
    unsafe {
        avx512::add_transposed_times_dense(x, rows, y, n, acc);
    }
    true
}

/// `acc += t(x[rows]) (w * (x[rows] v))`, with a weight for each of the rows, or weights of one where there are none.
///
/// # Panics
/// When `v` or `acc` has not a cell for each column of `x`, or `w` not one for each of the rows.
pub(super) fn chain_rows(
    x: &Csr,
    rows: Range<usize>,
    v: &[f64],
    w: Option<&[f64]>,
    acc: &mut [f64],
) -> bool {
    if !is_there() {
        return false;
    }
    assert!(
        v.len() == x.cols() && acc.len() == x.cols(),
        "a cell for each column"
    );
    assert!(
        w.is_none_or(|w| w.len() == rows.len()),
        "a weight for each row"
    );
    #[cfg(target_arch = "x86_64")]
    // SAFETY: avx512f was just detected; every stored column is below `x.cols()`.
    unsafe {
        avx512::chain_rows(x, rows, v, w, acc);
    }
    true
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;
    use std::ops::Range;

    use crate::matrix::Csr;

    const LANES: usize = 8;

    /// Stored cells ahead of the present one whose rows are fetched.
    const AHEAD: usize = 16;

    /// Calls `$f::<N>` with `N` the number of columns.
    macro_rules! by_columns {
        ($n:expr, $f:ident $args:tt, $($columns:literal)*) => {
            match $n {
                $($columns => $f::<$columns> $args,)*
                _ => unreachable!("the caller has seen to it that there are 2 to 16 columns"),
            }
        };
    }

    /// # Safety
    /// Each column of `x` has a row of `n` cells in `y`, and `x` has rows from `first` on for all rows of `out`.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn rows_times_dense(
        x: &Csr,
        first: usize,
        y: &[f64],
        n: usize,
        out: &mut [f64],
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            if n == 1 {
                return rows_times_vector(x, first, y, out);
            }
            by_columns!(n, rows (x, first, y, out), 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
        }
    }

    /// # Safety
    /// Each column of `x` has a row of `n` cells in `acc`, and each of `rows` one in `y`.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn add_transposed_times_dense(
        x: &Csr,
        rows: Range<usize>,
        y: &[f64],
        n: usize,
        acc: &mut [f64],
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            if n == 1 {
                return add_transposed_times_vector(x, rows, y, acc);
            }
            by_columns!(n, add_transposed (x, rows, y, acc), 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
        }
    }

    /// Cells of a row in its second register, or all in the first.
    const fn in_register(n: usize, register: usize) -> usize {
        let left = n.saturating_sub(register * LANES);
        if left > LANES { LANES } else { left }
    }

    /// # Safety
    /// `N` cells can be read at `from`.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn load<const N: usize>(from: *const f64) -> [__m512d; 2] {
        let mut row = [_mm512_setzero_pd(); 2];
        for (register, row) in row.iter_mut().enumerate() {
            let at = from.wrapping_add(register * LANES);
            // SAFETY: as many cells are read as the row has in this register.
            *row = unsafe {
                match in_register(N, register) {
                    0 => *row,
                    1 => _mm512_zextpd128_pd512(_mm_load_sd(at)),
                    2 => _mm512_zextpd128_pd512(_mm_loadu_pd(at)),
                    4 => _mm512_zextpd256_pd512(_mm256_loadu_pd(at)),
                    LANES => _mm512_loadu_pd(at),
                    some => _mm512_maskz_loadu_pd((1 << some) - 1, at),
                }
            };
        }
        row
    }

    /// # Safety
    /// `N` cells can be written at `to`.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn store<const N: usize>(to: *mut f64, row: [__m512d; 2]) {
        for (register, row) in row.into_iter().enumerate() {
            let at = to.wrapping_add(register * LANES);
            // SAFETY: as many cells are written as the row has in this register.
            unsafe {
                match in_register(N, register) {
                    0 => {}
                    1 => _mm_store_sd(at, _mm512_castpd512_pd128(row)),
                    2 => _mm_storeu_pd(at, _mm512_castpd512_pd128(row)),
                    4 => _mm256_storeu_pd(at, _mm512_castpd512_pd256(row)),
                    LANES => _mm512_storeu_pd(at, row),
                    some => _mm512_mask_storeu_pd(at, (1 << some) - 1, row),
                }
            }
        }
    }

    /// `sums + value * row`, of as many registers as `N` cells take.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn add<const N: usize>(sums: &mut [__m512d; 2], value: f64, row: [__m512d; 2]) {
        let value = _mm512_set1_pd(value);
        sums[0] = _mm512_fmadd_pd(value, row[0], sums[0]);
        if N > LANES {
            sums[1] = _mm512_fmadd_pd(value, row[1], sums[1]);
        }
    }

    /// Asks for the memory of a row.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn fetch<const N: usize>(row: *const f64) {
        _mm_prefetch::<_MM_HINT_T0>(row.cast());
        _mm_prefetch::<_MM_HINT_T0>(row.wrapping_add(N.min(LANES + 1) - 1).cast());
    }

    /// Asks for the memory of cells behind the present one, so that it does not take the place of sums in a core's cache: each of
    /// them is read once, and sums often.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn fetch_once(cols: &[u32], values: &[f64], at: usize) {
        /// Cells ahead.
        const FAR: usize = 256;
        if at.is_multiple_of(8) {
            _mm_prefetch::<_MM_HINT_NTA>(values.as_ptr().wrapping_add(at + FAR).cast());
            if at.is_multiple_of(16) {
                _mm_prefetch::<_MM_HINT_NTA>(cols.as_ptr().wrapping_add(at + FAR).cast());
            }
        }
    }

    /// # Safety
    /// As [`rows_times_dense`] for one column.
    #[target_feature(enable = "avx512f")]
    unsafe fn rows_times_vector(x: &Csr, first: usize, y: &[f64], out: &mut [f64]) {
        for (i, to) in out.iter_mut().enumerate() {
            let (cols, values) = x.row(first + i);
            // SAFETY: each column of `x` has a cell in `y`.
            *to = unsafe { dot(cols, values, y) };
        }
    }

    /// # Safety
    /// As [`add_transposed_times_dense`] for one column.
    #[target_feature(enable = "avx512f")]
    unsafe fn add_transposed_times_vector(x: &Csr, rows: Range<usize>, y: &[f64], acc: &mut [f64]) {
        for (row, &weight) in rows.zip(y) {
            let (cols, values) = x.row(row);
            // SAFETY: each column of `x` has a cell in `acc`.
            unsafe { add_row(cols, values, weight, acc) };
        }
    }

    /// # Safety
    /// Each column of `x` has a cell in `v` and in `acc`, and each of `rows` one in `w` where there are weights.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn chain_rows(
        x: &Csr,
        rows: Range<usize>,
        v: &[f64],
        w: Option<&[f64]>,
        acc: &mut [f64],
    ) {
        for (i, row) in rows.enumerate() {
            let (cols, values) = x.row(row);
            // SAFETY: the caller's promise.
            unsafe {
                let product = dot(cols, values, v);
                add_row(cols, values, w.map_or(product, |w| w[i] * product), acc);
            }
        }
    }

    /// The sum of stored cells times the cells of `y` that their columns name.
    ///
    /// # Safety
    /// Each of `cols` is below `y.len()`.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn dot(cols: &[u32], values: &[f64], y: &[f64]) -> f64 {
        // SAFETY: the caller's promise.
        let at = |col: u32| unsafe { *y.get_unchecked(col as usize) };
        // Two sums: one addition need not wait for the other.
        let (mut even, mut odd) = (0.0, 0.0);
        let (pairs, value_pairs) = (cols.chunks_exact(2), values.chunks_exact(2));
        if let (&[col], &[value]) = (pairs.remainder(), value_pairs.remainder()) {
            even = value * at(col);
        }
        for (cols, values) in pairs.zip(value_pairs) {
            even = values[0].mul_add(at(cols[0]), even);
            odd = values[1].mul_add(at(cols[1]), odd);
        }
        even + odd
    }

    /// Adds stored cells, each so often, to the cells of `acc` that their columns name.
    ///
    /// # Safety
    /// Each of `cols` is below `acc.len()`.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn add_row(cols: &[u32], values: &[f64], weight: f64, acc: &mut [f64]) {
        for (&col, &value) in cols.iter().zip(values) {
            // SAFETY: the caller's promise.
            let sum = unsafe { acc.get_unchecked_mut(col as usize) };
            *sum = value.mul_add(weight, *sum);
        }
    }

    /// # Safety
    /// As [`rows_times_dense`].
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn rows<const N: usize>(x: &Csr, first: usize, y: &[f64], out: &mut [f64]) {
        let (cols, values) = (x.col_indices(), x.values());
        let Some(last) = cols.len().checked_sub(1) else {
            return out.fill(0.0);
        };
        let zero = _mm512_setzero_pd();
        for (i, to) in out.chunks_exact_mut(N).enumerate() {
            let (mut at, end) = (x.row_starts()[first + i], x.row_starts()[first + i + 1]);
            // Two sums a cell: one addition need not wait for the other.
            let (mut even, mut odd) = ([zero; 2], [zero; 2]);
            // SAFETY: `at` stays below `end`, which is at most the number of stored cells; their columns have rows in
            // `y`; `to` has N cells.
            unsafe {
                let row = |at: usize| {
                    y.as_ptr()
                        .wrapping_add(*cols.get_unchecked(at) as usize * N)
                };
                while at + 1 < end {
                    fetch::<N>(row((at + AHEAD).min(last)));
                    fetch::<N>(row((at + AHEAD + 1).min(last)));
                    add::<N>(&mut even, *values.get_unchecked(at), load::<N>(row(at)));
                    add::<N>(
                        &mut odd,
                        *values.get_unchecked(at + 1),
                        load::<N>(row(at + 1)),
                    );
                    at += 2;
                }
                if at < end {
                    add::<N>(&mut even, *values.get_unchecked(at), load::<N>(row(at)));
                }
                let sums = [
                    _mm512_add_pd(even[0], odd[0]),
                    _mm512_add_pd(even[1], odd[1]),
                ];
                store::<N>(to.as_mut_ptr(), sums);
            }
        }
    }

    /// # Safety
    /// As [`add_transposed_times_dense`].
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn add_transposed<const N: usize>(
        x: &Csr,
        rows: Range<usize>,
        y: &[f64],
        acc: &mut [f64],
    ) {
        let (cols, values) = (x.col_indices(), x.values());
        let Some(last) = cols.len().checked_sub(1) else {
            return;
        };
        let acc = acc.as_mut_ptr();
        for (row, y) in rows.zip(y.chunks_exact(N)) {
            let (start, end) = (x.row_starts()[row], x.row_starts()[row + 1]);
            // SAFETY: `y` has N cells; `at` is below the number of stored cells, and their columns have rows in `acc`.
            unsafe {
                let y = load::<N>(y.as_ptr());
                let place = |at: usize| acc.wrapping_add(*cols.get_unchecked(at) as usize * N);
                for at in start..end {
                    fetch::<N>(place((at + AHEAD).min(last)));
                    fetch_once(cols, values, at);
                    let to = place(at);
                    let mut sums = load::<N>(to);
                    add::<N>(&mut sums, *values.get_unchecked(at), y);
                    store::<N>(to, sums);
                }
            }
        }
    }
}
