//! Comments: `# (n, d)` behind an assignment, and `#@ X: n x d` lines.
//!
//! Must never take a remark for a shape: what stands in brackets has to be all of it, or be called a shape.

use std::sync::Arc;

use super::{Claim, sizes_in};
use crate::parse;
use crate::value::DType;

/// What a `#@` line says, for the scope in which it stands.
#[derive(Clone, Debug)]
pub(crate) struct Pin {
    /// The variable or attribute.
    pub(crate) name: Arc<str>,
    /// What it is.
    pub(crate) claim: Claim,
    /// Where the line stands.
    pub(crate) at: usize,
}

/// What a comment with its sign says of what stands before it.
pub(crate) fn commented(comment: &str) -> Option<Claim> {
    let text = comment.trim_start_matches('#').trim();
    if comment.starts_with("#@") {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    let start = lower.strip_prefix("shape").map_or(text, |rest| {
        text.get(text.len() - rest.len()..)
            .unwrap_or_default()
            .trim_start_matches([':', '=', ' '])
    });
    if !start.starts_with('(') {
        return None;
    }
    let is_called = lower.starts_with("shape");
    let dims = sizes_in(start, &|before, behind| {
        let behind = behind.trim_start();
        before.is_empty()
            && (is_called
                || behind.is_empty()
                || behind.starts_with([',', '.', ';', ':', '-', '#']))
    })?;
    Some(Claim::Array {
        dims,
        dtype: DType::Assumed,
    })
}

/// What a `#@` line calls a number of Python.
const NUMBERS: [(&str, DType); 5] = [
    ("float", DType::Float64),
    ("scalar", DType::Float64),
    ("number", DType::Float64),
    ("()", DType::Float64),
    ("int", DType::Int),
];

/// What a `#@` line says.
pub(crate) fn pinned(comment: &str, at: usize) -> Option<Pin> {
    let (name, said) = comment.strip_prefix("#@")?.split_once(':')?;
    let name = name.trim();
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    if !name.split('.').all(is_name) {
        return None;
    }
    let mut parts = said.split(',').map(str::trim);
    let shape = parts.next()?;
    let mut dtype = DType::Assumed;
    let mut is_other = false;
    for part in parts {
        match part {
            "dense" | "ndarray" | "array" => {}
            _ => match crate::read::dtype_by_name(part) {
                Some(known) => dtype = known,
                None => is_other = true,
            },
        }
    }
    let claim = if is_other {
        Claim::Other
    } else if let Some((_, dtype)) = NUMBERS.iter().find(|(word, _)| *word == shape) {
        Claim::Number(*dtype)
    } else {
        let dims: Option<Vec<_>> = shape
            .split([' ', '×'])
            .filter(|word| !matches!(*word, "x" | ""))
            .map(parse::expression)
            .collect();
        Claim::Array {
            dims: dims.filter(|dims| !dims.is_empty())?,
            dtype,
        }
    };
    Some(Pin {
        name: name.into(),
        claim,
        at,
    })
}
