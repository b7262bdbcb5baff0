//! What a Row operator reads, as its steps want it: small matrices in the right direction, and how wide each step is.

use std::borrow::Cow;

use sumac_fusion::{Access, Finish, Kernel, Output, Step};

use super::chains::Chains;
use crate::error::OpError;
use crate::kernels::{reorg, simd_avx512, simd_narrow};
use crate::matrix::{Csr, Matrix, View};
use crate::value::Value;

/// Cells of all rows of a tile: these and those of the next one lie in the nearest cache.
const TILE_CELLS: usize = 2048;

/// Rows of a tile at most.
const MOST_ROWS: usize = 256;

/// What a step has for a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Width {
    /// So many cells.
    Row(usize),
    /// So many cells, the same for all rows.
    Repeated(usize),
    /// A number.
    Number,
    /// A number, the same for all rows.
    One,
}

/// An input.
pub(super) enum Input<'a> {
    /// Rows of so many cells.
    Dense(&'a [f64], usize),
    /// Rows of a sparse matrix.
    Sparse(&'a Csr),
    /// A number for each row.
    Column(Cow<'a, [f64]>),
    /// One row.
    Row(Cow<'a, [f64]>),
    /// One number.
    One(f64),
    /// A factor.
    Factor(Factor),
}

/// A matrix that rows are multiplied with.
pub(super) struct Factor {
    /// By rows.
    pub(super) cells: Vec<f64>,
    /// Rows.
    pub(super) inner: usize,
    /// Columns.
    pub(super) cols: usize,
    /// As the kernel for it takes it; `None` where it is a vector or empty.
    pub(super) packed: Option<Packed>,
}

/// A factor as a kernel takes it.
pub(super) enum Packed {
    /// Columns, for AVX-512.
    Columns(Vec<f64>),
    /// Panels of columns, for any vectors.
    Panels(Vec<f64>),
    /// A few columns, one after the other, for any vectors.
    Few(Vec<f64>),
}

/// The inputs of an operator.
pub(super) struct Inputs<'a> {
    /// By slot.
    pub(super) slots: Vec<Input<'a>>,
    /// By step.
    pub(super) widths: Vec<Width>,
    /// Rows that are gone through.
    pub(super) rows: usize,
    /// Rows of a tile.
    pub(super) tile: usize,
    /// Slots of inputs that a step fetches as it reads them.
    pub(super) streamed: Vec<usize>,
    /// Slots of inputs that no step reads, but the sums over rows that are taken of the tile: these are read once and in
    /// order, which memory is best at by itself.
    pub(super) summed: Vec<usize>,
    /// Steps that are taken together.
    pub(super) chains: Chains,
}

impl<'a> Inputs<'a> {
    /// Of a kernel; `None` where nothing says how many rows there are.
    pub(super) fn new(
        kernel: &Kernel,
        values: &[&'a Value],
    ) -> Result<Option<Inputs<'a>>, OpError> {
        let mut slots = Vec::new();
        let mut rows = None;
        for (value, access) in values.iter().zip(&kernel.slots) {
            if *access == Access::Scalar {
                slots.push(Input::One(value.number("a fused operator")?));
                continue;
            }
            let matrix = value.matrix("a fused operator")?;
            // A vector may lie in memory in either direction.
            let own_rows = match access {
                Access::Cells => Some(matrix.rows()),
                Access::Column => Some(matrix.len()),
                _ => None,
            };
            if let Some(own_rows) = own_rows {
                match rows {
                    Some(rows) if rows != own_rows => {
                        let expected = format!("a matrix of {rows} rows");
                        let found = value.describe();
                        return Err(OpError::argument("a fused operator", expected, found));
                    }
                    _ => rows = Some(own_rows),
                }
            }
            let wants_vector = matches!(access, Access::Column | Access::Row);
            if wants_vector && matrix.rows() != 1 && matrix.cols() != 1 {
                let found = value.describe();
                return Err(OpError::argument("a fused operator", "a vector", found));
            }
            slots.push(match (access, matrix.view()) {
                (Access::Cells, View::Dense(cells)) => Input::Dense(cells, matrix.cols()),
                (Access::Cells, View::Sparse(csr)) => Input::Sparse(csr),
                (Access::Column, _) => Input::Column(cells_of(matrix)),
                (Access::Row | Access::Scalar, _) => Input::Row(cells_of(matrix)),
                (Access::Whole, _) => Input::Factor(Factor::new(matrix)),
                (Access::Transposed, _) => Input::Factor(Factor::new(&reorg::transpose(matrix))),
            });
        }
        let Some(rows) = rows else { return Ok(None) };
        let mut widths = Vec::new();
        for step in &kernel.steps {
            let Some(width) = width(step, &slots, &widths) else {
                return Ok(None);
            };
            widths.push(width);
        }
        let streamed = streamed(kernel, &slots);
        let summed = summed(kernel, &slots);
        let room = |cells: usize| {
            let rows = TILE_CELLS / cells.max(1);
            // Products take four rows at a time.
            if rows > 4 { rows / 4 * 4 } else { rows }
        };
        let is_summed = |step: &Step| matches!(step, Step::Slot(s) if summed.contains(s));
        let cells = |step: usize| cells_of_row(kernel, &slots, &widths, step);
        let near = (0..kernel.steps.len()).filter(|step| !is_summed(&kernel.steps[*step]));
        let tile = near.map(|step| room(cells(step))).min();
        Ok(Some(Inputs {
            chains: Chains::of(kernel, &slots, &widths),
            tile: tile.unwrap_or(MOST_ROWS).clamp(4, MOST_ROWS),
            slots,
            widths,
            rows,
            streamed,
            summed,
        }))
    }

    /// Units of work for a row.
    pub(super) fn work(&self, kernel: &Kernel) -> usize {
        let of = |(i, step): (usize, &Step)| {
            let cells = |step: usize| match self.widths[step] {
                Width::Row(_) => cells_of_row(kernel, &self.slots, &self.widths, step).max(1),
                _ => 1,
            };
            match step {
                Step::Times(row, _) => cells(*row) * cells(i) / 8 + cells(*row) / 4,
                // Cells that stay in registers.
                _ if self.chains.is_inner[i] => cells(i) / 64,
                _ => cells(i) / 4,
            }
        };
        let steps = kernel.steps.iter().enumerate().map(of).sum::<usize>();
        steps + 2
    }
}

/// Cells of a step's row: of sparse rows those that are stored, unless a step wants all.
fn cells_of_row(kernel: &Kernel, slots: &[Input<'_>], widths: &[Width], step: usize) -> usize {
    match kernel.steps[step] {
        Step::Slot(slot) if !is_laid_out(kernel, step) => match &slots[slot] {
            Input::Sparse(csr) => csr.nnz() / csr.rows().max(1),
            _ => widths[step].cells(),
        },
        _ => widths[step].cells(),
    }
}

/// The cells of a vector, where they lie if they are all there.
fn cells_of(matrix: &Matrix) -> Cow<'_, [f64]> {
    match matrix.view() {
        View::Dense(cells) => Cow::Borrowed(cells),
        View::Sparse(_) => Cow::Owned(matrix.to_cells()),
    }
}

/// Whether a step reads the rows of a slot.
fn reads(kernel: &Kernel, step: &Step, slot: usize) -> bool {
    let is_slot = |at: &usize| matches!(kernel.steps[*at], Step::Slot(s) if s == slot);
    match step {
        Step::Times(row, _) | Step::Slice(row, _, _) | Step::Fold(_, row) => is_slot(row),
        Step::Cell(_, args) => args.iter().any(is_slot),
        Step::Slot(_) | Step::Number(_) | Step::Product(..) => false,
    }
}

/// Whether a cellwise operator or a slice reads a step: of a sparse one they want all cells.
pub(super) fn is_laid_out(kernel: &Kernel, step: usize) -> bool {
    kernel.steps.iter().any(|reader| match reader {
        Step::Cell(_, args) => args.contains(&step),
        Step::Slice(row, _, _) => *row == step,
        _ => false,
    })
}

/// The slots of dense inputs that sums over rows alone read.
fn summed(kernel: &Kernel, slots: &[Input<'_>]) -> Vec<usize> {
    let is_sum = |output: &Output| matches!(output.finish, Finish::Sums(_));
    if !kernel.outputs.iter().all(is_sum) {
        return Vec::new();
    }
    (0..slots.len())
        .filter(|slot| matches!(slots[*slot], Input::Dense(..)))
        .filter(|slot| !kernel.steps.iter().any(|step| reads(kernel, step, *slot)))
        .collect()
}

/// The slots of dense inputs whose rows are first read by a product that asks for what lies behind them.
fn streamed(kernel: &Kernel, slots: &[Input<'_>]) -> Vec<usize> {
    let asks = |step: &Step| match step {
        Step::Times(_, factor) => match &slots[*factor] {
            Input::Factor(factor) => factor.packed.is_some(),
            _ => false,
        },
        _ => false,
    };
    (0..slots.len())
        .filter(|slot| matches!(slots[*slot], Input::Dense(..)))
        .filter(|slot| {
            let first = kernel.steps.iter().find(|step| reads(kernel, step, *slot));
            first.is_some_and(asks)
        })
        .collect()
}

/// How wide a step is; `None` where its arguments do not go together.
fn width(step: &Step, slots: &[Input<'_>], widths: &[Width]) -> Option<Width> {
    Some(match step {
        Step::Slot(slot) => match &slots[*slot] {
            Input::Dense(_, cols) => Width::Row(*cols),
            Input::Sparse(csr) => Width::Row(csr.cols()),
            Input::Column(_) => Width::Number,
            Input::Row(cells) => Width::Repeated(cells.len()),
            Input::One(_) => Width::One,
            Input::Factor(_) => return None,
        },
        Step::Number(_) => Width::One,
        Step::Cell(_, args) => {
            let mut all = args.iter().map(|arg| widths[*arg]);
            let first = all.next()?;
            match all.try_fold(first, join)? {
                // It has a buffer like any other.
                Width::One => Width::Number,
                width => width,
            }
        }
        Step::Times(row, slot) => {
            let (Input::Factor(factor), Width::Row(n)) = (&slots[*slot], widths[*row]) else {
                return None;
            };
            match factor.cols {
                _ if factor.inner != n => return None,
                1 => Width::Number,
                p => Width::Row(p),
            }
        }
        Step::Slice(row, from, to) => {
            let (from, to) = (usize::try_from(*from).ok()?, usize::try_from(*to).ok()?);
            match widths[*row] {
                Width::Row(n) if to <= n && to - from == 1 => Width::Number,
                Width::Row(n) if to <= n => Width::Row(to - from),
                Width::Number if (from, to) == (0, 1) => Width::Number,
                _ => return None,
            }
        }
        Step::Fold(_, row) => match widths[*row] {
            Width::Row(_) | Width::Number => Width::Number,
            Width::Repeated(_) | Width::One => return None,
        },
        Step::Product(..) => return None,
    })
}

fn join(a: Width, b: Width) -> Option<Width> {
    Some(match (a, b) {
        (Width::One, other) | (other, Width::One) => other,
        (Width::Row(n), Width::Row(m) | Width::Repeated(m))
        | (Width::Repeated(n), Width::Row(m)) => {
            if n != m {
                return None;
            }
            Width::Row(n)
        }
        (Width::Row(n) | Width::Repeated(n), Width::Number)
        | (Width::Number, Width::Row(n) | Width::Repeated(n)) => Width::Row(n),
        (Width::Repeated(n), Width::Repeated(m)) => {
            if n != m {
                return None;
            }
            Width::Repeated(n)
        }
        (Width::Number, Width::Number) => Width::Number,
    })
}

impl Factor {
    fn new(matrix: &Matrix) -> Factor {
        let (inner, cols) = matrix.shape();
        let cells = matrix.to_cells();
        /// Packed cells that stay in the second cache beside a tile.
        const MOST: usize = 1 << 15;
        let is_near = inner.next_multiple_of(8) * cols <= MOST;
        let packed = (cols > 1 && inner > 0).then(|| {
            if is_near && simd_avx512::is_there() {
                Packed::Columns(simd_avx512::packed_transpose(&cells, inner, cols))
            } else if cols <= simd_narrow::FEW {
                Packed::Few(reorg::transpose(matrix).to_cells())
            } else {
                Packed::Panels(simd_narrow::panels(&cells, inner, cols))
            }
        });
        Factor {
            cells,
            inner,
            cols,
            packed,
        }
    }
}
