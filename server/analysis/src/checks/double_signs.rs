//! `||` and `&&`: SystemDS reads them, and then refuses them wherever they stand.

use sumac_syntax::ast::{BinaryOp, Expr, ExprKind};
use sumac_syntax::walk::{Node, walk};
use sumac_text::TextRange;

use super::checked::{Checked, diagnostic};
use crate::result::{Diagnostic, codes};

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    walk(checked.program, &mut |node| {
        let Node::Expr(Expr {
            kind: ExprKind::Binary(op, left, right),
            ..
        }) = node
        else {
            return;
        };
        let double = match op {
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
            _ => return,
        };
        let (from, to) = (left.range.end, right.range.start);
        let between = checked.text.get(from..to).unwrap_or_default();
        // What stands behind a comment sign is no sign of the script.
        let Some(at) = between.find(double) else {
            return;
        };
        if between[..at].contains('#') {
            return;
        }
        let range = TextRange::new(from + at, from + at + double.len());
        let single = &double[..1];
        let message = format!("SystemDS has no `{double}`; write `{single}`");
        acc.push(diagnostic(codes::SYNTAX_ERROR, range, message));
    });
}
