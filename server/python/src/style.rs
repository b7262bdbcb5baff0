//! How a person writes NumPy in a file: what is written back keeps it.

use std::sync::Arc;

/// How products are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Product {
    /// `a @ b`.
    #[default]
    Sign,
    /// `np.dot(a, b)`.
    Function,
    /// `a.dot(b)`.
    Method,
}

/// The habits of a file, or of an expression where it shows its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Style {
    /// The name that NumPy goes by, if it was imported as a whole: `np`.
    pub numpy: Option<Arc<str>>,
    /// How products are written.
    pub product: Product,
    /// Whether sums and their like are written as functions, `np.sum(X, axis=1)`, and not as methods.
    pub sums_by_function: bool,
    /// Whether `axis=1` is written without the name.
    pub axis_without_name: bool,
}
