//! A group of columns: the tuples that their rows have, once each, and which row has which; or the columns as they are.
//!
//! After Elgohary et al. (PVLDB 9(12), 2016), section 3. Nothing here decides which columns belong together.

use std::sync::Arc;

use super::rows::Rows;
use crate::matrix::{Matrix, View};

/// Some columns of a compressed matrix.
#[derive(Clone, Debug)]
pub(super) enum Group {
    /// By the tuples of their rows.
    Coded(Coded),
    /// As they are: a matrix of these columns.
    Plain(Arc<[u32]>, Arc<Matrix>),
}

/// Columns by the tuples of their rows. Matrices of the same rows share where these are.
#[derive(Clone, Debug)]
pub(super) struct Coded {
    /// The columns, ascending.
    pub(super) cols: Arc<[u32]>,
    /// A value for each column, tuple after tuple. Of lists, the last tuple is the one without a list.
    pub(super) values: Vec<f64>,
    /// How many rows have each tuple; never zero.
    pub(super) counts: Arc<[u64]>,
    /// Which row has which.
    pub(super) rows: Arc<Rows>,
}

impl Coded {
    /// Columns of the group.
    pub(super) fn width(&self) -> usize {
        self.cols.len()
    }

    /// The tuples.
    pub(super) fn tuples(&self) -> std::slice::ChunksExact<'_, f64> {
        self.values.chunks_exact(self.width())
    }

    /// The number of the last tuple: in lists the one that fills what they do not name.
    pub(super) fn last(&self) -> usize {
        self.counts.len().saturating_sub(1)
    }

    /// The values of the last tuple; none of a group without rows.
    pub(super) fn rest(&self) -> &[f64] {
        self.tuples().next_back().unwrap_or_default()
    }

    /// Each tuple's values and how many rows have it.
    pub(super) fn counted(&self) -> impl Iterator<Item = (&[f64], u64)> {
        self.tuples().zip(self.counts.iter().copied())
    }

    /// The tuple of a row.
    pub(super) fn tuple_of(&self, row: usize) -> &[f64] {
        let id = match &*self.rows {
            Rows::Bytes(codes) => usize::from(codes[row]),
            Rows::Shorts(codes) => usize::from(codes[row]),
            Rows::Offsets(_) | Rows::Runs(..) => {
                usize::from(self.rows.ids(row..row + 1, self.last())[0])
            }
        };
        &self.values[id * self.width()..][..self.width()]
    }

    /// Which encoding it is, as people read it.
    fn encoding(&self) -> Encoding {
        match &*self.rows {
            Rows::Bytes(_) | Rows::Shorts(_) => Encoding::Dictionary,
            Rows::Offsets(_) => Encoding::Offsets,
            Rows::Runs(..) => Encoding::Runs,
        }
    }
}

/// How a group keeps its columns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Encoding {
    /// The tuples, and a code for each row.
    Dictionary,
    /// The tuples, and for each of them its rows.
    Offsets,
    /// The tuples, and for each of them the runs of its rows.
    Runs,
    /// The columns as they are.
    Uncompressed,
}

impl Group {
    /// The columns, ascending.
    pub(super) fn cols(&self) -> &[u32] {
        match self {
            Group::Coded(coded) => &coded.cols,
            Group::Plain(cols, _) => cols,
        }
    }

    /// How the columns are kept.
    pub(super) fn encoding(&self) -> Encoding {
        match self {
            Group::Coded(coded) => coded.encoding(),
            Group::Plain(..) => Encoding::Uncompressed,
        }
    }

    /// Bytes of values, codes and lists.
    pub(super) fn bytes(&self) -> u64 {
        let of = |group: &Coded| {
            size_of_val(group.values.as_slice()) + size_of_val(&*group.counts) + group.rows.bytes()
        };
        let cols = size_of_val(self.cols()) as u64;
        cols + match self {
            Group::Coded(coded) => of(coded) as u64,
            Group::Plain(_, matrix) => matrix.bytes(),
        }
    }

    /// Cells that are not zero.
    pub(super) fn nnz(&self) -> usize {
        match self {
            Group::Coded(coded) => {
                let of = |(tuple, count): (&[f64], u64)| {
                    tuple.iter().filter(|x| **x != 0.0).count() * count as usize
                };
                coded.counted().map(of).sum()
            }
            Group::Plain(_, matrix) => matrix.nnz(),
        }
    }

    /// The values that are stored.
    pub(super) fn values(&self) -> &[f64] {
        match self {
            Group::Coded(coded) => &coded.values,
            Group::Plain(_, matrix) => match matrix.view() {
                View::Dense(cells) => cells,
                View::Sparse(csr) => csr.values(),
            },
        }
    }

    /// The cell of a row and of the column at a place among the group's.
    pub(super) fn get(&self, row: usize, place: usize) -> f64 {
        match self {
            Group::Coded(coded) => coded.tuple_of(row)[place],
            Group::Plain(_, matrix) => matrix.get(row, place),
        }
    }
}
