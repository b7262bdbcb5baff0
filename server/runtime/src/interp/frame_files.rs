//! Frames in CSV files, with the `.mtd` file beside them.
//!
//! Files come from anywhere: a malformed one is an error that names the line, never a panic.

use std::io::{BufWriter, Read, Write};
use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use crate::confine::NewFile;
use crate::error::OpError;
use crate::io::{IoError, Layout, Mtd, begin_mtd, mtd_json, open_regular, read_mtd};
use crate::value::{Column, ColumnType, Frame, Value};

use super::Fail;
use super::builtins::types_of;

/// Whether a `read` of `path` gives a frame, by what the call says or the `.mtd` file.
pub(super) fn is_frame(path: &Path, data_type: Option<&str>) -> bool {
    match data_type {
        Some(name) => name == "frame",
        None => read_mtd(path)
            .ok()
            .flatten()
            .and_then(|mtd| mtd.data_type)
            .is_some_and(|name| name == "frame"),
    }
}

/// Reads a frame; what `said` leaves open, the `.mtd` file says. Cells are text unless a schema tells their types.
///
/// # Errors
/// When the file cannot be read, rows differ in length, or a cell does not fit its type.
pub(super) fn read(path: &Path, said: &Mtd, schema: Option<&str>) -> Result<Frame, Fail> {
    let mtd = read_mtd(path)?.unwrap_or_default();
    let format = said.format.as_ref().or(mtd.format.as_ref());
    let is_csv = match format {
        Some(name) => name == "csv",
        None => path
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("csv")),
    };
    if !is_csv {
        let found = format.map_or("no format", String::as_str);
        return Err(IoError::meta(path, "format csv of a frame", found).into());
    }
    let header = said.header.or(mtd.header).unwrap_or(false);
    let sep = said.sep.clone().or(mtd.sep).filter(|sep| !sep.is_empty());
    let sep = sep.unwrap_or_else(|| ",".to_owned());
    let schema = match schema {
        Some(schema) => Some(schema.to_owned()),
        None => schema_of(path),
    };
    // As a whole, for quotes: the run's limit of memory is its limit.
    let mut text = String::new();
    open_regular(path)
        .and_then(|mut file| file.read_to_string(&mut text))
        .map_err(IoError::system(path))?;
    let mut lines = text.lines().enumerate();
    let names: Option<Vec<String>> = header.then(|| lines.next()).flatten().map(|(_, line)| {
        cells(line, &sep)
            .map(|name| name.trim().to_owned())
            .collect()
    });
    let mut width = names.as_ref().map(Vec::len);
    let mut columns: Vec<Vec<Option<Arc<str>>>> = vec![Vec::new(); width.unwrap_or(0)];
    for (at, line) in lines {
        if line.is_empty() && width != Some(1) {
            continue;
        }
        let found = cells(line, &sep).count();
        let expected = *width.get_or_insert(found);
        columns.resize_with(expected, Vec::new);
        if found != expected {
            let (expected, found) = (format!("{expected} cells"), found.to_string());
            return Err(IoError::content(path, at + 1, expected, found).into());
        }
        for (column, cell) in columns.iter_mut().zip(cells(line, &sep)) {
            let cell = cell.trim();
            column.push((!cell.is_empty()).then(|| cell.into()));
        }
    }
    let types = schema
        .map(|schema| types_of(&Value::text(schema)))
        .transpose()?
        .unwrap_or_default();
    if !types.is_empty() && types.len() != columns.len() {
        let expected = format!("a schema of {} types", columns.len());
        return Err(IoError::meta(path, expected, types.len().to_string()).into());
    }
    let columns = columns.into_iter().enumerate().map(|(col, cells)| {
        let name: Arc<str> = match &names {
            Some(names) => names[col].as_str().into(),
            None => Frame::default_name(col),
        };
        let ty = types.get(col).copied().unwrap_or(ColumnType::String);
        Column::of_texts(name, ty, cells)
    });
    let columns: Result<Vec<Column>, OpError> = columns.collect();
    Ok(Frame::new(columns?)?)
}

/// What the `.mtd` file says of the types.
fn schema_of(path: &Path) -> Option<String> {
    Some(mtd_json(path)?.get("schema")?.as_str()?.to_owned())
}

/// The cells of a line. Inside of quotes a separator is none; the quotes stay.
fn cells<'l>(line: &'l str, sep: &'l str) -> impl Iterator<Item = &'l str> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let line = rest?;
        let quoted = line.trim_start().starts_with('"');
        // The separator behind the closing quote, if the cell begins with a quote.
        let from = if quoted {
            let open = line.find('"').unwrap_or(0) + 1;
            line[open..].find('"').map_or(0, |close| open + close)
        } else {
            0
        };
        match line[from..].find(sep) {
            Some(at) => {
                rest = Some(&line[from + at + sep.len()..]);
                Some(&line[..from + at])
            }
            None => {
                rest = None;
                Some(line)
            }
        }
    })
}

/// Writes a frame as CSV, and its `.mtd` file.
///
/// # Errors
/// When the system refuses, or this process may not write there.
pub(super) fn write(path: &Path, frame: &Frame, layout: &Layout) -> Result<(), IoError> {
    let mut out = BufWriter::new(NewFile::data(path)?);
    lines(&mut out, frame, layout)
        .and_then(|()| out.flush())
        .map_err(IoError::system(path))?;
    let schema: Vec<&str> = frame.columns().iter().map(|c| c.ty().name()).collect();
    let mtd = json!({
        "data_type": "frame",
        "schema": schema.join(","),
        "rows": frame.rows(),
        "cols": frame.cols(),
        "format": "csv",
        "header": layout.header,
        "sep": layout.sep,
    });
    let mtd = begin_mtd(path, &mtd)?;
    // Nothing is left in the buffer: it was flushed.
    out.into_parts().0.keep()?;
    mtd.keep()
}

fn lines(out: &mut impl Write, frame: &Frame, layout: &Layout) -> std::io::Result<()> {
    let mut line = |cells: &mut dyn Iterator<Item = String>| {
        let cells: Vec<String> = cells.collect();
        writeln!(out, "{}", cells.join(&layout.sep))
    };
    if layout.header {
        line(&mut frame.columns().iter().map(|c| c.name().to_string()))?;
    }
    (0..frame.rows()).try_for_each(|row| {
        let columns = frame.columns().iter();
        line(&mut columns.map(|c| short(c, row)))
    })
}

/// A missing cell is empty, and a whole number has no point.
fn short(column: &Column, row: usize) -> String {
    let text = column.text(row).unwrap_or_default();
    match column.ty() {
        ColumnType::Fp64 | ColumnType::Fp32 => text.strip_suffix(".0").unwrap_or(&text).to_owned(),
        _ => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> Vec<&str> {
        cells(line, ",").collect()
    }

    #[test]
    fn separators_inside_of_quotes_do_not_separate() {
        assert_eq!(split("a,b,"), ["a", "b", ""]);
        assert_eq!(split("\"b, c\",3.5,"), ["\"b, c\"", "3.5", ""]);
        assert_eq!(split("\"open,x"), ["\"open", "x"]);
        assert_eq!(split(""), [""]);
        assert_eq!(cells("a||b", "||").collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn a_frame_comes_back_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f.csv");
        let columns = vec![
            Column::of_strings("name", ["a b".to_owned(), "c".to_owned()]),
            Column::of_numbers("size", vec![1.5, 2.0]),
        ];
        let frame = Frame::new(columns).unwrap();
        let layout = Layout {
            header: true,
            ..Layout::default()
        };
        write(&path, &frame, &layout).unwrap();
        assert!(is_frame(&path, None));
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            "name,size\na b,1.5\nc,2\n"
        );
        assert_eq!(read(&path, &Mtd::default(), None).unwrap(), frame);
    }

    #[test]
    fn rows_of_another_length_and_cells_of_another_type_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f.csv");
        std::fs::write(&path, "a,b\nc\n").unwrap();
        let message = |schema| match read(&path, &Mtd::default(), schema) {
            Err(Fail::Message(_, message)) => message,
            other => panic!("an error expected, found {other:?}"),
        };
        assert!(message(None).contains('2'), "{}", message(None));
        std::fs::write(&path, "a,b\n").unwrap();
        assert!(message(Some("STRING,FP64")).contains("FP64"));
        assert!(message(Some("STRING")).contains("2 types"));
    }
}
