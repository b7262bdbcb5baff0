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

/// As many where the rows of the right factor are read again at once: these stay in the nearest cache.
const GATHERED_NEAR: usize = 256;

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
        let mut walk = Walk::new(driver, program, inputs);
        for (i, results) in cells.chunks_mut(gathered).enumerate() {
            let start = (first + i) * gathered;
            walk.results(&Stored::of(driver, start..start + results.len()), results);
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
        let mut walk = Walk::new(driver, program, inputs);
        let mut results = vec![0.0; gathered];
        for (i, sum) in sums.iter_mut().enumerate() {
            let start = (first + i) * gathered;
            let results = &mut results[..gathered.min(driver.nnz() - start)];
            walk.results(&Stored::of(driver, start..start + results.len()), results);
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
    if let Right::Of(factors, n) = right
        && n == factors.inner
        && is_product(program, inputs, factors)
        && let Some(cells) = factors.times_right(driver)
    {
        return cells;
    }
    let (y, width, n, rows, most) = match right {
        Right::Cells(cells, n) => (cells, n, n, Rows::Far, GATHERED),
        Right::Of(factors, n) => (
            factors.right(),
            factors.width,
            n,
            Rows::Near {
                next: GATHERED_NEAR,
            },
            GATHERED_NEAR,
        ),
    };
    assert_eq!(y.len(), driver.cols() * width, "a row for each column");
    let starts = driver.row_starts();
    let work = driver.nnz() / driver.rows().max(1) * (n / 4 + 1 + work_per_cell(inputs));
    let mut out = memory::for_overwriting(driver.rows() * n);
    parallel::for_rows(&mut out, n, work + n, |first, part| {
        part.fill(0.0);
        let mut walk = Walk::new(driver, program, inputs);
        let mut results = vec![0.0; most];
        let last = first + part.len() / n;
        let mut stored = Stored {
            row: first,
            cells: starts[first]..starts[first],
        };
        while stored.cells.end < starts[last] {
            stored = stored.next(&starts[..=last], most);
            let results = &mut results[..stored.cells.len()];
            walk.results(&stored, results);
            stored.each_row(driver, |row, cells| {
                let sums = &mut part[(row - first) * n..][..n];
                let at = stored.cells.start;
                let values = &results[cells.start - at..cells.end - at];
                add_row((driver, cells.start), values, (y, width), rows, sums);
            });
        }
    });
    out
}

/// Whether the program's results are the products of these factors. Stored cells are no zeros.
fn is_product(program: &Program, inputs: &[Sample<'_>], factors: &Factors<'_>) -> bool {
    let is_nonzero = |input: usize| matches!(inputs[input], Sample::Stored);
    let only = program.only(is_nonzero).map(|input| inputs[input]);
    matches!(only, Some(Sample::Product(of)) if std::ptr::eq(of, factors))
}

/// Adds the rows of `y` that the stored cells from the number `first` on name, each times its value.
fn add_row(
    (driver, first): (&Csr, usize),
    values: &[f64],
    (y, width): (&[f64], usize),
    rows: Rows,
    sums: &mut [f64],
) {
    let n = sums.len();
    if n > sparse_held::MOST
        || !sparse_held::add_row((driver, first), values, (y, width), rows, sums)
    {
        for (col, value) in driver.col_indices()[first..].iter().zip(values) {
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

/// Some stored cells, and the row that the first of them is in.
#[derive(Clone, Debug)]
struct Stored {
    row: usize,
    cells: Range<usize>,
}

impl Stored {
    fn of(driver: &Csr, cells: Range<usize>) -> Stored {
        let starts = driver.row_starts();
        let row = starts.partition_point(|start| *start <= cells.start) - 1;
        Stored { row, cells }
    }

    /// The cells behind these, whole rows where `most` are enough for one. There are some before the last of `starts`.
    fn next(&self, starts: &[usize], most: usize) -> Stored {
        let at = self.cells.end;
        let ends = &starts[self.row + 1..];
        let row = self.row + ends.iter().take_while(|end| **end <= at).count();
        let ends = &starts[row + 1..];
        let whole = ends.iter().take_while(|end| **end <= at + most).last();
        Stored {
            row,
            cells: at..whole.copied().unwrap_or(at + most),
        }
    }

    /// The rows that they are in, with each row's share of them.
    fn each_row(&self, driver: &Csr, mut f: impl FnMut(usize, Range<usize>)) {
        let starts = driver.row_starts();
        let (mut row, mut at) = (self.row, self.cells.start);
        while at < self.cells.end {
            let end = starts[row + 1].min(self.cells.end);
            if end > at {
                f(row, at..end);
                at = end;
            }
            row += 1;
        }
    }
}

/// One thread's way through the stored cells, part after part, with room for what a part needs.
struct Walk<'a> {
    driver: &'a Csr,
    program: &'a Program,
    inputs: &'a [Sample<'a>],
    gathered: Vec<Vec<f64>>,
    held: Option<fused::Held>,
}

impl<'a> Walk<'a> {
    fn new(driver: &'a Csr, program: &'a Program, inputs: &'a [Sample<'a>]) -> Walk<'a> {
        Walk {
            driver,
            program,
            inputs,
            gathered: vec![Vec::new(); inputs.len()],
            held: None,
        }
    }

    /// The results at some stored cells.
    fn results(&mut self, stored: &Stored, out: &mut [f64]) {
        for (sample, room) in self.inputs.iter().zip(&mut self.gathered) {
            if !matches!(sample, Sample::Stored | Sample::Number(_)) {
                room.resize(out.len(), 0.0);
                gather(sample, self.driver, stored, room);
            }
        }
        let cells: Vec<Cells<'_>> = self
            .inputs
            .iter()
            .zip(&self.gathered)
            .map(|(sample, room)| match sample {
                Sample::Stored => Cells::Full(&self.driver.values()[stored.cells.clone()]),
                Sample::Number(x) => Cells::One(*x),
                _ => Cells::Full(room),
            })
            .collect();
        let held = fused::cells_into(self.program, &cells, self.held.take(), out);
        self.held = Some(held);
    }
}

/// What the sample has at some stored cells, where that is not at hand.
fn gather(sample: &Sample<'_>, driver: &Csr, stored: &Stored, out: &mut [f64]) {
    if let Sample::Product(factors) = sample {
        return factors.products(driver, stored, out);
    }
    stored.each_row(driver, |row, cells| {
        let at = stored.cells.start;
        let to = &mut out[cells.start - at..cells.end - at];
        gather_row(sample, row, &driver.col_indices()[cells], driver.cols(), to);
    });
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
