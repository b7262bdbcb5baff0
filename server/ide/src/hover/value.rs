//! A hover as a value, and what is known of a value in words.

use std::fmt::Write;

use sumac_analysis::{Provenance, ValueInfo};
use sumac_la::{Limits, Type};
use sumac_text::TextRange;

use crate::callable;
use crate::quantity;

/// A hover.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hover {
    /// What it is about.
    pub range: TextRange,
    /// Its text.
    pub markdown: String,
}

pub(super) fn value(text: &str, info: &ValueInfo, source: Option<&str>) -> String {
    let mut out = format!("**`{text}`** · {}\n\n", info.kind.name());
    if let Some(constant) = &info.constant {
        let _ = writeln!(out, "- Value: `{}`", callable::constant_text(constant));
    }
    if let Some(ty) = info.la_type() {
        let _ = writeln!(out, "- Shape: {} x {}", ty.rows, ty.cols);
        let _ = writeln!(
            out,
            "- Sparsity: {}{}",
            sparsity(&ty),
            provenance(text, &info.provenance)
        );
        if !ty.is_scalar()
            && let Some(bytes) = sumac_cost::matrix_bytes(&ty)
        {
            let format = if ty.is_stored_sparse() {
                "sparse"
            } else {
                "dense"
            };
            let _ = writeln!(out, "- Memory: {} ({format})", quantity::bytes(bytes));
        }
    }
    if let Some(source) = source {
        let _ = writeln!(out, "- Source: {source}");
    }
    out
}

/// The other values on which an estimate rests.
pub(super) fn provenance(text: &str, provenance: &Provenance) -> String {
    let others: Vec<String> = provenance
        .iter()
        .filter(|source| *source.what != *text)
        .map(|source| match &source.label {
            Some(label) => format!("`{}` ({label})", source.what),
            None => format!("`{}`", source.what),
        })
        .collect();
    match others.as_slice() {
        [] => String::new(),
        _ => format!(", estimated from {}", others.join(", ")),
    }
}

pub(super) fn sparsity(ty: &Type) -> String {
    match (ty.sparsity, ty.nnz()) {
        (None, _) => "unknown, counted as dense".to_owned(),
        (Some(share), Some(cells)) if share < 1.0 => {
            format!(
                "{} (about {} non-zero cells{})",
                sumac_la::number(share),
                quantity::count(cells),
                limits(ty.limits)
            )
        }
        (Some(share), _) => sumac_la::number(share),
    }
}

/// What makes the estimate as good as it is.
pub(super) fn limits(limits: Limits) -> String {
    let sides = [(limits.row, "row"), (limits.col, "column")];
    let sides: Vec<String> = sides
        .into_iter()
        .filter_map(|(most, side)| Some(format!("{} in a {side}", most?)))
        .collect();
    match sides.as_slice() {
        [] => String::new(),
        _ => format!(", at most {}", sides.join(" and ")),
    }
}
