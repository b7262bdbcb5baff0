//! One operator of `sumac-la`'s table applied to values: the only place where operators meet kernels.

use std::sync::Arc;

use sumac_la::Op;

use crate::error::OpError;
use crate::kernels::cell::{self, Operand};
use crate::kernels::generate::{self, size};
use crate::kernels::matmul::{Factor, matmul};
use crate::kernels::{aggregate, index, reorg, scalar};
use crate::matrix::Matrix;
use crate::value::Value;

/// `op` over `args`, which are taken so that the last owner of a matrix can be changed in place.
///
/// # Errors
/// When number, kinds or shapes of the arguments do not fit the operator.
pub fn apply(op: Op, args: Vec<Value>) -> Result<Value, OpError> {
    let name = cell::name(op);
    if !op.info().arity.accepts(args.len()) {
        return Err(OpError::argument(
            name,
            format!("{:?} arguments", op.info().arity),
            args.len(),
        ));
    }
    let number = |i: usize| args[i].number(name);
    let matrix = |i: usize| args[i].matrix(name);
    Ok(match op {
        Op::MatMul => matmul(Factor::plain(matrix(0)?), Factor::plain(matrix(1)?))?.into(),
        Op::Transpose => reorg::transpose(matrix(0)?).into(),
        Op::Rev => reorg::rev(matrix(0)?).into(),
        Op::Diag => reorg::diag(matrix(0)?)?.into(),
        Op::Reshape => {
            let (rows, cols) = (
                size(name, "rows", number(1)?)?,
                size(name, "columns", number(2)?)?,
            );
            reorg::reshape(matrix(0)?, rows, cols)?.into()
        }
        Op::Sum | Op::Mean | Op::Min | Op::Max | Op::Prod | Op::Trace => {
            match args[0].as_number() {
                Some(x) => Value::Double(x),
                None => Value::Double(aggregate::full(op, matrix(0)?)?),
            }
        }
        Op::RowSums | Op::RowMeans | Op::RowMins | Op::RowMaxs => {
            aggregate::rows(op, matrix(0)?)?.into()
        }
        Op::ColSums | Op::ColMeans | Op::ColMins | Op::ColMaxs => {
            aggregate::cols(op, matrix(0)?)?.into()
        }
        Op::Nrow => Value::Int(matrix(0)?.rows() as i64),
        Op::Ncol => Value::Int(matrix(0)?.cols() as i64),
        Op::Length => Value::Int(args[0].as_matrix().map_or(1, Matrix::len) as i64),
        Op::Cbind | Op::Rbind => {
            let parts: Vec<Arc<Matrix>> = args.iter().map(to_matrix).collect::<Result<_, _>>()?;
            let parts: Vec<&Matrix> = parts.iter().map(Arc::as_ref).collect();
            if op == Op::Cbind {
                index::cbind(&parts)?
            } else {
                index::rbind(&parts)?
            }
            .into()
        }
        Op::RightIndex => {
            let m = matrix(0)?;
            let rows = index::span(number(1)?, number(2)?, m.rows(), "rows")?;
            let cols = index::span(number(3)?, number(4)?, m.cols(), "columns")?;
            index::right(m, rows, cols).into()
        }
        Op::LeftIndex => left_index(args)?,
        Op::Fill => {
            let (rows, cols) = (
                size(name, "rows", number(1)?)?,
                size(name, "columns", number(2)?)?,
            );
            generate::fill(number(0)?, rows, cols)?.into()
        }
        Op::Seq => generate::seq(number(0)?, number(1)?, number(2)?)?.into(),
        Op::AsScalar => {
            match args[0].as_number() {
                Some(x) => Value::Double(x),
                None => Value::Double(matrix(0)?.as_scalar().ok_or_else(|| {
                    OpError::argument(name, "a 1 x 1 matrix", args[0].describe())
                })?),
            }
        }
        Op::AsMatrix => Value::Matrix(to_matrix(&args[0])?),
        Op::IfElse => match (
            args[0].as_number(),
            args[1].as_number(),
            args[2].as_number(),
        ) {
            (Some(test), Some(yes), Some(no)) => Value::Double(if test != 0.0 { yes } else { no }),
            _ => {
                let sides = [
                    operand(name, &args[0])?,
                    operand(name, &args[1])?,
                    operand(name, &args[2])?,
                ];
                cell::if_else(sides[0], sides[1], sides[2])?.into()
            }
        },
        _ if args.len() == 1 => match args[0].as_number() {
            Some(x) => Value::Double(
                scalar::unary(op, x)
                    .ok_or_else(|| OpError::argument(name, "two arguments", "one"))?,
            ),
            None => {
                matrix(0)?;
                match take(&mut args.into_iter()) {
                    Ok(owned) => cell::unary_into(op, owned)?.into(),
                    Err(shared) => cell::unary(op, shared.matrix(name)?)?.into(),
                }
            }
        },
        _ => match (args[0].as_number(), args[1].as_number()) {
            (Some(x), Some(y)) => Value::Double(
                scalar::binary(op, x, y)
                    .ok_or_else(|| OpError::argument(name, "one argument", "two"))?,
            ),
            _ => {
                let mut args = args.into_iter();
                let (left, right) = (take(&mut args), take(&mut args));
                match (left, right) {
                    (Ok(a), Err(b)) => cell::binary_into_left(op, a, operand(name, &b)?)?.into(),
                    (Err(a), Ok(b)) => cell::binary_into_right(op, operand(name, &a)?, b)?.into(),
                    // Of two that are free, the right one serves where the left one is repeated.
                    (Ok(a), Ok(b)) if a.len() >= b.len() => {
                        cell::binary_into_left(op, a, Operand::Matrix(&b))?.into()
                    }
                    (Ok(a), Ok(b)) => cell::binary_into_right(op, Operand::Matrix(&a), b)?.into(),
                    (Err(a), Err(b)) => {
                        cell::binary(op, operand(name, &a)?, operand(name, &b)?)?.into()
                    }
                }
            }
        },
    })
}

/// The next argument: as a dense matrix that nobody else owns, whose cells may be changed, or else as it is.
fn take(args: &mut impl Iterator<Item = Value>) -> Result<Matrix, Value> {
    match args.next() {
        Some(Value::Matrix(m)) if !m.is_sparse() => Arc::try_unwrap(m).map_err(Value::Matrix),
        Some(other) => Err(other),
        None => Err(Value::Double(f64::NAN)),
    }
}

fn operand<'a>(name: &str, value: &'a Value) -> Result<Operand<'a>, OpError> {
    match value {
        Value::Matrix(m) => Ok(Operand::Matrix(m)),
        other => Ok(Operand::Scalar(other.number(name)?)),
    }
}

/// A matrix as it is, a number as a 1 x 1 matrix.
fn to_matrix(value: &Value) -> Result<Arc<Matrix>, OpError> {
    match value {
        Value::Matrix(m) => Ok(m.clone()),
        other => Ok(Arc::new(Matrix::dense(
            1,
            1,
            vec![other.number("as.matrix")?],
        ))),
    }
}

fn left_index(args: Vec<Value>) -> Result<Value, OpError> {
    let op = cell::name(Op::LeftIndex);
    let bounds = args[2..]
        .iter()
        .map(|a| a.number(op))
        .collect::<Result<Vec<_>, _>>()?;
    let mut args = args.into_iter();
    let (Some(target), Some(patch)) = (args.next(), args.next()) else {
        return Err(OpError::argument(
            op,
            "a matrix and a value",
            "fewer arguments",
        ));
    };
    let Value::Matrix(target) = target else {
        return Err(OpError::argument(op, "a matrix", target.describe()));
    };
    let rows = index::span(bounds[0], bounds[1], target.rows(), "rows")?;
    let cols = index::span(bounds[2], bounds[3], target.cols(), "columns")?;
    let patch = match patch.as_number() {
        // A number fills the range.
        Some(x) => Arc::new(Matrix::fill(rows.len(), cols.len(), x)),
        None => to_matrix(&patch)?,
    };
    let target = Arc::try_unwrap(target).unwrap_or_else(|shared| (*shared).clone());
    Ok(index::left(target, &patch, rows, cols)?.into())
}
