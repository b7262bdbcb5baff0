//! A `source` whose namespace no call names.

use sumac_syntax::ast::StmtKind;

use super::checked::{CheckedFile, diagnostic};
use crate::result::{Diagnostic, codes};

pub(super) fn check(checked: &CheckedFile<'_>, acc: &mut Vec<Diagnostic>) {
    if checked.reading.imports.is_empty() || checked.is_broken() {
        return;
    }
    let mains = checked.reading.mains();
    let statements = mains.enumerate().flat_map(|(number, main)| {
        let statements = main.program.statements.iter();
        statements.map(move |stmt| (stmt, number))
    });
    for (stmt, number) in statements {
        let StmtKind::Source {
            alias: Some(alias), ..
        } = &stmt.kind
        else {
            continue;
        };
        let name = &alias.name;
        let mut summaries = (checked.summaries)().into_iter();
        let is_used = summaries.any(|summary| summary.namespaces.contains(name));
        if !is_used && !checked.is_in_a_text(name) {
            let message = format!("no call uses the namespace `{name}`");
            let place = checked.reading.place(number);
            let range = place.map_or(stmt.range, |place| place.range(stmt.range));
            acc.push(diagnostic(codes::UNUSED_NAMESPACE, range, message));
        }
    }
}
