//! A document that is edited: after each edit the analysis says what a new one says of the same text.

use std::fmt::Write as _;
use std::path::Path;

use sumac_analysis::{Analysis, Database, NoFiles};
use sumac_syntax::parse;

use crate::bytes::text_and_changes;
use crate::dml_parse::assert_same;
use crate::places::assert_inside;

pub fn check(data: &[u8]) {
    let (text, changes) = text_and_changes(data);
    let path = Path::new("/w/main.dml");
    let mut now = parse(text);
    let mut session = Database::new(NoFiles);
    session.open(path, &now);
    for step in 0..=changes.len() {
        if let Some(change) = step.checked_sub(1).map(|before| &changes[before]) {
            now = now.edit(&[change.on(now.text())]);
            session.open(path, &now);
        }
        let fresh = parse(now.text().clone());
        assert_same(&now, &fresh);
        let mut other = Database::new(NoFiles);
        other.open(path, &fresh);
        let (known, expected) = (session.known(path), other.known(path));
        for diagnostic in &known.diagnostics {
            assert_inside(now.text(), diagnostic.range, &diagnostic.message);
        }
        assert_eq!(
            shown(&known),
            shown(&expected),
            "step {step} of {:?}",
            now.text()
        );
    }
}

/// Everything that an analysis says.
fn shown(analysis: &Analysis) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{:?}", analysis.diagnostics);
    let _ = writeln!(out, "{:?}", analysis.variables);
    let _ = writeln!(out, "{:?}", analysis.functions);
    let _ = writeln!(out, "{:?}", analysis.names);
    let _ = writeln!(out, "{:?}", analysis.expr_types);
    for block in &analysis.blocks {
        let _ = writeln!(out, "{:?} {}", block.statements, block.loop_depth);
        let parts = block.statements.iter().flat_map(|stmt| &stmt.parts);
        for part in parts {
            let _ = writeln!(out, "{}", block.dag.print(part.root));
        }
    }
    out
}
