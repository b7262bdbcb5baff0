//! What is known of the thing under the cursor, and of the suggestion for its statement.
//!
//! ```text
//! loss = sum((X$0 - U %*% t(V))^2)
//! ```
//! shows the shape, sparsity and source of `X`, then what the optimized form of the statement would save.

use std::fmt::Write;

use sumac_analysis::{FunctionInfo, NameUse, ParamInfo, Symbol, ValueInfo};
use sumac_la::Type;
use sumac_syntax::text::TextRange;

use crate::snapshot::Snapshot;
use crate::{describe, quantity};

/// A hover.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hover {
    /// What it is about.
    pub range: TextRange,
    /// Its text.
    pub markdown: String,
}

/// The hover for a cursor at `offset`.
#[must_use]
pub fn hover(snapshot: &Snapshot, offset: usize) -> Option<Hover> {
    let subject = subject(snapshot, offset);
    let place = TextRange {
        start: offset,
        end: offset,
    };
    let suggestion = snapshot.applicable(place).next();
    let range = subject
        .as_ref()
        .map(|hover| hover.range)
        .or(suggestion.map(|s| s.range))?;
    let parts = [
        subject.map(|hover| hover.markdown),
        suggestion.map(describe::markdown),
    ];
    let markdown = parts
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("\n---\n\n");
    Some(Hover { range, markdown })
}

fn subject(snapshot: &Snapshot, offset: usize) -> Option<Hover> {
    let analysis = &snapshot.analysis;
    if let Some(name) = analysis.name_at(offset) {
        let markdown = match name.symbol {
            Symbol::Variable => variable(snapshot, name)?,
            Symbol::Function => {
                let is_it = |function: &&FunctionInfo| function.name == name.name;
                function(analysis.functions.iter().find(is_it)?)
            }
        };
        return Some(Hover {
            range: name.range,
            markdown,
        });
    }
    let (range, info) = analysis.type_at_offset(offset)?;
    let text = snapshot.text()[range]
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let source = info.origin.as_ref().map(|origin| &*origin.label);
    Some(Hover {
        range,
        markdown: value(&text, info, source),
    })
}

fn variable(snapshot: &Snapshot, name: &NameUse) -> Option<String> {
    let analysis = &snapshot.analysis;
    let definition = if name.is_definition {
        Some(name.range)
    } else {
        only(&name.definitions)
    };
    let fact = definition.and_then(|range| analysis.variable_at(range));
    let info = match (analysis.type_at(name.range), fact) {
        (Some(info), _) => info.clone(),
        (None, Some(fact)) => {
            let ty = &fact.ty;
            let info = ValueInfo::of(fact.kind).with_constant(fact.constant.clone());
            ValueInfo {
                rows: ty.rows.clone(),
                cols: ty.cols.clone(),
                sparsity: ty.sparsity,
                ..info
            }
        }
        (None, None) => parameter(snapshot, name)?.info.clone(),
    };
    let several = match name.definitions.len() {
        n if n > 1 => Some(format!("{n} assignments")),
        _ => None,
    };
    let source = fact.map(|fact| fact.source.as_str()).or(several.as_deref());
    Some(value(&name.name, &info, source))
}

fn parameter<'a>(snapshot: &'a Snapshot, name: &NameUse) -> Option<&'a ParamInfo> {
    let scope = name.scope.as_ref()?;
    let function = snapshot
        .analysis
        .functions
        .iter()
        .find(|f| f.name == *scope)?;
    function
        .params
        .iter()
        .chain(&function.results)
        .find(|param| param.name == name.name)
}

fn only(ranges: &[TextRange]) -> Option<TextRange> {
    match ranges {
        [range] => Some(*range),
        _ => None,
    }
}

fn value(text: &str, info: &ValueInfo, source: Option<&str>) -> String {
    let mut out = format!("**`{text}`** · {}\n\n", info.kind.name());
    if let Some(constant) = &info.constant {
        let shown = match constant {
            sumac_analysis::Constant::Number(number) => sumac_la::number(*number),
            sumac_analysis::Constant::Bool(flag) => flag.to_string().to_uppercase(),
            sumac_analysis::Constant::Text(text) => format!("{text:?}"),
        };
        let _ = writeln!(out, "- Value: `{shown}`");
    }
    if let Some(ty) = info.la_type() {
        let _ = writeln!(out, "- Shape: {} x {}", ty.rows, ty.cols);
        let _ = writeln!(out, "- Sparsity: {}", sparsity(&ty));
        if !ty.is_scalar()
            && let Some(bytes) = sumac_la::matrix_bytes(&ty)
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

fn sparsity(ty: &Type) -> String {
    match (ty.sparsity, ty.nnz()) {
        (None, _) => "unknown, counted as dense".to_owned(),
        (Some(share), Some(cells)) if share < 1.0 => {
            format!(
                "{} (about {} non-zero cells)",
                sumac_la::number(share),
                quantity::count(cells)
            )
        }
        (Some(share), _) => sumac_la::number(share),
    }
}

fn function(function: &FunctionInfo) -> String {
    let list = |params: &[ParamInfo]| {
        let one = |param: &ParamInfo| {
            let optional = if param.has_default { " = …" } else { "" };
            format!("{} {}{optional}", param.info.kind.name(), param.name)
        };
        params.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    format!(
        "```systemds\n{} = function({}) return ({})\n```\n",
        function.name,
        list(&function.params),
        list(&function.results),
    )
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::fixture::{LOSS, at_cursor};

    #[track_caller]
    fn check(fixture: &str, expected: &Expect) {
        let (snapshot, offset) = at_cursor(fixture);
        let hover = hover(&snapshot, offset).expect("there is a hover");
        let range = &snapshot.text()[hover.range];
        expected.assert_eq(&format!("[{range}]\n{}", hover.markdown));
    }

    #[test]
    fn a_variable_shows_shape_sparsity_memory_and_source() {
        check(
            &LOSS.replace("(X - U", "(X$0 - U"),
            &expect![[r#"
                [X]
                **`X`** · matrix

                - Shape: 2000 x 1000
                - Sparsity: 0.01 (about 20 k non-zero cells)
                - Memory: 256 kB (sparse)
                - Source: #@ line 1
            "#]],
        );
    }

    #[test]
    fn an_expression_shows_what_is_known_of_it() {
        check(
            &LOSS.replace("%*%", "%$0*%"),
            &expect![[r#"
                [U %*% t(V)]
                **`U %*% t(V)`** · matrix

                - Shape: 2000 x 1000
                - Sparsity: unknown, counted as dense
                - Memory: 16 MB (dense)
            "#]],
        );
    }

    #[test]
    fn a_statement_with_a_suggestion_shows_what_it_saves() {
        let (snapshot, offset) = at_cursor(&LOSS.replace("loss = s", "lo$0ss = s"));
        let snapshot = snapshot.suggesting("sum((X - U %*% t(V))^2)", "sum(X^2)");
        let text = hover(&snapshot, offset).expect("there is a hover").markdown;
        for part in [
            "**`loss`** · double",
            "Shape: 1 x 1",
            "Optimized form**, about 100× cheaper",
            "loss = sum(X^2)",
            "| FLOPs | 4.6 G | 46 M |",
            "| Peak memory | 3.2 GB | 32 MB |",
            "relative error 2e-15",
            "- real arithmetic: rounding may differ",
        ] {
            assert!(text.contains(part), "no {part:?} in\n{text}");
        }
    }

    #[test]
    fn a_function_shows_its_parameters() {
        check(
            "f = function(Matrix[Double] A, Double k = 2) return (Matrix[Double] B) {\n  B = A * k\n}\n\
             Z = $0f(matrix(1, rows=3, cols=2))\nprint(sum(Z))\n",
            &expect![[r#"
                [f]
                ```systemds
                f = function(matrix A, double k = …) return (matrix B)
                ```
            "#]],
        );
    }

    #[test]
    fn nothing_is_said_of_nothing() {
        let (snapshot, offset) = at_cursor("x = 1\n\n$0\nprint(x)\n");
        assert_eq!(hover(&snapshot, offset), None);
    }
}
