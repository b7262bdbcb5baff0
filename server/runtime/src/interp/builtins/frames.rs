//! Frames, and the sizes of everything that has some.

use std::sync::Arc;

use sumac_la::Op;

use super::super::{Fail, Interpreter};
use super::args::{Args, Done, required, text_of};
use super::lambda::Lambda;
use crate::apply::apply;
use crate::error::OpError;
use crate::kernels::generate::size;
use crate::value::{Column, ColumnType, Frame, Value};

fn sizes(args: Args, op: Op, frame: fn(&Frame) -> usize) -> Done {
    let name = args.name.clone();
    let [value] = args.bind(["target"])?;
    Ok(Some(match required(value, &name, "a value")? {
        Value::List(list) => Value::Int(list.len() as i64),
        Value::Frame(f) => Value::Int(frame(&f) as i64),
        other => apply(op, vec![other])?,
    }))
}

pub(super) fn nrow(_: &mut Interpreter<'_>, args: Args) -> Done {
    sizes(args, Op::Nrow, Frame::rows)
}

pub(super) fn ncol(_: &mut Interpreter<'_>, args: Args) -> Done {
    sizes(args, Op::Ncol, Frame::cols)
}

pub(super) fn length(_: &mut Interpreter<'_>, args: Args) -> Done {
    sizes(args, Op::Length, |frame| frame.rows() * frame.cols())
}

/// A frame of one row of text, a column for each.
fn row(texts: impl IntoIterator<Item = String>) -> Result<Value, Fail> {
    let columns = texts
        .into_iter()
        .enumerate()
        .map(|(place, text)| Column::of_strings(Frame::default_name(place), [text]));
    Ok(Frame::new(columns.collect())?.into())
}

pub(super) fn colnames(_: &mut Interpreter<'_>, args: Args) -> Done {
    let [frame] = args.bind(["target"])?;
    let frame = required(frame, "colnames", "a frame")?;
    let columns = frame.frame("colnames")?.columns();
    row(columns.iter().map(|c| c.name().to_string())).map(Some)
}

pub(super) fn type_of(_: &mut Interpreter<'_>, args: Args) -> Done {
    let [value] = args.bind(["target"])?;
    match required(value, "typeof", "a frame")? {
        Value::Matrix(m) => row((0..m.cols()).map(|_| "FP64".to_owned())).map(Some),
        other => {
            let columns = other.frame("typeof")?.columns();
            row(columns.iter().map(|c| c.ty().name().to_owned())).map(Some)
        }
    }
}

/// `frame(data, rows, cols, schema)`: one cell for all, or a list of them row after row.
pub(super) fn frame(_: &mut Interpreter<'_>, args: Args) -> Done {
    let [data, rows, cols, schema] = args.bind(["data", "rows", "cols", "schema"])?;
    let data = required(data, "frame", "data")?;
    let count = |value: Option<Value>, what| -> Result<usize, Fail> {
        Ok(size(
            "frame",
            what,
            required(value, "frame", what)?.number("frame")?,
        )?)
    };
    let (rows, cols) = (count(rows, "rows")?, count(cols, "cols")?);
    let types = schema.map(|schema| types_of(&schema)).transpose()?;
    if let Some(types) = types.as_ref().filter(|types| types.len() != cols) {
        let expected = format!("a schema of {cols} types");
        return Err(OpError::argument("frame", expected, types.len()).into());
    }
    let texts: Vec<Arc<str>> = match &data {
        Value::List(list) => list.values().iter().map(|v| v.to_string().into()).collect(),
        scalar if scalar.is_scalar() => vec![scalar.to_string().into()],
        other => return Err(OpError::argument("frame", "text or a list", other.describe()).into()),
    };
    if texts.len() != 1 && texts.len() != rows * cols {
        let expected = format!("1 or {} cells", rows * cols);
        return Err(OpError::argument("frame", expected, texts.len()).into());
    }
    let columns = (0..cols).map(|col| {
        let ty = types
            .as_ref()
            .map_or(ColumnType::String, |types| types[col]);
        let cell = |row: usize| Some(texts[(row * cols + col) % texts.len()].clone());
        Column::of_texts(Frame::default_name(col), ty, (0..rows).map(cell).collect())
    });
    let columns: Vec<Column> = columns.collect::<Result<_, _>>()?;
    Ok(Some(Frame::new(columns)?.into()))
}

/// The types that a list of texts, a row of a frame, or one text with commas names.
pub(in super::super) fn types_of(schema: &Value) -> Result<Vec<ColumnType>, Fail> {
    let names: Vec<String> = match schema {
        Value::List(list) => list.values().iter().map(Value::to_string).collect(),
        Value::Frame(frame) if frame.rows() == 1 => {
            let columns = frame.columns().iter();
            columns
                .map(|c| c.text(0).unwrap_or_default().into_owned())
                .collect()
        }
        Value::Str(text) => {
            let names = text
                .split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty());
            names.map(str::to_owned).collect()
        }
        other => {
            return Err(OpError::argument("schema", "names of types", other.describe()).into());
        }
    };
    let ty = |name: String| {
        ColumnType::by_name(&name).ok_or_else(|| {
            let expected = "STRING, FP64, FP32, INT64, INT32, UINT8, BOOLEAN or CHARACTER";
            OpError::argument("schema", expected, format!("\"{name}\"")).into()
        })
    };
    names.into_iter().map(ty).collect()
}

/// The narrowest type that text fits.
fn detected(column: &Column) -> ColumnType {
    if !matches!(column.ty(), ColumnType::String | ColumnType::Character) {
        return column.ty();
    }
    let texts = column.texts();
    let texts: Vec<&str> = texts
        .iter()
        .flatten()
        .map(|t| t.trim())
        .filter(|t| !t.is_empty())
        .collect();
    let all = |f: &dyn Fn(&str) -> bool| texts.iter().all(|t| f(t));
    if texts.is_empty() {
        ColumnType::String
    } else if all(&|t| t.eq_ignore_ascii_case("true") || t.eq_ignore_ascii_case("false")) {
        ColumnType::Boolean
    } else if all(&|t| t.parse::<i32>().is_ok()) {
        ColumnType::Int32
    } else if all(&|t| t.parse::<i64>().is_ok()) {
        ColumnType::Int64
    } else if all(&|t| t.parse::<f64>().is_ok()) {
        // Up to seven digits fit into 32 bits.
        let short = |t: &str| t.bytes().filter(u8::is_ascii_digit).count() <= 7;
        if all(&short) {
            ColumnType::Fp32
        } else {
            ColumnType::Fp64
        }
    } else if all(&|t| t.chars().count() == 1) {
        ColumnType::Character
    } else {
        ColumnType::String
    }
}

pub(super) fn detect_schema(_: &mut Interpreter<'_>, args: Args) -> Done {
    let [frame] = args.bind(["target"])?;
    let frame = required(frame, "detectSchema", "a frame")?;
    let columns = frame.frame("detectSchema")?.columns();
    row(columns.iter().map(|c| detected(c).name().to_owned())).map(Some)
}

pub(super) fn apply_schema(_: &mut Interpreter<'_>, args: Args) -> Done {
    let [frame, schema] = args.bind(["target", "schema"])?;
    let frame = required(frame, "applySchema", "a frame")?;
    let frame = frame.frame("applySchema")?;
    let types = types_of(&required(schema, "applySchema", "schema")?)?;
    if types.len() != frame.cols() {
        let expected = format!("a schema of {} types", frame.cols());
        return Err(OpError::argument("applySchema", expected, types.len()).into());
    }
    let columns = frame
        .columns()
        .iter()
        .zip(types)
        .map(|(column, ty)| column.cast(ty));
    let columns: Vec<Column> = columns.collect::<Result<_, _>>()?;
    Ok(Some(Frame::new(columns)?.into()))
}

/// `map(F, "x -> …")`: a function of each cell; missing cells stay missing.
pub(super) fn map(_: &mut Interpreter<'_>, args: Args) -> Done {
    let [frame, lambda, margin] = args.bind(["target", "lambda", "margin"])?;
    if let Some(margin) = margin.filter(|margin| margin.as_number() != Some(0.0)) {
        let expected = "margin 0, which is each cell by itself";
        return Err(OpError::argument("map", expected, margin.to_string()).into());
    }
    let frame = required(frame, "map", "a frame")?;
    let lambda = text_of(
        required(lambda, "map", "a function")?,
        "map",
        "the function",
    )?;
    let lambda = Lambda::read(&lambda)?;
    let mapped = |(place, column): (usize, &Column)| -> Result<Column, Fail> {
        let cell = |text: Option<Arc<str>>| -> Result<Option<Arc<str>>, Fail> {
            match text {
                Some(text) => Ok(Some(lambda.call(&text)?.into())),
                None => Ok(None),
            }
        };
        let cells: Vec<Option<Arc<str>>> = column
            .texts()
            .into_iter()
            .map(cell)
            .collect::<Result<_, Fail>>()?;
        Ok(Column::of_texts(
            Frame::default_name(place),
            ColumnType::String,
            cells,
        )?)
    };
    let columns = frame.frame("map")?.columns().iter().enumerate().map(mapped);
    let columns: Vec<Column> = columns.collect::<Result<_, _>>()?;
    Ok(Some(Frame::new(columns)?.into()))
}
