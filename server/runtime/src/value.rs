//! The values of a script.

mod frame;
mod list;

use std::fmt;
use std::sync::Arc;

use crate::error::OpError;
use crate::format;
use crate::matrix::Matrix;

pub use frame::{Column, ColumnType, Frame};
pub use list::List;

/// A value; cheap to clone.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A matrix, possibly 1 x 1.
    Matrix(Arc<Matrix>),
    /// A 64-bit floating-point number.
    Double(f64),
    /// A 64-bit integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// Text.
    Str(Arc<str>),
    /// Values in order.
    List(Arc<List>),
    /// A table whose columns have types of their own.
    Frame(Arc<Frame>),
}

impl Value {
    /// The kind as SystemDS names it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Matrix(_) => "matrix",
            Value::Double(_) => "double",
            Value::Int(_) => "integer",
            Value::Bool(_) => "boolean",
            Value::Str(_) => "string",
            Value::List(_) => "list",
            Value::Frame(_) => "frame",
        }
    }

    /// Text.
    #[must_use]
    pub fn text(text: impl Into<Arc<str>>) -> Value {
        Value::Str(text.into())
    }

    /// The number that a scalar other than text stands for.
    #[must_use]
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Value::Double(x) => Some(*x),
            Value::Int(i) => Some(*i as f64),
            Value::Bool(b) => Some(f64::from(u8::from(*b))),
            Value::Matrix(_) | Value::Str(_) | Value::List(_) | Value::Frame(_) => None,
        }
    }

    /// The matrix, where this is one.
    #[must_use]
    pub fn as_matrix(&self) -> Option<&Matrix> {
        match self {
            Value::Matrix(m) => Some(m),
            _ => None,
        }
    }

    /// A number, or the only cell of a 1 x 1 matrix.
    ///
    /// # Errors
    /// When this is text or a matrix of another shape; `op` is named as who asked.
    pub fn number(&self, op: &str) -> Result<f64, OpError> {
        self.as_number()
            .or_else(|| self.as_matrix().and_then(Matrix::as_scalar))
            .ok_or_else(|| OpError::argument(op, "a number", self.describe()))
    }

    /// A matrix; numbers do not count.
    ///
    /// # Errors
    /// When this is a scalar; `op` is named as who asked.
    pub fn matrix(&self, op: &str) -> Result<&Matrix, OpError> {
        self.as_matrix()
            .ok_or_else(|| OpError::argument(op, "a matrix", self.describe()))
    }

    /// Whether this is a number, a truth value or text.
    #[must_use]
    pub fn is_scalar(&self) -> bool {
        !matches!(self, Value::Matrix(_) | Value::List(_) | Value::Frame(_))
    }

    /// A frame.
    ///
    /// # Errors
    /// When this is anything else; `op` is named as who asked.
    pub fn frame(&self, op: &str) -> Result<&Frame, OpError> {
        match self {
            Value::Frame(frame) => Ok(frame),
            other => Err(OpError::argument(op, "a frame", other.describe())),
        }
    }

    /// A list.
    ///
    /// # Errors
    /// When this is anything else; `op` is named as who asked.
    pub fn list(&self, op: &str) -> Result<&List, OpError> {
        match self {
            Value::List(list) => Ok(list),
            other => Err(OpError::argument(op, "a list", other.describe())),
        }
    }

    /// Kind and, of matrices, frames and lists, the size: for messages.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Value::Matrix(m) => format!("a matrix of {} x {}", m.rows(), m.cols()),
            Value::Frame(f) => format!("a frame of {} x {}", f.rows(), f.cols()),
            Value::List(l) => format!("a list of {}", l.len()),
            Value::Int(_) => "an integer".to_owned(),
            other => format!("a {}", other.kind()),
        }
    }

    /// Bytes of the cells; scalars count as eight.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        match self {
            Value::Matrix(m) => m.bytes(),
            Value::Str(s) => s.len() as u64,
            Value::List(list) => list.bytes(),
            Value::Frame(frame) => frame.bytes(),
            Value::Double(_) | Value::Int(_) | Value::Bool(_) => 8,
        }
    }
}

impl From<Matrix> for Value {
    fn from(m: Matrix) -> Value {
        Value::Matrix(Arc::new(m))
    }
}

impl From<List> for Value {
    fn from(list: List) -> Value {
        Value::List(Arc::new(list))
    }
}

impl From<Frame> for Value {
    fn from(frame: Frame) -> Value {
        Value::Frame(Arc::new(frame))
    }
}

/// Scalars as SystemDS prints them; a matrix or frame by its shape, a list by its length.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Matrix(m) => write!(f, "matrix of {} x {}", m.rows(), m.cols()),
            Value::Double(x) => f.write_str(&format::java_double(*x)),
            Value::Int(i) => write!(f, "{i}"),
            Value::Bool(b) => f.write_str(if *b { "TRUE" } else { "FALSE" }),
            Value::Str(s) => f.write_str(s),
            Value::Frame(t) => write!(f, "frame of {} x {}", t.rows(), t.cols()),
            Value::List(l) => write!(f, "list of {}", l.len()),
        }
    }
}
