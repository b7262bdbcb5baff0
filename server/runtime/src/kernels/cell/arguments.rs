//! Arguments of cellwise operators as the result meets them: numbers, rows and columns are repeated. Nothing is computed here.

use std::borrow::Cow;

use super::Operand;
use crate::kernels::simd_cells::Row;
use crate::matrix::{Csr, View};

/// Random access to an argument with broadcasting.
pub(super) struct Cells<'a> {
    source: Cow<'a, [f64]>,
    sparse: Option<&'a Csr>,
    row_step: usize,
    col_step: usize,
}

impl<'a> Cells<'a> {
    pub(super) fn new(operand: Operand<'a>) -> Cells<'a> {
        match operand {
            Operand::Scalar(s) => Cells {
                source: vec![s].into(),
                sparse: None,
                row_step: 0,
                col_step: 0,
            },
            Operand::Matrix(m) => {
                let (source, sparse) = match m.view() {
                    View::Dense(cells) => (Cow::Borrowed(cells), None),
                    // A sparse row vector that is repeated is small: keep it dense.
                    View::Sparse(_) if m.rows() == 1 => (Cow::Owned(m.to_cells()), None),
                    View::Sparse(csr) => (Cow::Owned(Vec::new()), Some(csr)),
                };
                let row_step = if m.rows() == 1 { 0 } else { m.cols() };
                Cells {
                    source,
                    sparse,
                    row_step,
                    col_step: usize::from(m.cols() != 1),
                }
            }
        }
    }

    #[inline]
    pub(super) fn get(&self, row: usize, col: usize) -> f64 {
        match self.sparse {
            None => self.source[row * self.row_step + col * self.col_step],
            Some(csr) => csr.get(row, col * self.col_step),
        }
    }
}

/// One argument of a dense result, by rows.
pub(super) enum Side<'a> {
    Const(f64),
    /// One number a row.
    Column(Cow<'a, [f64]>),
    /// The same row for all.
    Row(Cow<'a, [f64]>),
    Dense(&'a [f64], usize),
    Sparse(&'a Csr),
}

impl<'a> Side<'a> {
    pub(super) fn new(operand: Operand<'a>, shape: (usize, usize)) -> Side<'a> {
        let m = match operand {
            Operand::Scalar(s) => return Side::Const(s),
            Operand::Matrix(m) => m,
        };
        let cells = || match m.view() {
            View::Dense(cells) => Cow::Borrowed(cells),
            View::Sparse(_) => Cow::Owned(m.to_cells()),
        };
        match (m.shape(), m.view()) {
            (own, View::Dense(cells)) if own == shape => Side::Dense(cells, shape.1),
            (own, View::Sparse(csr)) if own == shape => Side::Sparse(csr),
            ((1, 1), _) => Side::Const(m.get(0, 0)),
            ((_, 1), _) => Side::Column(cells()),
            _ => Side::Row(cells()),
        }
    }

    /// A range of all cells; a repeated argument counts by its first number.
    pub(super) fn flat(&self, range: std::ops::Range<usize>) -> Row<'_> {
        match self {
            Side::Const(s) => Row::One(*s),
            Side::Dense(cells, _) => Row::Many(&cells[range]),
            Side::Column(_) | Side::Row(_) | Side::Sparse(_) => {
                unreachable!("only whole dense arguments are flat")
            }
        }
    }

    pub(super) fn row<'b>(&'b self, row: usize, buffer: &'b mut Vec<f64>) -> Row<'b> {
        match self {
            Side::Const(s) => Row::One(*s),
            Side::Column(cells) => Row::One(cells[row]),
            Side::Row(cells) => Row::Many(cells),
            Side::Dense(cells, cols) => Row::Many(&cells[row * cols..][..*cols]),
            Side::Sparse(csr) => {
                buffer.clear();
                buffer.resize(csr.cols(), 0.0);
                let (at, values) = csr.row(row);
                for (&col, &value) in at.iter().zip(values) {
                    buffer[col as usize] = value;
                }
                Row::Many(buffer)
            }
        }
    }
}
