//! The inner loops of products with a sparse factor, compiled for each vector width and for each small number of
//! columns, so that a row of sums stays in registers.
//!
//! They walk stored cells in order and meet nothing else.

#![allow(
    unsafe_code,
    reason = "calling a function compiled for more features needs proof that the machine has them"
)]

use std::ops::Range;

use crate::kernels::simd::{fma, multiversion, prefetch};
use crate::matrix::{Csr, CsrBuilder, RowSums};

/// Up to this many columns have loops of their own.
const MOST: usize = 16;

/// Stored cells ahead of the present one whose rows are fetched.
const AHEAD: usize = 16;

multiversion! {
    /// Rows `first..` of `x y` for dense `y` with `n` columns, into rows of `out`.
    fn rows_times_dense = rows_times_dense_body(x: &Csr, first: usize, y: &[f64], n: usize, out: &mut [f64]);
}

multiversion! {
    /// `acc += t(x[rows]) y` for the rows `y` of a dense matrix with `n` columns that belong to these rows of `x`.
    fn add_transposed_times_dense = add_transposed_times_dense_body(x: &Csr, rows: Range<usize>, y: &[f64], n: usize, acc: &mut [f64]);
}

multiversion! {
    /// Some rows of `x y` for sparse `y`, put together in `sums` and appended to `out`.
    fn rows_times_sparse = rows_times_sparse_body(x: &Csr, y: &Csr, rows: Range<usize>, sums: &mut RowSums, out: &mut CsrBuilder);
}

/// Calls `$f::<N, FUSED>` with `N` the number of columns.
macro_rules! by_columns {
    ($n:expr, $f:ident::<$fused:ident> $args:tt, $($columns:literal)*) => {
        match $n {
            $($columns => $f::<$columns, $fused> $args,)*
            _ => unreachable!("more columns have another loop"),
        }
    };
}

#[inline(always)]
fn rows_times_dense_body<const FUSED: bool>(
    x: &Csr,
    first: usize,
    y: &[f64],
    n: usize,
    out: &mut [f64],
) {
    if n <= MOST {
        by_columns!(n, few_columns::<FUSED>(x, first, y, out), 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
        return;
    }
    for (i, sums) in out.chunks_exact_mut(n).enumerate() {
        let (cols, values) = x.row(first + i);
        for (&col, &value) in cols.iter().zip(values) {
            for (sum, y) in sums.iter_mut().zip(&y[col as usize * n..][..n]) {
                *sum = fma::<FUSED>(value, *y, *sum);
            }
        }
    }
}

#[inline(always)]
fn few_columns<const N: usize, const FUSED: bool>(
    x: &Csr,
    first: usize,
    y: &[f64],
    out: &mut [f64],
) {
    let row_of = |col: u32| -> &[f64; N] {
        let start = col as usize * N;
        y[start..start + N].try_into().expect("N cells")
    };
    let all = x.col_indices();
    for (i, sums) in out.chunks_exact_mut(N).enumerate() {
        let (cols, values) = x.row(first + i);
        let start = x.row_starts()[first + i];
        // Two sums a cell: one addition need not wait for the other.
        let (mut even, mut odd) = ([0.0; N], [0.0; N]);
        let (pairs, value_pairs) = (cols.chunks_exact(2), values.chunks_exact(2));
        if let (&[col], &[value]) = (pairs.remainder(), value_pairs.remainder()) {
            let y = row_of(col);
            for j in 0..N {
                even[j] = value * y[j];
            }
        }
        for (p, (cols, values)) in pairs.zip(value_pairs).enumerate() {
            if let Some(&[a, b]) = all.get(start + 2 * p + AHEAD..start + 2 * p + AHEAD + 2) {
                prefetch(y, a as usize * N..(a as usize + 1) * N);
                prefetch(y, b as usize * N..(b as usize + 1) * N);
            }
            let (a, b) = (row_of(cols[0]), row_of(cols[1]));
            for j in 0..N {
                even[j] = fma::<FUSED>(values[0], a[j], even[j]);
            }
            for j in 0..N {
                odd[j] = fma::<FUSED>(values[1], b[j], odd[j]);
            }
        }
        for j in 0..N {
            sums[j] = even[j] + odd[j];
        }
    }
}

#[inline(always)]
fn add_transposed_times_dense_body<const FUSED: bool>(
    x: &Csr,
    rows: Range<usize>,
    y: &[f64],
    n: usize,
    acc: &mut [f64],
) {
    if n <= MOST {
        by_columns!(n, add_few_columns::<FUSED>(x, rows, y, acc), 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
        return;
    }
    for (row, y) in rows.zip(y.chunks_exact(n)) {
        let (cols, values) = x.row(row);
        for (&col, &value) in cols.iter().zip(values) {
            for (sum, y) in acc[col as usize * n..][..n].iter_mut().zip(y) {
                *sum = fma::<FUSED>(value, *y, *sum);
            }
        }
    }
}

#[inline(always)]
fn add_few_columns<const N: usize, const FUSED: bool>(
    x: &Csr,
    rows: Range<usize>,
    y: &[f64],
    acc: &mut [f64],
) {
    let all = x.col_indices();
    for (row, y) in rows.zip(y.chunks_exact(N)) {
        let y: &[f64; N] = y.try_into().expect("N cells");
        let (cols, values) = x.row(row);
        let start = x.row_starts()[row];
        for (i, (&col, &value)) in cols.iter().zip(values).enumerate() {
            if let Some(&next) = all.get(start + i + AHEAD) {
                prefetch(acc, next as usize * N..(next as usize + 1) * N);
            }
            let at = col as usize * N;
            let sums: &mut [f64; N] = (&mut acc[at..at + N]).try_into().expect("N cells");
            for j in 0..N {
                sums[j] = fma::<FUSED>(value, y[j], sums[j]);
            }
        }
    }
}

#[inline(always)]
fn rows_times_sparse_body<const FUSED: bool>(
    x: &Csr,
    y: &Csr,
    rows: Range<usize>,
    sums: &mut RowSums,
    out: &mut CsrBuilder,
) {
    for row in rows {
        let mut products = 0;
        each_row(x, y, row, |factor, of_y| {
            sums.add_row(factor, y, of_y);
            products += y.row_starts()[of_y + 1] - y.row_starts()[of_y];
        });
        out.push_sums(sums, products);
    }
}

/// Calls `f` with each row of `y` that a row of `x y` is made of, and how many times.
#[inline(always)]
pub(super) fn each_row(x: &Csr, y: &Csr, row: usize, mut f: impl FnMut(f64, usize)) {
    let (cols, values) = x.row(row);
    let ahead = &x.col_indices()[x.row_starts()[row]..];
    for (i, (&k, &factor)) in cols.iter().zip(values).enumerate() {
        if let Some(&next) = ahead.get(i + AHEAD) {
            let range = y.row_starts()[next as usize]..y.row_starts()[next as usize + 1];
            prefetch(y.col_indices(), range.clone());
            prefetch(y.values(), range);
        }
        f(factor, k as usize);
    }
}
