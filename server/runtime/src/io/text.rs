//! SystemDS's text cells: a line `row column value` for each non-zero cell, from 1. The shape stands in the `.mtd` file.

use std::io::Write;
use std::path::Path;

use super::error::{IoError, quote};
use super::lines::{Lines, content, number};
use crate::format::java_double;
use crate::matrix::{Matrix, View};

/// Reads text cells into a matrix of `rows` x `cols`.
///
/// # Errors
/// When a line is no cell of such a matrix.
pub(super) fn read(path: &Path, rows: usize, cols: usize) -> Result<Matrix, IoError> {
    let mut lines = Lines::open(path)?;
    let mut entries = Vec::new();
    loop {
        let place = lines.place();
        let Some(line) = lines.next()? else { break };
        if line.trim().is_empty() || line.starts_with('%') {
            continue;
        }
        let error = |expected: String| content(&place.0, place.1 + 1, expected, quote(line));
        let mut words = line.split_ascii_whitespace();
        let mut index = || words.next().and_then(|word| word.parse::<usize>().ok());
        let (row, col) = (index(), index());
        let value = words.next().and_then(number);
        let (Some(row), Some(col), Some(value), None) = (row, col, value, words.next()) else {
            return Err(error("`row column value`".to_owned()));
        };
        if !(1..=rows).contains(&row) || !(1..=cols).contains(&col) {
            return Err(error(format!("a cell of {rows} x {cols}")));
        }
        entries.push((row - 1, col - 1, value));
    }
    Ok(super::from_entries(rows, cols, entries))
}

/// Writes the non-zero cells.
///
/// # Errors
/// When the system refuses.
pub(super) fn write(out: &mut dyn Write, m: &Matrix) -> std::io::Result<()> {
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
