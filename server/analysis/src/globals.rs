//! The `#@` lines that hold for a whole file, wherever they stand: values of named sizes and of `$` arguments.

use std::collections::BTreeMap;
use std::sync::Arc;

use sumac_syntax::ast::{ExprKind, Fact, FactKind, UnaryOp};
use sumac_text::TextRange;

use crate::lines::Lines;
use crate::result::{Diagnostic, Severity, codes};
use crate::value::{Constant, as_f64};

/// What holds everywhere in a file.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Globals {
    /// `#@ n = 10000`.
    pub(crate) sizes: BTreeMap<Arc<str>, u64>,
    /// `#@ $rank = 10`.
    pub(crate) args: BTreeMap<Arc<str>, Constant>,
}

impl Globals {
    /// Of the command line's facts, then of the file's, with what is wrong with them. What is said first holds.
    pub(crate) fn of(extra: &[Fact], facts: &[Fact], text: &str) -> (Self, Vec<Diagnostic>) {
        let mut globals = Globals::default();
        if extra.is_empty() && facts.is_empty() {
            return (globals, Vec::new());
        }
        let lines = Lines::of(text);
        let mut diagnostics = Vec::new();
        let mut error = |code, range, message, related| {
            diagnostics.push(Diagnostic {
                range,
                severity: Severity::Error,
                code,
                message,
                related,
            });
        };
        let mut first_places: BTreeMap<&str, (TextRange, String)> = BTreeMap::new();
        let stated = extra
            .iter()
            .map(|fact| (fact, TextRange::default(), "--facts".to_owned()));
        let written = facts.iter().map(|fact| {
            let line = lines.line(fact.range.start);
            (fact, fact.range, format!("#@ line {line}"))
        });
        for (fact, place, label) in stated.chain(written) {
            match &fact.kind {
                FactKind::Bind { name, value } => {
                    let value = value.0;
                    let first = *globals.sizes.entry(name.name.clone()).or_insert(value);
                    let (at, first_label) = first_places
                        .entry(&name.name)
                        .or_insert_with(|| (place, label.clone()));
                    if first != value {
                        let name = &name.name;
                        let message = format!(
                            "`{name}` is {value} here ({label}) but {first} before ({first_label})"
                        );
                        let related = vec![(*at, format!("`{name}` is {first} here"))];
                        error(codes::CONTRADICTING_FACT, place, message, related);
                    }
                }
                FactKind::Arg { name, value } => match literal(&value.kind) {
                    Some(constant) => {
                        globals.args.entry(name.name.clone()).or_insert(constant);
                    }
                    None => {
                        let message = format!(
                            "the value of `${0}` must be a number, a text or TRUE or FALSE, as in `#@ ${0} = 10`",
                            name.name
                        );
                        error(codes::INVALID_FACT, place, message, Vec::new());
                    }
                },
                _ => {}
            }
        }
        (globals, diagnostics)
    }
}

fn literal(kind: &ExprKind) -> Option<Constant> {
    Some(match kind {
        ExprKind::Int(n) => Constant::Number(as_f64(*n)),
        ExprKind::Double(n) => Constant::Number(*n),
        ExprKind::Bool(b) => Constant::Bool(*b),
        ExprKind::Str(s) => Constant::Text(s.value.clone()),
        ExprKind::Unary(UnaryOp::Plus, inner) => literal(&inner.kind)?,
        ExprKind::Unary(UnaryOp::Neg, inner) => match inner.kind {
            ExprKind::Int(n) => Constant::Number(-as_f64(n)),
            ExprKind::Double(n) => Constant::Number(-n),
            _ => return None,
        },
        _ => return None,
    })
}
