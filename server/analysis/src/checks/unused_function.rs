//! A function that nothing calls, in a script that does something itself. A file of functions only is a library.

use std::collections::HashSet;

use sumac_syntax::ast::StmtKind;

use super::{Checked, diagnostic};
use crate::result::{Diagnostic, Symbol, codes};

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    if checked.is_broken() {
        return;
    }
    let does_something = checked.program.statements.iter().any(|stmt| {
        !matches!(
            stmt.kind,
            StmtKind::Function(_) | StmtKind::Source { .. } | StmtKind::SetWd { .. }
        )
    });
    if !does_something {
        return;
    }
    let names = checked.analysis.names.iter();
    let called: HashSet<&str> = names
        .filter(|used| used.symbol == Symbol::Function && !used.is_definition)
        .map(|used| &*used.name)
        .collect();
    for def in checked.functions() {
        let name = &def.name.name;
        if !called.contains(&**name) && !checked.is_in_a_text(name) {
            let message = format!("nothing in this script calls `{name}`");
            acc.push(diagnostic(codes::UNUSED_FUNCTION, def.name.range, message));
        }
    }
}
