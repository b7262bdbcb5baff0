//! `NaN`, `Inf` and `pi` are numbers to SystemDS: it refuses a script that gives one of them a value.

use sumac_syntax::ast::StmtKind;
use sumac_syntax::walk::{Node, walk};

use super::checked::{Checked, diagnostic};
use crate::names;
use crate::result::{Diagnostic, codes};

const CONSTANTS: [(&str, &str); 3] = [
    ("Inf", "infinity"),
    ("NaN", "no number"),
    ("pi", "3.14159…"),
];

/// Whether a name is a number of the language, and no variable.
#[must_use]
pub fn is_constant(name: &str) -> bool {
    CONSTANTS.iter().any(|(constant, _)| *constant == name)
}

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    walk(checked.program, &mut |node| {
        let Node::Stmt(stmt) = node else { return };
        if matches!(stmt.kind, StmtKind::For { .. }) {
            return;
        }
        for ident in names::writes(stmt) {
            let constant = CONSTANTS.iter().find(|(name, _)| *name == &*ident.name);
            if let Some((name, meaning)) = constant {
                let message = format!(
                    "`{name}` is a constant of the language ({meaning}) and takes no value; give the variable another name"
                );
                acc.push(diagnostic(codes::ASSIGNED_CONSTANT, ident.range, message));
            }
        }
    });
}
