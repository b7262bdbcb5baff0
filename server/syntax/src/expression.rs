//! One expression without a script around it.

use std::sync::Arc;

use sumac_text::{LineIndex, SyntaxError, TextRange, one_per_place};

use crate::ast::Expr;
use crate::lower::{Ends, Findings, Lowering, View, lower};
use crate::tree::parse_tree;

/// Reads one expression. Ranges count from the start of `text`. The expression is `None` if it could not be read;
/// then there is an error that says why.
#[must_use]
pub fn parse_expression(text: &str) -> (Option<Expr>, Vec<SyntaxError>) {
    parse_expression_at(text, 0)
}

/// Reads one expression that starts at byte `offset` of its script.
pub(crate) fn parse_expression_at(text: &str, offset: usize) -> (Option<Expr>, Vec<SyntaxError>) {
    // The parentheses keep everything in one expression; the newline ends a comment.
    const PREFIX: &str = "x=(";
    let wrapped = format!("{PREFIX}{text}\n)");
    let tree = parse_tree(&wrapped);
    let root = tree.root_node();
    let value = root
        .named_child(0)
        .filter(|_| !root.has_error() && root.named_child_count() == 1)
        .and_then(|assignment| assignment.child_by_field_name("value"))
        .filter(|value| {
            value.kind() == "parenthesized_expression" && value.end_byte() == wrapped.len()
        })
        .and_then(|value| value.child_by_field_name("expression"));
    if let Some(value) = value {
        let mut findings = Findings::default();
        let view = View {
            text: &wrapped,
            base: offset,
            skip: PREFIX.len(),
            limit: text.len(),
        };
        let expr = Lowering {
            view,
            findings: &mut findings,
            depth: 0,
            nested: false,
            ends: Ends::default(),
        }
        .expr(value);
        return (Some(expr), one_per_place(findings.errors));
    }
    (None, why_not(text, offset))
}

fn why_not(text: &str, offset: usize) -> Vec<SyntaxError> {
    const PREFIX: &str = "x = ";
    let trimmed = text.trim_end();
    let script = format!("{PREFIX}{trimmed}");
    let lowered = lower(&script);
    let lines = LineIndex::new(Arc::from(script));
    let inside = |at: usize| offset + at.saturating_sub(PREFIX.len()).min(text.len());
    let mut errors: Vec<SyntaxError> = Vec::new();
    for error in &lowered.errors {
        let error = error.placed(0, &|at| lines.line(at) + 1);
        let range = TextRange::new(inside(error.range.start), inside(error.range.end));
        // The sign in front of the expression is none of the author's.
        let message = if error.range.end <= PREFIX.len() {
            "expected an expression"
        } else {
            &error.message
        };
        errors.push(SyntaxError::new(range, message));
    }
    if errors.is_empty() {
        let first = lowered.statements.first();
        let end = first.map_or(PREFIX.len(), |first| first.range.end);
        let range = TextRange::new(inside(end), inside(PREFIX.len() + trimmed.len()));
        errors.push(SyntaxError::new(
            range,
            "expected one expression, found more behind it",
        ));
    }
    one_per_place(errors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::{BinaryOp, ExprKind};

    #[test]
    fn ranges_count_from_the_given_offset() {
        let (expr, errors) = parse_expression_at(" a + b # c", 10);
        let expr = expr.expect("an expression");
        assert_eq!((expr.range, errors), (TextRange::new(11, 16), Vec::new()));
        assert!(matches!(expr.kind, ExprKind::Binary(BinaryOp::Add, _, _)));
    }

    #[test]
    fn what_is_no_single_expression_is_refused_with_a_reason() {
        for text in [
            "", "a +", "a) + (b", "a; b = c", "a b = 2", "f(", "\"abc", "a = b",
        ] {
            let (expr, errors) = parse_expression(text);
            assert!(expr.is_none(), "{text}");
            assert!(!errors.is_empty(), "{text}");
            assert!(
                errors.iter().all(|error| error.range.end <= text.len()),
                "{text}: {errors:?}"
            );
        }
    }
}
