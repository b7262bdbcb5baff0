//! Lines `row column value`: the cells of text files and of Matrix Market's coordinate form.
//!
//! It reads pieces of a file, each by itself, and puts nothing together: `assemble` does.

use super::assemble::Entries;
use super::pieces::Wrong;
use super::scan::Scan;

/// What stands behind row and column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Field {
    /// A number.
    Real,
    /// A number without a fraction.
    Whole,
    /// Nothing: the cell is 1.
    Pattern,
}

/// What a cell says of the cell on the other side of the diagonal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Symmetry {
    /// Nothing.
    General,
    /// It is the same.
    Symmetric,
    /// It is the negative; the diagonal is zero.
    SkewSymmetric,
}

/// What the lines must be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub(super) rows: usize,
    /// Not more than [`crate::matrix::MAX_COLS`].
    pub(super) cols: usize,
    pub(super) field: Field,
    pub(super) symmetry: Symmetry,
}

/// The cells of one piece.
pub(super) struct Part {
    /// With those that follow from symmetry.
    pub(super) entries: Entries,
    /// Lines with a cell.
    pub(super) stored: usize,
}

/// A line with a cell has about so many bytes.
const BYTES_OF_A_LINE: usize = 24;

/// Reads one piece. Empty lines and lines that begin with `%` are skipped, and so is `0 0 0`, which SystemDS writes
/// for a matrix without non-zeros.
///
/// # Errors
/// When a line is no cell of such a matrix.
pub(super) fn parse(piece: &[u8], rule: &Rule) -> Result<Part, Wrong> {
    let mut scan = Scan::new(piece);
    let mut entries = Entries::with_capacity(piece.len() / BYTES_OF_A_LINE + 1);
    let mut stored = 0;
    while !scan.at_end() {
        let is_comment = scan.peek() == Some(b'%');
        if is_comment || scan.blanks_to_end() {
            scan.next_line();
            continue;
        }
        let (row, col) = (scan.count(), scan.count());
        let value = match rule.field {
            Field::Pattern => Some(1.0),
            Field::Real | Field::Whole => scan.number(),
        };
        let (Some(row), Some(col), Some(value), true) = (row, col, value, scan.blanks_to_end())
        else {
            return Err(scan.wrong(match rule.field {
                Field::Pattern => "`row column`",
                Field::Real | Field::Whole => "`row column value`",
            }));
        };
        if row.wrapping_sub(1) >= rule.rows || col.wrapping_sub(1) >= rule.cols {
            if (row, col, value) == (0, 0, 0.0) {
                scan.next_line();
                continue;
            }
            return Err(scan.wrong(format!("a cell of {} x {}", rule.rows, rule.cols)));
        }
        // `fract` of what is infinite is NaN.
        if rule.field == Field::Whole && value.fract() != 0.0 {
            return Err(scan.wrong("a whole number, because the header says integer"));
        }
        let skew = rule.symmetry == Symmetry::SkewSymmetric;
        if skew && row == col && value != 0.0 {
            return Err(scan.wrong("0 on the diagonal of a skew-symmetric matrix"));
        }
        stored += 1;
        entries.push(row - 1, col - 1, value);
        if rule.symmetry != Symmetry::General && row != col {
            entries.push(col - 1, row - 1, if skew { -value } else { value });
        }
        scan.next_line();
    }
    Ok(Part { entries, stored })
}
