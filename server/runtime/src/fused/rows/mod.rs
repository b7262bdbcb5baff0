//! Row: tiles of some rows that stay in the nearest cache, with a vector function for each step; what is summed over the
//! rows has a sum of its own for each of a fixed number of parts.

mod chains;
mod inputs;
mod narrow;
mod prefetcher;
mod sums;
mod tile;

use std::ops::Range;

use sumac_fusion::{Access, Finish, Kernel, Step};
use sumac_la::Op;

use super::{doubt, has_nan};
use crate::error::OpError;
use crate::kernels::fused::Fold;
use crate::kernels::matmul::chain;
use crate::kernels::parallel::{for_rows, map_ranges};
use crate::kernels::simd::Pairwise;
use crate::matrix::Matrix;
use crate::memory;
use crate::value::Value;
use inputs::{Inputs, Width};
use sums::Sums;
use tile::Tile;

/// Parts that have sums of their own.
const PARTS: usize = 16;

/// The result of a kernel; `None` where what it reads has no rows.
pub(super) fn run(kernel: &Kernel, values: &[&Value]) -> Result<Option<Vec<Value>>, OpError> {
    let [output] = kernel.outputs.as_slice() else {
        return Ok(None);
    };
    if let Some(result) = known_chain(kernel, values)? {
        return Ok(Some(vec![result]));
    }
    if super::values::are_apart(kernel, values) {
        return Ok(None);
    }
    let Some(inputs) = Inputs::new(kernel, values)? else {
        return Ok(None);
    };
    let is_sparse = |slot: usize| {
        kernel.slots[slot] == Access::Cells
            && values[slot].as_matrix().is_some_and(Matrix::is_sparse)
    };
    let doubt = doubt(kernel, values, is_sparse, None);
    if doubt.hides {
        return Ok(None);
    }
    let rows = inputs.rows;
    let width = inputs.widths[output.step];
    let work = inputs.work(kernel);
    let each = |range: Range<usize>, take: &mut dyn FnMut(&Tile<'_>)| {
        let mut tile = Tile::new(kernel, &inputs);
        for first in range.clone().step_by(inputs.tile) {
            tile.run(first, inputs.tile.min(range.end - first));
            take(&tile);
        }
    };
    let value: Value = match &output.finish {
        Finish::Keep => {
            let cols = width.cells();
            let mut out = memory::for_overwriting(rows * cols);
            for_rows(&mut out, cols, work, |first, part| {
                let mut at = 0;
                each(first..first + part.len() / cols, &mut |tile| {
                    let count = tile.count() * cols;
                    tile.copy(output.step, &mut part[at..at + count]);
                    at += count;
                });
            });
            Matrix::dense(rows, cols, out).into()
        }
        Finish::All(Op::Sum) => {
            let parts = map_ranges(rows, work, usize::MAX, |range| {
                let mut total = Pairwise::default();
                each(range, &mut |tile| total.add(tile.sum(output.step)));
                total.total()
            });
            Value::Double(Fold::Sum.cells(&parts))
        }
        Finish::Columns(op) => {
            let Some(fold) = Fold::of(*op) else {
                return Ok(None);
            };
            let cols = width.cells();
            let parts = map_ranges(rows, work, PARTS, |range| {
                let mut folded = memory::filled(cols, fold.start());
                each(range, &mut |tile| {
                    tile.fold_columns(output.step, fold, &mut folded);
                });
                folded
            });
            let mut total = memory::filled(cols, fold.start());
            for part in &parts {
                fold.rows(part, &mut total);
            }
            if *op == Op::ColMeans {
                total.iter_mut().for_each(|x| *x /= rows as f64);
            }
            Matrix::dense(1, cols, total).settled().into()
        }
        Finish::Sums(left) => {
            let of = |step: usize| inputs.widths[step].cells();
            let is_left_sparse = matches!(kernel.steps[*left], Step::Slot(slot) if is_sparse(slot));
            let parts = map_ranges(rows, work, PARTS, |range| {
                let mut sums = Sums::new(of(*left), of(output.step), is_left_sparse);
                each(range, &mut |tile| sums.add(tile, *left, output.step));
                sums
            });
            let (n, p) = (of(*left), of(output.step));
            Sums::total(parts, n, p).into()
        }
        Finish::All(_) | Finish::Rows(_) | Finish::LeftProduct { .. } | Finish::RightProduct(_) => {
            return Ok(None);
        }
    };
    let is_doubtful = doubt.meets_zeros && has_nan(&value);
    Ok((!is_doubtful).then(|| vec![value]))
}

/// `t(X) %*% (w * (X %*% v))` has a kernel of its own.
fn known_chain(kernel: &Kernel, values: &[&Value]) -> Result<Option<Value>, OpError> {
    let output = &kernel.outputs[0];
    let Finish::Sums(left) = output.finish else {
        return Ok(None);
    };
    let slot_of = |step: usize| match kernel.steps[step] {
        Step::Slot(slot) => Some(slot),
        _ => None,
    };
    let product = |step: usize| match kernel.steps[step] {
        Step::Times(row, v) if row == left => Some(v),
        _ => None,
    };
    let (v, w) = match &kernel.steps[output.step] {
        Step::Times(..) => (product(output.step), None),
        Step::Cell(Op::Mul, args) => match (product(args[0]), product(args[1])) {
            (Some(v), None) => (Some(v), slot_of(args[1])),
            (None, Some(v)) => (Some(v), slot_of(args[0])),
            _ => return Ok(None),
        },
        _ => return Ok(None),
    };
    let (Some(x), Some(v)) = (slot_of(left), v) else {
        return Ok(None);
    };
    let is_weighted = matches!(kernel.steps[output.step], Step::Cell(..));
    let is_column = |slot: usize| kernel.slots[slot] == Access::Column;
    if kernel.slots[x] != Access::Cells
        || kernel.slots[v] != Access::Whole
        || is_weighted && !w.is_some_and(is_column)
    {
        return Ok(None);
    }
    let matrix = |slot: usize| values[slot].matrix("a fused operator");
    if matrix(v)?.cols() != 1 {
        return Ok(None);
    }
    let w = w.map(matrix).transpose()?;
    chain(matrix(x)?, matrix(v)?, w).map(|m| Some(m.into()))
}

/// How wide a step's row is.
impl Width {
    /// Cells of a row of the result.
    fn cells(self) -> usize {
        match self {
            Width::Row(n) | Width::Repeated(n) => n,
            Width::Number | Width::One => 1,
        }
    }
}
