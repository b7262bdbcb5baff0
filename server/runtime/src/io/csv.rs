//! CSV as SystemDS has it: a line for each row, cells separated by one string, an optional line of names. Blanks
//! around a cell do not count. An empty cell is a zero unless something else is said. Cells are never quoted: a matrix
//! has numbers only.

use std::io::Write;
use std::path::Path;

use memchr::memmem::Finder;

use super::error::{IoError, quote_bytes};
use super::pieces::{Pieces, Wrong};
use super::rows;
use super::scan::number;
use crate::format::java_double;
use crate::matrix::Matrix;

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

/// What stands in a CSV file where no number does; what is not said is `None`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Gaps {
    /// Whether cells may be empty; they may unless this says no.
    pub fill: Option<bool>,
    /// What an empty cell is; 0 by default.
    pub default: Option<f64>,
    /// Words that mean NaN; none by default. [`Gaps::words`] splits what DML calls `naStrings`.
    pub na_strings: Option<Vec<String>>,
}

impl Gaps {
    /// The words of `naStrings`, which DML joins by a middle dot (U+00B7).
    #[must_use]
    pub fn words(joined: &str) -> Vec<String> {
        let words = joined.split('\u{b7}').filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    }

    /// What `self` says, and what `other` says where `self` says nothing.
    #[must_use]
    pub(super) fn or(self, other: Gaps) -> Gaps {
        Gaps {
            fill: self.fill.or(other.fill),
            default: self.default.or(other.default),
            na_strings: self.na_strings.or(other.na_strings),
        }
    }
}

/// What a line must be.
struct Rule<'a> {
    sep: Finder<'a>,
    width: usize,
    /// An empty line is a row of nothing only where rows have at most one cell and their number is announced.
    empty_is_row: bool,
    fill: bool,
    default: f64,
    na_strings: &'a [String],
    /// Whether a cell that begins as a number is one: no separator and no word for NaN looks like a number.
    direct: bool,
}

/// The rows of one piece.
#[derive(Default)]
struct Part {
    cells: Vec<f64>,
    rows: usize,
    /// Empty lines at the end that count as rows.
    trailing: usize,
}

/// Reads a CSV file; `shape` is checked where it is given.
///
/// # Errors
/// When a cell is no number, rows differ in length, or the shape is another.
pub(super) fn read(
    path: &Path,
    layout: &Layout,
    gaps: &Gaps,
    shape: (Option<usize>, Option<usize>),
) -> Result<Matrix, IoError> {
    let mut pieces = Pieces::open(path)?;
    if layout.header {
        pieces.line()?;
    }
    let mut rule = Rule::new(layout, gaps);
    rule.width = match shape.1 {
        Some(width) => width,
        None => first_width(&mut pieces, &rule)?,
    };
    rule.empty_is_row = shape.0.is_some() && (rule.width == 0 || (rule.width == 1 && rule.fill));
    let mut all = Part::default();
    pieces.parse(
        |piece| rule.rows(piece),
        |part| {
            all.trailing = if part.trailing == part.rows {
                all.trailing + part.trailing
            } else {
                part.trailing
            };
            all.rows += part.rows;
            if all.cells.is_empty() {
                all.cells = part.cells;
            } else {
                all.cells.extend_from_slice(&part.cells);
            }
        },
    )?;
    if let Some(expected) = shape.0 {
        // Empty lines at the end of the file are no rows when there are rows enough.
        let surplus = all.rows.saturating_sub(expected).min(all.trailing);
        all.rows -= surplus;
        all.cells.truncate(all.rows * rule.width);
        if all.rows != expected {
            return Err(pieces.error(format!("{expected} rows"), format!("{} rows", all.rows)));
        }
    }
    Ok(Matrix::dense(all.rows, rule.width, all.cells).settled())
}

/// Cells of the first row, which is left where it is; empty lines before it are skipped.
fn first_width(pieces: &mut Pieces, rule: &Rule<'_>) -> Result<usize, IoError> {
    loop {
        match pieces.peek()? {
            None => return Ok(0),
            Some(line) if !rule.is_empty(line) => {
                return Ok(rule.sep.find_iter(line).count() + 1);
            }
            Some(_) => {}
        }
        pieces.line()?;
    }
}

impl<'a> Rule<'a> {
    fn new(layout: &'a Layout, gaps: &'a Gaps) -> Rule<'a> {
        let na_strings = gaps.na_strings.as_deref().unwrap_or_default();
        let first = layout.sep.bytes().next().unwrap_or_default();
        let numeric = first.is_ascii_alphanumeric() || b"+-.".contains(&first);
        Rule {
            sep: Finder::new(&layout.sep),
            width: 0,
            empty_is_row: false,
            fill: gaps.fill.unwrap_or(true),
            default: gaps.default.unwrap_or(0.0),
            na_strings,
            direct: !numeric
                && na_strings
                    .iter()
                    .all(|word| number(word.as_bytes()).is_none()),
        }
    }

    fn is_empty(&self, line: &[u8]) -> bool {
        // A separator may be a blank itself.
        line.trim_ascii().is_empty() && self.sep.find(line).is_none()
    }

    fn rows(&self, piece: &[u8]) -> Result<Part, Wrong> {
        let mut part = Part::default();
        for (index, line) in piece.split_inclusive(|&byte| byte == b'\n').enumerate() {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if self.is_empty(line) {
                if self.empty_is_row {
                    part.cells
                        .resize(part.cells.len() + self.width, self.default);
                    part.rows += 1;
                    part.trailing += 1;
                }
                continue;
            }
            let start = part.cells.len();
            self.cells(index, line, &mut part.cells)?;
            let found = part.cells.len() - start;
            if found != self.width {
                return Err(Wrong {
                    line: index,
                    expected: format!("{} cells", self.width),
                    found: format!("{found} cells"),
                });
            }
            part.rows += 1;
            part.trailing = 0;
        }
        Ok(part)
    }

    /// Appends the cells of a line.
    fn cells(&self, index: usize, line: &[u8], cells: &mut Vec<f64>) -> Result<(), Wrong> {
        let sep = self.sep.needle();
        let mut rest = line;
        loop {
            if self.direct
                && let Ok((value, length)) = fast_float2::parse_partial::<f64, _>(rest)
                && length > 0
            {
                let behind = &rest[length..];
                if behind.is_empty() {
                    cells.push(value);
                    return Ok(());
                }
                if let Some(next) = behind.strip_prefix(sep) {
                    cells.push(value);
                    rest = next;
                    continue;
                }
            }
            let end = self.sep.find(rest);
            cells.push(self.cell(index, rest[..end.unwrap_or(rest.len())].trim_ascii())?);
            match end {
                Some(end) => rest = &rest[end + sep.len()..],
                None => return Ok(()),
            }
        }
    }

    fn cell(&self, line: usize, cell: &[u8]) -> Result<f64, Wrong> {
        if cell.is_empty() {
            return if self.fill {
                Ok(self.default)
            } else {
                Err(Wrong {
                    line,
                    expected: "a number, because fill is FALSE".to_owned(),
                    found: "an empty cell".to_owned(),
                })
            };
        }
        if self.na_strings.iter().any(|word| word.as_bytes() == cell) {
            return Ok(f64::NAN);
        }
        number(cell).ok_or_else(|| match cell[0] {
            b'"' | b'\'' => Wrong {
                line,
                expected: "a number without quotes, because this is a matrix".to_owned(),
                found: quote_bytes(cell),
            },
            _ => Wrong::new(line, "a number", cell),
        })
    }
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
    rows::try_each(m, |cells| {
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
        out.write_all(b"\n")
    })
}
