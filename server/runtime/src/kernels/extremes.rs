//! What rows and columns give beside sums: products, places of extremes, numbers of distinct values.

use std::collections::HashSet;

use rustc_hash::FxBuildHasher;

use crate::error::OpError;
use crate::kernels::scalar;
use crate::matrix::{Matrix, View};

fn product(cells: &[f64]) -> f64 {
    cells.iter().copied().fold(1.0, scalar::product)
}

/// The product of each row, as a column. A row that holds a zero gives 0, whatever else it holds.
#[must_use]
pub fn row_products(m: &Matrix) -> Matrix {
    if m.is_empty() {
        return Matrix::fill(m.rows(), 1, 0.0);
    }
    let cells = (0..m.rows()).map(|row| match m.view() {
        View::Dense(cells) => product(&cells[row * m.cols()..][..m.cols()]),
        View::Sparse(csr) => {
            let values = csr.row(row).1;
            if values.len() < m.cols() {
                0.0
            } else {
                product(values)
            }
        }
    });
    Matrix::dense(m.rows(), 1, cells.collect())
}

/// The product of each column, as a row; zeros as in [`row_products`].
#[must_use]
pub fn col_products(m: &Matrix) -> Matrix {
    if m.is_empty() {
        return Matrix::fill(1, m.cols(), 0.0);
    }
    let mut out = vec![1.0; m.cols()];
    match m.view() {
        View::Dense(cells) => {
            for row in cells.chunks_exact(m.cols().max(1)) {
                out.iter_mut()
                    .zip(row)
                    .for_each(|(x, y)| *x = scalar::product(*x, *y));
            }
        }
        View::Sparse(csr) => {
            let mut count = vec![0_usize; m.cols()];
            for (_, col, value) in csr.iter() {
                out[col] = scalar::product(out[col], value);
                count[col] += 1;
            }
            for (x, n) in out.iter_mut().zip(count) {
                if n < m.rows() {
                    *x = 0.0;
                }
            }
        }
    }
    Matrix::dense(1, m.cols(), out).settled()
}

/// Where each row has its largest (or smallest) cell, from 1, as a column. Of equal cells the last counts; NaN never
/// does, a row of nothing but NaN gives 1, and one without cells 0.
#[must_use]
pub fn row_index(m: &Matrix, largest: bool) -> Matrix {
    if m.is_empty() {
        return Matrix::fill(m.rows(), 1, 0.0);
    }
    let mut buffer = vec![0.0; m.cols()];
    let cells = (0..m.rows()).map(|row| {
        let cells = match m.view() {
            View::Dense(cells) => &cells[row * m.cols()..][..m.cols()],
            View::Sparse(csr) => {
                buffer.fill(0.0);
                let (cols, values) = csr.row(row);
                for (&col, &x) in cols.iter().zip(values) {
                    buffer[col as usize] = x;
                }
                &buffer
            }
        };
        let start = if largest {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        };
        let mut best = (0, start);
        for (col, &x) in cells.iter().enumerate() {
            if largest && x >= best.1 || !largest && x <= best.1 {
                best = (col, x);
            }
        }
        (best.0 + 1) as f64
    });
    Matrix::dense(m.rows(), 1, cells.collect())
}

/// Along which cells distinct values are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// All cells.
    All,
    /// Each row.
    Rows,
    /// Each column.
    Cols,
}

impl Direction {
    /// By SystemDS's names `rc`, `r` and `c`.
    ///
    /// # Errors
    /// When it is none of them; `op` is named as who asked.
    pub fn by_name(op: &str, name: &str) -> Result<Direction, OpError> {
        match name {
            "rc" | "cr" => Ok(Direction::All),
            "r" => Ok(Direction::Rows),
            "c" => Ok(Direction::Cols),
            other => Err(OpError::argument(
                op,
                "dir \"rc\", \"r\" or \"c\"",
                format!("\"{other}\""),
            )),
        }
    }
}

/// How many different values there are: one number, or one for each row or column. All NaN are one value.
#[must_use]
pub fn distinct(m: &Matrix, direction: Direction) -> Matrix {
    let count = |cells: &mut dyn Iterator<Item = f64>| {
        let set: HashSet<u64, FxBuildHasher> = cells.map(key).collect();
        set.len() as f64
    };
    match direction {
        Direction::All => Matrix::dense(1, 1, vec![count(&mut m.to_cells().into_iter())]),
        Direction::Rows => {
            let cells = m.to_cells();
            let rows = (0..m.rows())
                .map(|row| count(&mut cells[row * m.cols()..][..m.cols()].iter().copied()));
            Matrix::dense(m.rows(), 1, rows.collect())
        }
        Direction::Cols => {
            let cells = m.to_cells();
            let cols = (0..m.cols())
                .map(|col| count(&mut (0..m.rows()).map(|row| cells[row * m.cols() + col])));
            Matrix::dense(1, m.cols(), cols.collect())
        }
    }
}

/// Equal for equal values; minus zero is zero.
pub(crate) fn key(x: f64) -> u64 {
    if x.is_nan() {
        f64::NAN.to_bits()
    } else {
        (x + 0.0).to_bits()
    }
}
