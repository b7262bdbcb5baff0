//! Cell and MAgg over one compressed matrix and numbers: the program runs once for each distinct value, and aggregates take
//! the values with their counts (Boehm et al., PVLDB 11(12), 2018, section 5.2, on compressed data).

use sumac_fusion::{Access, Finish, Kernel, Step, Template};
use sumac_la::Op;

use super::programs::Programs;
use super::{doubt, has_nan};
use crate::compressed::{Compressed, Zeros};
use crate::error::OpError;
use crate::kernels::fused::{self, Cells, Fold};
use crate::matrix::Matrix;
use crate::value::Value;

/// The results of a kernel, where its only matrix is compressed; `None` where it reads others, or a fold has no short way.
pub(super) fn run(
    kernel: &Kernel,
    programs: &Programs,
    inputs: &[&Value],
) -> Result<Option<Vec<Value>>, OpError> {
    let mut matrix: Option<(usize, &Compressed)> = None;
    let mut cells = Vec::with_capacity(inputs.len());
    for (slot, (value, access)) in inputs.iter().zip(&kernel.slots).enumerate() {
        let compressed = value.as_matrix().and_then(Matrix::compressed);
        match (access, compressed) {
            (Access::Cells, Some(compressed)) if matrix.is_none() => {
                matrix = Some((slot, compressed));
                cells.push(Cells::One(f64::NAN));
            }
            (Access::Scalar, _) => cells.push(Cells::One(value.number("a fused operator")?)),
            _ => return Ok(None),
        }
    }
    let Some((at, compressed)) = matrix.filter(|_| programs.products.is_empty()) else {
        return Ok(None);
    };
    let is_sparse = |slot: usize| slot == at && compressed.is_sparse();
    let doubt = doubt(kernel, inputs, is_sparse, None);
    if doubt.hides {
        return Ok(None);
    }
    let mut values = Vec::with_capacity(kernel.outputs.len());
    for (output, program) in kernel.outputs.iter().zip(&programs.outputs) {
        // A kernel goes through all cells, so its matrix is dense until it is settled.
        let mapped = compressed.map(Zeros::Follow, |x, out| {
            let mut cells = cells.clone();
            cells[at] = Cells::Full(x);
            fused::cells_into(program, &cells, None, out);
        });
        let Some(value) = finish(mapped, &output.finish) else {
            return Ok(None);
        };
        values.push(value);
    }
    let is_doubtful = doubt.meets_zeros && values.iter().any(has_nan);
    Ok((!is_doubtful).then_some(values))
}

/// What becomes of the cells.
fn finish(mapped: Compressed, finish: &Finish) -> Option<Value> {
    let (rows, cols) = (mapped.rows(), mapped.cols());
    Some(match finish {
        Finish::Keep => Matrix::from(mapped).into(),
        Finish::All(op) => {
            let folded = mapped.fold(Fold::of(*op)?);
            Value::Double(match op {
                Op::Mean => folded / (rows * cols) as f64,
                _ => folded,
            })
        }
        Finish::Rows(op) => {
            let mut folded = mapped.fold_rows(Fold::of(*op)?);
            if *op == Op::RowMeans {
                folded.iter_mut().for_each(|x| *x /= cols as f64);
            }
            Matrix::dense(rows, 1, folded).into()
        }
        Finish::Columns(op) => {
            let mut folded = mapped.fold_cols(Fold::of(*op)?);
            if *op == Op::ColMeans {
                folded.iter_mut().for_each(|x| *x /= rows as f64);
            }
            Matrix::dense(1, cols, folded).settled().into()
        }
        Finish::Sums(_) | Finish::LeftProduct { .. } | Finish::RightProduct(_) => return None,
    })
}

/// Whether a Row kernel reads a compressed matrix for products and sums only, or a function of its cells: these have shorter
/// ways than tiles of its rows.
pub(super) fn are_apart(kernel: &Kernel, inputs: &[&Value]) -> bool {
    let is_compressed = |slot: usize| {
        let matrix = inputs[slot].as_matrix();
        kernel.slots[slot] == Access::Cells && matrix.is_some_and(|m| m.compressed().is_some())
    };
    let is_number = |step: usize| match kernel.steps[step] {
        Step::Number(_) => true,
        Step::Slot(slot) => kernel.slots[slot] == Access::Scalar,
        _ => false,
    };
    let mut of_matrix = vec![false; kernel.steps.len()];
    let mut reads_cells = false;
    for (i, step) in kernel.steps.iter().enumerate() {
        match step {
            Step::Slot(slot) => of_matrix[i] = is_compressed(*slot),
            Step::Cell(_, args) => {
                let (own, others): (Vec<usize>, Vec<usize>) =
                    args.iter().copied().partition(|arg| of_matrix[*arg]);
                of_matrix[i] = own.len() == 1 && others.iter().all(|arg| is_number(*arg));
                reads_cells |= !own.is_empty() && !of_matrix[i];
            }
            Step::Slice(row, ..) => reads_cells |= of_matrix[*row],
            Step::Number(_) | Step::Product(..) | Step::Times(..) | Step::Fold(..) => {}
        }
    }
    kernel.template == Template::Row && of_matrix.contains(&true) && !reads_cells
}
