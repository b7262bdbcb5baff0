//! Shapes and sparsity of values.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::limits::Limits;

/// A size by name, and the number that is assumed of it. Only the name says what it is: two symbols of one name are equal,
/// whatever is assumed of them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Symbol {
    /// A name, or a sum over names in its printed form: `n`, `nrow(X) + 1`.
    pub name: Arc<str>,
    /// The number for estimates. Nothing may be proved or folded by it.
    pub assumed: Option<u64>,
}

impl Symbol {
    /// The size `name`, of which `assumed` is believed.
    #[must_use]
    pub fn new(name: impl Into<Arc<str>>, assumed: Option<u64>) -> Self {
        Symbol {
            name: name.into(),
            assumed,
        }
    }
}

impl PartialEq for Symbol {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Symbol {}

impl Hash for Symbol {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl PartialOrd for Symbol {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Symbol {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name.cmp(&other.name)
    }
}

impl Deref for Symbol {
    type Target = str;

    fn deref(&self) -> &str {
        &self.name
    }
}

impl<T: Into<Arc<str>>> From<T> for Symbol {
    fn from(name: T) -> Self {
        Symbol::new(name, None)
    }
}

/// A number of rows or columns.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Dim {
    /// A number.
    Known(u64),
    /// A name, or a sum over names. Equal text is equal size, and [`Dim::plus`] and its like give equal sums equal text.
    Named(Symbol),
    /// Nothing is known.
    Unknown,
}

impl Dim {
    /// The number, if it is one and cannot be another: what is assumed of a name does not count.
    #[must_use]
    pub fn known(&self) -> Option<u64> {
        match self {
            Dim::Known(n) => Some(*n),
            Dim::Named(_) | Dim::Unknown => None,
        }
    }

    /// The number for estimates: the size, or what is assumed of it.
    #[must_use]
    pub fn estimate(&self) -> Option<u64> {
        match self {
            Dim::Known(n) => Some(*n),
            Dim::Named(symbol) => symbol.assumed,
            Dim::Unknown => None,
        }
    }

    /// The size `name`, of which `assumed` is believed.
    #[must_use]
    pub fn symbol(name: impl Into<Arc<str>>, assumed: Option<u64>) -> Self {
        Dim::Named(Symbol::new(name, assumed))
    }

    /// The number that is known or assumed as one, otherwise the same size.
    #[must_use]
    pub fn as_assumed(&self) -> Self {
        self.estimate().map_or_else(|| self.clone(), Dim::Known)
    }

    /// Whether this is certainly one.
    #[must_use]
    pub fn is_one(&self) -> bool {
        *self == Dim::Known(1)
    }

    /// What both say of one size: the more precise of the two, or `None` where two numbers contradict.
    #[must_use]
    pub fn meet(&self, other: &Dim) -> Option<Dim> {
        match (self.estimate(), other.estimate()) {
            (Some(a), Some(b)) if a != b => return None,
            _ => {}
        }
        match (self, other) {
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
            Dim::Named(symbol) => f.write_str(symbol),
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
    /// A scalar's value as a size, where it is one; unknown otherwise.
    pub size: Dim,
    /// The number that a scalar is known or assumed to be. As a sparsity it decides costs and nothing else.
    pub assumed: Option<f64>,
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
            size: Dim::Unknown,
            assumed: None,
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
            size: Dim::Unknown,
            assumed: None,
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

    /// Number of cells, if numbers are known or assumed of both sizes.
    #[must_use]
    pub fn cells(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        Some(self.rows.estimate()? as f64 * self.cols.estimate()? as f64)
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

    /// Whether numbers are known or assumed of both sizes.
    #[must_use]
    pub fn is_sized(&self) -> bool {
        self.rows.estimate().is_some() && self.cols.estimate().is_some()
    }

    /// The same with assumed numbers in the place of names.
    #[must_use]
    pub fn as_assumed(&self) -> Self {
        Type {
            rows: self.rows.as_assumed(),
            cols: self.cols.as_assumed(),
            size: self.size.as_assumed(),
            ..self.clone()
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Scalar => f.write_str("scalar"),
            Kind::Matrix => {
                write!(f, "{} x {}", self.rows.as_assumed(), self.cols.as_assumed())?;
                match self.sparsity {
                    Some(s) if s < 1.0 => write!(f, ", sparsity {}", crate::number(s)),
                    Some(_) | None => Ok(()),
                }
            }
        }
    }
}
