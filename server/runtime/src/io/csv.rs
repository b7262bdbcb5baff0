//! CSV: a line for each row, cells separated by one string, an optional line of names. An empty cell is a zero.

use std::io::Write;
use std::path::Path;

use super::error::{IoError, quote};
use super::lines::{Lines, content, number};
use crate::format::java_double;
use crate::matrix::{Matrix, View};

/// How a CSV file is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Whether the first line holds names.
    pub header: bool,
    /// What stands between cells; not empty.
    pub sep: String,
    /// Whether zeros are written as empty cells.
    pub sparse: bool,
}

impl Default for Layout {
    fn default() -> Self {
        Layout {
            header: false,
            sep: ",".to_owned(),
            sparse: false,
        }
    }
}

/// Reads a CSV file; `shape` is checked where it is given.
///
/// # Errors
/// When a cell is no number, rows differ in length, or the shape is another.
pub(super) fn read(
    path: &Path,
    layout: &Layout,
    shape: (Option<usize>, Option<usize>),
) -> Result<Matrix, IoError> {
    let mut lines = Lines::open(path)?;
    let mut cells = Vec::new();
    let mut width = shape.1;
    let mut rows = 0_usize;
    if layout.header {
        lines.next()?;
    }
    loop {
        let place = lines.place();
        let Some(line) = lines.next()? else { break };
        // An empty line is a row of nothing only where rows have one cell and more rows are announced.
        if line.trim().is_empty() && (width != Some(1) || shape.0.is_none_or(|n| rows >= n)) {
            continue;
        }
        let start = cells.len();
        for word in line.split(layout.sep.as_str()) {
            let word = word.trim();
            let value = if word.is_empty() {
                Some(0.0)
            } else {
                number(word)
            };
            cells.push(
                value.ok_or_else(|| content(&place.0, place.1 + 1, "a number", quote(word)))?,
            );
        }
        let found = cells.len() - start;
        let expected = *width.get_or_insert(found);
        if found != expected {
            return Err(content(
                &place.0,
                place.1 + 1,
                format!("{expected} cells"),
                format!("{found} cells"),
            ));
        }
        rows += 1;
    }
    if let Some(expected) = shape.0
        && rows != expected
    {
        return Err(lines.error(format!("{expected} rows"), format!("{rows} rows")));
    }
    Ok(Matrix::dense(rows, width.unwrap_or(0), cells).settled())
}

/// Writes all cells.
///
/// # Errors
/// When the system refuses.
pub(super) fn write(out: &mut dyn Write, m: &Matrix, layout: &Layout) -> std::io::Result<()> {
    if layout.header {
        let names: Vec<String> = (1..=m.cols()).map(|i| format!("C{i}")).collect();
        writeln!(out, "{}", names.join(&layout.sep))?;
    }
    let mut buffer = vec![0.0; m.cols()];
    for row in 0..m.rows() {
        let cells = match m.view() {
            View::Dense(cells) => &cells[row * m.cols()..][..m.cols()],
            View::Sparse(csr) => {
                buffer.fill(0.0);
                let (cols, values) = csr.row(row);
                cols.iter()
                    .zip(values)
                    .for_each(|(&col, &value)| buffer[col as usize] = value);
                &buffer
            }
        };
        for (col, &value) in cells.iter().enumerate() {
            if col > 0 {
                out.write_all(layout.sep.as_bytes())?;
            }
            match (value == 0.0, layout.sparse) {
                (true, true) => {}
                (true, false) => out.write_all(b"0")?,
                (false, _) => out.write_all(java_double(value).as_bytes())?,
            }
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}
