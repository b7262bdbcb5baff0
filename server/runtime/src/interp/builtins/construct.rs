//! Matrices from nothing.

use super::super::{Fail, Interpreter};
use super::{Args, Done, bool_of, required};
use crate::error::OpError;
use crate::kernels::generate::{self, Distribution, size};
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

pub(super) fn rand(interpreter: &mut Interpreter<'_>, args: Args) -> Done {
    let [rows, cols, min, max, sparsity, pdf, seed, lambda] = args.bind([
        "rows", "cols", "min", "max", "sparsity", "pdf", "seed", "lambda",
    ])?;
    let number = |value: Option<Value>, default: f64| -> Result<f64, Fail> {
        Ok(value
            .map(|v| v.number("rand"))
            .transpose()?
            .unwrap_or(default))
    };
    let rows = size("rand", "rows", number(rows, 1.0)?)?;
    let cols = size("rand", "cols", number(cols, 1.0)?)?;
    let pdf = pdf.map_or_else(|| "uniform".to_owned(), |v| v.to_string());
    if lambda.is_some() && pdf != "poisson" {
        return Err(OpError::argument(
            "rand",
            "lambda only with pdf \"poisson\"",
            format!("pdf \"{pdf}\""),
        )
        .into());
    }
    let distribution = match pdf.as_str() {
        "uniform" => Distribution::Uniform {
            min: number(min, 0.0)?,
            max: number(max, 1.0)?,
        },
        "normal" => Distribution::Normal,
        _ => {
            return Err(OpError::argument(
                "rand",
                "pdf \"uniform\" or \"normal\"",
                format!("\"{pdf}\""),
            )
            .into());
        }
    };
    let seed = match number(seed, -1.0)? {
        -1.0 => {
            // Each call differs, each run with the same seed is the same.
            interpreter.random_calls += 1;
            interpreter
                .options
                .seed
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .wrapping_add(interpreter.random_calls)
        }
        seed => seed as i64 as u64,
    };
    Ok(Some(
        generate::random(rows, cols, distribution, number(sparsity, 1.0)?, seed)?.into(),
    ))
}

pub(super) fn seq(_: &mut Interpreter<'_>, args: Args) -> Done {
    let [from, to, incr] = args.bind(["from", "to", "incr"])?;
    let from = required(from, "seq", "from")?.number("seq")?;
    let to = required(to, "seq", "to")?.number("seq")?;
    let default = if to >= from { 1.0 } else { -1.0 };
    let by = incr
        .map(|v| v.number("seq"))
        .transpose()?
        .unwrap_or(default);
    Ok(Some(generate::seq(from, to, by)?.into()))
}
