//! Matrix Market files (math.nist.gov/MatrixMarket/formats.html): coordinate and array; real, integer and pattern;
//! general, symmetric and skew-symmetric. Complex files are refused.
//!
//! As SciPy reads them: a cell of a coordinate file that occurs twice is summed, and symmetry adds to each entry off
//! the diagonal the one across it, on whichever side the file keeps them. Stricter: what an integer file holds must be
//! whole, and the diagonal of a skew-symmetric matrix zero.

use std::io::Write;
use std::path::Path;

use super::assemble::assemble;
use super::entries::{self, Field, Rule, Symmetry};
use super::error::{IoError, quote};
use super::pieces::{Pieces, Wrong};
use super::room;
use super::scan::Scan;
use crate::matrix::Matrix;

const BANNER: &str = "`%%MatrixMarket matrix coordinate|array real|integer|pattern general|symmetric|skew-symmetric`";

/// `double` and `unsigned-integer` are what some writers call real and integer.
const FIELDS: [(&str, Field); 5] = [
    ("real", Field::Real),
    ("double", Field::Real),
    ("integer", Field::Whole),
    ("unsigned-integer", Field::Whole),
    ("pattern", Field::Pattern),
];

const SYMMETRIES: [(&str, Symmetry); 3] = [
    ("general", Symmetry::General),
    ("symmetric", Symmetry::Symmetric),
    ("skew-symmetric", Symmetry::SkewSymmetric),
];

struct Header {
    rule: Rule,
    /// What a coordinate file announces; `None` for an array.
    entries: Option<usize>,
}

/// Reads a Matrix Market file.
///
/// # Errors
/// When the file is not one, or breaks its own header.
pub(super) fn read(path: &Path) -> Result<Matrix, IoError> {
    let mut pieces = Pieces::open(path)?;
    let header = header(&mut pieces)?;
    match header.entries {
        Some(entries) => coordinate(&mut pieces, &header.rule, entries),
        None => array(&mut pieces, &header.rule),
    }
}

/// Writes non-zero cells in coordinate form.
///
/// # Errors
/// When the system refuses.
pub(super) fn write(out: &mut dyn Write, m: &Matrix) -> std::io::Result<()> {
    writeln!(out, "%%MatrixMarket matrix coordinate real general")?;
    writeln!(out, "{} {} {}", m.rows(), m.cols(), m.nnz())?;
    super::text::write_cells(out, m)
}

fn header(pieces: &mut Pieces) -> Result<Header, IoError> {
    let banner = text(pieces.line()?.unwrap_or_default());
    let Some((is_array, field, symmetry)) = kinds(&banner) else {
        return Err(pieces.error(BANNER, quote(&banner)));
    };
    let sizes = loop {
        match pieces.line()? {
            Some(line) if line.starts_with(b"%") || line.trim_ascii().is_empty() => {}
            Some(line) => break text(line),
            None => return Err(pieces.error("a line of sizes", "the end of the file")),
        }
    };
    let numbers: Option<Vec<usize>> = sizes
        .split_whitespace()
        .map(|word| word.parse().ok())
        .collect();
    let (rows, cols, entries) = match (is_array, numbers.as_deref()) {
        (true, Some(&[rows, cols])) => (rows, cols, None),
        (false, Some(&[rows, cols, entries])) => (rows, cols, Some(entries)),
        (true, _) => return Err(pieces.error("`rows columns`", quote(&sizes))),
        (false, _) => return Err(pieces.error("`rows columns entries`", quote(&sizes))),
    };
    if symmetry != Symmetry::General && rows != cols {
        return Err(pieces.error(
            "a square matrix, because it is symmetric",
            format!("{rows} x {cols}"),
        ));
    }
    // An array is dense until it is read. The number of entries is a claim that is not trusted.
    let cells = if is_array {
        rows.saturating_mul(cols)
    } else {
        0
    };
    if let Some((expected, found)) = room::claim_refusal(rows, cols, cells, pieces.length()) {
        return Err(pieces.error(expected, found));
    }
    let rule = Rule {
        rows,
        cols,
        field,
        symmetry,
    };
    Ok(Header { rule, entries })
}

/// Whether it is an array, the field and the symmetry that a banner names.
fn kinds(banner: &str) -> Option<(bool, Field, Symmetry)> {
    let lower = banner.to_ascii_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let &["%%matrixmarket", "matrix", layout, field, symmetry] = words.as_slice() else {
        return None;
    };
    let is_array = match layout {
        "array" => true,
        "coordinate" => false,
        _ => return None,
    };
    let field = FIELDS.iter().find(|(name, _)| *name == field)?.1;
    let symmetry = SYMMETRIES.iter().find(|(name, _)| *name == symmetry)?.1;
    // A pattern has no signs, and an array of ones is no pattern.
    let possible = field != Field::Pattern || (!is_array && symmetry != Symmetry::SkewSymmetric);
    possible.then_some((is_array, field, symmetry))
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).into_owned()
}

fn coordinate(pieces: &mut Pieces, rule: &Rule, announced: usize) -> Result<Matrix, IoError> {
    let mut parts = Vec::new();
    let mut stored = 0;
    pieces.parse(
        |piece| entries::parse(piece, rule),
        |part| {
            stored += part.stored;
            parts.push(part.entries);
        },
    )?;
    if stored != announced {
        return Err(pieces.error(
            format!("{announced} entries, as the header says"),
            format!("{stored} entries"),
        ));
    }
    Ok(assemble(rule.rows, rule.cols, &parts))
}

/// The numbers of an array, column after column.
fn array(pieces: &mut Pieces, rule: &Rule) -> Result<Matrix, IoError> {
    let (rows, cols) = (rule.rows, rule.cols);
    let expected = match rule.symmetry {
        Symmetry::General => rows * cols,
        Symmetry::Symmetric => cols * (cols + 1) / 2,
        Symmetry::SkewSymmetric => cols * cols.saturating_sub(1) / 2,
    };
    let mut numbers: Vec<f64> = Vec::new();
    pieces.parse(
        |piece| numbers_of(piece, rule.field),
        |part| numbers.extend(part),
    )?;
    if numbers.len() != expected {
        return Err(pieces.error(
            format!("{expected} numbers"),
            format!("{} numbers", numbers.len()),
        ));
    }
    let mut cells = crate::memory::zeroed(rows * cols);
    let mut values = numbers.into_iter();
    // Without rows there may be very many columns.
    for col in 0..if rows == 0 { 0 } else { cols } {
        let first_row = match rule.symmetry {
            Symmetry::General => 0,
            Symmetry::Symmetric => col,
            Symmetry::SkewSymmetric => col + 1,
        };
        for (row, value) in (first_row..rows).zip(&mut values) {
            cells[row * cols + col] = value;
            match rule.symmetry {
                Symmetry::General => {}
                Symmetry::Symmetric => cells[col * cols + row] = value,
                Symmetry::SkewSymmetric => cells[col * cols + row] = -value,
            }
        }
    }
    Ok(Matrix::dense(rows, cols, cells).settled())
}

fn numbers_of(piece: &[u8], field: Field) -> Result<Vec<f64>, Wrong> {
    let mut scan = Scan::new(piece);
    let mut numbers = Vec::new();
    while !scan.at_end() {
        if scan.peek() != Some(b'%') {
            while !scan.blanks_to_end() {
                let value = scan.number().ok_or_else(|| scan.wrong("a number"))?;
                if field == Field::Whole && value.fract() != 0.0 {
                    let expected = "a whole number, because the header says integer";
                    return Err(scan.wrong(expected));
                }
                numbers.push(value);
            }
        }
        scan.next_line();
    }
    Ok(numbers)
}
