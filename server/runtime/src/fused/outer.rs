//! Cells that a sparse matrix drives, with or without a product that is never formed; and, where the matrix turns out to
//! be dense, the same by blocks of rows, so that only a block of the product is there at a time.

use std::borrow::Cow;

use sumac_fusion::{Access, Finish, Kernel, Step};
use sumac_la::Op;

use super::programs::Programs;
use super::{cells, divisors, doubt, has_nan};
use crate::error::OpError;
use crate::kernels::fused::{self, Cells, Fold};
use crate::kernels::matmul::{Factor, matmul, sparse_held};
use crate::kernels::sampled::{self, Factors, Right, Sample};
use crate::kernels::{aggregate, reorg, simd};
use crate::matrix::{Csr, Matrix, View, prefers_sparse};
use crate::value::Value;

/// Cells of a block of the product.
const BLOCK: usize = 1 << 20;

/// The sparse input with the fewest cells among those that make the result zero where they are. One with so many cells
/// that it should not be sparse drives nothing: what is computed of it alone would be dense.
pub(super) fn driver<'a>(kernel: &Kernel, inputs: &[&'a Value]) -> Option<(usize, &'a Csr)> {
    kernel
        .drivers
        .iter()
        .filter_map(|slot| Some((slot, inputs[*slot].as_matrix()?)))
        .filter(|(_, matrix)| matrix.is_sparse())
        .filter_map(|(slot, matrix)| match matrix.view() {
            View::Sparse(csr) if prefers_sparse(csr.rows(), csr.cols(), csr.nnz()) => {
                Some((*slot, csr))
            }
            View::Sparse(_) | View::Dense(_) => None,
        })
        .min_by_key(|(_, csr)| csr.nnz())
}

/// A factor by its rows.
fn by_rows<'a>(value: &'a Value, access: Access) -> Result<Cow<'a, Matrix>, OpError> {
    let matrix = value.matrix("a fused product")?;
    let matrix = match access {
        Access::Transposed => Cow::Owned(reorg::transpose(matrix)),
        _ => Cow::Borrowed(matrix),
    };
    Ok(if matrix.is_sparse() {
        Cow::Owned(matrix.to_dense())
    } else {
        matrix
    })
}

fn dense_cells(matrix: &Matrix) -> &[f64] {
    match matrix.view() {
        View::Dense(cells) => cells,
        View::Sparse(csr) => csr.values(),
    }
}

/// The results where only the cells of a sparse matrix are visited.
pub(super) fn sparse(
    kernel: &Kernel,
    programs: &Programs,
    inputs: &[&Value],
    (slot, driver): (usize, &Csr),
) -> Result<Option<Vec<Value>>, OpError> {
    let shape = (driver.rows(), driver.cols());
    let mut read = Vec::new();
    for (left, right) in &programs.products {
        let u = by_rows(inputs[*left], kernel.slots[*left])?;
        let v = by_rows(inputs[*right], kernel.slots[*right])?;
        if (u.rows(), v.rows()) != shape || u.cols() != v.cols() {
            let rule = format!("a product of {} x {} is read", shape.0, shape.1);
            return Err(OpError::shapes("%*%", &u, &v, rule));
        }
        read.push((u, v));
    }
    let cells = driver.nnz();
    let factors: Vec<Factors<'_>> = read
        .iter()
        .map(|(u, v)| Factors::new(dense_cells(u), dense_cells(v), u.cols(), cells))
        .collect();
    let mut samples = Vec::new();
    for (i, (value, access)) in inputs.iter().zip(&kernel.slots).enumerate() {
        if i == slot {
            samples.push(Sample::Stored);
            continue;
        }
        let Some(read) = cells::read(value, *access, shape)? else {
            return Ok(None);
        };
        samples.push(match read {
            Cells::Full(cells) => Sample::Dense(cells),
            Cells::Sparse(csr) => Sample::Sparse(csr),
            Cells::Column(cells, _) => Sample::Column(cells),
            Cells::Row(cells) => Sample::Row(cells),
            // Times a number that is none what is not stored is no zero either.
            Cells::One(x) if *access == Access::Scalar && !x.is_finite() => return Ok(None),
            Cells::One(x) => Sample::Number(x),
        });
    }
    let is_sparse = |slot: usize| matches!(samples[slot], Sample::Sparse(_));
    let doubt = doubt(kernel, inputs, is_sparse, Some(slot));
    let is_kept = |output: &sumac_fusion::Output| output.finish == Finish::Keep;
    let divides = |step: &Step| matches!(step, Step::Cell(Op::Div, _));
    let is_quotient = kernel.steps.iter().any(divides) && kernel.outputs.iter().any(is_kept);
    let has_zeros = || read.iter().any(|(u, v)| has_zero_row(u) || has_zero_row(v));
    let trusts_products = !(is_quotient && has_zeros());
    if doubt.hides || !divisors::keep_zeros(kernel, &samples, slot, trusts_products) {
        return Ok(None);
    }
    samples.extend(factors.iter().map(Sample::Product));
    let mut values = Vec::new();
    for (output, program) in kernel.outputs.iter().zip(&programs.outputs) {
        if output.finish == Finish::All(Op::Sum) {
            values.push(Value::Double(sampled::sum(driver, program, &samples)));
            continue;
        }
        if let Finish::RightProduct(slot) = output.finish
            && let Some(right) = beside_cells(inputs[slot], kernel.slots[slot])?
            && right.rows() == shape.1
        {
            let n = right.cols();
            let is_factor = |(_, v): &(usize, usize)| *v == slot;
            let right = match programs.products.iter().position(is_factor) {
                Some(product) => Right::Of(&factors[product], n),
                None => Right::Cells(dense_cells(&right), n),
            };
            let cells = sampled::right_product(driver, program, &samples, right);
            values.push(Matrix::dense(shape.0, n, cells).into());
            continue;
        }
        let kept = driver.with_values(sampled::values(driver, program, &samples));
        let kept = Matrix::from(kept);
        values.push(match &output.finish {
            Finish::Keep => kept.settled_if_sparse().into(),
            Finish::All(op) => Value::Double(aggregate::full(*op, &kept)?),
            Finish::Rows(op) => aggregate::rows(*op, &kept)?.into(),
            Finish::Columns(op) => aggregate::cols(*op, &kept)?.into(),
            Finish::RightProduct(slot) => {
                let right = factor(inputs[*slot], kernel.slots[*slot])?;
                matmul(Factor::plain(&kept), right)?.into()
            }
            Finish::LeftProduct { slot, transposed } => {
                let narrow = factor(inputs[*slot], kernel.slots[*slot])?;
                left_product(&kept, narrow, *transposed)?.into()
            }
            Finish::Sums(_) => return Ok(None),
        });
    }
    // NaN may come of a cell that another sparse matrix, or one on the way, does not store.
    let is_doubtful = doubt.meets_zeros && values.iter().any(has_nan);
    Ok((!is_doubtful).then_some(values))
}

/// Whether a row of a factor is all zeros: so is the product there.
fn has_zero_row(factor: &Matrix) -> bool {
    let mut rows = dense_cells(factor).chunks(factor.cols().max(1));
    rows.any(|row| row.iter().all(|x| *x == 0.0))
}

/// The factor of a product, by its rows, that is taken as soon as its cells are computed: one of few columns, and of numbers that make
/// nothing of a zero. A zero is stored like other results there, and is none of the cells that products meet.
fn beside_cells<'a>(value: &'a Value, access: Access) -> Result<Option<Cow<'a, Matrix>>, OpError> {
    let matrix = value.matrix("a fused product")?;
    let cols = match access {
        Access::Transposed => matrix.rows(),
        _ => matrix.cols(),
    };
    let is_narrow = (2..=sparse_held::MOST).contains(&cols);
    if !is_narrow || matrix.is_sparse() || matrix.compressed().is_some() {
        return Ok(None);
    }
    let right = by_rows(value, access)?;
    // Numbers that are none, or infinite ones, show in the sum.
    Ok(simd::sum(dense_cells(&right)).is_finite().then_some(right))
}

/// A factor as products read it.
fn factor<'a>(value: &'a Value, access: Access) -> Result<Factor<'a>, OpError> {
    let matrix = value.matrix("a fused product")?;
    Ok(match access {
        Access::Transposed => Factor::transposed(matrix),
        _ => Factor::plain(matrix),
    })
}

/// `t(cells) %*% narrow`, or its transpose.
fn left_product(cells: &Matrix, narrow: Factor<'_>, transposed: bool) -> Result<Matrix, OpError> {
    if transposed {
        let left = Factor {
            matrix: narrow.matrix,
            transposed: !narrow.transposed,
        };
        return matmul(left, Factor::plain(cells));
    }
    matmul(Factor::transposed(cells), narrow)
}

/// The results where all cells are visited: a block of rows of the product after the other.
pub(super) fn dense(
    kernel: &Kernel,
    programs: &Programs,
    inputs: &[&Value],
) -> Result<Option<Vec<Value>>, OpError> {
    let ([(left, right)], [output], [program]) = (
        programs.products.as_slice(),
        kernel.outputs.as_slice(),
        programs.outputs.as_slice(),
    ) else {
        return Ok(None);
    };
    let u = by_rows(inputs[*left], kernel.slots[*left])?;
    let v = by_rows(inputs[*right], kernel.slots[*right])?;
    let (rows, cols, inner) = (u.rows(), v.rows(), u.cols());
    if v.cols() != inner {
        let rule = "both factors need the same number of columns".to_owned();
        return Err(OpError::shapes("%*%", &u, &v, rule));
    }
    let doubt = doubt(kernel, inputs, |_| false, None);
    if doubt.hides {
        return Ok(None);
    }
    let mut reads = Vec::new();
    for (value, access) in inputs.iter().zip(&kernel.slots) {
        match cells::read(value, *access, (rows, cols))? {
            // What is sparse and drives nothing is better off alone.
            None | Some(Cells::Sparse(_)) => return Ok(None),
            Some(read) => reads.push(read),
        }
    }
    let fold = match output.finish {
        Finish::All(op) => Fold::of(op),
        _ => None,
    };
    let mut gathered = Gathered::default();
    let step = (BLOCK / cols.max(1)).max(1);
    for first in (0..rows).step_by(step) {
        let count = step.min(rows - first);
        let part = |cells: &[f64], width: usize| cells[first * width..][..count * width].to_vec();
        let block = Matrix::dense(count, inner, part(dense_cells(&u), inner));
        let product = matmul(Factor::plain(&block), Factor::transposed(&v))?.to_dense();
        let mut cells: Vec<Cells<'_>> = reads
            .iter()
            .map(|read| match read {
                Cells::Full(cells) => Cells::Full(&cells[first * cols..][..count * cols]),
                Cells::Column(cells, cols) => Cells::Column(&cells[first..first + count], *cols),
                other => *other,
            })
            .collect();
        cells.push(Cells::Full(dense_cells(&product)));
        if let Some(fold) = fold {
            gathered
                .folds
                .extend(fused::folds(&[(program, fold)], &cells));
            continue;
        }
        let results = Matrix::dense(count, cols, fused::cells(program, &cells));
        match &output.finish {
            Finish::Keep => gathered.rows.extend_from_slice(dense_cells(&results)),
            Finish::RightProduct(slot) => {
                let right = factor(inputs[*slot], kernel.slots[*slot])?;
                let some = matmul(Factor::plain(&results), right)?.to_dense();
                gathered.rows.extend_from_slice(dense_cells(&some));
            }
            Finish::LeftProduct { slot, transposed } => {
                let narrow = by_rows(inputs[*slot], kernel.slots[*slot])?;
                let width = narrow.cols();
                let narrow = Matrix::dense(count, width, part(dense_cells(&narrow), width));
                gathered.add(&left_product(
                    &results,
                    Factor::plain(&narrow),
                    *transposed,
                )?);
            }
            _ => return Ok(None),
        }
    }
    if rows == 0 {
        return Ok(None);
    }
    let value: Value = match (&output.finish, fold) {
        (Finish::All(op), Some(fold)) => {
            let total = fold.cells(&gathered.folds);
            let count = if *op == Op::Mean { rows * cols } else { 1 };
            Value::Double(total / count as f64)
        }
        (Finish::LeftProduct { .. }, _) => match gathered.sum {
            Some(sum) => sum.into(),
            None => return Ok(None),
        },
        _ => {
            let width = gathered.rows.len() / rows;
            Matrix::dense(rows, width, gathered.rows).into()
        }
    };
    let is_doubtful = doubt.meets_zeros && has_nan(&value);
    Ok((!is_doubtful).then(|| vec![value]))
}

/// What the blocks gave so far.
#[derive(Default)]
struct Gathered {
    rows: Vec<f64>,
    folds: Vec<f64>,
    sum: Option<Matrix>,
}

impl Gathered {
    fn add(&mut self, part: &Matrix) {
        let part = part.to_dense();
        self.sum = Some(match self.sum.take() {
            None => part,
            Some(sum) => {
                let (rows, cols) = sum.shape();
                let mut cells = sum.into_cells();
                simd::axpy(1.0, dense_cells(&part), &mut cells);
                Matrix::dense(rows, cols, cells)
            }
        });
    }
}
