//! A document that is edited: after all edits the analysis says what a new one says of the same text, whatever was asked between.

use std::fmt::Debug;
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
    let mut known = session.known(path);
    for change in &changes {
        now = now.edit(&[change.on(now.text())]);
        session.open(path, &now);
        known = session.known(path);
        for diagnostic in &known.diagnostics {
            assert_inside(now.text(), diagnostic.range, &diagnostic.message);
        }
    }
    let fresh = parse(now.text().clone());
    assert_same(&now, &fresh);
    let mut other = Database::new(NoFiles);
    other.open(path, &fresh);
    assert_says(&known, &other.known(path), now.text());
}

/// Panics unless two analyses say the same.
#[track_caller]
fn assert_says(known: &Analysis, fresh: &Analysis, text: &str) {
    same(&known.diagnostics, &fresh.diagnostics, text);
    same(&known.variables, &fresh.variables, text);
    same(&known.functions, &fresh.functions, text);
    same(&known.names, &fresh.names, text);
    same(&known.assertions, &fresh.assertions, text);
    same(&known.silenced, &fresh.silenced, text);
    same(&known.expr_types, &fresh.expr_types, text);
    same(&blocks(known), &blocks(fresh), text);
}

/// Values may be no numbers, which are not equal to themselves and look the same.
#[track_caller]
fn same<T: PartialEq + Debug>(known: &T, fresh: &T, text: &str) {
    if known != fresh {
        assert_eq!(format!("{known:?}"), format!("{fresh:?}"), "{text:?}");
    }
}

/// What stands in the blocks of statements.
fn blocks(analysis: &Analysis) -> Vec<String> {
    let blocks = analysis.blocks.iter().flat_map(|block| {
        let parts = block.statements.iter().flat_map(|stmt| &stmt.parts);
        parts.map(|part| format!("{} {}", block.loop_depth, block.dag.print(part.root)))
    });
    blocks.collect()
}
