//! Cell and MAgg over all cells: one pass over memory, to a matrix, to folds of rows or columns, or to numbers.

use sumac_fusion::{Access, Finish, Kernel};
use sumac_la::Op;

use super::programs::Programs;
use super::{doubt, has_nan};
use crate::error::OpError;
use crate::kernels::fused::{self, Cells, Fold};
use crate::matrix::{Matrix, View};
use crate::value::Value;

/// Going through all cells of sparse matrices pays up to this many cells for each stored one.
const MOST_EMPTY: usize = 20;

/// The results of a kernel; `None` where all cells of what is sparse would be gone through.
pub(super) fn run(
    kernel: &Kernel,
    programs: &Programs,
    inputs: &[&Value],
) -> Result<Option<Vec<Value>>, OpError> {
    let Some((rows, cols)) = shape(kernel, inputs) else {
        return Ok(None);
    };
    let mut stored = 0;
    let mut is_sparse = false;
    let mut cells = Vec::with_capacity(inputs.len());
    for (value, access) in inputs.iter().zip(&kernel.slots) {
        if let (Access::Cells, Some(m)) = (access, value.as_matrix()) {
            stored += m.nnz_or_len();
            is_sparse |= m.is_sparse();
        }
        let Some(read) = read(value, *access, (rows, cols))? else {
            return Ok(None);
        };
        cells.push(read);
    }
    let is_full = |cells: &Cells<'_>| matches!(cells, Cells::Full(_) | Cells::Sparse(_));
    if is_sparse && rows * cols > MOST_EMPTY * stored || !cells.iter().any(is_full) {
        return Ok(None);
    }
    let is_laid_out = |slot: usize| matches!(cells[slot], Cells::Sparse(_));
    let doubt = doubt(kernel, inputs, is_laid_out, None);
    if doubt.hides {
        return Ok(None);
    }
    let values = finish(kernel, programs, &cells, (rows, cols))?;
    let is_doubtful = doubt.meets_zeros && values.iter().any(has_nan);
    Ok((!is_doubtful).then_some(values))
}

/// Rows and columns that a kernel goes through: those of the first matrix whose cells it reads.
pub(super) fn shape(kernel: &Kernel, inputs: &[&Value]) -> Option<(usize, usize)> {
    let at = kernel
        .slots
        .iter()
        .position(|access| *access == Access::Cells)?;
    Some(inputs[at].as_matrix()?.shape())
}

/// How a value is read; `None` for a sparse vector, which is not laid out.
pub(super) fn read<'a>(
    value: &'a Value,
    access: Access,
    (rows, cols): (usize, usize),
) -> Result<Option<Cells<'a>>, OpError> {
    if access == Access::Scalar {
        return value
            .number("a fused operator")
            .map(|x| Some(Cells::One(x)));
    }
    let matrix = value.matrix("a fused operator")?;
    let (m, n) = matrix.shape();
    let wrong = |expected: String| {
        let found = value.describe();
        Err(OpError::argument("a fused operator", expected, found))
    };
    let is_vector = m == 1 || n == 1;
    // A vector may lie in memory in either direction.
    let is_transposed_vector = is_vector && (m, n) == (cols, rows);
    Ok(match (access, matrix.view()) {
        (Access::Cells, View::Dense(cells)) if (m, n) == (rows, cols) || is_transposed_vector => {
            Some(Cells::Full(cells))
        }
        (Access::Cells, View::Sparse(csr)) if (m, n) == (rows, cols) => Some(Cells::Sparse(csr)),
        (Access::Cells, View::Sparse(_)) if is_transposed_vector => None,
        (Access::Cells, _) => return wrong(format!("a matrix of {rows} x {cols}")),
        (Access::Column, _) if !is_vector || m * n != rows => return wrong(format!("{rows} x 1")),
        (Access::Row, _) if !is_vector || m * n != cols => return wrong(format!("1 x {cols}")),
        (Access::Column, View::Dense(cells)) => Some(Cells::Column(cells, cols)),
        (Access::Row, View::Dense(cells)) => Some(Cells::Row(cells)),
        (Access::Column | Access::Row, View::Sparse(_)) => None,
        (Access::Scalar | Access::Whole | Access::Transposed, _) => Some(Cells::One(f64::NAN)),
    })
}

/// What becomes of the cells.
pub(super) fn finish(
    kernel: &Kernel,
    programs: &Programs,
    cells: &[Cells<'_>],
    (rows, cols): (usize, usize),
) -> Result<Vec<Value>, OpError> {
    let folds: Option<Vec<_>> = kernel
        .outputs
        .iter()
        .zip(&programs.outputs)
        .map(|(output, program)| match output.finish {
            Finish::All(op) => Some((program, Fold::of(op)?)),
            _ => None,
        })
        .collect();
    if let Some(folds) = folds {
        let folded = fused::folds(&folds, cells);
        let outputs = kernel.outputs.iter().zip(folded);
        return Ok(outputs
            .map(|(output, x)| match output.finish {
                Finish::All(Op::Mean) => Value::Double(x / (rows * cols) as f64),
                _ => Value::Double(x),
            })
            .collect());
    }
    let mut values = Vec::new();
    for (output, program) in kernel.outputs.iter().zip(&programs.outputs) {
        let fold = |op: Op| {
            Fold::of(op).ok_or_else(|| {
                OpError::argument(
                    "a fused operator",
                    "sums, means and extremes",
                    "another fold",
                )
            })
        };
        values.push(match &output.finish {
            Finish::Keep => Matrix::dense(rows, cols, fused::cells(program, cells)).into(),
            Finish::Rows(op) => {
                let mut folded = fused::fold_rows(program, cells, cols, fold(*op)?);
                if *op == Op::RowMeans {
                    folded.iter_mut().for_each(|x| *x /= cols as f64);
                }
                Matrix::dense(rows, 1, folded).into()
            }
            Finish::Columns(op) => {
                let mut folded = fused::fold_cols(program, cells, cols, fold(*op)?);
                if *op == Op::ColMeans {
                    folded.iter_mut().for_each(|x| *x /= rows as f64);
                }
                Matrix::dense(1, cols, folded).settled().into()
            }
            Finish::All(_)
            | Finish::Sums(_)
            | Finish::LeftProduct { .. }
            | Finish::RightProduct(_) => {
                return Err(OpError::argument(
                    "a fused operator of cells",
                    "one kind of fold",
                    "several",
                ));
            }
        });
    }
    Ok(values)
}

impl Matrix {
    /// How many cells are stored: a dense matrix is not counted.
    fn nnz_or_len(&self) -> usize {
        match self.view() {
            View::Dense(cells) => cells.len(),
            View::Sparse(csr) => csr.nnz(),
        }
    }
}
