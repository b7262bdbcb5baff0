//! One tile of rows: the values of all steps there. Buffers are made once for a thread's part and used again as soon as
//! nothing reads them any more.

use std::borrow::Cow;

use sumac_fusion::{Finish, Kernel, Step};
use sumac_la::Op;

use super::chains::Chain;
use super::inputs::{Factor, Input, Inputs, Packed, Width, is_laid_out};
use super::narrow;
use super::prefetcher::Prefetcher;
use crate::kernels::fused::Fold;
use crate::kernels::simd_cells::{self, Prefetch, Row};
use crate::kernels::simd_chains::{self, Start};
use crate::kernels::{matmul, simd, simd_avx512, simd_avx512_rows, simd_narrow};
use crate::matrix::Csr;
use crate::memory;

/// Rows of so few cells are summed one cell after the other.
const SHORT: usize = 16;

/// Rows of so many cells are worked on one by one beside a number for each: to lay the numbers out costs a pass of its own.
const WIDE: usize = 64;

/// A thread's tile.
pub(super) struct Tile<'a> {
    kernel: &'a Kernel,
    inputs: &'a Inputs<'a>,
    /// By step: the buffer that it writes; inputs that lie in memory have none.
    places: Vec<Option<usize>>,
    buffers: Vec<Vec<f64>>,
    /// A number that is laid out for each row of a few cells.
    spread: [Vec<f64>; 2],
    prefetcher: Prefetcher<'a>,
    first: usize,
    count: usize,
}

impl<'a> Tile<'a> {
    /// With buffers for the steps of a kernel.
    pub(super) fn new(kernel: &'a Kernel, inputs: &'a Inputs<'a>) -> Tile<'a> {
        let is_laid_out = laid_out(kernel, inputs);
        let (places, count) = places(kernel, inputs, &is_laid_out);
        let held = places.iter().zip(&inputs.widths);
        let computed = held.filter(|(place, _)| place.is_some());
        let widest = computed.map(|(_, width)| width.cells()).max();
        let room = inputs.tile * widest.unwrap_or(1);
        Tile {
            kernel,
            inputs,
            prefetcher: Prefetcher::new(kernel, inputs, |step| places[step].is_some()),
            places,
            buffers: (0..count).map(|_| memory::for_overwriting(room)).collect(),
            spread: [Vec::new(), Vec::new()],
            first: 0,
            count: 0,
        }
    }

    /// Rows of this tile.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Computes all steps for `count` rows from `first` on, while those after them are fetched.
    pub(super) fn run(&mut self, first: usize, count: usize) {
        (self.first, self.count) = (first, count);
        for step in 0..self.kernel.steps.len() {
            if let Some(place) = self.places[step] {
                if self.inputs.chains.ends[step].is_none() {
                    self.prefetcher.before(step, first + count);
                }
                let mut out = std::mem::take(&mut self.buffers[place]);
                let len = count * self.inputs.widths[step].cells();
                self.step(step, &mut out[..len]);
                self.buffers[place] = out;
            }
        }
    }

    /// The rows of a sparse input.
    pub(super) fn sparse(&self, step: usize) -> Option<&'a Csr> {
        match self.kernel.steps[step] {
            Step::Slot(slot) => match &self.inputs.slots[slot] {
                Input::Sparse(csr) => Some(csr),
                _ => None,
            },
            _ => None,
        }
    }

    /// The number of the tile's first row.
    pub(super) fn first(&self) -> usize {
        self.first
    }

    /// Whether a step is an input that lies in memory, and that nothing has read yet.
    pub(super) fn is_far(&self, step: usize) -> bool {
        matches!(self.kernel.steps[step], Step::Slot(slot) if self.inputs.summed.contains(&slot))
    }

    /// What whoever adds up the tile's rows after all steps asks for meanwhile.
    pub(super) fn ahead(&self) -> &'a [f64] {
        let end = self.kernel.steps.len();
        self.prefetcher.meanwhile(end, self.first + self.count)
    }

    /// A step's cells, or its one number; `None` for what repeats or is sparse and not laid out.
    fn row(&self, step: usize) -> Option<Row<'_>> {
        if let Some(place) = self.places[step] {
            let len = self.count * self.inputs.widths[step].cells();
            return Some(Row::Many(&self.buffers[place][..len]));
        }
        match self.kernel.steps[step] {
            Step::Number(bits) => Some(Row::One(f64::from_bits(bits))),
            Step::Slot(slot) => match &self.inputs.slots[slot] {
                Input::Dense(cells, cols) => {
                    Some(Row::Many(&cells[self.first * cols..][..self.count * cols]))
                }
                Input::Column(cells) => Some(Row::Many(&cells[self.first..][..self.count])),
                Input::One(x) => Some(Row::One(*x)),
                Input::Row(_) | Input::Sparse(_) | Input::Factor(_) => None,
            },
            _ => None,
        }
    }

    /// A step's cells, all of them.
    pub(super) fn cells(&self, step: usize) -> Cow<'_, [f64]> {
        match self.row(step) {
            Some(Row::Many(cells)) => Cow::Borrowed(cells),
            Some(Row::One(x)) => Cow::Owned(vec![x; self.count]),
            None => match (&self.kernel.steps[step], self.sparse(step)) {
                (_, Some(csr)) => {
                    let mut out = vec![0.0; self.count * csr.cols()];
                    lay_out(csr, self.first, &mut out);
                    Cow::Owned(out)
                }
                (Step::Slot(slot), None) => match &self.inputs.slots[*slot] {
                    Input::Row(cells) => Cow::Owned(cells.repeat(self.count)),
                    _ => Cow::Owned(Vec::new()),
                },
                _ => Cow::Owned(Vec::new()),
            },
        }
    }

    /// Copies a step's cells.
    pub(super) fn copy(&self, step: usize, out: &mut [f64]) {
        out.copy_from_slice(&self.cells(step));
    }

    /// The sum of a step's cells.
    pub(super) fn sum(&self, step: usize) -> f64 {
        simd::sum(&self.cells(step))
    }

    /// Folds a step's cells into one row.
    pub(super) fn fold_columns(&self, step: usize, fold: Fold, into: &mut [f64]) {
        if let (Some(csr), Fold::Sum) = (self.sparse(step), fold) {
            for row in self.first..self.first + self.count {
                let (cols, values) = csr.row(row);
                for (col, value) in cols.iter().zip(values) {
                    into[*col as usize] += value;
                }
            }
            return;
        }
        fold.rows(&self.cells(step), into);
    }

    fn step(&mut self, step: usize, out: &mut [f64]) {
        let kernel = self.kernel;
        if let Some(chain) = &self.inputs.chains.ends[step] {
            return self.chain(step, chain, out);
        }
        match &kernel.steps[step] {
            Step::Slot(slot) => match &self.inputs.slots[*slot] {
                Input::Sparse(csr) => lay_out(csr, self.first, out),
                Input::Row(cells) => {
                    for row in out.chunks_exact_mut(cells.len().max(1)) {
                        row.copy_from_slice(cells);
                    }
                }
                _ => {}
            },
            Step::Cell(op, args) => self.cell(*op, args, out),
            Step::Times(row, slot) => {
                if let Input::Factor(factor) = &self.inputs.slots[*slot] {
                    self.times(step, *row, factor, out);
                }
            }
            Step::Slice(row, from, to) => {
                let width = self.inputs.widths[*row].cells();
                #[expect(clippy::cast_possible_truncation, reason = "checked to be columns")]
                let (from, to) = (*from as usize, *to as usize);
                narrow::slices(&self.cells(*row), width, from, to - from, out);
            }
            Step::Fold(op, row) => self.fold(*op, *row, out),
            Step::Number(_) | Step::Product(..) => {}
        }
    }

    /// Lays out the numbers that a cellwise operator reads beside rows of `cols` cells.
    fn spread(&mut self, args: &[usize], cols: usize) {
        let mut spread = std::mem::take(&mut self.spread);
        for (arg, room) in args.iter().zip(&mut spread) {
            if self.is_spread(*arg, cols)
                && let Some(Row::Many(numbers)) = self.row(*arg)
            {
                room.resize(self.count * cols, 0.0);
                narrow::spread(numbers, cols, room);
            }
        }
        self.spread = spread;
    }

    /// Whether there is a number for each row where a cellwise operator wants as many cells as its result has.
    fn is_spread(&self, arg: usize, cols: usize) -> bool {
        self.inputs.widths[arg] == Width::Number && cols > 1
    }

    /// The `i`-th argument of a cellwise operator with rows of `cols` cells, after [`Self::spread`].
    fn argument(&self, i: usize, arg: usize, cols: usize) -> Row<'_> {
        if self.is_spread(arg, cols) {
            Row::Many(&self.spread[i][..self.count * cols])
        } else {
            self.row(arg).unwrap_or(Row::One(f64::NAN))
        }
    }

    /// Whether a cellwise operator goes through its rows of `cols` cells one by one.
    fn is_by_row(&self, args: &[usize], cols: usize) -> bool {
        cols >= WIDE && args.iter().any(|arg| self.is_spread(*arg, cols))
    }

    /// An argument of such an operator in the `i`-th row of the tile.
    fn in_row(&self, i: usize, arg: usize, cols: usize) -> Row<'_> {
        match self.row(arg) {
            Some(Row::Many(numbers)) if self.is_spread(arg, cols) => Row::One(numbers[i]),
            Some(Row::Many(cells)) => Row::Many(&cells[i * cols..][..cols]),
            Some(number) => number,
            None => Row::One(f64::NAN),
        }
    }

    /// A cellwise operator.
    fn cell(&mut self, op: Op, args: &[usize], out: &mut [f64]) {
        let cols = out.len().checked_div(self.count).unwrap_or(0);
        if let [left, right, ..] = *args
            && self.is_by_row(&[left, right], cols)
        {
            for (i, out) in out.chunks_exact_mut(cols).enumerate() {
                let [x, y] = [left, right].map(|arg| self.in_row(i, arg, cols));
                simd_cells::binary(op, x, y, out);
            }
            return;
        }
        self.spread(args, cols);
        match *args {
            [arg] => match self.argument(0, arg, cols) {
                Row::Many(cells) => {
                    simd_cells::unary_into(op, cells, out);
                }
                Row::One(x) => {
                    out.fill(x);
                    simd_cells::unary(op, out);
                }
            },
            [left, right, ..] => {
                let [x, y] = [self.argument(0, left, cols), self.argument(1, right, cols)];
                simd_cells::binary(op, x, y, out);
            }
            [] => {}
        }
    }

    /// Steps that are taken together; they ask for what `step` does meanwhile.
    fn chain(&mut self, step: usize, chain: &Chain, out: &mut [f64]) {
        let start;
        let cells;
        let cols = out.len().checked_div(self.count).unwrap_or(0);
        if let Some((head, args)) = chain.head
            && self.is_by_row(&args, cols)
        {
            for (i, out) in out.chunks_exact_mut(cols).enumerate() {
                let [x, y] = args.map(|arg| self.in_row(i, arg, cols));
                let start = Start::Head(head, x, y);
                simd_chains::chain(start, &chain.steps, out, Prefetch::default());
            }
            return;
        }
        if let Some((head, args)) = chain.head {
            self.spread(&args, cols);
            let [x, y] = [0, 1].map(|i| self.argument(i, args[i], cols));
            start = Start::Head(head, x, y);
        } else {
            cells = self.cells(chain.from);
            start = Start::Cells(&cells);
        }
        let shares = self.prefetcher.shares(step, self.first + self.count);
        for share in &shares {
            // A line for each line of results is all that is asked for as they come.
            simd::prefetch(share, out.len()..share.len());
        }
        let ahead = Prefetch {
            rows: &shares,
            from: 0,
        };
        simd_chains::chain(start, &chain.steps, out, ahead);
    }

    /// Rows times a factor, which is a step.
    fn times(&self, step: usize, row: usize, factor: &Factor, out: &mut [f64]) {
        let (inner, cols) = (factor.inner, factor.cols);
        if inner == 0 || cols == 0 {
            return out.fill(0.0);
        }
        if let Some(csr) = self.sparse(row) {
            out.fill(0.0);
            return matmul::rows_times_dense(csr, self.first, &factor.cells, cols, out);
        }
        let cells = self.cells(row);
        if cols == 1 {
            if !simd_avx512_rows::rows_times_vector(&cells, &factor.cells, out) {
                simd::rows_times_vector(&cells, &factor.cells, out);
            }
            return;
        }
        let next = self.prefetcher.meanwhile(step, self.first + self.count);
        let shape = (inner, cols);
        match &factor.packed {
            Some(Packed::Columns(packed)) => {
                let ran = simd_avx512::rows_of_tile_times_narrow(&cells, packed, shape, next, out);
                assert!(ran, "columns are packed where their kernel runs");
            }
            Some(Packed::Panels(packed)) => {
                simd_narrow::rows_of_tile_times_narrow(&cells, packed, shape, next, out);
            }
            Some(Packed::Few(columns)) => {
                simd_narrow::rows_of_tile_times_few(&cells, columns, shape, next, out);
            }
            None => out.fill(0.0),
        }
    }

    /// A number for each row.
    fn fold(&self, op: Op, row: usize, out: &mut [f64]) {
        let width = self.inputs.widths[row].cells();
        let fold = Fold::of(op).unwrap_or(Fold::Sum);
        if let Some(csr) = self.sparse(row) {
            for (i, to) in out.iter_mut().enumerate() {
                let values = csr.row(self.first + i).1;
                *to = fold.cells(values);
                if values.len() < width {
                    *to = fold.join(*to, 0.0);
                }
            }
        } else {
            let cells = self.cells(row);
            if fold == Fold::Sum && width <= SHORT {
                narrow::sums(&cells, width, out);
            } else {
                fold.each_row(&cells, width, out);
            }
        }
        if op == Op::RowMeans {
            out.iter_mut().for_each(|x| *x /= width as f64);
        }
    }
}

impl Drop for Tile<'_> {
    fn drop(&mut self) {
        self.buffers.drain(..).for_each(memory::recycle);
    }
}

/// The rows of a sparse matrix from `first` on, all cells.
fn lay_out(csr: &Csr, first: usize, out: &mut [f64]) {
    out.fill(0.0);
    for (i, to) in out.chunks_exact_mut(csr.cols().max(1)).enumerate() {
        let (cols, values) = csr.row(first + i);
        for (col, value) in cols.iter().zip(values) {
            to[*col as usize] = *value;
        }
    }
}

/// By step: whether it is a sparse or repeated input of which a step wants all cells.
fn laid_out(kernel: &Kernel, inputs: &Inputs<'_>) -> Vec<bool> {
    let is_wanted = |(i, step): (usize, &Step)| {
        let is_spread = match step {
            Step::Slot(slot) => {
                matches!(inputs.slots[*slot], Input::Sparse(_) | Input::Row(_))
            }
            _ => false,
        };
        is_spread && is_laid_out(kernel, i)
    };
    kernel.steps.iter().enumerate().map(is_wanted).collect()
}

/// By step its buffer, and how many buffers there are: one that nothing needs any more which the step or a later one
/// reads.
fn places(
    kernel: &Kernel,
    inputs: &Inputs<'_>,
    is_laid_out: &[bool],
) -> (Vec<Option<usize>>, usize) {
    let steps = kernel.steps.len();
    let mut last_read = vec![0; steps];
    for (i, step) in kernel.steps.iter().enumerate() {
        match step {
            Step::Cell(_, args) => args.iter().for_each(|arg| last_read[*arg] = i),
            Step::Times(row, _) | Step::Slice(row, _, _) | Step::Fold(_, row) => {
                last_read[*row] = i;
            }
            Step::Slot(_) | Step::Number(_) | Step::Product(..) => {}
        }
    }
    for (i, chain) in inputs.chains.ends.iter().enumerate() {
        if let Some(chain) = chain {
            for arg in chain.reads() {
                last_read[*arg] = last_read[*arg].max(i);
            }
        }
    }
    for output in &kernel.outputs {
        last_read[output.step] = steps;
        if let Finish::Sums(left) = output.finish {
            last_read[left] = steps;
        }
    }
    let mut held: Vec<usize> = Vec::new();
    let mut places = vec![None; steps];
    for (i, step) in kernel.steps.iter().enumerate() {
        let is_computed = match step {
            _ if inputs.chains.is_inner[i] => false,
            Step::Slot(_) => is_laid_out[i],
            Step::Number(_) => false,
            _ => inputs.widths[i] != Width::One || matches!(step, Step::Cell(..)),
        };
        if !is_computed {
            continue;
        }
        let place = held.iter().position(|owner| last_read[*owner] < i);
        let place = place.unwrap_or_else(|| {
            held.push(i);
            held.len() - 1
        });
        held[place] = i;
        places[i] = Some(place);
    }
    (places, held.len())
}
