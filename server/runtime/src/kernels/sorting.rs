//! Order of rows, quantiles, medians and means between quartiles.
//!
//! Ties keep the order of the input, whichever way is sorted. NaN comes last, whichever way is sorted (SystemDS's place
//! for it depends on the algorithm that it takes).

use std::cmp::Ordering;

use crate::error::OpError;
use crate::kernels::moments::weighted;
use crate::matrix::{CsrBuilder, Matrix, View};

/// The rows in the order of some columns: the first of them decides, the next ones where it leaves ties.
///
/// # Errors
/// When a column does not exist.
pub fn order(m: &Matrix, by: &[f64], decreasing: bool) -> Result<Vec<usize>, OpError> {
    let columns = by.iter().map(|&col| {
        if col >= 1.0 && col <= m.cols() as f64 && col.fract() == 0.0 {
            let col = col as usize - 1;
            return Ok((0..m.rows())
                .map(|row| m.get(row, col))
                .collect::<Vec<f64>>());
        }
        Err(OpError::argument(
            "order",
            format!("by to name columns from 1 to {}", m.cols()),
            crate::format::number(col),
        ))
    });
    let columns: Vec<Vec<f64>> = columns.collect::<Result<_, _>>()?;
    let mut rows: Vec<usize> = (0..m.rows()).collect();
    rows.sort_by(|&a, &b| {
        columns
            .iter()
            .map(|column| compare(column[a], column[b], decreasing))
            .find(|ordering| ordering.is_ne())
            .unwrap_or(Ordering::Equal)
    });
    Ok(rows)
}

fn compare(a: f64, b: f64, decreasing: bool) -> Ordering {
    match a.partial_cmp(&b) {
        Some(ordering) if decreasing => ordering.reverse(),
        Some(ordering) => ordering,
        None => a.is_nan().cmp(&b.is_nan()),
    }
}

/// These rows, from 0, in this order; a row may stand there more than once.
///
/// # Panics
/// When a row does not exist.
#[must_use]
pub fn take_rows(m: &Matrix, rows: &[usize]) -> Matrix {
    let cols = m.cols();
    match m.view() {
        View::Dense(cells) => {
            let mut out = Vec::with_capacity(rows.len() * cols);
            for &row in rows {
                out.extend_from_slice(&cells[row * cols..][..cols]);
            }
            Matrix::dense(rows.len(), cols, out)
        }
        View::Sparse(csr) => {
            let mut out = CsrBuilder::new(rows.len(), cols, csr.nnz());
            for &row in rows {
                super::reorg::push_row(&mut out, csr, row, 0);
                out.end_row();
            }
            Matrix::from(out.finish())
        }
    }
}

/// A vector in ascending order as quantiles look at it: its values that are not zero, and all zeros as one value, which
/// is there even if its weight is nothing.
pub struct Sorted {
    rows: Vec<(f64, f64)>,
    weight: f64,
}

impl Sorted {
    /// Sorts a vector; `op` is named as who asked.
    ///
    /// # Errors
    /// When `x` is no vector, or the weights are not as many or no whole numbers.
    pub fn new(op: &str, x: &Matrix, weights: Option<&Matrix>) -> Result<Sorted, OpError> {
        let mut zeros = 0.0;
        let mut rows = vec![];
        for (x, w) in weighted(op, x, weights)? {
            if w.fract() != 0.0 {
                return Err(OpError::argument(
                    op,
                    "whole numbers as weights",
                    crate::format::number(w),
                ));
            }
            if x == 0.0 {
                zeros += w;
            } else {
                rows.push((x, w));
            }
        }
        rows.push((0.0, zeros));
        rows.sort_by(|a, b| compare(a.0, b.0, false));
        let weight = rows.iter().map(|row| row.1).sum();
        Ok(Sorted { rows, weight })
    }

    /// The quantile `p`. Where `may_average` and the weights add up to an even number, a quantile that falls between two
    /// values is their mean, except at the end.
    #[must_use]
    pub fn quantile(&self, p: f64, may_average: bool) -> f64 {
        let average = may_average && self.weight % 2.0 == 0.0;
        let position = (p * self.weight).ceil();
        let mut passed = 0.0;
        let mut at = 0;
        for (i, row) in self.rows.iter().enumerate() {
            at = i;
            passed += row.1;
            if passed >= position {
                break;
            }
        }
        // The zero that stands for no cell is stepped over.
        let is_there = |i: usize| self.rows.get(i).is_some_and(|row| row.1 != 0.0);
        let value = |i: usize| self.rows.get(i).map(|row| row.0);
        if !is_there(at) {
            return value(at + 1)
                .or_else(|| value(at.wrapping_sub(1)))
                .unwrap_or(f64::NAN);
        }
        let here = self.rows[at].0;
        let between = average && position == passed && position < (self.rows.len() - 1) as f64;
        let next = if is_there(at + 1) { at + 1 } else { at + 2 };
        match value(next) {
            Some(next) if between => (here + next) / 2.0,
            _ => here,
        }
    }

    /// The mean of what lies between the first and the last quarter of the weights, shares of values included.
    #[must_use]
    pub fn interquartile_mean(&self) -> f64 {
        let (low, high) = (0.25 * self.weight, 0.75 * self.weight);
        let mut rows = self.rows.iter();
        let (mut passed, mut last) = (0.0, f64::NAN);
        let mut walk = |to: f64, take: &mut dyn FnMut(f64, f64)| {
            while passed < to {
                let Some(&(x, w)) = rows.next() else { break };
                passed += w;
                last = x;
                take(x, w);
            }
            (passed, last)
        };
        let (passed, first) = walk(low.ceil(), &mut |_, _| {});
        let before = (passed - low) * first;
        let mut sum = 0.0;
        let (passed, last) = walk(high.ceil(), &mut |x, w| sum += x * w);
        let after = (passed - high) * last;
        (sum + before - after) / (self.weight * 0.5)
    }
}
