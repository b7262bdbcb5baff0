//! What is known of a value: rank, sizes, kind of numbers. Only dense arrays and numbers are values here; whatever else a name may hold
//! is not known, and must never be taken for one.

use std::fmt;

use sumac_la::Dim;

/// Kinds of numbers, as NumPy promotes them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DType {
    /// Truth values.
    Bool,
    /// Whole numbers, which wrap.
    Int,
    /// 32-bit floats.
    Float32,
    /// 64-bit floats.
    Float64,
    /// Complex numbers.
    Complex,
    /// Not known: 64-bit floats are assumed, and a suggestion says so.
    Assumed,
}

impl DType {
    /// As NumPy calls it, where it is known.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        match self {
            DType::Bool => Some("bool"),
            DType::Int => Some("int64"),
            DType::Float32 => Some("float32"),
            DType::Float64 => Some("float64"),
            DType::Complex => Some("complex128"),
            DType::Assumed => None,
        }
    }

    /// What an operation on both gives.
    #[must_use]
    pub fn promoted(self, other: DType) -> DType {
        match (self, other) {
            (a, b) if a == b => a,
            (DType::Assumed, DType::Complex) | (DType::Complex, DType::Assumed) => DType::Complex,
            (DType::Assumed, DType::Bool | DType::Int | DType::Float32 | DType::Float64)
            | (DType::Bool | DType::Int | DType::Float32 | DType::Float64, DType::Assumed) => {
                DType::Assumed
            }
            (DType::Int, DType::Float32) | (DType::Float32, DType::Int) => DType::Float64,
            (a, b) => a.max(b),
        }
    }
}

/// An array or a number.
#[derive(Clone, PartialEq, Debug)]
pub struct Value {
    /// Its sizes, outermost first; none for a number.
    pub shape: Vec<Dim>,
    /// Its kind of numbers.
    pub dtype: DType,
    /// Whether it is a number of Python, which takes on the kind of numbers of an array beside it.
    pub is_weak: bool,
}

impl Value {
    /// An array.
    #[must_use]
    pub fn array(shape: Vec<Dim>, dtype: DType) -> Self {
        Value {
            shape,
            dtype,
            is_weak: false,
        }
    }

    /// A number of Python.
    #[must_use]
    pub fn python_number(dtype: DType) -> Self {
        Value {
            shape: Vec::new(),
            dtype,
            is_weak: true,
        }
    }

    /// Number of axes.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.shape.len()
    }
}

impl fmt::Display for Value {
    /// `(n, d)`, `(n,)`, `()`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes: Vec<String> = self.shape.iter().map(ToString::to_string).collect();
        match sizes.as_slice() {
            [one] => write!(f, "({one},)"),
            _ => write!(f, "({})", sizes.join(", ")),
        }
    }
}
