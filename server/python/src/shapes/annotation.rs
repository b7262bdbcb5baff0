//! Annotations: those of jaxtyping, and Python's numbers.
//!
//! Must never read an annotation of anything that was not imported as what it looks like.

use super::Claim;
use crate::env::Env;
use crate::imports::raw_path;
use crate::parse::{self, Expr};
use crate::value::DType;

/// What an annotation says.
pub(crate) fn annotated(annotation: &Expr, env: &Env) -> Option<Claim> {
    match annotation {
        Expr::Name(_) => match raw_path(annotation, env)?.as_str() {
            "builtins.float" => Some(Claim::Number(DType::Float64)),
            "builtins.int" => Some(Claim::Number(DType::Int)),
            _ => None,
        },
        Expr::Subscript(subscript) => {
            let path = raw_path(&subscript.value, env)?;
            let dtype = match path.strip_prefix("jaxtyping.")? {
                "Float" => DType::Assumed,
                "Float32" => DType::Float32,
                "Float64" => DType::Float64,
                "Int" | "Int8" | "Int16" | "Int32" | "Int64" | "UInt" | "UInt8" | "Integer" => {
                    DType::Int
                }
                "Bool" => DType::Bool,
                "Complex" | "Complex64" | "Complex128" => DType::Complex,
                _ => return None,
            };
            let Expr::Tuple(parts) = &*subscript.slice else {
                return None;
            };
            let [array, Expr::StringLiteral(text)] = parts.elts.as_slice() else {
                return None;
            };
            if !is_array(&raw_path(array, env)?) {
                return Some(Claim::Other);
            }
            let dims: Option<Vec<Expr>> =
                text.value.to_str().split_whitespace().map(size).collect();
            Some(Claim::Array { dims: dims?, dtype })
        }
        _ => None,
    }
}

fn is_array(path: &str) -> bool {
    matches!(
        path,
        "numpy.ndarray"
            | "jax.Array"
            | "jax.numpy.ndarray"
            | "jaxtyping.Array"
            | "numpy.typing.NDArray"
    )
}

/// One size: `n`, `3`, `n+1`, `n=3`.
fn size(word: &str) -> Option<Expr> {
    let is_plain = |c: char| c.is_alphanumeric() || "_+-*=".contains(c);
    if word == "_" || word.starts_with('*') || !word.chars().all(is_plain) {
        return None;
    }
    parse::expression(word.rsplit('=').next().unwrap_or(word))
}
