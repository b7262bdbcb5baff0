//! A `source` whose namespace no call names.

use sumac_syntax::ast::StmtKind;

use super::{CheckedFile, diagnostic};
use crate::result::{Diagnostic, codes};

pub(super) fn check(checked: &CheckedFile<'_>, acc: &mut Vec<Diagnostic>) {
    if checked.reading.imports.is_empty() || checked.is_broken() {
        return;
    }
    let mains = checked.reading.mains();
    let statements = mains.flat_map(|(main, place)| {
        main.program
            .statements
            .iter()
            .map(move |stmt| (stmt, place))
    });
    for (stmt, place) in statements {
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
            let range = place.range(stmt.range);
            acc.push(diagnostic(codes::UNUSED_NAMESPACE, range, message));
        }
    }
}
