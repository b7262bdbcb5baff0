//! Execution of fused operators: what a kernel of `sumac-fusion` says, over matrices.
//!
//! Each kind has a skeleton that goes through tiles of cells or rows; what happens in a tile is a program of vector
//! functions. Nothing here decides what is fused. Where a kernel does not suit the formats that its inputs turn out to
//! have, that is said, and the caller computes the operators one by one. The number of threads never changes a result.

mod cells;
mod divisors;
mod outer;
mod planner;
mod programs;
mod rows;
mod values;

use std::sync::Arc;

pub use planner::{Planner, Planning, planned, regions};
use sumac_fusion::{Cache, Finish, Kernel, Output, Statistics, Step, Template};
use sumac_la::Op;

use crate::compressed::Compressed;
use crate::error::OpError;
use crate::kernels::cell;
use crate::matrix::{Matrix, View};
use crate::value::Value;
use programs::Programs;

/// What a watch is told of a fused operator whose parts ran one by one, for the formats of its inputs.
pub const DECLINED: &str = "operators of a fused one";

/// What was made of kernels, kept for the next time.
#[derive(Debug, Default)]
pub struct Prepared {
    programs: Cache<Option<Programs>>,
}

impl Prepared {
    /// How often a kernel was already prepared.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.programs.statistics()
    }
}

/// The results of a kernel for the values of its slots, in the order of its outputs; `None` where the formats of the
/// values do not suit it.
///
/// # Errors
/// The values do not have the shapes that the slots say.
pub fn run(
    kernel: &Arc<Kernel>,
    inputs: &[&Value],
    prepared: &Prepared,
) -> Result<Option<Vec<Value>>, OpError> {
    // Aggregates of rows and columns without cells are values of their own.
    let is_empty = |value: &&Value| value.as_matrix().is_some_and(Matrix::is_empty);
    if folds_lines(kernel) && inputs.iter().any(is_empty) {
        return Ok(None);
    }
    if kernel.template == Template::Row {
        return rows::run(kernel, inputs);
    }
    let programs = prepared.programs.get(kernel, || Programs::of_cells(kernel));
    let Some(programs) = programs.as_ref() else {
        return Ok(None);
    };
    if let Some(done) = values::run(kernel, programs, inputs)? {
        return Ok(Some(done));
    }
    let driver = outer::driver(kernel, inputs);
    match (kernel.template, driver) {
        (_, Some(driver)) => outer::sparse(kernel, programs, inputs, driver),
        (Template::Outer, None) => outer::dense(kernel, programs, inputs),
        _ => cells::run(kernel, programs, inputs),
    }
}

/// Whether a kernel has an aggregate of rows or columns.
fn folds_lines(kernel: &Kernel) -> bool {
    let is_fold = |step: &Step| matches!(step, Step::Fold(..));
    let finishes = |output: &Output| matches!(output.finish, Finish::Rows(_) | Finish::Columns(_));
    kernel.steps.iter().any(is_fold) || kernel.outputs.iter().any(finishes)
}

/// How NaN tells a kernel from its operators one by one.
///
/// Alone, an operator skips the cells that a sparse matrix does not store, and a comparison gives a sparse matrix where
/// few cells hold. A kernel goes through all cells, so that a zero can meet NaN, and the trace of that is NaN.
struct Doubt {
    /// Zeros of something sparse are met: NaN in the result may come of that.
    meets_zeros: bool,
    /// A step may have turned such NaN into a number, or skipped it.
    hides: bool,
}

/// What is to doubt of a kernel of whose slots some are sparse and are read cell by cell, and one may drive it: where that
/// is not zero, what is computed of it may be. A product with a sparse factor may be sparse itself.
fn doubt(
    kernel: &Kernel,
    inputs: &[&Value],
    is_sparse: impl Fn(usize) -> bool,
    driver: Option<usize>,
) -> Doubt {
    let steps = kernel.steps.len();
    let (mut zeros, mut mixed) = (vec![false; steps], vec![false; steps]);
    let (mut meets_zeros, mut hides) = (false, false);
    let number = |step: usize| match kernel.steps[step] {
        Step::Number(bits) => Some(f64::from_bits(bits)),
        _ => None,
    };
    let is_sparse_factor = |slot: usize| inputs[slot].as_matrix().is_some_and(Matrix::is_sparse);
    for (i, step) in kernel.steps.iter().enumerate() {
        match step {
            Step::Slot(slot) => {
                zeros[i] = is_sparse(*slot);
                meets_zeros |= zeros[i];
            }
            Step::Cell(op, args) => {
                let reads_zeros = args.iter().any(|arg| zeros[*arg]);
                let reads_mixed = args.iter().any(|arg| mixed[*arg]);
                let values = args.iter().filter(|arg| number(**arg).is_none());
                let is_driver = |step: usize| matches!(kernel.steps[step], Step::Slot(slot) if Some(slot) == driver);
                let drives = args.iter().any(|arg| is_driver(*arg));
                hides |= reads_mixed && may_hide_nan(*op, args.get(1).and_then(|arg| number(*arg)));
                mixed[i] = reads_mixed || (reads_zeros && values.count() > 1);
                zeros[i] = reads_zeros || drives || cell::may_thin_out(*op);
                // What a driver alone makes zero is not visited, and not stored otherwise.
                meets_zeros |= reads_zeros || cell::may_thin_out(*op);
            }
            Step::Times(row, factor) => {
                let skips = is_sparse_factor(*factor);
                (zeros[i], mixed[i]) = (zeros[*row] || skips, zeros[*row] || mixed[*row] || skips);
                meets_zeros |= skips;
            }
            // Which zeros are skipped depends on how the factors are stored, and a plan may have them otherwise.
            Step::Product(left, right) => {
                let factors = [*left, *right];
                zeros[i] = factors.into_iter().any(is_sparse_factor);
                hides |= zeros[i] && !factors.iter().all(|slot| is_finite(inputs[*slot]));
            }
            Step::Slice(row, _, _) | Step::Fold(_, row) => {
                (zeros[i], mixed[i]) = (zeros[*row], mixed[*row]);
            }
            Step::Number(_) => {}
        }
    }
    Doubt { meets_zeros, hides }
}

/// Whether an operator can give a number for NaN.
fn may_hide_nan(op: Op, second: Option<f64>) -> bool {
    match op {
        Op::Pow => second.is_none_or(|exponent| exponent == 0.0),
        // Which NaN of several, and which zero, is not told apart.
        Op::Min2 | Op::Max2 | Op::Sign | Op::Round => true,
        _ => op.info().truth_valued,
    }
}

/// Whether all of a value's cells are numbers, and none is infinite.
fn is_finite(value: &Value) -> bool {
    match value.as_matrix().map(Matrix::view) {
        Some(View::Dense(cells)) => cells.iter().all(|x| x.is_finite()),
        Some(View::Sparse(csr)) => csr.values().iter().all(|x| x.is_finite()),
        None => value.as_number().is_some_and(f64::is_finite),
    }
}

/// Whether a value has NaN in it.
fn has_nan(value: &Value) -> bool {
    match value {
        Value::Matrix(m) => m.compressed().map_or_else(
            || match m.view() {
                View::Dense(cells) => cells.iter().any(|x| x.is_nan()),
                View::Sparse(csr) => csr.values().iter().any(|x| x.is_nan()),
            },
            Compressed::has_nan,
        ),
        other => other.as_number().is_some_and(f64::is_nan),
    }
}
