//! A `for` whose body assigns its own variable: the next iteration takes the next value all the same.

use sumac_syntax::ast::{Ident, Stmt, StmtKind};
use sumac_syntax::walk::{Node, walk, walk_stmt};

use super::checked::{Checked, diagnostic};
use crate::names;
use crate::result::{Diagnostic, codes};

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    walk(checked.program, &mut |node| {
        if let Node::Stmt(Stmt {
            kind: StmtKind::For { var, body, .. },
            ..
        }) = node
        {
            for stmt in &body.statements {
                walk_stmt(stmt, &mut |node| {
                    if let Node::Stmt(stmt) = node {
                        for written in names::writes(stmt) {
                            if written.name == var.name {
                                acc.push(found(written, var, stmt));
                            }
                        }
                    }
                });
            }
        }
    });
}

fn found(written: &Ident, var: &Ident, stmt: &Stmt) -> Diagnostic {
    let name = &var.name;
    let message = if matches!(stmt.kind, StmtKind::For { .. }) {
        format!(
            "this loop takes the variable `{name}` of the loop around it; give it a name of its own"
        )
    } else {
        format!(
            "`{name}` is the variable of the loop: the next iteration does not see this value; use another name, or `while`"
        )
    };
    Diagnostic {
        related: vec![(var.range, format!("the loop over `{name}`"))],
        ..diagnostic(codes::LOOP_VARIABLE, written.range, message)
    }
}
