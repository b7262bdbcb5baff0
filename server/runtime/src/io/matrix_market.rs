//! Matrix Market files (math.nist.gov/MatrixMarket/formats.html): coordinate and array; real, integer and pattern;
//! general, symmetric and skew-symmetric.

use std::io::Write;
use std::path::Path;

use super::error::{IoError, quote};
use super::lines::{Lines, content, number};
use crate::matrix::Matrix;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Symmetry {
    General,
    Symmetric,
    SkewSymmetric,
}

struct Header {
    is_array: bool,
    is_pattern: bool,
    symmetry: Symmetry,
    rows: usize,
    cols: usize,
    entries: usize,
}

/// Reads a Matrix Market file.
///
/// # Errors
/// When the file is not one, or breaks its own header.
pub(super) fn read(path: &Path) -> Result<Matrix, IoError> {
    let mut lines = Lines::open(path)?;
    let header = header(&mut lines)?;
    if header.is_array {
        array(&mut lines, &header)
    } else {
        coordinate(&mut lines, &header)
    }
}

/// Writes non-zero cells in coordinate form.
///
/// # Errors
/// When the system refuses.
pub(super) fn write(out: &mut dyn Write, m: &Matrix) -> std::io::Result<()> {
    writeln!(out, "%%MatrixMarket matrix coordinate real general")?;
    writeln!(out, "{} {} {}", m.rows(), m.cols(), m.nnz())?;
    super::text::write(out, m)
}

fn header(lines: &mut Lines) -> Result<Header, IoError> {
    let banner = lines.next()?.unwrap_or_default().to_owned();
    let words: Vec<String> = banner
        .split_whitespace()
        .map(str::to_ascii_lowercase)
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let expected = "`%%MatrixMarket matrix coordinate|array real|integer|pattern general|symmetric|skew-symmetric`";
    let &[
        "%%matrixmarket",
        "matrix",
        layout @ ("coordinate" | "array"),
        field,
        symmetry,
    ] = words.as_slice()
    else {
        return Err(lines.error(expected, quote(&banner)));
    };
    let is_pattern = field == "pattern";
    let symmetry = match symmetry {
        "general" => Symmetry::General,
        "symmetric" => Symmetry::Symmetric,
        "skew-symmetric" => Symmetry::SkewSymmetric,
        _ => return Err(lines.error(expected, quote(&banner))),
    };
    let is_array = layout == "array";
    if !matches!(field, "real" | "integer" | "pattern") || (is_pattern && is_array) {
        return Err(lines.error(expected, quote(&banner)));
    }
    let sizes = loop {
        match lines.next()? {
            Some(line) if line.starts_with('%') || line.trim().is_empty() => {}
            Some(line) => break line.to_owned(),
            None => return Err(lines.error("a line of sizes", "the end of the file")),
        }
    };
    let numbers: Vec<usize> = sizes
        .split_whitespace()
        .map_while(|word| word.parse().ok())
        .collect();
    let expected = if is_array {
        "`rows columns`"
    } else {
        "`rows columns entries`"
    };
    let (rows, cols, entries) = match (is_array, numbers.as_slice()) {
        (true, &[rows, cols]) => (rows, cols, 0),
        (false, &[rows, cols, entries]) => (rows, cols, entries),
        _ => return Err(lines.error(expected, quote(&sizes))),
    };
    if symmetry != Symmetry::General && rows != cols {
        return Err(lines.error(
            "a square matrix, because it is symmetric",
            format!("{rows} x {cols}"),
        ));
    }
    if rows.checked_mul(cols).is_none() || cols > crate::matrix::MAX_COLS {
        return Err(lines.error("a matrix that can be addressed", format!("{rows} x {cols}")));
    }
    Ok(Header {
        is_array,
        is_pattern,
        symmetry,
        rows,
        cols,
        entries,
    })
}

fn coordinate(lines: &mut Lines, header: &Header) -> Result<Matrix, IoError> {
    let expected = if header.is_pattern {
        "`row column`"
    } else {
        "`row column value`"
    };
    // The announced number is a hint only: a wrong one must not allocate the world.
    let mut entries = Vec::with_capacity(header.entries.min(1 << 24));
    let mut found = 0_usize;
    loop {
        let place = lines.place();
        let Some(line) = lines.next()? else { break };
        if line.trim().is_empty() || line.starts_with('%') {
            continue;
        }
        let error =
            |expected: String, found: &str| content(&place.0, place.1 + 1, expected, quote(found));
        let mut words = line.split_ascii_whitespace();
        let mut index = || words.next().and_then(|word| word.parse::<usize>().ok());
        let (row, col) = (index(), index());
        let value = if header.is_pattern {
            Some(1.0)
        } else {
            words.next().and_then(number)
        };
        let (Some(row), Some(col), Some(value), None) = (row, col, value, words.next()) else {
            return Err(error(expected.to_owned(), line));
        };
        if !(1..=header.rows).contains(&row) || !(1..=header.cols).contains(&col) {
            return Err(error(
                format!("a cell of {} x {}", header.rows, header.cols),
                line,
            ));
        }
        found += 1;
        entries.push((row - 1, col - 1, value));
        if row != col {
            match header.symmetry {
                Symmetry::General => {}
                Symmetry::Symmetric => entries.push((col - 1, row - 1, value)),
                Symmetry::SkewSymmetric => entries.push((col - 1, row - 1, -value)),
            }
        }
    }
    if found != header.entries {
        return Err(lines.error(
            format!("{} entries, as the header says", header.entries),
            format!("{found} entries"),
        ));
    }
    Ok(super::from_entries(header.rows, header.cols, entries))
}

fn array(lines: &mut Lines, header: &Header) -> Result<Matrix, IoError> {
    let (rows, cols) = (header.rows, header.cols);
    let mut entries: Vec<f64> = Vec::new();
    let first_row = |col: usize| match header.symmetry {
        Symmetry::General => 0,
        Symmetry::Symmetric => col,
        Symmetry::SkewSymmetric => col + 1,
    };
    let expected: usize = (0..cols)
        .map(|col| rows.saturating_sub(first_row(col)))
        .sum();
    loop {
        let place = lines.place();
        let Some(line) = lines.next()? else { break };
        if line.starts_with('%') {
            continue;
        }
        for word in line.split_ascii_whitespace() {
            let value = number(word)
                .ok_or_else(|| content(&place.0, place.1 + 1, "a number", quote(word)))?;
            entries.push(value);
        }
    }
    if entries.len() != expected {
        return Err(lines.error(
            format!("{expected} numbers"),
            format!("{} numbers", entries.len()),
        ));
    }
    let mut cells = crate::memory::zeroed(rows * cols);
    let mut values = entries.into_iter();
    for col in 0..cols {
        for (row, value) in (first_row(col)..rows).zip(&mut values) {
            cells[row * cols + col] = value;
            match header.symmetry {
                Symmetry::General => {}
                Symmetry::Symmetric => cells[col * cols + row] = value,
                Symmetry::SkewSymmetric => cells[col * cols + row] = -value,
            }
        }
    }
    Ok(Matrix::dense(rows, cols, cells).settled())
}
