//! Files of data.

use std::path::PathBuf;

use super::super::{Fail, Interpreter, frame_files};
use super::args::{Args, Done, bool_of, required, text_of};
use crate::error::OpError;
use crate::io::{self, Format, Gaps, Layout, ReadOptions};
use crate::kernels::generate::size;
use crate::value::Value;

fn path(
    interpreter: &Interpreter<'_>,
    value: Option<Value>,
    function: &str,
) -> Result<PathBuf, Fail> {
    let text = text_of(required(value, function, "a path")?, function, "the path")?;
    // Only local files: a scheme other than file: belongs to a cluster.
    let local = text
        .strip_prefix("file://")
        .or_else(|| text.strip_prefix("file:"))
        .unwrap_or(&text);
    if let Some((scheme, _)) = local.split_once("://") {
        return Err(OpError::argument(
            function,
            "a local path",
            format!("a path with `{scheme}://`"),
        )
        .into());
    }
    Ok(interpreter.base.join(local))
}

pub(super) fn read(interpreter: &mut Interpreter<'_>, args: Args) -> Done {
    let [
        file,
        rows,
        cols,
        format,
        header,
        sep,
        data_type,
        value_type,
        nnz,
        sparse,
        fill,
        default,
        na_strings,
        schema,
    ] = args.bind([
        "file",
        "rows",
        "cols",
        "format",
        "header",
        "sep",
        "data_type",
        "value_type",
        "nnz",
        "sparse",
        "fill",
        "default",
        "naStrings",
        "schema",
    ])?;
    // Accepted because scripts say them; neither changes what is read.
    drop((nnz, sparse));
    let path = path(interpreter, file, "read")?;
    let count = |value: Option<Value>, what| -> Result<Option<usize>, Fail> {
        value
            .map(|v| Ok(size("read", what, v.number("read")?)?))
            .transpose()
    };
    let text = |value: Option<Value>| value.map(|v| v.to_string());
    let options = ReadOptions {
        data_type: text(data_type),
        value_type: text(value_type),
        rows: count(rows, "rows")?,
        cols: count(cols, "cols")?,
        nnz: None,
        format: text(format),
        header: header.map(|v| bool_of(&v, "read")).transpose()?,
        sep: text(sep),
    };
    if frame_files::is_frame(&path, options.data_type.as_deref()) {
        let schema = text(schema);
        return Ok(Some(
            frame_files::read(&path, &options, schema.as_deref())?.into(),
        ));
    }
    let gaps = Gaps {
        fill: fill.map(|v| bool_of(&v, "read")).transpose()?,
        default: default.map(|v| v.number("read")).transpose()?,
        na_strings: text(na_strings).map(|joined| Gaps::words(&joined)),
    };
    Ok(Some(io::read_with(&path, &options, &gaps)?))
}

pub(super) fn write(interpreter: &mut Interpreter<'_>, args: Args) -> Done {
    let [value, file, format, header, sep, sparse, description] = args.bind([
        "x",
        "file",
        "format",
        "header",
        "sep",
        "sparse",
        "description",
    ])?;
    drop(description);
    let value = required(value, "write", "a value")?;
    let path = path(interpreter, file, "write")?;
    let format = match format {
        None => Format::Text,
        Some(name) => {
            let name = name.to_string();
            let unknown = || OpError::argument("write", Format::expected(), format!("\"{name}\""));
            Format::by_name(&name).ok_or_else(unknown)?
        }
    };
    let layout = Layout {
        header: header
            .map(|v| bool_of(&v, "write"))
            .transpose()?
            .unwrap_or(false),
        sep: sep
            .map(|v| v.to_string())
            .filter(|s| !s.is_empty())
            .unwrap_or_else(|| ",".to_owned()),
        sparse: sparse
            .map(|v| bool_of(&v, "write"))
            .transpose()?
            .unwrap_or(false),
    };
    match &value {
        Value::List(_) => {
            return Err(
                OpError::argument("write", "a matrix, frame or scalar", value.describe()).into(),
            );
        }
        Value::Frame(frame) if format == Format::Csv => frame_files::write(&path, frame, &layout)?,
        Value::Frame(_) => {
            let found = format!("format {}", format.name());
            return Err(OpError::argument("write", "format csv of a frame", found).into());
        }
        _ => io::write(&path, &value, format, &layout)?,
    }
    Ok(None)
}
