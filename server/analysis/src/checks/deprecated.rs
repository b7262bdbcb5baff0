//! Builtins that SystemDS keeps for old scripts only.

use sumac_syntax::ast::{Expr, ExprKind};
use sumac_syntax::walk::{Node, walk};

use super::checked::{Checked, diagnostic};
use crate::result::{Diagnostic, codes};

/// The old name, and what to write instead.
pub const REPLACEMENTS: [(&str, &str); 2] = [
    ("castAsScalar", "as.scalar"),
    ("ppred", "the operator itself, as in `X > Y`"),
];

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    walk(checked.program, &mut |node| {
        let Node::Expr(Expr {
            kind: ExprKind::Call(call),
            ..
        }) = node
        else {
            return;
        };
        let name = &*call.name.name;
        let Some((_, instead)) = REPLACEMENTS.iter().find(|(old, _)| *old == name) else {
            return;
        };
        let is_own = call.namespace.is_some() || checked.is_own(name);
        if !is_own {
            let instead = if instead.contains(' ') {
                (*instead).to_owned()
            } else {
                format!("`{instead}`")
            };
            let message = format!("`{name}` is an old name; write {instead}");
            acc.push(diagnostic(
                codes::DEPRECATED_FUNCTION,
                call.name.range,
                message,
            ));
        }
    });
}
