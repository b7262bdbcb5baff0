//! Statements that no run reaches: behind `stop`, or under a condition that is written as a constant.

use sumac_syntax::ast::{BinaryOp, Block, Expr, ExprKind, Stmt, StmtKind, UnaryOp};
use sumac_syntax::walk::{Node, walk};
use sumac_text::TextRange;

use super::checked::{Checked, diagnostic};
use crate::names::{self, is_stop, strip};
use crate::result::{Diagnostic, codes};

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    behind_stop(&checked.program.statements, acc);
    walk(checked.program, &mut |node| {
        let Node::Stmt(stmt) = node else { return };
        for body in names::bodies(stmt) {
            behind_stop(&body.statements, acc);
        }
        match &stmt.kind {
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => match (constant(cond), otherwise) {
                (Some(true), Some(block)) => dead(block, cond, "true", acc),
                (Some(false), _) => dead(then, cond, "false", acc),
                _ => {}
            },
            StmtKind::While { cond, body } if constant(cond) == Some(false) => {
                dead(body, cond, "false", acc);
            }
            _ => {}
        }
    });
}

/// What stands behind the first `stop` of a list. Functions are defined wherever they stand.
fn behind_stop(statements: &[Stmt], acc: &mut Vec<Diagnostic>) {
    let Some(at) = statements.iter().position(is_stop) else {
        return;
    };
    let rest = statements[at + 1..]
        .iter()
        .filter(|stmt| !matches!(stmt.kind, StmtKind::Function(_) | StmtKind::Error));
    let range = rest.map(|stmt| stmt.range).reduce(TextRange::cover);
    if let Some(range) = range {
        let message = "this is never reached: the script stops before it".to_owned();
        acc.push(Diagnostic {
            related: vec![(statements[at].range, "it stops here".to_owned())],
            ..diagnostic(codes::UNREACHABLE_CODE, range, message)
        });
    }
}

fn dead(block: &Block, cond: &Expr, value: &str, acc: &mut Vec<Diagnostic>) {
    if block.statements.is_empty() {
        return;
    }
    let message = format!("this is never reached: the condition is always {value}");
    acc.push(Diagnostic {
        related: vec![(cond.range, format!("always {value}"))],
        ..diagnostic(codes::UNREACHABLE_CODE, block.range, message)
    });
}

/// The value of a condition of literals. Variables are left alone: a switch at the top of a script is on purpose.
fn constant(cond: &Expr) -> Option<bool> {
    match &strip(cond).kind {
        ExprKind::Bool(value) => Some(*value),
        ExprKind::Unary(UnaryOp::Not, inner) => constant(inner).map(|value| !value),
        ExprKind::Binary(BinaryOp::And, a, b) => match (constant(a), constant(b)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        ExprKind::Binary(BinaryOp::Or, a, b) => match (constant(a), constant(b)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        _ => None,
    }
}
