//! Cellwise operators over dense, sparse and mixed arguments, with broadcasting of scalars, rows and columns.
//!
//! A result stays sparse where zeros certainly stay zeros. As in SystemDS, `X * Y` looks only at the cells that are
//! stored of a sparse argument: a NaN or an infinity of the other at a zero of the sparse one is not seen.

mod arguments;
mod merged;

use std::sync::atomic::{AtomicBool, Ordering};

use sumac_la::Op;

use crate::compressed;
use crate::error::OpError;
use crate::kernels::parallel::{build_csr, for_rows};
use crate::kernels::scalar;
use crate::kernels::simd_cells::{self, Row};
use crate::matrix::{Csr, Matrix, View};
use crate::memory;
use arguments::{Cells, Side};
use merged::{intersect, unite};

/// A function of two cells.
type Function = fn(f64, f64) -> f64;

/// An argument of a cellwise operator.
#[derive(Clone, Copy, Debug)]
pub enum Operand<'a> {
    /// One number for all cells.
    Scalar(f64),
    /// A matrix, or a row or column that is repeated.
    Matrix(&'a Matrix),
}

impl<'a> Operand<'a> {
    /// The stored cells of a sparse argument that is not repeated.
    fn full_sparse(&self, shape: (usize, usize)) -> Option<&'a Csr> {
        match self {
            Operand::Matrix(m) if m.shape() == shape => match m.view() {
                View::Sparse(csr) => Some(csr),
                View::Dense(_) => None,
            },
            Operand::Matrix(_) | Operand::Scalar(_) => None,
        }
    }

    fn shape(&self) -> (usize, usize) {
        match self {
            Operand::Scalar(_) => (1, 1),
            Operand::Matrix(m) => m.shape(),
        }
    }
}

/// `op` of each cell.
///
/// # Errors
/// When `op` is no cellwise operator of one argument.
pub fn unary(op: Op, a: &Matrix) -> Result<Matrix, OpError> {
    if let Some(done) = compressed::unary(op, a) {
        return Ok(done);
    }
    unary_cells(op, a)
}

/// As [`unary`], into the cells of `a` where they are dense.
///
/// # Errors
/// As [`unary`].
pub fn unary_into(op: Op, a: Matrix) -> Result<Matrix, OpError> {
    if let Some(done) = compressed::unary(op, &a) {
        return Ok(done);
    }
    if a.is_sparse() || scalar::unary(op, 0.0).is_none() {
        return unary_cells(op, &a);
    }
    let (rows, cols) = a.shape();
    let mut cells = a.into_cells();
    for_rows(&mut cells, 1, 2, |_, part| simd_cells::unary(op, part));
    Ok(Matrix::dense(rows, cols, cells))
}

fn unary_cells(op: Op, a: &Matrix) -> Result<Matrix, OpError> {
    let at_zero = scalar::unary(op, 0.0)
        .ok_or_else(|| OpError::argument(name(op), "two arguments", "one"))?;
    let done = match a.view() {
        View::Sparse(csr) => {
            let mut values = csr.values().to_vec();
            for_rows(&mut values, 1, 2, |_, part| simd_cells::unary(op, part));
            if at_zero == 0.0 {
                Matrix::from(csr.with_values(values))
            } else {
                dense_from_sparse(csr, &values, at_zero)
            }
        }
        View::Dense(cells) => map_dense(op, a, cells),
    };
    Ok(done.settled_if_sparse())
}

/// `op` of each pair of cells.
///
/// # Errors
/// When the shapes neither agree nor repeat, or `op` is no cellwise operator of two arguments.
pub fn binary(op: Op, a: Operand<'_>, b: Operand<'_>) -> Result<Matrix, OpError> {
    let shape = broadcast(op, a.shape(), b.shape())?;
    if let Some(done) = by_values(op, a, b) {
        return Ok(done);
    }
    let done = sparse(function(op)?, op, shape, a, b).unwrap_or_else(|| dense(op, shape, a, b));
    Ok(finish(op, done))
}

/// As [`binary`], into the cells of `a` where the result is dense and has its shape.
///
/// # Errors
/// As [`binary`].
pub fn binary_into_left(op: Op, a: Matrix, b: Operand<'_>) -> Result<Matrix, OpError> {
    let shape = broadcast(op, a.shape(), b.shape())?;
    if let Some(done) = by_values(op, Operand::Matrix(&a), b) {
        return Ok(done);
    }
    Ok(finish(op, into_first(op, shape, a, b, false)?))
}

/// As [`binary`], into the cells of `b` where the result is dense and has its shape.
///
/// # Errors
/// As [`binary`].
pub fn binary_into_right(op: Op, a: Operand<'_>, b: Matrix) -> Result<Matrix, OpError> {
    let shape = broadcast(op, a.shape(), b.shape())?;
    if let Some(done) = by_values(op, a, Operand::Matrix(&b)) {
        return Ok(done);
    }
    Ok(finish(op, into_first(op, shape, b, a, true)?))
}

/// A compressed matrix and a number, or the matrix itself: once for each distinct value.
fn by_values(op: Op, a: Operand<'_>, b: Operand<'_>) -> Option<Matrix> {
    match (a, b) {
        (Operand::Matrix(m), Operand::Scalar(x)) => compressed::binary(op, m, x, false),
        (Operand::Scalar(x), Operand::Matrix(m)) => compressed::binary(op, m, x, true),
        (Operand::Matrix(m), Operand::Matrix(other)) if std::ptr::eq(m, other) => {
            compressed::with_itself(op, m)
        }
        _ => None,
    }
}

fn function(op: Op) -> Result<Function, OpError> {
    scalar::binary_function(op).ok_or_else(|| OpError::argument(name(op), "one argument", "two"))
}

/// Whether the result may be sparse though the arguments are not. Comparisons and logical operators often leave few
/// non-zeros; arithmetic on dense cells hardly ever does.
pub(crate) fn may_thin_out(op: Op) -> bool {
    op == Op::Mod || (op.info().truth_valued && op != Op::Not)
}

fn finish(op: Op, done: Matrix) -> Matrix {
    if may_thin_out(op) {
        done.settled()
    } else {
        done.settled_if_sparse()
    }
}

/// `yes` where `test` is not zero, `no` elsewhere.
///
/// # Errors
/// When the shapes neither agree nor repeat.
pub fn if_else(test: Operand<'_>, yes: Operand<'_>, no: Operand<'_>) -> Result<Matrix, OpError> {
    let shape = broadcast(
        Op::IfElse,
        broadcast(Op::IfElse, test.shape(), yes.shape())?,
        no.shape(),
    )?;
    let sides = [test, yes, no].map(|side| Side::new(side, shape));
    let mut out = memory::zeroed(shape.0 * shape.1);
    for_rows(&mut out, shape.1, 4 * shape.1, |first, cells| {
        let mut buffers = [vec![], vec![], vec![]];
        for (i, row_out) in cells.chunks_exact_mut(shape.1).enumerate() {
            let [b0, b1, b2] = &mut buffers;
            let (t, y, n) = (
                sides[0].row(first + i, b0),
                sides[1].row(first + i, b1),
                sides[2].row(first + i, b2),
            );
            for (j, cell) in row_out.iter_mut().enumerate() {
                *cell = if t.at(j) != 0.0 { y.at(j) } else { n.at(j) };
            }
        }
    });
    Ok(Matrix::dense(shape.0, shape.1, out).settled())
}

/// How DML writes the operator.
pub(crate) fn name(op: Op) -> &'static str {
    match op.info().print {
        sumac_la::Print::Infix(sign, _) | sumac_la::Print::Prefix(sign, _) => sign,
        _ => op.info().call_name().unwrap_or("[…]"),
    }
}

fn broadcast(
    op: Op,
    (ar, ac): (usize, usize),
    (br, bc): (usize, usize),
) -> Result<(usize, usize), OpError> {
    let join = |m: usize, n: usize| match (m, n) {
        (m, n) if m == n => Some(m),
        (1, n) | (n, 1) => Some(n),
        _ => None,
    };
    match (join(ar, br), join(ac, bc)) {
        (Some(rows), Some(cols)) => Ok((rows, cols)),
        _ => Err(OpError::Shapes {
            op: name(op).to_owned(),
            left: format!("{ar} x {ac}"),
            right: format!("{br} x {bc}"),
            rule: "shapes must be equal, or one a scalar, a row or a column vector that fits"
                .to_owned(),
        }),
    }
}

fn map_dense(op: Op, a: &Matrix, cells: &[f64]) -> Matrix {
    /// So few that the copy is still in the nearest cache.
    const TILE: usize = 1024;
    let mut out = memory::for_overwriting(cells.len());
    for_rows(&mut out, 1, 2, |first, part| {
        let from = cells[first..].chunks(TILE);
        for (to, from) in part.chunks_mut(TILE).zip(from) {
            simd_cells::unary_into(op, &from[..to.len()], to);
        }
    });
    Matrix::dense(a.rows(), a.cols(), out)
}

/// Every cell of `csr`, of which the stored ones have these values and the others are `at_zero`.
fn dense_from_sparse(csr: &Csr, values: &[f64], at_zero: f64) -> Matrix {
    let (rows, cols) = (csr.rows(), csr.cols());
    let mut out = memory::filled(rows * cols, at_zero);
    for_rows(&mut out, cols.max(1), cols, |first, part| {
        for (i, row_out) in part.chunks_exact_mut(cols).enumerate() {
            let start = csr.row_starts()[first + i];
            let at = csr.row(first + i).0;
            for (&col, &x) in at.iter().zip(&values[start..]) {
                row_out[col as usize] = x;
            }
        }
    });
    Matrix::dense(rows, cols, out)
}

/// Each stored cell by its row and column. As long as no cell becomes zero, only values are made and the structure is shared.
fn map_csr(csr: &Csr, f: impl Fn(usize, usize, f64) -> f64 + Sync) -> Csr {
    let (starts, all_cols) = (csr.row_starts(), csr.col_indices());
    let has_zeros = AtomicBool::new(false);
    let mut values = memory::for_overwriting(csr.nnz());
    for_rows(&mut values, 1, 4, |first, part| {
        let mut row = starts.partition_point(|start| *start <= first) - 1;
        let (mut at, end) = (first, first + part.len());
        while at < end && !has_zeros.load(Ordering::Relaxed) {
            let stop = starts[row + 1].min(end);
            let (cols, from) = (&all_cols[at..stop], &csr.values()[at..stop]);
            let mut meets_zero = false;
            for ((to, &col), &x) in part[at - first..stop - first]
                .iter_mut()
                .zip(cols)
                .zip(from)
            {
                *to = f(row, col as usize, x);
                meets_zero |= *to == 0.0;
            }
            if meets_zero {
                has_zeros.store(true, Ordering::Relaxed);
            }
            (at, row) = (stop, row + 1);
        }
    });
    if !has_zeros.into_inner() {
        return csr.with_values(values);
    }
    memory::recycle(values);
    let work = 2 * csr.nnz() / csr.rows().max(1) + 1;
    build_csr(csr.rows(), csr.cols(), work, csr.nnz(), |range, out| {
        for row in range {
            let (at, values) = csr.row(row);
            for (&col, &x) in at.iter().zip(values) {
                out.push(col as usize, f(row, col as usize, x));
            }
            out.end_row();
        }
    })
}

/// The result in sparse form, where zeros of a sparse argument certainly stay zeros. The most frequent operators have
/// loops of their own, the others call `f` for each stored cell.
fn sparse(
    f: Function,
    op: Op,
    shape: (usize, usize),
    a: Operand<'_>,
    b: Operand<'_>,
) -> Option<Matrix> {
    match op {
        Op::Mul => sparse_by(op, shape, a, b, |x, y| x * y),
        Op::Add => sparse_by(op, shape, a, b, |x, y| x + y),
        Op::Sub => sparse_by(op, shape, a, b, |x, y| x - y),
        Op::Div => sparse_by(op, shape, a, b, |x, y| x / y),
        _ => sparse_by(op, shape, a, b, f),
    }
}

fn sparse_by(
    op: Op,
    shape: (usize, usize),
    a: Operand<'_>,
    b: Operand<'_>,
    f: impl Fn(f64, f64) -> f64 + Sync,
) -> Option<Matrix> {
    let (left, right) = (a.full_sparse(shape), b.full_sparse(shape));
    let keeps_zeros_of_either = matches!(op, Op::Mul | Op::And);
    // Against a number the structure stays as it is.
    match (left, right, a, b) {
        (Some(x), _, _, Operand::Scalar(s)) if f(0.0, s) == 0.0 => {
            return Some(Matrix::from(x.map(|value| f(value, s))));
        }
        (_, Some(y), Operand::Scalar(s), _) if f(s, 0.0) == 0.0 => {
            return Some(Matrix::from(y.map(|value| f(s, value))));
        }
        _ => {}
    }
    let csr = match (left, right) {
        (Some(x), Some(y)) if keeps_zeros_of_either => intersect(x, y, f),
        (Some(x), Some(y)) if f(0.0, 0.0) == 0.0 => unite(x, y, f),
        (Some(x), _) if keeps_zeros_of_either || zero_stays(op, &b, |y| f(0.0, y)) => {
            let other = Cells::new(b);
            map_csr(x, |row, col, value| f(value, other.get(row, col)))
        }
        (_, Some(y)) if keeps_zeros_of_either || zero_stays(op, &a, |x| f(x, 0.0)) => {
            let other = Cells::new(a);
            map_csr(y, |row, col, value| f(other.get(row, col), value))
        }
        _ => return None,
    };
    Some(Matrix::from(csr))
}

/// `op` of `own` and `other`, in the cells of `own` where they are dense and the result has their shape. `swapped` says
/// that `own` stands on the right.
fn into_first(
    op: Op,
    shape: (usize, usize),
    own: Matrix,
    other: Operand<'_>,
    swapped: bool,
) -> Result<Matrix, OpError> {
    let f = function(op)?;
    let sparse_result = if swapped {
        sparse(f, op, shape, other, Operand::Matrix(&own))
    } else {
        sparse(f, op, shape, Operand::Matrix(&own), other)
    };
    if let Some(done) = sparse_result {
        return Ok(done);
    }
    if own.is_sparse() || own.shape() != shape {
        let own = Operand::Matrix(&own);
        return Ok(if swapped {
            dense(op, shape, other, own)
        } else {
            dense(op, shape, own, other)
        });
    }
    let (rows, cols) = shape;
    let side = Side::new(other, shape);
    let mut cells = own.into_cells();
    let step = |part: &mut [f64], row: Row<'_>| {
        if swapped {
            simd_cells::binary_right(op, row, part);
        } else {
            simd_cells::binary_left(op, part, row);
        }
    };
    if matches!(side, Side::Dense(..) | Side::Const(_)) {
        for_rows(&mut cells, 1, 1, |first, part| {
            let range = first..first + part.len();
            step(part, side.flat(range));
        });
    } else {
        for_rows(&mut cells, cols.max(1), cols, |first, part| {
            let mut buffer = Vec::new();
            for (i, row) in part.chunks_exact_mut(cols).enumerate() {
                step(row, side.row(first + i, &mut buffer));
            }
        });
    }
    Ok(Matrix::dense(rows, cols, cells))
}

/// Whether every cell of `other` against a zero gives zero: asked of scalars always, of the cells of a divisor only,
/// where one look at the dense side may save a dense result.
fn zero_stays(op: Op, other: &Operand<'_>, against_zero: impl Fn(f64) -> f64) -> bool {
    match other {
        Operand::Scalar(s) => against_zero(*s) == 0.0,
        Operand::Matrix(m) => match m.view() {
            View::Dense(cells) if m.len() == 1 || op == Op::Div => {
                cells.iter().all(|&c| against_zero(c) == 0.0)
            }
            View::Dense(_) | View::Sparse(_) => false,
        },
    }
}

fn dense(op: Op, shape: (usize, usize), a: Operand<'_>, b: Operand<'_>) -> Matrix {
    let (rows, cols) = shape;
    let (left, right) = (Side::new(a, shape), Side::new(b, shape));
    let mut out = memory::for_overwriting(rows * cols);
    // Where no argument is repeated by rows, all cells are one long row.
    let flat = matches!(
        (&left, &right),
        (
            Side::Dense(..) | Side::Const(_),
            Side::Dense(..) | Side::Const(_)
        )
    );
    if flat {
        for_rows(&mut out, 1, 1, |first, part| {
            let range = first..first + part.len();
            simd_cells::binary(op, left.flat(range.clone()), right.flat(range), part);
        });
    } else {
        for_rows(&mut out, cols.max(1), cols, |first, part| {
            let (mut buffer_a, mut buffer_b) = (Vec::new(), Vec::new());
            for (i, row_out) in part.chunks_exact_mut(cols).enumerate() {
                let x = left.row(first + i, &mut buffer_a);
                let y = right.row(first + i, &mut buffer_b);
                simd_cells::binary(op, x, y, row_out);
            }
        });
    }
    Matrix::dense(rows, cols, out)
}
