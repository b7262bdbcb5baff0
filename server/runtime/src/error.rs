//! Why an operator could not be computed. Every message names the operator, what was found and what would fit.

use std::fmt;

use thiserror::Error;

use crate::matrix::Matrix;

/// An operator that does not fit its arguments.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum OpError {
    /// Two shapes that do not go together.
    #[error("`{op}` cannot combine {left} with {right}: {rule}")]
    Shapes {
        /// The operator as DML writes it.
        op: String,
        /// Shape of the left argument.
        left: String,
        /// Shape of the right argument.
        right: String,
        /// What would fit.
        rule: String,
    },
    /// An argument of the wrong kind or value.
    #[error("`{op}` expects {expected}, found {found}")]
    Argument {
        /// The operator as DML writes it.
        op: String,
        /// What would fit.
        expected: String,
        /// What was given.
        found: String,
    },
    /// An index outside the matrix.
    #[error("index {low}:{high} is outside the {size} {axis} of `{op}`")]
    Index {
        /// What is indexed, such as `X[…]`.
        op: String,
        /// First position, from 1.
        low: String,
        /// Last position.
        high: String,
        /// How many there are.
        size: usize,
        /// `rows` or `columns`.
        axis: &'static str,
    },
    /// A result that no machine can hold.
    #[error("`{op}` would need {rows} x {cols} cells, more than can be addressed")]
    TooLarge {
        /// The operator as DML writes it.
        op: String,
        /// Rows asked for.
        rows: String,
        /// Columns asked for.
        cols: String,
    },
}

impl OpError {
    /// Shapes of two matrices that do not go together under `rule`.
    #[must_use]
    pub fn shapes(
        op: impl fmt::Display,
        left: &Matrix,
        right: &Matrix,
        rule: impl fmt::Display,
    ) -> OpError {
        let describe = |m: &Matrix| format!("{} x {}", m.rows(), m.cols());
        OpError::Shapes {
            op: op.to_string(),
            left: describe(left),
            right: describe(right),
            rule: rule.to_string(),
        }
    }

    /// An argument of the wrong kind or value.
    #[must_use]
    pub fn argument(
        op: impl fmt::Display,
        expected: impl fmt::Display,
        found: impl fmt::Display,
    ) -> OpError {
        OpError::Argument {
            op: op.to_string(),
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }
}
