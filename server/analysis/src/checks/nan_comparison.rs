//! `x == NaN` is false and `x != NaN` is true whatever `x` is.

use sumac_syntax::ast::{BinaryOp, Expr, ExprKind};
use sumac_syntax::walk::{Node, walk};

use super::checked::{Checked, diagnostic};
use crate::names::strip;
use crate::result::{Diagnostic, codes};

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    walk(checked.program, &mut |node| {
        let Node::Expr(expr) = node else { return };
        let ExprKind::Binary(op, a, b) = &expr.kind else {
            return;
        };
        let other = match (is_nan(checked, a), is_nan(checked, b)) {
            (true, _) => b,
            (_, true) => a,
            _ => return,
        };
        let (always, instead) = match op {
            BinaryOp::Eq => ("false", "isNaN"),
            BinaryOp::Ne => ("true", "!isNaN"),
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => ("false", "isNaN"),
            _ => return,
        };
        let text = checked.text.get(other.range.start..other.range.end);
        let message = format!(
            "a comparison with NaN is always {always}; write `{instead}({})`",
            text.unwrap_or("x")
        );
        acc.push(diagnostic(codes::NAN_COMPARISON, expr.range, message));
    });
}

/// The constant, unless the script has a variable of that name.
fn is_nan(checked: &Checked<'_>, expr: &Expr) -> bool {
    let ExprKind::Name(ident) = &strip(expr).kind else {
        return false;
    };
    let is_word = matches!(&*ident.name, "NaN" | "nan" | "NAN");
    let is_variable = || {
        let known = checked.analysis.name_at(ident.range.start);
        known.is_some_and(|name| !name.definitions.is_empty())
    };
    is_word && !is_variable()
}
