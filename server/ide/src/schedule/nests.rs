//! What became of the loop nests of products, by size and sketch.

use std::collections::BTreeMap;

/// The sizes of a product `C[m, n] = A[m, k] B[k, n]`, each at least 2.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ProductSize {
    /// Rows of the result.
    pub m: u64,
    /// Columns of the result.
    pub n: u64,
    /// Terms of each sum.
    pub k: u64,
}

/// What became of a nest.
#[derive(Clone, PartialEq, Debug)]
pub enum NestState {
    /// It is searched or run.
    Running,
    /// Milliseconds of a run, the median, at the size at which nests are measured.
    Timed(f64),
    /// Why there is no time, in one line.
    Failed(String),
}

/// What became of the nests of products, by size and by the sketch's name: nests do not depend on where a product stands.
pub type Nests = BTreeMap<ProductSize, BTreeMap<String, NestState>>;
