//! Several cellwise operators in one pass over memory, ending in a matrix or in a sum.
//!
//! A program is a list of steps over tiles of some hundred cells: few enough that all values of a tile stay in the
//! nearest cache. While a tile is worked on, the next one is fetched. Each step is the very function that computes
//! the operator alone, so the cells of a fused matrix are bit for bit those of the operators one by one. Nothing here
//! decides what to fuse, and the number of threads never changes a result.

mod folds;
mod run;
mod tasks;

use sumac_la::Op;

use super::parallel::for_rows;
use super::scalar;
use crate::error::OpError;
use crate::kernels::cell::name;
use crate::matrix::Csr;
use crate::memory;
pub use folds::{Fold, fold_cols, fold_rows, folds};
pub(crate) use run::Held;
use run::Run;
use tasks::Wanted;

/// Cells of a tile: two tiles of each of three inputs and some values take half of the nearest cache.
const TILE: usize = 256;

/// The cells that a program reads under the number of an input.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Cells<'a> {
    /// One for each cell of the result.
    Full(&'a [f64]),
    /// One for each row of so many cells.
    Column(&'a [f64], usize),
    /// One row, for every row.
    Row(&'a [f64]),
    /// One for each cell of the result; zeros are not stored.
    Sparse(&'a Csr),
    /// One number for all cells.
    One(f64),
}

impl<'a> From<&'a [f64]> for Cells<'a> {
    fn from(cells: &'a [f64]) -> Self {
        Cells::Full(cells)
    }
}

impl Cells<'_> {
    /// How many cells are read once each.
    fn streamed(&self) -> usize {
        match self {
            Cells::Full(cells) => cells.len(),
            Cells::Sparse(csr) => csr.nnz(),
            Cells::Column(..) | Cells::Row(_) | Cells::One(_) => 0,
        }
    }

    /// Whether a tile's cells must be laid out first.
    fn is_repeated(&self) -> bool {
        matches!(self, Cells::Column(..) | Cells::Row(_) | Cells::Sparse(_))
    }

    /// The cells from `start` on as they meet the result's, where they are repeated.
    fn repeat(&self, start: usize, out: &mut [f64]) {
        match self {
            Cells::Full(_) | Cells::One(_) => {}
            Cells::Sparse(csr) => lay_out(csr, start, out),
            Cells::Column(cells, cols) => {
                let (mut row, mut left) = (start / cols, cols - start % cols);
                let mut rest = out;
                while !rest.is_empty() {
                    let (now, later) = rest.split_at_mut(left.min(rest.len()));
                    now.fill(cells[row]);
                    (row, left, rest) = (row + 1, *cols, later);
                }
            }
            Cells::Row(cells) => {
                let mut from = start % cells.len();
                let mut rest = out;
                while !rest.is_empty() {
                    let count = (cells.len() - from).min(rest.len());
                    let (now, later) = rest.split_at_mut(count);
                    now.copy_from_slice(&cells[from..from + count]);
                    (from, rest) = (0, later);
                }
            }
        }
    }
}

/// The cells of a sparse matrix from the number `start` on, row after row.
fn lay_out(csr: &Csr, start: usize, out: &mut [f64]) {
    out.fill(0.0);
    let (cols, end) = (csr.cols(), start + out.len());
    if cols == 0 {
        return;
    }
    for row in start / cols..end.div_ceil(cols) {
        let base = row * cols;
        let (indices, values) = csr.row(row);
        let from = indices.partition_point(|col| base + (*col as usize) < start);
        for (col, value) in indices[from..].iter().zip(&values[from..]) {
            let at = base + *col as usize;
            if at >= end {
                return;
            }
            out[at - start] = *value;
        }
    }
}

/// Where an argument of a step comes from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Source {
    /// The cells of an input, by its number.
    Input(usize),
    /// One number for all cells.
    Number(f64),
    /// The result of an earlier step, by its number.
    Step(usize),
}

/// One operator.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Step {
    op: Op,
    left: Source,
    /// None for operators of one argument.
    right: Option<Source>,
}

/// Cellwise operators over inputs of the same number of cells. The last step is the result.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    inputs: usize,
    steps: Vec<Step>,
}

impl Program {
    /// No steps yet, over so many inputs.
    #[must_use]
    pub fn new(inputs: usize) -> Program {
        Program {
            inputs,
            steps: Vec::new(),
        }
    }

    /// Whether steps can be this operator with so many arguments.
    #[must_use]
    pub fn takes(op: Op, arguments: usize) -> bool {
        match arguments {
            1 => scalar::unary(op, 0.5).is_some(),
            2 => scalar::binary(op, 0.5, 0.5).is_some(),
            _ => false,
        }
    }

    /// Adds a step, and gives its result for later ones.
    ///
    /// # Errors
    /// When `op` is no cellwise operator of so many arguments, or an argument is an input or a step that is not there.
    pub fn push(&mut self, op: Op, arguments: &[Source]) -> Result<Source, OpError> {
        if !Program::takes(op, arguments.len()) {
            return Err(OpError::argument(
                "a fused operator",
                "cellwise operators of one or two arguments",
                format!("`{}` of {}", name(op), arguments.len()),
            ));
        }
        for source in arguments {
            let (there, what) = match source {
                Source::Input(i) => (*i < self.inputs, "inputs"),
                Source::Step(i) => (*i < self.steps.len(), "earlier steps"),
                Source::Number(_) => (true, ""),
            };
            if !there {
                return Err(OpError::argument(
                    "a fused operator",
                    format!("one of its {what}"),
                    format!("{source:?}"),
                ));
            }
        }
        self.steps.push(Step {
            op,
            left: arguments[0],
            right: arguments.get(1).copied(),
        });
        Ok(Source::Step(self.steps.len() - 1))
    }

    /// How many operators there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are no operators.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The input whose cells the results are, if they are that of an input, where some inputs have no zeros: a mask over these is one.
    pub(super) fn only(&self, is_nonzero: impl Fn(usize) -> bool) -> Option<usize> {
        const ONE: Source = Source::Number(1.0);
        let mut known: Vec<Source> = Vec::new();
        for (number, step) in self.steps.iter().enumerate() {
            let of = |source| match source {
                Source::Step(i) => known[i],
                other => other,
            };
            let result = match (step.op, of(step.left), step.right.map(of)) {
                (Op::Ne, Source::Input(i), Some(Source::Number(0.0)))
                | (Op::Ne, Source::Number(0.0), Some(Source::Input(i)))
                    if is_nonzero(i) =>
                {
                    ONE
                }
                (Op::Mul, ONE, Some(other)) | (Op::Mul, other, Some(ONE)) => other,
                _ => Source::Step(number),
            };
            known.push(result);
        }
        match known.last() {
            Some(Source::Input(i)) => Some(*i),
            _ => None,
        }
    }

    /// Units of work for a cell.
    fn work(&self) -> usize {
        let of = |step: &Step| match step.op {
            Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Abs => 0,
            _ => 1,
        };
        1 + self.inputs / 2 + self.steps.iter().map(of).sum::<usize>()
    }
}

/// Each cell's result.
///
/// # Panics
/// When there are not as many inputs as the program has, or none of them is full, or they do not fit each other, or
/// there is no step.
#[must_use]
pub fn cells(program: &Program, inputs: &[Cells<'_>]) -> Vec<f64> {
    let len = checked_len(program, inputs);
    let mut out = memory::for_overwriting(len);
    for_rows(&mut out, 1, program.work(), |first, part| {
        let mut run = Run::new(program, inputs, Wanted::Cells);
        for (i, tile) in part.chunks_mut(TILE).enumerate() {
            run.tile(first + i * TILE, tile.len());
            run.last_into(tile);
        }
    });
    out
}

/// The sum of all cells' results, by pairs of halves.
///
/// # Panics
/// As [`cells`].
#[must_use]
pub fn sum(program: &Program, inputs: &[Cells<'_>]) -> f64 {
    folds(&[(program, Fold::Sum)], inputs)[0]
}

/// Each cell's result into `out`, on this thread. What comes back gives room to the next call with inputs of the same kinds, and of
/// the same numbers.
pub(crate) fn cells_into(
    program: &Program,
    inputs: &[Cells<'_>],
    held: Option<Held>,
    out: &mut [f64],
) -> Held {
    let mut run = match held {
        Some(held) => Run::after(held, inputs),
        None => Run::new(program, inputs, Wanted::Cells),
    };
    for (i, tile) in out.chunks_mut(TILE).enumerate() {
        run.tile(i * TILE, tile.len());
        run.last_into(tile);
    }
    run.held()
}

fn checked_len(program: &Program, inputs: &[Cells<'_>]) -> usize {
    assert_eq!(inputs.len(), program.inputs, "cells for each input");
    assert!(!program.is_empty(), "a program has a step");
    let full = inputs.iter().find_map(|cells| match cells {
        Cells::Full(cells) => Some(cells.len()),
        Cells::Sparse(csr) => Some(csr.rows() * csr.cols()),
        Cells::Column(..) | Cells::Row(_) | Cells::One(_) => None,
    });
    assert!(full.is_some() || inputs.is_empty(), "an input is full");
    let len = full.unwrap_or(0);
    let fits = |cells: &Cells<'_>| match cells {
        Cells::Full(cells) => cells.len() == len,
        Cells::Column(cells, cols) => cells.len() * cols == len,
        Cells::Row(cells) => len == 0 || (!cells.is_empty() && len.is_multiple_of(cells.len())),
        Cells::Sparse(csr) => csr.rows() * csr.cols() == len,
        Cells::One(_) => true,
    };
    assert!(inputs.iter().all(fits), "inputs that fit each other");
    len
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_over_what_has_no_zeros_leaves_its_product_alone() {
        let [x, y] = [Source::Input(0), Source::Input(1)];
        let (zero, first) = (Source::Number(0.0), Source::Step(0));
        let only = |steps: &[(Op, [Source; 2])]| {
            let mut program = Program::new(2);
            for (op, arguments) in steps {
                program.push(*op, arguments).unwrap();
            }
            program.only(|input| input == 0)
        };
        assert_eq!(only(&[(Op::Ne, [x, zero]), (Op::Mul, [first, y])]), Some(1));
        assert_eq!(only(&[(Op::Ne, [zero, x]), (Op::Mul, [y, first])]), Some(1));
        assert_eq!(only(&[(Op::Mul, [y, Source::Number(1.0)])]), Some(1));
        for others in [
            [(Op::Ne, [y, zero]), (Op::Mul, [first, x])],
            [(Op::Ne, [x, Source::Number(1.0)]), (Op::Mul, [first, y])],
            [(Op::Eq, [x, zero]), (Op::Mul, [first, y])],
            [(Op::Ne, [x, zero]), (Op::Add, [first, y])],
        ] {
            assert_eq!(only(&others), None, "{others:?}");
        }
        assert_eq!(only(&[(Op::Ne, [x, zero])]), None, "a number is no input");
    }
}
