//! Data files: Matrix Market, CSV and SystemDS's text cells, with the `.mtd` file beside them.
//!
//! Files come from anywhere: every malformed one is an error that names the line, none is a panic.

mod csv;
mod error;
mod lines;
mod matrix_market;
mod mtd;
mod text;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

pub use csv::Layout;
pub use error::IoError;
pub use mtd::{Format, Mtd, path_of as mtd_path, read as read_mtd};

use crate::matrix::{Csr, Matrix, prefers_sparse};
use crate::value::Value;

/// What the caller of `read` says of a file; it wins over the `.mtd` file.
pub type ReadOptions = Mtd;

/// Reads a matrix or scalar. Shape and format come from `options`, the `.mtd` file and the file itself, in this order.
///
/// # Errors
/// When the file is missing, malformed, or too little is known to read it.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Value, IoError> {
    let mtd = mtd::read(path)?.unwrap_or_default();
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
        Some(name) => Format::by_name(name)
            .ok_or_else(|| IoError::meta(path, "format text, mm or csv", name))?,
        None => guess(path)?,
    };
    let matrix = match format {
        Format::Mm => {
            let m = matrix_market::read(path)?;
            let (rows, cols) = (
                known.rows.unwrap_or(m.rows()),
                known.cols.unwrap_or(m.cols()),
            );
            if m.shape() != (rows, cols) {
                let found = format!("{} x {} in the file", m.rows(), m.cols());
                return Err(IoError::meta(
                    path,
                    format!("{rows} x {cols} as stated"),
                    found,
                ));
            }
            m
        }
        Format::Csv => {
            let sep = known
                .sep
                .filter(|sep| !sep.is_empty())
                .unwrap_or_else(|| ",".to_owned());
            let layout = Layout {
                header: known.header.unwrap_or(false),
                sep,
                sparse: false,
            };
            csv::read(path, &layout, (known.rows, known.cols))?
        }
        Format::Text => {
            let (Some(rows), Some(cols)) = (known.rows, known.cols) else {
                let expected = "rows and cols (in the .mtd file or as arguments of read)";
                return Err(IoError::meta(path, expected, "neither or one of them"));
            };
            if rows.checked_mul(cols).is_none() || cols > crate::matrix::MAX_COLS {
                return Err(IoError::meta(
                    path,
                    "a matrix that can be addressed",
                    format!("{rows} x {cols}"),
                ));
            }
            text::read(path, rows, cols)?
        }
    };
    Ok(matrix.into())
}

/// Writes a value and its `.mtd` file.
///
/// # Errors
/// When the system refuses.
pub fn write(path: &Path, value: &Value, format: Format, layout: &Layout) -> Result<(), IoError> {
    let file = File::create(path).map_err(IoError::system(path))?;
    let mut out = BufWriter::with_capacity(1 << 18, file);
    let Value::Matrix(m) = value else {
        writeln!(out, "{value}")
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
        return mtd::write(path, &mtd);
    };
    match format {
        Format::Text => text::write(&mut out, m),
        Format::Mm => matrix_market::write(&mut out, m),
        Format::Csv => csv::write(&mut out, m, layout),
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
    // A Matrix Market file says everything itself; SystemDS writes no .mtd file beside it either.
    if format == Format::Mm {
        Ok(())
    } else {
        mtd::write(path, &mtd)
    }
}

/// Without a word about the format: by the first line, then by the name; SystemDS's default is text.
fn guess(path: &Path) -> Result<Format, IoError> {
    let mut lines = lines::Lines::open(path)?;
    if lines
        .next()?
        .is_some_and(|line| line.to_ascii_lowercase().starts_with("%%matrixmarket"))
    {
        return Ok(Format::Mm);
    }
    let extension = path
        .extension()
        .and_then(|e| e.to_str())
        .map(str::to_ascii_lowercase);
    Ok(if extension.as_deref() == Some("csv") {
        Format::Csv
    } else {
        Format::Text
    })
}

fn scalar(path: &Path, value_type: &str) -> Result<Value, IoError> {
    let mut lines = lines::Lines::open(path)?;
    let line = lines.next()?.unwrap_or_default().trim().to_owned();
    let wrong = |expected: &str| lines.error(expected, error::quote(&line));
    Ok(match value_type {
        "string" => Value::text(line),
        "int" | "integer" => Value::Int(line.parse().map_err(|_| wrong("an integer"))?),
        "boolean" => match line.to_ascii_uppercase().as_str() {
            "TRUE" => Value::Bool(true),
            "FALSE" => Value::Bool(false),
            _ => return Err(wrong("TRUE or FALSE")),
        },
        _ => Value::Double(lines::number(&line).ok_or_else(|| wrong("a number"))?),
    })
}

/// A matrix in the format that its number of entries calls for.
fn from_entries(rows: usize, cols: usize, entries: Vec<(usize, usize, f64)>) -> Matrix {
    if prefers_sparse(rows, cols, entries.len()) {
        return Matrix::from(Csr::from_entries(rows, cols, entries));
    }
    let mut cells = crate::memory::zeroed(rows * cols);
    for (row, col, value) in entries {
        cells[row * cols + col] += value;
    }
    Matrix::dense(rows, cols, cells).settled()
}
