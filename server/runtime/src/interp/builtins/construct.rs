//! Matrices from nothing.

use super::super::{Fail, Interpreter};
use super::args::{Args, Done, bool_of, required};
use crate::error::OpError;
use crate::kernels::generate::{self, size};
use crate::matrix::Matrix;
use crate::value::Value;

pub(super) fn matrix(_: &mut Interpreter<'_>, args: Args) -> Done {
    let [data, rows, cols, byrow] = args.bind(["data", "rows", "cols", "byrow"])?;
    let data = required(data, "matrix", "data")?;
    let count = |value: &Option<Value>, what| -> Result<Option<usize>, Fail> {
        value
            .as_ref()
            .map(|v| Ok(size("matrix", what, v.number("matrix")?)?))
            .transpose()
    };
    let (rows, cols) = (count(&rows, "rows")?, count(&cols, "cols")?);
    let by_row = byrow
        .map(|v| bool_of(&v, "matrix"))
        .transpose()?
        .unwrap_or(true);
    let cells = match &data {
        Value::Matrix(m) => m.len(),
        Value::Str(text) => text.split_whitespace().count(),
        _ => rows.unwrap_or(1) * cols.unwrap_or(1),
    };
    // One of the sizes may follow from the other.
    let (rows, cols) = match (rows, cols) {
        (Some(rows), Some(cols)) => (rows, cols),
        (Some(rows), None) => (rows, cells / rows.max(1)),
        (None, Some(cols)) => (cells / cols.max(1), cols),
        (None, None) => return Err(Fail::new("`matrix` needs `rows` and `cols`")),
    };
    let all = match &data {
        Value::Matrix(m) => (**m).clone(),
        Value::Str(text) => {
            let cells = text.split_whitespace().map(|word| {
                let wrong = || {
                    OpError::argument("matrix", "numbers separated by blanks", format!("`{word}`"))
                };
                word.parse::<f64>().map_err(|_| wrong())
            });
            let cells: Vec<f64> = cells.collect::<Result<_, _>>()?;
            Matrix::dense(1, cells.len(), cells)
        }
        number => {
            return Ok(Some(
                generate::fill(number.number("matrix")?, rows, cols)?.into(),
            ));
        }
    };
    use crate::kernels::reorg::{reshape, transpose};
    let m = if by_row {
        reshape(&all, rows, cols)?
    } else {
        transpose(&reshape(&transpose(&all), cols, rows)?)
    };
    Ok(Some(m.settled().into()))
}
