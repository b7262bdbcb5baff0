//! SystemDS's text cells: a line `row column value` for each non-zero cell, from 1. The shape stands in the `.mtd`
//! file.
//!
//! A cell that occurs twice is summed. SystemDS has no rule for it: its dense matrices keep the last one, its sparse
//! ones both.

use std::io::Write;
use std::path::Path;

use super::assemble::assemble;
use super::entries::{self, Field, Rule, Symmetry};
use super::error::IoError;
use super::pieces::Pieces;
use crate::format::java_double;
use crate::matrix::{Matrix, View};

/// Reads text cells into a matrix of so many rows and columns, which must have been found to fit. Where the metadata states how
/// many cells are not zero, the file has as many lines at least: a file that was cut off has fewer.
///
/// # Errors
/// When a line is no cell of such a matrix, or lines are missing.
pub(super) fn read(
    path: &Path,
    (rows, cols): (usize, usize),
    stated: Option<usize>,
) -> Result<Matrix, IoError> {
    let rule = Rule {
        rows,
        cols,
        field: Field::Real,
        symmetry: Symmetry::General,
    };
    let mut parts = Vec::new();
    let mut stored = 0;
    let mut pieces = Pieces::open(path)?;
    pieces.parse(
        |piece| entries::parse(piece, &rule),
        |part| {
            stored += part.stored;
            parts.push(part.entries);
        },
    )?;
    if let Some(stated) = stated.filter(|stated| stored < *stated) {
        return Err(pieces.error(
            format!("{stated} non-zero cells, as the .mtd file says"),
            format!("{stored} cells"),
        ));
    }
    Ok(assemble(rows, cols, &parts))
}

/// Writes the non-zero cells; without one, the line `0 0 0`, because SystemDS refuses an empty file.
///
/// # Errors
/// When the system refuses.
pub(super) fn write(out: &mut dyn Write, m: &Matrix) -> std::io::Result<()> {
    if m.nnz() == 0 {
        return out.write_all(b"0 0 0\n");
    }
    write_cells(out, m)
}

/// Writes the non-zero cells, row after row.
///
/// # Errors
/// When the system refuses.
pub(super) fn write_cells(out: &mut dyn Write, m: &Matrix) -> std::io::Result<()> {
    let mut cell = |row: usize, col: usize, value: f64| {
        writeln!(out, "{} {} {}", row + 1, col + 1, java_double(value))
    };
    match m.view() {
        View::Sparse(csr) => csr
            .iter()
            .try_for_each(|(row, col, value)| cell(row, col, value)),
        View::Dense(cells) => {
            let cols = m.cols();
            let mut non_zero = cells.iter().enumerate().filter(|(_, value)| **value != 0.0);
            non_zero.try_for_each(|(i, &value)| cell(i / cols, i % cols, value))
        }
    }
}
