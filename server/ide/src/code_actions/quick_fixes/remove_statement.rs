//! Remove an assignment that does nothing: its value is never read, and computing it has no effect.
//!
//! ```text
//! $0x = 1
//! x = 2
//! ```
//! ->
//! ```text
//! x = 2
//! ```

use sumac_analysis::codes;
use sumac_builtins::{Source, find};
use sumac_syntax::ast::{AssignOp, Expr, ExprKind, Stmt, StmtKind};
use sumac_syntax::walk::{Node, walk_expr};
use sumac_text::TextEdit;

use super::fix::{Fix, removal, stmt_around};
use super::{Diagnostic, Snapshot};
use crate::suggest::enclosing_loops::is_listed;

/// Builtins that do more than give a value.
const WITH_EFFECT: [&str; 6] = ["print", "write", "stop", "assert", "eval", "paramserv"];

pub(super) fn fix(snapshot: &Snapshot, found: &Diagnostic) -> Option<Fix> {
    if ![codes::UNUSED_VALUE, codes::SELF_ASSIGNMENT].contains(&found.code) {
        return None;
    }
    let stmt = stmt_around(snapshot, found.range)?;
    let (name, edit) = without(snapshot, stmt)?;
    let title = match found.code {
        codes::SELF_ASSIGNMENT => "Remove this assignment".to_owned(),
        _ => format!("Remove the assignment to `{name}`"),
    };
    Some(Fix::obvious(title, vec![edit]))
}

/// The script without an assignment of a whole variable, and the variable; `None` where it does more than that, or cannot go.
pub(in crate::code_actions) fn without<'a>(
    snapshot: &Snapshot,
    stmt: &'a Stmt,
) -> Option<(&'a str, TextEdit)> {
    let StmtKind::Assign {
        target,
        op: AssignOp::Set,
        value,
    } = &stmt.kind
    else {
        return None;
    };
    let statements = &snapshot.parse.program().statements;
    // A body without braces needs its only one.
    let is_listed = is_listed(statements, stmt.range, snapshot.text());
    let may_go = target.index.is_none() && is_pure(value) && is_listed;
    may_go.then(|| (&*target.name.name, removal(snapshot, stmt.range)))
}

/// Whether computing it does nothing else.
fn is_pure(value: &Expr) -> bool {
    let mut pure = true;
    walk_expr(value, &mut |node| {
        if let Node::Expr(expr) = node {
            pure &= match &expr.kind {
                ExprKind::Missing => false,
                ExprKind::Call(call) => {
                    let name = &*call.name.name;
                    call.namespace.is_none()
                        && find(name).is_some_and(|row| row.source == Source::Native)
                        && !WITH_EFFECT.contains(&name)
                }
                _ => true,
            };
        }
    });
    pure
}
