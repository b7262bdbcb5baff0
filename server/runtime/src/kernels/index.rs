//! Right indexing `X[a:b, c:d]`, left indexing `X[a:b, c:d] = Y`, and binding matrices side by side or in a stack.

use std::ops::Range;

use crate::error::OpError;
use crate::kernels::reorg::push_row;
use crate::matrix::{CsrBuilder, Matrix, View, prefers_sparse};
use crate::memory;

/// The half-open range, from 0, of positions `low` to `high` (from 1, both included) of an axis with `size` positions.
/// Positions are truncated to integers as SystemDS does.
///
/// # Errors
/// When the range leaves the axis or is empty.
pub fn span(low: f64, high: f64, size: usize, axis: &'static str) -> Result<Range<usize>, OpError> {
    let (first, last) = (low.trunc(), high.trunc());
    if !(first >= 1.0 && last >= first && last <= size as f64) {
        let text = |x: f64| crate::format::number(x);
        return Err(OpError::Index {
            op: "[…]".to_owned(),
            low: text(low),
            high: text(high),
            size,
            axis,
        });
    }
    Ok(first as usize - 1..last as usize)
}

/// The cells of some rows and columns.
///
/// # Panics
/// When a range leaves the matrix; [`span`] makes ranges that do not.
#[must_use]
pub fn right(m: &Matrix, rows: Range<usize>, cols: Range<usize>) -> Matrix {
    assert!(
        rows.end <= m.rows() && cols.end <= m.cols(),
        "ranges inside the matrix"
    );
    let (height, width) = (rows.len(), cols.len());
    match m.view() {
        View::Dense(cells) => {
            let mut out = Vec::with_capacity(height * width);
            for row in rows {
                out.extend_from_slice(&cells[row * m.cols()..][cols.clone()]);
            }
            Matrix::dense(height, width, out)
        }
        View::Sparse(csr) => {
            let mut out = CsrBuilder::new(height, width, csr.nnz() / m.rows().max(1) * height);
            for row in rows {
                let (at, values) = csr.row(row);
                let start = at.partition_point(|&c| (c as usize) < cols.start);
                let end = at.partition_point(|&c| (c as usize) < cols.end);
                for (&col, &value) in at[start..end].iter().zip(&values[start..end]) {
                    out.push(col as usize - cols.start, value);
                }
                out.end_row();
            }
            Matrix::from(out.finish()).settled()
        }
    }
}

/// `m` with the cells of some rows and columns replaced by those of `patch`.
///
/// # Errors
/// When the patch has another shape than the ranges.
///
/// # Panics
/// When a range leaves the matrix; [`span`] makes ranges that do not.
pub fn left(
    m: Matrix,
    patch: &Matrix,
    rows: Range<usize>,
    cols: Range<usize>,
) -> Result<Matrix, OpError> {
    assert!(
        rows.end <= m.rows() && cols.end <= m.cols(),
        "ranges inside the matrix"
    );
    if patch.shape() != (rows.len(), cols.len()) {
        return Err(OpError::argument(
            "[…] =",
            format!("a value of {} x {}", rows.len(), cols.len()),
            format!("{} x {}", patch.rows(), patch.cols()),
        ));
    }
    let (height, width) = m.shape();
    // An upper bound: the patch may lie on non-zeros.
    if m.is_sparse() && prefers_sparse(height, width, m.nnz() + patch.nnz()) {
        let (old, new) = (m.to_csr(), patch.to_csr());
        let mut out = CsrBuilder::new(height, width, old.nnz() + new.nnz());
        for row in 0..height {
            if !rows.contains(&row) {
                push_row(&mut out, &old, row, 0);
                out.end_row();
                continue;
            }
            let (at, values) = old.row(row);
            let before = at.partition_point(|&c| (c as usize) < cols.start);
            let after = at.partition_point(|&c| (c as usize) < cols.end);
            at[..before]
                .iter()
                .zip(&values[..before])
                .for_each(|(&c, &x)| out.push(c as usize, x));
            push_row(&mut out, &new, row - rows.start, cols.start);
            at[after..]
                .iter()
                .zip(&values[after..])
                .for_each(|(&c, &x)| out.push(c as usize, x));
            out.end_row();
        }
        return Ok(Matrix::from(out.finish()));
    }
    let mut cells = m.into_cells();
    match patch.view() {
        View::Dense(new) => {
            for (i, row) in rows.enumerate() {
                cells[row * width..][cols.clone()]
                    .copy_from_slice(&new[i * cols.len()..][..cols.len()]);
            }
        }
        View::Sparse(csr) => {
            for row in rows.clone() {
                cells[row * width..][cols.clone()].fill(0.0);
            }
            for (row, col, value) in csr.iter() {
                cells[(rows.start + row) * width + cols.start + col] = value;
            }
        }
    }
    Ok(Matrix::dense(height, width, cells))
}

/// Matrices side by side.
///
/// # Errors
/// When they differ in rows, or there are none.
pub fn cbind(parts: &[&Matrix]) -> Result<Matrix, OpError> {
    let first = *parts
        .first()
        .ok_or_else(|| OpError::argument("cbind", "at least one matrix", "none"))?;
    let rows = first.rows();
    if let Some(other) = parts.iter().find(|m| m.rows() != rows) {
        return Err(OpError::shapes("cbind", first, other, "rows must be equal"));
    }
    let cols: usize = parts.iter().map(|m| m.cols()).sum();
    let nnz = parts.iter().map(|m| m.nnz()).sum();
    if parts.iter().any(|m| m.is_sparse()) && prefers_sparse(rows, cols, nnz) {
        let parts: Vec<_> = parts.iter().map(|m| m.to_csr()).collect();
        let mut out = CsrBuilder::new(rows, cols, nnz);
        for row in 0..rows {
            let mut offset = 0;
            for part in &parts {
                push_row(&mut out, part, row, offset);
                offset += part.cols();
            }
            out.end_row();
        }
        return Ok(Matrix::from(out.finish()));
    }
    let mut out = memory::zeroed(rows * cols);
    let mut offset = 0;
    for part in parts {
        match part.view() {
            View::Dense(cells) => {
                for row in 0..rows {
                    out[row * cols + offset..][..part.cols()]
                        .copy_from_slice(&cells[row * part.cols()..][..part.cols()]);
                }
            }
            View::Sparse(csr) => csr
                .iter()
                .for_each(|(row, col, value)| out[row * cols + offset + col] = value),
        }
        offset += part.cols();
    }
    Ok(Matrix::dense(rows, cols, out))
}

/// Matrices one above the other.
///
/// # Errors
/// When they differ in columns, or there are none.
pub fn rbind(parts: &[&Matrix]) -> Result<Matrix, OpError> {
    let first = *parts
        .first()
        .ok_or_else(|| OpError::argument("rbind", "at least one matrix", "none"))?;
    let cols = first.cols();
    if let Some(other) = parts.iter().find(|m| m.cols() != cols) {
        return Err(OpError::shapes(
            "rbind",
            first,
            other,
            "columns must be equal",
        ));
    }
    let rows: usize = parts.iter().map(|m| m.rows()).sum();
    let nnz = parts.iter().map(|m| m.nnz()).sum();
    if parts.iter().any(|m| m.is_sparse()) && prefers_sparse(rows, cols, nnz) {
        let mut out = CsrBuilder::new(rows, cols, nnz);
        for part in parts {
            let csr = part.to_csr();
            for row in 0..part.rows() {
                push_row(&mut out, &csr, row, 0);
                out.end_row();
            }
        }
        return Ok(Matrix::from(out.finish()));
    }
    let mut out = Vec::with_capacity(rows * cols);
    for part in parts {
        match part.view() {
            View::Dense(cells) => out.extend_from_slice(cells),
            View::Sparse(_) => out.extend(part.to_cells()),
        }
    }
    Ok(Matrix::dense(rows, cols, out))
}
