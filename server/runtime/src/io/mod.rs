//! Data files: Matrix Market, CSV, SystemDS's text cells, NumPy's `.npy` and `.npz`, and a binary format of our own,
//! with the `.mtd` file beside them.
//!
//! Files come from anywhere: every malformed one is an error that names the line or the byte, none is a panic, and
//! none makes more be allocated than it holds. Text is parsed by all threads; what is read does not depend on them.

mod assemble;
mod bytes;
mod csv;
mod entries;
mod error;
mod format;
mod matrix_market;
mod mtd;
mod npy;
mod npy_header;
mod npz;
mod open;
mod pieces;
mod room;
mod rows;
mod scan;
mod sumac;
mod text;
mod whole;

use std::io::{BufWriter, Read, Write};
use std::path::Path;

pub use csv::{Gaps, Layout};
pub use error::IoError;
pub(crate) use format::begins_as;
pub use format::{Format, path_of as mtd_path};
pub use mtd::{Mtd, read as read_mtd};
pub(crate) use mtd::{begin_text as begin_mtd, json_of as mtd_json};
pub use open::{open_regular, read_at_most, text_at_most};
pub use whole::{keep_private, replace};

use crate::confine::{self, NewFile};
use crate::matrix::{MAX_COLS, Matrix};
use crate::value::Value;
use format::EXTENSIONS;
use pieces::Pieces;

/// What the caller of `read` says of a file; it wins over the `.mtd` file.
pub type ReadOptions = Mtd;

/// Reads a matrix or scalar. Shape and format come from `options`, the `.mtd` file and the file itself, in this order.
///
/// # Errors
/// When the file is missing, malformed, or too little is known to read it.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Value, IoError> {
    read_with(path, options, &Gaps::default())
}

/// As [`read`]; `gaps` says what a CSV file's empty cells and words for NaN are, and wins over the `.mtd` file.
///
/// # Errors
/// As [`read`].
pub fn read_with(path: &Path, options: &ReadOptions, gaps: &Gaps) -> Result<Value, IoError> {
    let (mtd, mtd_gaps) = mtd::read_all(path)?.unwrap_or_default();
    let known = Mtd {
        data_type: options.data_type.clone().or(mtd.data_type),
        value_type: options.value_type.clone().or(mtd.value_type),
        rows: options.rows.or(mtd.rows),
        cols: options.cols.or(mtd.cols),
        nnz: options.nnz.or(mtd.nnz),
        format: options.format.clone().or(mtd.format),
        header: options.header.or(mtd.header),
        sep: options.sep.clone().or(mtd.sep),
    };
    match known.data_type.as_deref() {
        Some("scalar") => return scalar(path, known.value_type.as_deref().unwrap_or("double")),
        None | Some("matrix") => {}
        Some(other) => return Err(IoError::meta(path, "data_type matrix or scalar", other)),
    }
    let format = match known.format.as_deref() {
        Some(name) => {
            Format::by_name(name).ok_or_else(|| IoError::meta(path, Format::expected(), name))?
        }
        None => guess(path)?,
    };
    let matrix = match format {
        Format::Mm => stated(path, &known, matrix_market::read(path)?)?,
        Format::Npy => stated(path, &known, npy::read(path)?)?,
        Format::Npz => stated(path, &known, npz::read(path)?)?,
        Format::Sumac => stated(path, &known, sumac::read(path)?)?,
        Format::Csv => {
            let sep = known.sep.filter(|sep| !sep.is_empty());
            let layout = Layout {
                header: known.header.unwrap_or(false),
                sep: sep.unwrap_or_else(|| ",".to_owned()),
                sparse: false,
            };
            let gaps = gaps.clone().or(mtd_gaps);
            csv::read(path, &layout, &gaps, (known.rows, known.cols))?
        }
        Format::Text => {
            let (Some(rows), Some(cols)) = (known.rows, known.cols) else {
                let expected = "rows and cols (in the .mtd file or as arguments of read)";
                return Err(IoError::meta(path, expected, "neither or one of them"));
            };
            let length = open_regular(path).and_then(|file| Ok(file.metadata()?.len()));
            let length = length.map_err(IoError::system(path))?;
            if let Some((expected, found)) = room::claim_refusal(rows, cols, 0, length) {
                return Err(IoError::meta(path, expected, found));
            }
            text::read(path, (rows, cols), mtd.nnz)?
        }
    };
    Ok(matrix.into())
}

/// The matrix of a file that says its shape itself, where that is the shape that was stated.
fn stated(path: &Path, known: &Mtd, m: Matrix) -> Result<Matrix, IoError> {
    let rows = known.rows.unwrap_or(m.rows());
    let cols = known.cols.unwrap_or(m.cols());
    if m.shape() == (rows, cols) {
        return Ok(m);
    }
    let found = format!("{} x {} in the file", m.rows(), m.cols());
    Err(IoError::meta(
        path,
        format!("{rows} x {cols} as stated"),
        found,
    ))
}

/// Writes a value and its `.mtd` file. A Matrix Market file says everything itself and has none, as in SystemDS; one
/// that stood there before is removed. Scalars are text in any format; `layout` is for CSV only.
///
/// # Errors
/// When the system refuses, or the format cannot hold the matrix.
pub fn write(path: &Path, value: &Value, format: Format, layout: &Layout) -> Result<(), IoError> {
    let mut out = BufWriter::with_capacity(1 << 18, NewFile::data(path)?);
    let Value::Matrix(m) = value else {
        // A file has truth values as Java writes them, which is not how scripts print them.
        let text = match value {
            Value::Bool(yes) => yes.to_string(),
            other => other.to_string(),
        };
        writeln!(out, "{text}")
            .and_then(|()| out.flush())
            .map_err(IoError::system(path))?;
        let value_type = match value {
            Value::Int(_) => "int",
            other => other.kind(),
        };
        let mtd = Mtd {
            data_type: Some("scalar".to_owned()),
            value_type: Some(value_type.to_owned()),
            format: Some("text".to_owned()),
            ..Mtd::default()
        };
        return keep(path, out, Some(&mtd));
    };
    if format == Format::Npz && m.cols() > MAX_COLS {
        let expected = format!("at most {MAX_COLS} columns in a sparse matrix");
        return Err(IoError::meta(path, expected, m.cols().to_string()));
    }
    match format {
        Format::Text => text::write(&mut out, m),
        Format::Mm => matrix_market::write(&mut out, m),
        Format::Csv => csv::write(&mut out, m, layout),
        Format::Npy => npy::write(&mut out, m),
        Format::Npz => npz::write(&mut out, m),
        Format::Sumac => sumac::write(&mut out, m),
    }
    .and_then(|()| out.flush())
    .map_err(IoError::system(path))?;
    let mtd = Mtd {
        data_type: Some("matrix".to_owned()),
        value_type: Some("double".to_owned()),
        rows: Some(m.rows()),
        cols: Some(m.cols()),
        nnz: Some(m.nnz()),
        format: Some(format.name().to_owned()),
        header: (format == Format::Csv).then_some(layout.header),
        sep: (format == Format::Csv).then(|| layout.sep.clone()),
    };
    keep(path, out, (format != Format::Mm).then_some(&mtd))
}

/// Puts a file where it belongs, and the metadata beside it: what stood there goes when both are whole.
fn keep(path: &Path, out: BufWriter<NewFile>, mtd: Option<&Mtd>) -> Result<(), IoError> {
    let (file, rest) = out.into_parts();
    // Nothing is left in the buffer: it was flushed.
    drop(rest);
    let mtd = mtd.map(|mtd| mtd::begin(path, mtd)).transpose()?;
    file.keep()?;
    match mtd {
        Some(mtd) => mtd.keep(),
        None => confine::remove_metadata(&mtd_path(path)),
    }
}

/// Without a word about the format: by the first bytes, then by the name; SystemDS's default is text.
fn guess(path: &Path) -> Result<Format, IoError> {
    let mut start = Vec::new();
    open_regular(path)
        .and_then(|file| file.take(32).read_to_end(&mut start))
        .map_err(IoError::system(path))?;
    if let Some(format) = begins_as(&start) {
        return Ok(format);
    }
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let by_name = EXTENSIONS
        .iter()
        .find(|(known, _)| extension.eq_ignore_ascii_case(known));
    Ok(by_name.map_or(Format::Text, |(_, format)| *format))
}

fn scalar(path: &Path, value_type: &str) -> Result<Value, IoError> {
    let mut pieces = Pieces::open(path)?;
    let line = match std::str::from_utf8(pieces.line()?.unwrap_or_default()) {
        Ok(line) => line.trim().to_owned(),
        Err(error) => {
            let found = format!("another byte at {}", error.valid_up_to());
            return Err(pieces.error("text in UTF-8", found));
        }
    };
    let wrong = |expected: &str| pieces.error(expected, error::quote(&line));
    Ok(match value_type {
        "string" => Value::text(line),
        "int" | "integer" => Value::Int(line.parse().map_err(|_| wrong("an integer"))?),
        "boolean" => match line.to_ascii_uppercase().as_str() {
            "TRUE" => Value::Bool(true),
            "FALSE" => Value::Bool(false),
            _ => return Err(wrong("TRUE or FALSE")),
        },
        _ => Value::Double(scan::number(line.as_bytes()).ok_or_else(|| wrong("a number"))?),
    })
}
