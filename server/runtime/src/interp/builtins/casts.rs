//! From one kind of value to another.

use std::sync::Arc;

use sumac_la::Op;

use super::super::{Fail, Interpreter};
use super::args::{Args, Done, required};
use crate::apply::apply;
use crate::error::OpError;
use crate::matrix::Matrix;
use crate::value::{Frame, List, Value};

fn convert(args: Args, f: fn(Value) -> Result<Value, Fail>) -> Done {
    let name = args.name.clone();
    let [value] = args.bind(["x"])?;
    f(required(value, &name, "a value")?).map(Some)
}

/// The number that a scalar, text included, or the only entry or cell of something larger stands for.
fn number_of(value: &Value) -> Result<f64, Fail> {
    match value {
        Value::Str(s) => match &*s.trim().to_ascii_uppercase() {
            "TRUE" => Ok(1.0),
            "FALSE" => Ok(0.0),
            _ => s
                .trim()
                .parse()
                .map_err(|_| Fail::new(format!("expected text that is a number, found \"{s}\""))),
        },
        Value::List(_) | Value::Frame(_) => number_of(&scalar_of(value.clone())?),
        other => Ok(other.number("as.double")?),
    }
}

pub(super) fn as_double(_: &mut Interpreter<'_>, args: Args) -> Done {
    convert(args, |value| number_of(&value).map(Value::Double))
}

pub(super) fn as_integer(_: &mut Interpreter<'_>, args: Args) -> Done {
    convert(args, |value| match value {
        Value::Int(_) => Ok(value),
        other => number_of(&other).map(|x| Value::Int(x as i64)),
    })
}

/// Text is true where it says so, in any case.
pub(super) fn as_logical(_: &mut Interpreter<'_>, args: Args) -> Done {
    convert(args, |value| match scalar_of(value)? {
        Value::Str(text) => Ok(Value::Bool(text.trim().eq_ignore_ascii_case("true"))),
        other => number_of(&other).map(|x| Value::Bool(x != 0.0)),
    })
}

/// The scalar itself, the only cell of a matrix or frame, or the first entry of a list, whatever that is.
fn scalar_of(value: Value) -> Result<Value, Fail> {
    match value {
        Value::Matrix(_) => Ok(apply(Op::AsScalar, vec![value])?),
        Value::Frame(frame) if (frame.rows(), frame.cols()) == (1, 1) => {
            Ok(frame.columns()[0].scalar(0))
        }
        Value::Frame(frame) => {
            let found = Value::Frame(frame).describe();
            Err(OpError::argument("as.scalar", "a 1 x 1 frame", found).into())
        }
        // What is no single cell stays what it is, as in SystemDS: the list is only unwrapped.
        Value::List(list) => match list.values().first() {
            Some(first @ (Value::Matrix(_) | Value::Frame(_))) => {
                Ok(scalar_of(first.clone()).unwrap_or_else(|_| first.clone()))
            }
            Some(first) => scalar_of(first.clone()),
            None => {
                Err(OpError::argument("as.scalar", "a list with an entry", "an empty one").into())
            }
        },
        scalar => Ok(scalar),
    }
}

pub(super) fn as_scalar(_: &mut Interpreter<'_>, args: Args) -> Done {
    convert(args, scalar_of)
}

fn matrix_of(value: Value) -> Result<Value, Fail> {
    match value {
        Value::Frame(frame) => Ok(frame.to_matrix()?.into()),
        Value::List(list) => match list.values() {
            [] => Err(OpError::argument("as.matrix", "a list with entries", "an empty one").into()),
            [only] => matrix_of(only.clone()),
            many => {
                let number = |value: &Value| {
                    value.as_number().ok_or_else(|| {
                        let expected = "numbers in a list of several entries";
                        OpError::argument("as.matrix", expected, value.describe())
                    })
                };
                let cells: Vec<f64> = many.iter().map(number).collect::<Result<_, _>>()?;
                Ok(Matrix::dense(cells.len(), 1, cells).into())
            }
        },
        Value::Str(_) => Ok(Matrix::dense(1, 1, vec![number_of(&value)?]).into()),
        other => Ok(apply(Op::AsMatrix, vec![other])?),
    }
}

pub(super) fn as_matrix(_: &mut Interpreter<'_>, args: Args) -> Done {
    convert(args, matrix_of)
}

/// What `as.frame` takes beside matrices, frames and scalars.
const OF_LIST: &str = "a list of one frame (frame(list, rows=…, cols=…) makes a frame of scalars)";

/// `as.frame(x, names)`: the names of the columns are a list of texts.
pub(super) fn as_frame(_: &mut Interpreter<'_>, args: Args) -> Done {
    let [value, names] = args.bind(["x", "names"])?;
    let mut value = required(value, "as.frame", "a value")?;
    // SystemDS takes the frame out of a list, and whatever else it takes out is none afterwards.
    if let Value::List(list) = &value {
        value = match list.values() {
            [Value::Frame(frame)] => Value::Frame(frame.clone()),
            [only] => {
                let found = format!("a list of {}", only.describe());
                return Err(OpError::argument("as.frame", OF_LIST, found).into());
            }
            _ => return Err(OpError::argument("as.frame", OF_LIST, value.describe()).into()),
        };
    }
    let frame = match value {
        Value::Frame(frame) => frame,
        Value::Matrix(m) => Arc::new(Frame::of_matrix(&m)),
        scalar => Arc::new(Frame::of_scalar(&scalar)?),
    };
    let Some(names) = names else {
        return Ok(Some(Value::Frame(frame)));
    };
    let names = names.list("as.frame")?;
    if names.len() != frame.cols() {
        let expected = format!("{} names", frame.cols());
        return Err(OpError::argument("as.frame", expected, names.len()).into());
    }
    let columns = frame.columns().iter().zip(names.values());
    let columns = columns.map(|(column, name)| column.renamed(name.to_string()));
    Ok(Some(Frame::new(columns.collect())?.into()))
}

/// The list inside of a list of one, or a list as it is; of a column or row of numbers, the list of its cells.
pub(super) fn as_list(_: &mut Interpreter<'_>, args: Args) -> Done {
    convert(args, |value| match &value {
        Value::List(list) => match list.values() {
            [Value::List(inner)] => Ok(Value::List(inner.clone())),
            _ => Ok(value),
        },
        Value::Matrix(m) if m.cols() == 1 || m.rows() == 1 => {
            let cells = m.to_cells().into_iter().map(Value::Double);
            Ok(List::new(cells.collect()).into())
        }
        other => Err(OpError::argument("as.list", "a list or a vector", other.describe()).into()),
    })
}
