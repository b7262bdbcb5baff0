//! A function that nothing calls, in a script that does something itself. A file of functions only is a library.

use sumac_syntax::ast::StmtKind;

use super::checked::{CheckedFile, diagnostic};
use crate::result::{Diagnostic, codes};

pub(super) fn check(checked: &CheckedFile<'_>, acc: &mut Vec<Diagnostic>) {
    let uncalled = &checked.declarations.uncalled;
    if uncalled.is_empty() || checked.is_broken() {
        return;
    }
    let mains = checked.reading.mains();
    let mut statements = mains.flat_map(|main| &main.program.statements);
    let does_something = statements.any(|stmt| {
        !matches!(
            stmt.kind,
            StmtKind::Function(_) | StmtKind::Source { .. } | StmtKind::SetWd { .. }
        )
    });
    if !does_something {
        return;
    }
    for function in checked.functions(uncalled) {
        let name = function.name();
        if !checked.is_in_a_text(name) {
            let message = format!("nothing in this script calls `{name}`");
            acc.push(diagnostic(
                codes::UNUSED_FUNCTION,
                function.name_range(),
                message,
            ));
        }
    }
}
