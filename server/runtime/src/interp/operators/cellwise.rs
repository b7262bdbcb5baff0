//! Operators of each cell, or of each pair of cells, that `sumac-la`'s table does not know.

use sumac_la::Op;

use super::operator::{Done, Operator, one};
use crate::apply::apply;
use crate::error::OpError;
use crate::interp::Fail;
use crate::interp::builtins::args::{Args, required, text_of};
use crate::interp::scalar_ops::apply_in_script;
use crate::kernels::cell::Operand;
use crate::kernels::pairs::zip;
use crate::matrix::{Matrix, View};
use crate::value::Value;

#[rustfmt::skip]
pub(super) static ROWS: &[Operator] = &[
    Operator { name: "is.na",       run: |_, a| test(a, f64::is_nan) },
    Operator { name: "is.nan",      run: |_, a| test(a, f64::is_nan) },
    Operator { name: "is.infinite", run: |_, a| test(a, f64::is_infinite) },
    Operator { name: "bitwAnd",     run: |_, a| bits(a, |x, y| x & y) },
    Operator { name: "bitwOr",      run: |_, a| bits(a, |x, y| x | y) },
    Operator { name: "bitwXor",     run: |_, a| bits(a, |x, y| x ^ y) },
    Operator { name: "bitwShiftL",  run: |_, a| bits(a, |x, y| x.wrapping_shl(y as u32)) },
    Operator { name: "bitwShiftR",  run: |_, a| bits(a, |x, y| x.wrapping_shr(y as u32)) },
    Operator { name: "xor",         run: |_, a| xor(a) },
    Operator { name: "outer",       run: |_, a| outer(a) },
    Operator { name: "ppred",       run: |_, a| compare(a) },
];

fn test(args: Args, holds: fn(f64) -> bool) -> Done {
    let name = args.name.clone();
    let [x] = args.bind(["X"])?;
    let x = required(x, &name, "X")?;
    match x.as_number() {
        Some(x) => one(Value::Bool(holds(x))),
        None => {
            let m = x.matrix(&name)?;
            let f = |x: f64| f64::from(u8::from(holds(x)));
            one(match m.view() {
                // None of the tests holds for zero.
                View::Sparse(csr) => Matrix::from(csr.map(f)),
                View::Dense(cells) => {
                    let cells = cells.iter().map(|&x| f(x)).collect();
                    Matrix::dense(m.rows(), m.cols(), cells).settled()
                }
            })
        }
    }
}

fn operand<'a>(name: &str, value: &'a Value) -> Result<Operand<'a>, OpError> {
    match value {
        Value::Matrix(m) => Ok(Operand::Matrix(m)),
        other => Ok(Operand::Scalar(other.number(name)?)),
    }
}

/// Fractions of the numbers are cut off before their bits are looked at.
fn bits(args: Args, f: fn(i64, i64) -> i64) -> Done {
    let name = args.name.clone();
    let [a, b] = args.bind(["A", "B"])?;
    let (a, b) = (required(a, &name, "A")?, required(b, &name, "B")?);
    if let (Some(x), Some(y)) = (a.as_number(), b.as_number()) {
        return one(Value::Int(f(x as i64, y as i64)));
    }
    let f = |x: f64, y: f64| f(x as i64, y as i64) as f64;
    one(zip(&name, operand(&name, &a)?, operand(&name, &b)?, f)?)
}

fn xor(args: Args) -> Done {
    let [a, b] = args.bind(["A", "B"])?;
    let (a, b) = (required(a, "xor", "A")?, required(b, "xor", "B")?);
    if let (Some(x), Some(y)) = (a.as_number(), b.as_number()) {
        let differs = (x != 0.0) != (y != 0.0);
        let is_double = [&a, &b].iter().any(|x| matches!(x, Value::Double(_)));
        return one(if is_double {
            Value::Double(f64::from(u8::from(differs)))
        } else {
            Value::Bool(differs)
        });
    }
    let f = |x: f64, y: f64| f64::from(u8::from((x != 0.0) != (y != 0.0)));
    one(zip("xor", operand("xor", &a)?, operand("xor", &b)?, f)?)
}

/// The operators that scripts name by text.
#[rustfmt::skip]
static BY_SIGN: &[(&str, Op)] = &[
    ("+", Op::Add), ("-", Op::Sub), ("*", Op::Mul), ("/", Op::Div), ("^", Op::Pow),
    ("%%", Op::Mod), ("%/%", Op::IntDiv), ("min", Op::Min2), ("max", Op::Max2),
    ("<", Op::Lt), ("<=", Op::Le), (">", Op::Gt), (">=", Op::Ge), ("==", Op::Eq), ("!=", Op::Ne),
    ("&", Op::And), ("|", Op::Or), ("log", Op::LogBase),
];

fn by_sign(function: &str, sign: &Value) -> Result<Op, Fail> {
    let sign = text_of(sign.clone(), function, "op")?;
    match BY_SIGN.iter().find(|(name, _)| *name == &*sign) {
        Some((_, op)) => Ok(*op),
        None => {
            let known: Vec<&str> = BY_SIGN.iter().map(|(name, _)| *name).collect();
            let expected = format!("an operator of {}", known.join(" "));
            Err(OpError::argument(function, expected, format!("\"{sign}\"")).into())
        }
    }
}

/// Each cell of a column with each cell of a row.
fn outer(args: Args) -> Done {
    let [u, v, op] = args.bind(["u", "v", "op"])?;
    let (u, v) = (required(u, "outer", "u")?, required(v, "outer", "v")?);
    let op = required(op, "outer", "op")?;
    let (column, row) = (u.matrix("outer")?, v.matrix("outer")?);
    if column.cols() != 1 || row.rows() != 1 {
        return Err(OpError::shapes(
            "outer",
            column,
            row,
            "a column vector and a row vector are combined",
        )
        .into());
    }
    if matches!(&op, Value::Str(sign) if &**sign == "xor") {
        let f = |x: f64, y: f64| f64::from(u8::from((x != 0.0) != (y != 0.0)));
        return one(zip(
            "outer",
            Operand::Matrix(column),
            Operand::Matrix(row),
            f,
        )?);
    }
    let op = by_sign("outer", &op)?;
    Ok(vec![apply(op, vec![u, v])?])
}

fn compare(args: Args) -> Done {
    let [a, b, op] = args.bind(["A", "B", "op"])?;
    let (a, b) = (required(a, "ppred", "A")?, required(b, "ppred", "B")?);
    let op = by_sign("ppred", &required(op, "ppred", "op")?)?;
    Ok(vec![apply_in_script(op, vec![a, b])?])
}
