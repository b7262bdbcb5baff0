//! Shapes and sparsity of values.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::limits::Limits;

/// A number of rows or columns.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Dim {
    /// A number.
    Known(u64),
    /// A name, or a sum over names in its printed form: `n`, `nrow(X) + 1`. Equal text is equal size, and [`Dim::plus`]
    /// and its like give equal sums equal text.
    Named(Arc<str>),
    /// Nothing is known.
    Unknown,
}

impl Dim {
    /// The number, if it is one.
    #[must_use]
    pub fn known(&self) -> Option<u64> {
        match self {
            Dim::Known(n) => Some(*n),
            Dim::Named(_) | Dim::Unknown => None,
        }
    }

    /// Whether this is certainly one.
    #[must_use]
    pub fn is_one(&self) -> bool {
        *self == Dim::Known(1)
    }

    /// What both say of one size: the more precise of the two, or `None` where two numbers contradict.
    #[must_use]
    pub fn meet(&self, other: &Dim) -> Option<Dim> {
        match (self, other) {
            (Dim::Known(a), Dim::Known(b)) => (a == b).then(|| self.clone()),
            (Dim::Known(_), _) | (Dim::Named(_), Dim::Named(_) | Dim::Unknown) => {
                Some(self.clone())
            }
            (_, _) => Some(other.clone()),
        }
    }
}

impl From<u64> for Dim {
    fn from(n: u64) -> Self {
        Dim::Known(n)
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dim::Known(n) => write!(f, "{n}"),
            Dim::Named(name) => f.write_str(name),
            Dim::Unknown => f.write_str("?"),
        }
    }
}

/// Whether a value is a number or a matrix. A 1 x 1 matrix is not a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Kind {
    /// A single number.
    Scalar,
    /// A matrix, possibly 1 x 1.
    Matrix,
}

/// What is known of a value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Type {
    /// Number or matrix.
    pub kind: Kind,
    /// Rows; 1 for scalars.
    pub rows: Dim,
    /// Columns; 1 for scalars.
    pub cols: Dim,
    /// Share of cells that are not zero, 0 to 1, as SystemML defines sparsity. `None`: not known.
    pub sparsity: Option<f64>,
    /// Most non-zero cells of a row and of a column.
    pub limits: Limits,
}

impl Type {
    /// A scalar.
    #[must_use]
    pub fn scalar() -> Self {
        Type {
            kind: Kind::Scalar,
            rows: Dim::Known(1),
            cols: Dim::Known(1),
            sparsity: Some(1.0),
            limits: Limits::NONE,
        }
    }

    /// A matrix of unknown sparsity.
    #[must_use]
    pub fn matrix(rows: impl Into<Dim>, cols: impl Into<Dim>) -> Self {
        Type {
            kind: Kind::Matrix,
            rows: rows.into(),
            cols: cols.into(),
            sparsity: None,
            limits: Limits::NONE,
        }
    }

    /// A matrix with a share `sparsity` of non-zero cells.
    #[must_use]
    pub fn sparse(rows: impl Into<Dim>, cols: impl Into<Dim>, sparsity: f64) -> Self {
        Type {
            sparsity: Some(sparsity),
            ..Type::matrix(rows, cols)
        }
    }

    /// The same within limits, which tighten the sparsity.
    #[must_use]
    pub fn within(mut self, limits: Limits) -> Self {
        self.limits = limits;
        if let Some(most) = limits.most_share(&self.rows, &self.cols) {
            self.sparsity = Some(self.sparsity.map_or(most, |share| share.min(most)));
        }
        self
    }

    /// The type of the transposed matrix.
    #[must_use]
    pub fn transposed(&self) -> Self {
        Type {
            rows: self.cols.clone(),
            cols: self.rows.clone(),
            limits: self.limits.transposed(),
            ..self.clone()
        }
    }

    /// A matrix of which nothing is known.
    #[must_use]
    pub fn unknown_matrix() -> Self {
        Type::matrix(Dim::Unknown, Dim::Unknown)
    }

    /// Whether this is a scalar.
    #[must_use]
    pub fn is_scalar(&self) -> bool {
        self.kind == Kind::Scalar
    }

    /// Number of cells, if both sizes are numbers.
    #[must_use]
    pub fn cells(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        Some(self.rows.known()? as f64 * self.cols.known()? as f64)
    }

    /// Estimated number of non-zero cells; unknown sparsity counts as dense.
    #[must_use]
    pub fn nnz(&self) -> Option<f64> {
        Some(self.cells()? * self.density())
    }

    /// The sparsity, or 1 where it is unknown.
    #[must_use]
    pub fn density(&self) -> f64 {
        self.sparsity.unwrap_or(1.0)
    }

    /// Whether the runtime would keep it in a sparse format.
    #[must_use]
    pub fn is_stored_sparse(&self) -> bool {
        self.kind == Kind::Matrix && !self.cols.is_one() && self.density() < crate::SPARSE_BELOW
    }

    /// Whether both sizes are numbers.
    #[must_use]
    pub fn has_known_shape(&self) -> bool {
        self.rows.known().is_some() && self.cols.known().is_some()
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Scalar => f.write_str("scalar"),
            Kind::Matrix => {
                write!(f, "{} x {}", self.rows, self.cols)?;
                match self.sparsity {
                    Some(s) if s < 1.0 => write!(f, ", sparsity {}", crate::number(s)),
                    Some(_) | None => Ok(()),
                }
            }
        }
    }
}
