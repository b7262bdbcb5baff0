//! Cellwise operators over a product that is never formed, in the cells that a sparse matrix stores: `X * log(U %*% V)`,
//! `W * (U %*% V - X)`, `X / (U %*% V + eps)`. What is not stored stays zero, whatever the product would have there.
//!
//! The gathering of what the cells need is here, the operators are those of [`fused`](super::fused). A cell's value
//! depends neither on the number of threads nor on which other cells are stored.

#![allow(
    unsafe_code,
    reason = "calling a function compiled for more features needs proof that the machine has them"
)]

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;

use super::fused::{self, Cells, Program};
use super::matmul::sparse_held::{self, Rows};
use super::parallel::{self, PARALLEL_FROM};
use super::sampled_wide;
use super::simd::{self, multiversion};
use crate::cancel::Heard;
use crate::matrix::Csr;
use crate::memory;

/// Stored cells that are gathered at a time: what they need stays in the second cache.
const GATHERED: usize = 2048;

/// Sums that grow side by side in the product of two rows.
pub(super) const LANES: usize = 8;

/// What a program reads under the number of an input, at the stored cells of a matrix of m x n.
#[derive(Clone, Copy, Debug)]
pub enum Sample<'a> {
    /// The stored values themselves.
    Stored,
    /// A product of two factors.
    Product(&'a Factors<'a>),
    /// A dense matrix of m x n.
    Dense(&'a [f64]),
    /// A sparse matrix of m x n.
    Sparse(&'a Csr),
    /// m cells, one for each row.
    Column(&'a [f64]),
    /// n cells, one for each column.
    Row(&'a [f64]),
    /// One number for all cells.
    Number(f64),
}

/// The factors of a product, row by row. Where each row is read often, zeros stand behind it to the width of a vector:
/// then rows begin where lines of the caches do. A product is the same number either way.
#[derive(Debug)]
pub struct Factors<'a> {
    left: Cow<'a, [f64]>,
    right: Cow<'a, [f64]>,
    width: usize,
}

impl<'a> Factors<'a> {
    /// From m rows of the left factor and n columns of the right one, each of `inner` cells, for so many cells of the
    /// product.
    #[must_use]
    pub fn new(left: &'a [f64], right: &'a [f64], inner: usize, cells: usize) -> Factors<'a> {
        /// A copy costs as much as so many reads of what is copied.
        const READS: usize = 64;
        let rows = (left.len() + right.len()).checked_div(inner).unwrap_or(0);
        let padded = inner.next_multiple_of(LANES);
        let is_copied = padded != inner && cells >= READS * rows;
        let of = |cells: &'a [f64]| match is_copied {
            true => Cow::Owned(with_zeros_behind(cells, inner, padded)),
            false => Cow::Borrowed(cells),
        };
        Factors {
            left: of(left),
            right: of(right),
            width: if is_copied { padded } else { inner },
        }
    }
}

impl Drop for Factors<'_> {
    fn drop(&mut self) {
        for side in [&mut self.left, &mut self.right] {
            if let Cow::Owned(cells) = std::mem::take(side) {
                memory::give_back(cells);
            }
        }
    }
}

/// Rows of `width` cells: the `inner` ones that are there, then zeros.
fn with_zeros_behind(cells: &[f64], inner: usize, width: usize) -> Vec<f64> {
    let mut out = memory::for_overwriting(cells.len() / inner * width);
    parallel::for_rows(&mut out, width, width, |first, part| {
        let rows = cells[first * inner..].chunks_exact(inner);
        for (to, from) in part.chunks_exact_mut(width).zip(rows) {
            to[..inner].copy_from_slice(from);
            to[inner..].fill(0.0);
        }
    });
    out
}

/// The program's results at the stored cells of `driver`, in their order.
///
/// # Panics
/// When there are not as many inputs as the program has, or one does not have the shape that it says.
#[must_use]
pub fn values(driver: &Csr, program: &Program, inputs: &[Sample<'_>]) -> Vec<f64> {
    let mut out = memory::for_overwriting(driver.nnz());
    each_part(driver, inputs, &mut out, |part, first| {
        for_part(driver, program, inputs, first, part);
    });
    out
}

/// The sum of the program's results at the stored cells of `driver`.
///
/// # Panics
/// As [`values`].
#[must_use]
pub fn sum(driver: &Csr, program: &Program, inputs: &[Sample<'_>]) -> f64 {
    let mut sums = vec![0.0; driver.nnz().div_ceil(GATHERED)];
    let part = |place: usize, sum: &mut f64| {
        let first = place * GATHERED;
        let mut results = vec![0.0; GATHERED.min(driver.nnz() - first)];
        for_part(driver, program, inputs, first, &mut results);
        *sum = simd::sum(&results);
    };
    if is_parallel(driver, inputs) {
        let heard = Heard::here();
        sums.par_iter_mut()
            .enumerate()
            .filter(|_| !heard.is_cancelled())
            .for_each(|(place, sum)| part(place, sum));
    } else {
        sums.iter_mut()
            .enumerate()
            .for_each(|(place, sum)| part(place, sum));
    }
    simd::sum(&sums)
}

/// The right factor of a product with sampled cells, of few columns.
#[derive(Clone, Copy, Debug)]
pub enum Right<'a> {
    /// By rows of so many cells.
    Cells(&'a [f64], usize),
    /// The right factor of a sampled product, of so many columns: its rows are near when they are asked for.
    Of(&'a Factors<'a>, usize),
}

/// The program's results at the stored cells of `driver`, times a matrix. Cells are used as soon as they are computed. A result that is
/// zero meets the matrix's cells like any other.
///
/// # Panics
/// As [`values`], and when the matrix has not a row for each column of the driver.
#[must_use]
pub fn right_product(
    driver: &Csr,
    program: &Program,
    inputs: &[Sample<'_>],
    right: Right<'_>,
) -> Vec<f64> {
    let (y, width, n, near) = match right {
        Right::Cells(cells, n) => (cells, n, n, Rows::Far),
        Right::Of(factors, n) => (&*factors.right, factors.width, n, Rows::Near),
    };
    assert_eq!(y.len(), driver.cols() * width, "a row for each column");
    let starts = driver.row_starts();
    let work = driver.nnz() / driver.rows().max(1) * (n / 4 + 1 + work_per_cell(inputs));
    let mut out = memory::for_overwriting(driver.rows() * n);
    parallel::for_rows(&mut out, n, work + n, |first, part| {
        part.fill(0.0);
        let end = starts[first + part.len() / n];
        let mut results = vec![0.0; GATHERED];
        let mut at = starts[first];
        while at < end {
            let results = &mut results[..GATHERED.min(end - at)];
            for_part(driver, program, inputs, at, results);
            for_rows(driver, at..at + results.len(), |row, stored| {
                let sums = &mut part[(row - first) * n..][..n];
                let values = &results[stored.start - at..stored.end - at];
                add_row(
                    &driver.col_indices()[stored.start..],
                    values,
                    (y, width),
                    near,
                    sums,
                );
            });
            at += results.len();
        }
    });
    out
}

/// Adds the rows of `y` that these columns name, each times its value.
fn add_row(
    cols: &[u32],
    values: &[f64],
    (y, width): (&[f64], usize),
    near: Rows,
    sums: &mut [f64],
) {
    let n = sums.len();
    if n > sparse_held::MOST || !sparse_held::add_row(cols, values, (y, width), near, sums) {
        for (col, value) in cols.iter().zip(values) {
            simd::axpy(*value, &y[*col as usize * width..][..n], sums);
        }
    }
}

fn each_part(
    driver: &Csr,
    inputs: &[Sample<'_>],
    out: &mut [f64],
    f: impl Fn(&mut [f64], usize) + Sync,
) {
    if is_parallel(driver, inputs) {
        let heard = Heard::here();
        out.par_chunks_mut(GATHERED)
            .enumerate()
            .filter(|_| !heard.is_cancelled())
            .for_each(|(place, part)| f(part, place * GATHERED));
    } else {
        for (place, part) in out.chunks_mut(GATHERED).enumerate() {
            f(part, place * GATHERED);
        }
    }
}

/// Whether there is enough to do for several threads.
fn is_parallel(driver: &Csr, inputs: &[Sample<'_>]) -> bool {
    driver.nnz() * work_per_cell(inputs) >= PARALLEL_FROM
}

/// Units of work for a stored cell.
fn work_per_cell(inputs: &[Sample<'_>]) -> usize {
    let of = |sample: &Sample<'_>| match sample {
        Sample::Product(factors) => 2 + factors.width / 4,
        _ => 1,
    };
    inputs.iter().map(of).sum()
}

/// The results at some stored cells from the number `first` on.
fn for_part(driver: &Csr, program: &Program, inputs: &[Sample<'_>], first: usize, out: &mut [f64]) {
    let range = first..first + out.len();
    let mut gathered: Vec<Vec<f64>> = Vec::new();
    for sample in inputs {
        let is_gathered = !matches!(sample, Sample::Stored | Sample::Number(_));
        let mut cells = vec![0.0; if is_gathered { out.len() } else { 0 }];
        if is_gathered {
            for_rows(driver, range.clone(), |row, stored| {
                let to = &mut cells[stored.start - first..stored.end - first];
                gather(
                    sample,
                    row,
                    driver,
                    &driver.col_indices()[stored.start..],
                    to,
                );
            });
        }
        gathered.push(cells);
    }
    let tiles: Vec<Cells<'_>> = inputs
        .iter()
        .zip(&gathered)
        .map(|(sample, cells)| match sample {
            Sample::Stored => Cells::Full(&driver.values()[range.clone()]),
            Sample::Number(x) => Cells::One(*x),
            _ => Cells::Full(cells),
        })
        .collect();
    fused::cells_into(program, &tiles, out);
}

/// The rows that some stored cells are in, with each row's share of them.
fn for_rows(driver: &Csr, cells: Range<usize>, mut f: impl FnMut(usize, Range<usize>)) {
    let starts = driver.row_starts();
    let mut row = starts.partition_point(|start| *start <= cells.start) - 1;
    let mut at = cells.start;
    while at < cells.end {
        let end = starts[row + 1].min(cells.end);
        if end > at {
            f(row, at..end);
            at = end;
        }
        row += 1;
    }
}

/// What the sample has in a row, in the first of these columns: one for each result. The others are those that come next, in
/// this row and the following ones.
fn gather(sample: &Sample<'_>, row: usize, driver: &Csr, cols: &[u32], out: &mut [f64]) {
    let pick = |cells: &[f64], out: &mut [f64]| {
        for (to, col) in out.iter_mut().zip(cols) {
            *to = cells[*col as usize];
        }
    };
    match sample {
        Sample::Stored | Sample::Number(_) => {}
        Sample::Product(factors) => {
            /// Rows ahead: as far as columns are asked for ahead where a row has one cell.
            const AHEAD: usize = 8;
            let width = factors.width;
            let later = (row + AHEAD) * width;
            simd::prefetch(&factors.left, later..later + width);
            let left = &factors.left[row * width..][..width];
            if !sampled_wide::products(left, &factors.right, cols, out) {
                products(left, &factors.right, cols, out);
            }
        }
        Sample::Dense(cells) => pick(&cells[row * driver.cols()..][..driver.cols()], out),
        Sample::Row(cells) => pick(cells, out),
        Sample::Column(cells) => out.fill(cells[row]),
        Sample::Sparse(csr) => {
            let (stored, values) = csr.row(row);
            let mut at = stored.partition_point(|col| *col < cols[0]);
            for (to, col) in out.iter_mut().zip(cols) {
                while at < stored.len() && stored[at] < *col {
                    at += 1;
                }
                let is_stored = at < stored.len() && stored[at] == *col;
                *to = if is_stored { values[at] } else { 0.0 };
            }
        }
    }
}

multiversion! {
    /// `out[i] = sum over j of u[j] * v[cols[i] * k + j]` for rows of `k = u.len()` cells. Columns behind those of the results
    /// are the next ones that will be asked for.
    fn products = products_body(u: &[f64], v: &[f64], cols: &[u32], out: &mut [f64]);
}

#[inline(always)]
fn products_body<const FUSED: bool>(u: &[f64], v: &[f64], cols: &[u32], out: &mut [f64]) {
    /// Rows are fetched so many cells ahead: they lie anywhere.
    const AHEAD: usize = 8;
    let k = u.len();
    let (u, u_rest) = u.as_chunks::<LANES>();
    for (i, (to, col)) in out.iter_mut().zip(cols).enumerate() {
        if let Some(later) = cols.get(i + AHEAD) {
            let later = *later as usize * k;
            simd::prefetch(v, later..later + k);
        }
        let (v, v_rest) = v[*col as usize * k..][..k].as_chunks::<LANES>();
        let mut sums = [0.0; LANES];
        for (a, b) in u.iter().zip(v) {
            for lane in 0..LANES {
                sums[lane] = add_product::<FUSED>(a[lane], b[lane], sums[lane]);
            }
        }
        for ((sum, a), b) in sums.iter_mut().zip(u_rest).zip(v_rest) {
            *sum = add_product::<FUSED>(*a, *b, *sum);
        }
        let [a, b, c, d, e, f, g, h] = sums;
        *to = ((a + e) + (c + g)) + ((b + f) + (d + h));
    }
}

#[inline(always)]
fn add_product<const FUSED: bool>(a: f64, b: f64, sum: f64) -> f64 {
    if FUSED {
        a.mul_add(b, sum)
    } else {
        sum + a * b
    }
}
