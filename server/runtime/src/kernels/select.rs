//! Operators that keep, drop or replace cells by what they hold or where they stand.
//!
//! Sparse matrices stay sparse where the result's zeros allow; nothing here computes with values.

use std::collections::HashSet;

use rustc_hash::FxBuildHasher;

use crate::error::OpError;
use crate::kernels::extremes::{Direction, key};
use crate::kernels::reorg::transpose;
use crate::kernels::sorting::take_rows;
use crate::matrix::{Csr, Matrix, View};

/// The rows (or columns) that hold something, or those that a vector selects by numbers other than 0. If none is left,
/// one row (or column) of zeros is, where `keep_one`.
///
/// # Errors
/// When the selection has not as many cells as there are rows (or columns).
pub fn remove_empty(
    m: &Matrix,
    by_rows: bool,
    select: Option<&Matrix>,
    keep_one: bool,
) -> Result<Matrix, OpError> {
    if !by_rows {
        let kept = remove_empty(&transpose(m), true, select, keep_one)?;
        return Ok(transpose(&kept).settled());
    }
    let (rows, cols) = m.shape();
    let kept: Vec<usize> = match select {
        Some(select) if select.len() != rows => {
            return Err(OpError::shapes(
                "removeEmpty",
                m,
                select,
                "select needs a cell for each row or column of the target",
            ));
        }
        Some(select) => {
            let select = select.to_cells();
            (0..rows).filter(|&row| select[row] != 0.0).collect()
        }
        None => {
            let holds = |row: &usize| match m.view() {
                View::Dense(cells) => cells[row * cols..][..cols].iter().any(|&x| x != 0.0),
                View::Sparse(csr) => !csr.row(*row).1.is_empty(),
            };
            (0..rows).filter(holds).collect()
        }
    };
    if kept.is_empty() {
        return Ok(Matrix::fill(usize::from(keep_one), cols, 0.0));
    }
    Ok(take_rows(m, &kept).settled())
}

/// Each cell that equals `pattern` becomes `replacement`; NaN equals NaN here.
#[must_use]
pub fn replace(m: &Matrix, pattern: f64, replacement: f64) -> Matrix {
    let f = |x: f64| {
        if x == pattern || x.is_nan() && pattern.is_nan() {
            replacement
        } else {
            x
        }
    };
    match m.view() {
        // Zeros that are not stored must be replaced, too.
        View::Sparse(csr) if pattern != 0.0 => Matrix::from(csr.map(f)).settled(),
        _ => {
            let cells = m.to_cells().into_iter().map(f).collect();
            Matrix::dense(m.rows(), m.cols(), cells).settled()
        }
    }
}

/// Whether some cell equals the pattern; NaN equals NaN here.
#[must_use]
pub fn contains(m: &Matrix, pattern: f64) -> bool {
    let found = |x: &f64| key(*x) == key(pattern);
    match m.view() {
        View::Dense(cells) => cells.iter().any(found),
        View::Sparse(csr) => csr.values().iter().any(found) || csr.nnz() < m.len() && found(&0.0),
    }
}

/// Whether some row equals the pattern, which has a cell for each column; NaN equals NaN here.
///
/// # Errors
/// The pattern is not such a row.
pub fn contains_row(m: &Matrix, pattern: &Matrix) -> Result<bool, OpError> {
    if pattern.rows() != 1 || pattern.cols() != m.cols() {
        let rule =
            "the pattern needs to be a number, or a row with a cell for each column of the target";
        return Err(OpError::shapes("contains", m, pattern, rule));
    }
    let pattern: Vec<u64> = pattern.to_cells().into_iter().map(key).collect();
    let mut row_cells = vec![0.0; m.cols()];
    let is_found = (0..m.rows()).any(|row| {
        let cells = match m.view() {
            View::Dense(cells) => &cells[row * m.cols()..][..m.cols()],
            View::Sparse(csr) => {
                row_cells.fill(0.0);
                let (cols, values) = csr.row(row);
                for (col, x) in cols.iter().zip(values) {
                    row_cells[*col as usize] = *x;
                }
                &row_cells
            }
        };
        cells
            .iter()
            .zip(&pattern)
            .all(|(x, wanted)| key(*x) == *wanted)
    });
    Ok(is_found)
}

/// The cells below (or above) the diagonal, with it where `diagonal`; their values, or ones; zeros elsewhere.
#[must_use]
pub fn triangle(m: &Matrix, lower: bool, diagonal: bool, values: bool) -> Matrix {
    let keeps = |row: usize, col: usize| {
        row == col && diagonal || lower && col < row || !lower && col > row
    };
    let (rows, cols) = m.shape();
    if values && let View::Sparse(csr) = m.view() {
        let entries = csr
            .iter()
            .filter(|&(row, col, _)| keeps(row, col))
            .collect();
        return Matrix::from(Csr::from_entries(rows, cols, entries)).settled();
    }
    let cells = m.to_cells().into_iter().enumerate().map(|(at, x)| {
        match (keeps(at / cols, at % cols), values) {
            (false, _) => 0.0,
            (true, true) => x,
            (true, false) => 1.0,
        }
    });
    Matrix::dense(rows, cols, cells.collect()).settled()
}

/// Rows move down by `shift`, and from the end to the beginning; a negative shift moves up.
#[must_use]
pub fn roll(m: &Matrix, shift: i64) -> Matrix {
    let rows = m.rows() as i64;
    let from: Vec<usize> = (0..rows)
        .map(|row| (row - shift.rem_euclid(rows)).rem_euclid(rows) as usize)
        .collect();
    take_rows(m, &from)
}

/// The different values of all cells as a column; or those of each row (or column), filled up with zeros to the most
/// that a row (or column) has. They come in the order of Java's hash table, which is SystemDS's.
#[must_use]
pub fn unique(m: &Matrix, direction: Direction) -> Matrix {
    let cells = m.to_cells();
    match direction {
        Direction::All => {
            let mut values = distinct_of(&cells);
            in_table_order(&mut values, 0);
            Matrix::dense(values.len(), 1, values)
        }
        Direction::Rows => {
            let mut rows: Vec<Vec<f64>> = (0..m.rows())
                .map(|row| distinct_of(&cells[row * m.cols()..][..m.cols()]))
                .collect();
            let most = rows.iter().map(Vec::len).max().unwrap_or(0);
            for row in &mut rows {
                in_table_order(row, most);
                row.resize(most, 0.0);
            }
            Matrix::dense(m.rows(), most, rows.concat()).settled()
        }
        Direction::Cols => transpose(&unique(&transpose(m), Direction::Rows)).settled(),
    }
}

/// Each value once, where it occurs first.
fn distinct_of(cells: &[f64]) -> Vec<f64> {
    let mut seen: HashSet<u64, FxBuildHasher> = HashSet::default();
    let first = cells.iter().filter(|&&x| seen.insert(key(x)));
    first.copied().collect()
}

/// Sorts different values as a `java.util.HashSet<Double>` walks them that has held `most` at once: by the place in its
/// table, then as they came.
fn in_table_order(values: &mut [f64], most: usize) {
    let mut places = 16_usize;
    while values.len().max(most) * 4 > places * 3 {
        places *= 2;
    }
    values.sort_by_key(|&x| {
        let bits = key(x);
        let hash = (bits ^ (bits >> 32)) as u32;
        (hash ^ (hash >> 16)) as usize & (places - 1)
    });
}

/// Adds (or multiplies by) a number of each channel: the columns are as many groups of neighbours as `bias` has rows.
///
/// # Errors
/// When the bias is no column, or its rows do not divide the columns.
pub fn channels(
    op: &str,
    m: &Matrix,
    bias: &Matrix,
    f: fn(f64, f64) -> f64,
) -> Result<Matrix, OpError> {
    let count = bias.rows();
    if bias.cols() != 1 || count == 0 || !m.cols().is_multiple_of(count) {
        return Err(OpError::shapes(
            op,
            m,
            bias,
            "the bias is a column whose rows divide the columns of the input",
        ));
    }
    let width = m.cols() / count;
    let bias = bias.to_cells();
    let cells = m.to_cells().into_iter().enumerate();
    let cells = cells.map(|(at, x)| f(x, bias[at % m.cols() / width]));
    Ok(Matrix::dense(m.rows(), m.cols(), cells.collect()).settled())
}
