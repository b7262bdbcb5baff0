//! Cellwise functions of a compressed matrix and numbers: applied to the distinct values only, while the rows are shared.
//!
//! "The generated operator is called for distinct values only" (Boehm et al., PVLDB 11(12), 2018, section 5.2, on compressed
//! data). A zero that a sparse matrix does not store stays one where the function of zero is zero.

use std::sync::Arc;

use sumac_la::Op;

use super::Compressed;
use super::group::{Coded, Group};
use crate::kernels::cell::may_thin_out;
use crate::kernels::scalar;
use crate::kernels::simd_cells::{self, Row};
use crate::matrix::{Matrix, View, prefers_sparse};
use crate::memory;

/// What an operator does about zeros.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Zeros {
    /// They stay where the function of zero is zero.
    Follow,
    /// Those that are not stored stay, whatever the function says.
    Stay,
    /// There may be so many that the result is sparse though the matrix is not.
    MayCome,
}

impl Zeros {
    /// As the operator of two arguments has it.
    fn of(op: Op) -> Zeros {
        match op {
            Op::Mul => Zeros::Stay,
            op if may_thin_out(op) => Zeros::MayCome,
            _ => Zeros::Follow,
        }
    }
}

impl Compressed {
    /// `f` of each cell, in the format that the operator gives a plain matrix. `f` is called with stored values and room for as
    /// many results. What it says of zeros that are not stored is asked of `zeros`.
    #[must_use]
    pub fn map(&self, zeros: Zeros, f: impl Fn(&[f64], &mut [f64])) -> Compressed {
        let mut at_zero = [0.0];
        f(&[0.0], &mut at_zero);
        let keeps_zeros = self.sparse && (at_zero[0] == 0.0 || zeros == Zeros::Stay);
        let of = |values: &[f64]| {
            let mut out = memory::for_overwriting(values.len());
            f(values, &mut out);
            if keeps_zeros {
                // What is not stored meets nothing and has no sign.
                for (to, x) in out.iter_mut().zip(values) {
                    if *x == 0.0 || *to == 0.0 {
                        *to = 0.0;
                    }
                }
            }
            out
        };
        let group = |group: &Group| match group {
            Group::Coded(coded) => Group::Coded(Coded {
                values: of(&coded.values),
                ..coded.clone()
            }),
            Group::Plain(cols, matrix) => {
                let (rows, width) = matrix.shape();
                let done = match matrix.view() {
                    View::Sparse(csr) if keeps_zeros => {
                        Matrix::from(csr.with_values(of(csr.values())))
                    }
                    View::Sparse(_) => Matrix::dense(rows, width, of(&matrix.to_cells())),
                    View::Dense(cells) => Matrix::dense(rows, width, of(cells)),
                };
                Group::Plain(cols.clone(), Arc::new(done))
            }
        };
        let mut out = Compressed {
            groups: self.groups.iter().map(group).collect(),
            sparse: keeps_zeros,
            ..*self
        };
        if keeps_zeros || zeros == Zeros::MayCome {
            out.settle();
        }
        out
    }

    /// Stands for a sparse matrix where it has few cells that are not zero, else for a dense one.
    pub(crate) fn settle(&mut self) {
        self.sparse = prefers_sparse(self.rows, self.cols, self.nnz());
    }
}

/// A cellwise operator of one argument; `None` where that is not compressed, or the operator takes two.
#[must_use]
pub fn unary(op: Op, m: &Matrix) -> Option<Matrix> {
    let compressed = m.compressed()?;
    scalar::unary(op, 0.0)?;
    let done = compressed.map(Zeros::Follow, |x, out| {
        simd_cells::unary_into(op, x, out);
    });
    Some(Matrix::from(done))
}

/// A cellwise operator of a matrix and a number, which stands on the left where that is `swapped`; `None` where the matrix is
/// not compressed, or the operator takes one argument.
#[must_use]
pub fn binary(op: Op, m: &Matrix, number: f64, swapped: bool) -> Option<Matrix> {
    let compressed = m.compressed()?;
    scalar::binary_function(op)?;
    let done = compressed.map(Zeros::of(op), |x, out| {
        let (left, right) = match swapped {
            false => (Row::Many(x), Row::One(number)),
            true => (Row::One(number), Row::Many(x)),
        };
        simd_cells::binary(op, left, right, out);
    });
    Some(Matrix::from(done))
}

/// A cellwise operator of a matrix with itself; `None` where the matrix is not compressed, or two zeros would not give zero.
#[must_use]
pub fn with_itself(op: Op, m: &Matrix) -> Option<Matrix> {
    let compressed = m.compressed()?;
    if !matches!(op, Op::Mul | Op::Add | Op::Sub) {
        return None;
    }
    let done = compressed.map(Zeros::of(op), |x, out| {
        simd_cells::binary(op, Row::Many(x), Row::Many(x), out);
    });
    Some(Matrix::from(done))
}
