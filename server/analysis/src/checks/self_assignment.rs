//! `x = x` does nothing.

use sumac_syntax::ast::{AssignOp, ExprKind, Stmt, StmtKind};
use sumac_syntax::walk::{Node, walk};

use super::checked::{Checked, diagnostic};
use crate::names::strip;
use crate::result::{Diagnostic, codes};

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    walk(checked.program, &mut |node| {
        if let Node::Stmt(Stmt {
            range,
            kind:
                StmtKind::Assign {
                    target,
                    op: AssignOp::Set,
                    value,
                },
            ..
        }) = node
            && target.index.is_none()
            && let ExprKind::Name(read) = &strip(value).kind
            && read.name == target.name.name
        {
            let message = format!("`{}` is assigned to itself", read.name);
            acc.push(diagnostic(codes::SELF_ASSIGNMENT, *range, message));
        }
    });
}
