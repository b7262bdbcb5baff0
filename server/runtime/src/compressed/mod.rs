//! Compressed matrices: columns in groups that keep each distinct tuple of their rows once, and operators over that.
//!
//! Compressed linear algebra as in Elgohary et al., "Compressed Linear Algebra for Large-Scale Machine Learning" (PVLDB 9(12),
//! 2016): dictionaries with codes, offset lists and runs, columns that are encoded together, and estimates from a sample of the
//! rows. A compressed matrix stands for a dense or a sparse one and has its values, also beside NaN and infinities: an operator
//! that has no short way here says so, and reads the plain cells. Nothing here knows scripts.

mod aggregates;
mod cells;
mod compress;
mod decompress;
mod distinct;
mod group;
mod grouping;
mod products;
mod rows;
mod sample;
mod worth;

use std::collections::BTreeMap;

pub use aggregates::{cols, full, rows};
pub use cells::{Zeros, binary, unary, with_itself};
pub use group::Encoding;
pub use grouping::{Estimate, estimate};
pub use products::product;
pub use worth::{Uses, making_seconds};

use crate::matrix::Matrix;
use group::Group;

/// A matrix by groups of its columns; cheap to clone where no column is kept as it is.
#[derive(Clone, Debug)]
pub struct Compressed {
    rows: usize,
    cols: usize,
    /// Whether it stands for a sparse matrix: for one whose zeros are not stored and meet nothing.
    sparse: bool,
    /// In the order of their first columns.
    groups: Vec<Group>,
}

/// A group to be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupPlan {
    /// The columns, ascending.
    pub cols: Vec<u32>,
    /// How they are kept; `None`: in the encoding that turns out to take the fewest bytes.
    pub encoding: Option<Encoding>,
}

/// Matrices of fewer columns than this are looked at: each column is one of a sample.
pub const MOST_COLUMNS: usize = 1 << 14;

/// Matrices of more rows are left alone: lists have 32-bit places.
const MOST_ROWS: usize = 1 << 31;

/// Whether a matrix can be compressed at all.
#[must_use]
pub fn is_possible(m: &Matrix) -> bool {
    !m.is_empty() && m.cols() <= MOST_COLUMNS && m.rows() <= MOST_ROWS && m.compressed().is_none()
}

/// The matrix in the groups that a sample of its rows suggests; `None` where that would not take fewer bytes.
#[must_use]
pub fn compress(m: &Matrix) -> Option<Compressed> {
    let estimate = is_possible(m).then(|| estimate(m))?;
    let done = Compressed::new(m, &estimate.plan);
    (done.bytes() < m.bytes()).then_some(done)
}

impl Compressed {
    /// The matrix in these groups. A group that turns out to have more than 65,536 distinct tuples keeps its columns as they are.
    ///
    /// # Panics
    /// When a column is in no group, or in several, or there are more than 2^31 rows.
    #[must_use]
    pub fn new(m: &Matrix, plan: &[GroupPlan]) -> Compressed {
        assert!(m.rows() <= MOST_ROWS, "at most {MOST_ROWS} rows");
        compress::compress(m, plan)
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Whether it stands for a sparse matrix.
    #[must_use]
    pub fn is_sparse(&self) -> bool {
        self.sparse
    }

    /// Bytes of all groups.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.groups.iter().map(Group::bytes).sum()
    }

    /// Number of cells that are not zero (NaN is not).
    #[must_use]
    pub fn nnz(&self) -> usize {
        self.groups.iter().map(Group::nnz).sum()
    }

    /// Whether a cell is NaN.
    #[must_use]
    pub fn has_nan(&self) -> bool {
        let mut values = self.groups.iter().flat_map(Group::values);
        values.any(|x| x.is_nan())
    }

    /// How many groups there are of each encoding.
    #[must_use]
    pub fn encodings(&self) -> BTreeMap<Encoding, usize> {
        let mut counts = BTreeMap::new();
        for group in &self.groups {
            *counts.entry(group.encoding()).or_default() += 1;
        }
        counts
    }

    /// The cell's value.
    ///
    /// # Panics
    /// When the cell lies outside of the matrix.
    #[must_use]
    pub fn get(&self, row: usize, col: usize) -> f64 {
        assert!(row < self.rows && col < self.cols, "a cell of the matrix");
        let find = |group: &Group| {
            let place = group.cols().binary_search(&(col as u32)).ok()?;
            Some(group.get(row, place))
        };
        let mut found = self.groups.iter().filter_map(find);
        found.next().expect("each column is in a group")
    }
}

/// A cell as a hash map finds it apart from others: its bits, the uppermost bytes last. A map looks at the lowest ones, and in
/// small whole numbers these are all zero.
fn key(cell: f64) -> u64 {
    cell.to_bits().swap_bytes()
}

/// The cell of a [`key`], to the bit.
fn of_key(key: u64) -> f64 {
    f64::from_bits(key.swap_bytes())
}
