//! Parameters: what a declaration and a default say, and how names of sizes go from a caller to a function and back.

use std::collections::BTreeMap;

use sumac_la::Dim;
use sumac_syntax::ast::{Expr, ExprKind, FunctionDef, Param};

use crate::db::signature::Signature;
use crate::names::strip;
use crate::provenance::Provenance;
use crate::value::{Constant, ValueInfo, ValueKind, as_f64};

/// What a declaration says: `Matrix[Double] X`, `Integer k`, `double x`.
pub(crate) fn declared(param: &Param) -> ValueInfo {
    let Some(ty) = &param.ty else {
        return ValueInfo::unknown();
    };
    let text = ty.name.to_ascii_lowercase();
    let (outer, inner) = text
        .split_once('[')
        .map_or((text.trim(), ""), |(a, b)| (a.trim(), b));
    let value = if outer == "scalar" {
        inner.trim_end_matches(']').trim()
    } else {
        outer
    };
    ValueInfo::of(match value {
        "matrix" => ValueKind::Matrix,
        "frame" => ValueKind::Frame,
        "list" => ValueKind::List,
        "double" | "float" => ValueKind::Double,
        "int" | "integer" => ValueKind::Int,
        "bool" | "boolean" => ValueKind::Bool,
        "string" | "str" => ValueKind::String,
        _ if outer == "scalar" => ValueKind::Scalar,
        _ => ValueKind::Unknown,
    })
}

/// What a value is, where the declaration does not exclude it.
pub(crate) fn refine(declared: ValueInfo, value: ValueInfo) -> ValueInfo {
    match (declared.kind, value.kind) {
        (ValueKind::Unknown, _) => value,
        (a, b) if a == b => value,
        // The parameter's kind decides how a scalar goes on. Of 1.5 an integer is another number.
        (ValueKind::Int | ValueKind::Bool | ValueKind::String, b) if b.is_scalar() => declared,
        (a, b) if a.is_scalar() && b.is_scalar() => ValueInfo { kind: a, ..value },
        _ => declared,
    }
}

/// What a default says: literals only.
pub(crate) fn literal(expr: &Expr) -> ValueInfo {
    match &strip(expr).kind {
        ExprKind::Int(n) => ValueInfo::constant(Constant::Number(as_f64(*n))),
        ExprKind::Double(n) => ValueInfo {
            kind: ValueKind::Double,
            ..ValueInfo::constant(Constant::Number(*n))
        },
        ExprKind::Bool(b) => ValueInfo::constant(Constant::Bool(*b)),
        ExprKind::Str(s) => ValueInfo::constant(Constant::Text(s.value.clone())),
        _ => ValueInfo::unknown(),
    }
}

/// What a function is recorded with: what all its calls pass, or what it declares where there is none.
pub(crate) fn default_args(def: &FunctionDef, known: Option<Vec<ValueInfo>>) -> Signature {
    let args = known.unwrap_or_else(|| {
        let params = def.params.iter();
        params
            .map(|param| match &param.default {
                // A caller may give another value.
                Some(default) => ValueInfo {
                    constant: None,
                    size: Dim::Unknown,
                    ..refine(declared(param), literal(default))
                },
                None => declared(param),
            })
            .collect()
    });
    let scale = Scale { is_same_file: true };
    Signature::new(scale.inward(def, args).0)
}

/// How names of sizes go from a caller to a function and back.
#[derive(Clone, Copy)]
pub(crate) struct Scale {
    /// Names that `#@` lines and arguments give mean the same everywhere in one file, and nothing in another.
    pub(crate) is_same_file: bool,
}

impl Scale {
    fn is_shared(self, name: &str) -> bool {
        self.is_same_file && !name.contains('(')
    }

    /// The caller's names of sizes as the function calls them, and the way back.
    pub(crate) fn inward(
        self,
        def: &FunctionDef,
        args: Vec<ValueInfo>,
    ) -> (Vec<ValueInfo>, BTreeMap<Dim, Dim>) {
        let mut there: BTreeMap<Dim, Dim> = BTreeMap::new();
        let mut back = BTreeMap::new();
        let args = def
            .params
            .iter()
            .zip(args)
            .map(|(param, mut info)| {
                info.provenance = Provenance::default();
                (info.origin, info.stated) = (None, None);
                info.unsized_read = None;
                info.is_assumed = true;
                if info.kind == ValueKind::Matrix {
                    for (dim, what) in [(&mut info.rows, "nrow"), (&mut info.cols, "ncol")] {
                        let local = Dim::Named(format!("{what}({})", param.name.name).into());
                        *dim = match &*dim {
                            Dim::Unknown => local,
                            Dim::Named(name) if !self.is_shared(name) => {
                                let known = there.entry(dim.clone()).or_insert(local).clone();
                                back.insert(known.clone(), dim.clone());
                                known
                            }
                            other => other.clone(),
                        };
                    }
                }
                if let Dim::Named(name) = &info.size
                    && !self.is_shared(name)
                {
                    info.size = there.get(&info.size).cloned().unwrap_or(Dim::Unknown);
                }
                info
            })
            .collect();
        (args, back)
    }

    /// A result with its sizes as the caller calls them.
    pub(crate) fn outward(self, info: &ValueInfo, back: &BTreeMap<Dim, Dim>) -> ValueInfo {
        let dim = |dim: &Dim| match dim {
            Dim::Named(_) => dim.rename(&|name| {
                let named = Dim::Named(name.into());
                if self.is_shared(name) {
                    Some(named)
                } else {
                    back.get(&named).cloned()
                }
            }),
            other => other.clone(),
        };
        ValueInfo {
            rows: dim(&info.rows),
            cols: dim(&info.cols),
            size: dim(&info.size),
            is_assumed: info.kind.is_scalar(),
            origin: None,
            unsized_read: None,
            ..info.clone()
        }
    }
}
