//! A `source` whose namespace no call names.

use std::collections::BTreeSet;

use sumac_syntax::ast::{Expr, ExprKind, StmtKind};
use sumac_syntax::walk::{Node, walk};

use super::{Checked, diagnostic};
use crate::result::{Diagnostic, codes};

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    if checked.is_broken() {
        return;
    }
    let mut used = BTreeSet::new();
    walk(checked.program, &mut |node| {
        if let Node::Expr(Expr {
            kind: ExprKind::Call(call),
            ..
        }) = node
        {
            used.extend(call.namespace.as_ref().map(|ns| ns.name.clone()));
        }
    });
    for stmt in &checked.program.statements {
        let StmtKind::Source {
            alias: Some(alias), ..
        } = &stmt.kind
        else {
            continue;
        };
        let name = &alias.name;
        if !used.contains(name) && !checked.is_in_a_text(name) {
            let message = format!("no call uses the namespace `{name}`");
            acc.push(diagnostic(codes::UNUSED_NAMESPACE, stmt.range, message));
        }
    }
}
