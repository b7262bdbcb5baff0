//! Cellwise operators over a product that is never formed, in the cells that a sparse matrix stores: `X * log(U %*% V)`,
//! `W * (U %*% V - X)`, `X / (U %*% V + eps)`. What is not stored stays zero, whatever the product would have there.
//!
//! The gathering of what the cells need is here, the operators are those of [`fused`](super::fused). A cell's value
//! depends neither on the number of threads nor on which other cells are stored.

mod factors;

use std::ops::Range;

use super::fused::{self, Cells, Program};
use super::matmul::sparse_held::{self, Rows};
use super::parallel;
use super::simd;
use crate::matrix::Csr;
use crate::memory;
pub use factors::Factors;
pub(super) use factors::LANES;

/// Stored cells that are gathered at a time: what they need stays in the second cache.
const GATHERED: usize = 2048;

/// As many where the columns' rows of a factor are read in blocks.
const GATHERED_IN_BLOCKS: usize = 1 << 15;

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

/// The program's results at the stored cells of `driver`, in their order.
///
/// # Panics
/// When there are not as many inputs as the program has, or one does not have the shape that it says.
#[must_use]
pub fn values(driver: &Csr, program: &Program, inputs: &[Sample<'_>]) -> Vec<f64> {
    let mut out = memory::for_overwriting(driver.nnz());
    let gathered = gathered(driver, inputs);
    let parts = driver.nnz().div_ceil(gathered);
    let work = gathered * work_per_cell(inputs);
    parallel::for_groups(&mut out, gathered, parts, work, |first, cells| {
        for (i, part) in cells.chunks_mut(gathered).enumerate() {
            for_part(driver, program, inputs, (first + i) * gathered, part);
        }
    });
    out
}

/// The sum of the program's results at the stored cells of `driver`.
///
/// # Panics
/// As [`values`].
#[must_use]
pub fn sum(driver: &Csr, program: &Program, inputs: &[Sample<'_>]) -> f64 {
    let gathered = gathered(driver, inputs);
    let mut sums = vec![0.0; driver.nnz().div_ceil(gathered)];
    let work = gathered * work_per_cell(inputs);
    parallel::for_rows(&mut sums, 1, work, |first, sums| {
        let mut results = vec![0.0; gathered];
        for (i, sum) in sums.iter_mut().enumerate() {
            let start = (first + i) * gathered;
            let results = &mut results[..gathered.min(driver.nnz() - start)];
            for_part(driver, program, inputs, start, results);
            *sum = simd::sum(results);
        }
    });
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
        Right::Of(factors, n) => (factors.right(), factors.width, n, Rows::Near),
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

/// Stored cells that are gathered at a time: equal parts, so that no thread waits for another.
fn gathered(driver: &Csr, inputs: &[Sample<'_>]) -> usize {
    let cells = GATHERED_IN_BLOCKS.min(driver.nnz() / 16);
    let rows = (cells * driver.rows()) / driver.nnz().max(1);
    let pays = |sample: &Sample<'_>| match sample {
        Sample::Product(factors) => factors.pays_in_blocks(cells, rows, driver.cols()),
        _ => false,
    };
    let most = if inputs.iter().any(pays) {
        cells
    } else {
        GATHERED
    };
    parallel::evenly(driver.nnz(), most)
}

/// Units of work for a stored cell.
fn work_per_cell(inputs: &[Sample<'_>]) -> usize {
    let of = |sample: &Sample<'_>| match sample {
        Sample::Product(factors) => 2 + factors.width / 2,
        _ => 1,
    };
    inputs.iter().map(of).sum()
}

/// The results at some stored cells from the number `first` on.
fn for_part(driver: &Csr, program: &Program, inputs: &[Sample<'_>], first: usize, out: &mut [f64]) {
    let range = first..first + out.len();
    let gathered: Vec<Vec<f64>> = inputs
        .iter()
        .map(|sample| gather(sample, driver, range.clone()))
        .collect();
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

/// What the sample has at some stored cells, where that is not at hand.
fn gather(sample: &Sample<'_>, driver: &Csr, cells: Range<usize>) -> Vec<f64> {
    if matches!(sample, Sample::Stored | Sample::Number(_)) {
        return Vec::new();
    }
    let mut out = vec![0.0; cells.len()];
    if let Sample::Product(factors) = sample {
        factors.products(driver, cells, &mut out);
        return out;
    }
    for_rows(driver, cells.clone(), |row, stored| {
        let to = &mut out[stored.start - cells.start..stored.end - cells.start];
        gather_row(
            sample,
            row,
            &driver.col_indices()[stored],
            driver.cols(),
            to,
        );
    });
    out
}

/// What the sample, whose rows have `width` cells, has in these columns of a row.
fn gather_row(sample: &Sample<'_>, row: usize, cols: &[u32], width: usize, out: &mut [f64]) {
    let pick = |cells: &[f64], out: &mut [f64]| {
        for (to, col) in out.iter_mut().zip(cols) {
            *to = cells[*col as usize];
        }
    };
    match sample {
        Sample::Stored | Sample::Number(_) | Sample::Product(_) => {}
        Sample::Dense(cells) => pick(&cells[row * width..][..width], out),
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
