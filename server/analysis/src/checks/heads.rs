//! What cannot stand in the head of a branch or a loop, wherever that stands: a text as a condition, and a `for` over anything
//! but numbers in a row.

use sumac_syntax::ast::{Expr, ExprKind, LoopRange, Stmt, StmtKind};
use sumac_syntax::walk::{Node, walk};

use super::checked::{Checked, described, diagnostic};
use crate::names::strip;
use crate::result::{Diagnostic, codes};
use crate::value::Constant;

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    walk(checked.program, &mut |node| {
        let Node::Stmt(stmt) = node else { return };
        if let Some((range, message)) = problem(checked, stmt) {
            acc.push(diagnostic(codes::KIND_MISMATCH, range.range, message));
        }
    });
}

fn problem<'a>(checked: &Checked<'_>, stmt: &'a Stmt) -> Option<(&'a Expr, String)> {
    match &stmt.kind {
        StmtKind::If { cond, .. } | StmtKind::While { cond, .. } => {
            let text = match &checked.info(cond)?.constant {
                Some(Constant::Text(text)) => text,
                _ => return None,
            };
            let way = match &*text.to_ascii_uppercase() {
                known @ ("TRUE" | "FALSE") => format!("write `{known}`"),
                _ => "compare it, as `==` does".to_owned(),
            };
            let message = format!(
                "a condition is a truth value or a number, and this is {}; {way}",
                described(checked, cond)
            );
            Some((cond, message))
        }
        StmtKind::For {
            range: LoopRange::Over(over),
            ..
        } => {
            let ExprKind::Call(call) = &strip(over).kind else {
                return None;
            };
            if &*call.name.name == "seq" {
                return None;
            }
            let message = format!(
                "a loop runs over `a:b` or `seq(a, b)`, and this is {}; write `1:nrow(X)`, and take the cells of `X` inside of the loop",
                described(checked, over)
            );
            Some((over, message))
        }
        _ => None,
    }
}
