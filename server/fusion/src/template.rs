//! What a template is: the conditions under which a fused operator of its kind opens, grows, merges and closes.
//!
//! The conditions look at one operator and its inputs. They know nothing of the memo table, of costs, or of each other.

use std::fmt;

use serde::Serialize;
use sumac_la::NodeId;

use crate::graph::Graph;
use crate::templates::{Cell, MAgg, Outer, Row};

/// A kind of fused operator, the preferred first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize)]
pub enum Template {
    /// Up to three aggregates over the same cells, in one pass.
    MAgg,
    /// Cells of a product that is never formed, where a sparse matrix has cells.
    Outer,
    /// Row by row: rows of matrices, products with small matrices, sums of rows and over rows.
    Row,
    /// Cell by cell, perhaps aggregated.
    Cell,
}

impl Template {
    /// Those that exploration opens.
    pub const EXPLORED: [Template; 3] = [Template::Row, Template::Cell, Template::Outer];

    /// All of them.
    pub const ALL: [Template; 4] = [
        Template::MAgg,
        Template::Outer,
        Template::Row,
        Template::Cell,
    ];

    /// Its conditions.
    #[must_use]
    pub fn pattern(self) -> &'static dyn Pattern {
        match self {
            Template::MAgg => &MAgg,
            Template::Outer => &Outer,
            Template::Row => &Row,
            Template::Cell => &Cell,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Template::MAgg => "MAgg",
            Template::Outer => "Outer",
            Template::Row => "Row",
            Template::Cell => "Cell",
        }
    }

    /// Its letter in a memo table.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Template::MAgg => 'M',
            Template::Outer => 'O',
            Template::Row => 'R',
            Template::Cell => 'C',
        }
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whether a fused operator may end at an operator, and whether it may grow beyond it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize)]
pub enum Close {
    /// It may grow, or end here.
    OpenValid,
    /// It must grow.
    OpenInvalid,
    /// It ends here.
    ClosedValid,
    /// It would end here, and is no operator.
    ClosedInvalid,
}

impl Close {
    /// Whether it may grow.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Close::OpenValid | Close::OpenInvalid)
    }

    /// Whether it may end here.
    #[must_use]
    pub fn is_valid(self) -> bool {
        matches!(self, Close::OpenValid | Close::ClosedValid)
    }
}

/// Sizes that conditions depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// Outer opens where both sizes of the product are larger than this.
    pub least_outer: u64,
    /// A matrix of fewer columns than this is narrow: what Row multiplies rows by.
    pub narrow: u64,
}

impl Default for Sizes {
    /// As SystemDS has them.
    fn default() -> Self {
        Sizes {
            least_outer: 256,
            narrow: 64,
        }
    }
}

/// A template's conditions.
pub trait Pattern: Sync {
    /// Whether an operator of this kind can begin at `h` and read its arguments from memory.
    fn open(&self, graph: &Graph<'_>, h: NodeId, sizes: Sizes) -> bool;
    /// Whether one that ends at `input` can grow to `h`, which reads it.
    fn fuse(&self, graph: &Graph<'_>, h: NodeId, input: NodeId, sizes: Sizes) -> bool;
    /// Whether one at `h` can also take in what ends at `input`.
    fn merge(&self, graph: &Graph<'_>, h: NodeId, input: NodeId, sizes: Sizes) -> bool;
    /// Whether it ends at `h`.
    fn close(&self, graph: &Graph<'_>, h: NodeId, sizes: Sizes) -> Close;
}
