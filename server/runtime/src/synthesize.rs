//! Random values for inputs of which only the type is known.

use serde::{Deserialize, Serialize};
use sumac_la::{Dim, Kind, Type};
use thiserror::Error;

use crate::error::OpError;
use crate::kernels::generate::{self, Distribution};
use crate::kernels::skewed;
use crate::value::Value;

/// Where random cells lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Range {
    /// Evenly in [-1, 1].
    #[default]
    Signed,
    /// Evenly in (0, 1]: for logarithms, roots and divisors.
    Positive,
}

/// Where the non-zeros of a random sparse matrix lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spread {
    /// Evenly: every cell is as likely as every other.
    #[default]
    Uniform,
    /// As data often has it: a few rows and columns hold most of them.
    PowerLaw,
}

/// Why no value could be made.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum SynthesizeError {
    /// A size that is no number.
    #[error("a value of type {ty} cannot be made: {axis} are not known as a number")]
    UnknownSize {
        /// The type.
        ty: String,
        /// `rows` or `columns`.
        axis: &'static str,
    },
    /// The type asks for what no machine can hold.
    #[error(transparent)]
    Op(#[from] OpError),
}

/// A random value of the type: the same for the same type, seed and range. Unknown sparsity counts as dense.
///
/// # Errors
/// When a size is not a number, or the matrix cannot be addressed.
pub fn synthesize(ty: &Type, seed: u64, range: Range) -> Result<Value, SynthesizeError> {
    synthesize_spread(ty, seed, range, Spread::Uniform)
}

/// As [`synthesize`], with a say in where the non-zeros of sparse matrices lie.
///
/// # Errors
/// As [`synthesize`].
pub fn synthesize_spread(
    ty: &Type,
    seed: u64,
    range: Range,
    spread: Spread,
) -> Result<Value, SynthesizeError> {
    let (min, max) = match range {
        Range::Signed => (-1.0, 1.0),
        // Above zero, whatever is drawn.
        Range::Positive => (f64::MIN_POSITIVE, 1.0),
    };
    let distribution = Distribution::Uniform { min, max };
    let size = |dim: &Dim, axis| {
        let unknown = || SynthesizeError::UnknownSize {
            ty: ty.to_string(),
            axis,
        };
        dim.estimate().map(|n| n as usize).ok_or_else(unknown)
    };
    if let (Kind::Scalar, Some(number)) = (ty.kind, ty.assumed) {
        return Ok(Value::Double(number));
    }
    if ty.kind == Kind::Scalar {
        let cell = generate::random(1, 1, distribution, 1.0, seed)?;
        return Ok(Value::Double(cell.get(0, 0)));
    }
    let (rows, cols) = (size(&ty.rows, "rows")?, size(&ty.cols, "columns")?);
    let random = match spread {
        Spread::Uniform => generate::random,
        Spread::PowerLaw => skewed::power_law,
    };
    Ok(random(rows, cols, distribution, ty.density().clamp(0.0, 1.0), seed)?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_type_asked_for() {
        let value = synthesize(&Type::sparse(2000, 1000, 0.01), 1, Range::Signed).unwrap();
        let m = value.as_matrix().unwrap();
        assert!(m.is_sparse() && (m.sparsity() - 0.01).abs() < 0.001);
        assert!(m.to_csr().values().iter().any(|&x| x < 0.0));
        let Value::Double(x) = synthesize(&Type::scalar(), 1, Range::Positive).unwrap() else {
            panic!("a number")
        };
        assert!(x > 0.0 && x <= 1.0);
    }

    #[test]
    fn positive_values_are_never_zero() {
        let value = synthesize(&Type::matrix(100, 100), 5, Range::Positive).unwrap();
        assert!(
            value
                .as_matrix()
                .unwrap()
                .to_cells()
                .iter()
                .all(|&x| x > 0.0 && x <= 1.0)
        );
    }

    #[test]
    fn a_size_that_is_no_number_is_named() {
        let ty = Type::matrix(Dim::Named("n".into()), 3);
        let error = synthesize(&ty, 1, Range::Signed).unwrap_err().to_string();
        assert_eq!(
            error,
            "a value of type n x 3 cannot be made: rows are not known as a number"
        );
    }
}
