//! What nothing reads any more once suggestions are applied: their forms may read other variables than what they take the place of.
//!
//! Only what somebody read before goes with them, and what that is the analysis of the edited text says, as it does of any text. Must never
//! take away what does more than give its variable a value, or what a person says something of.

use sumac_analysis::{BlockStatement, NoFiles, Options, analyze, codes};
use sumac_syntax::lex::words;
use sumac_syntax::parse;
use sumac_text::{TextEdit, TextRange, apply_edits};

use super::quick_fixes::fix::stmt_around;
use super::quick_fixes::remove_statement::without;
use crate::snapshot::{Snapshot, moved_by};

/// The statements of a script whose value something reads as they stand, and nothing after `edits`, each with what takes it away. What only
/// these read is among them once they are taken away by the edits, too.
pub(super) fn unread(snapshot: &Snapshot, edits: &[TextEdit]) -> Vec<(TextRange, TextEdit)> {
    let blocks = snapshot.analysis.blocks.iter();
    let statements = blocks.flat_map(|block| &block.statements);
    let mut candidates = statements
        .filter(|statement| !statement.readers.is_empty() && may_go(snapshot, statement))
        .peekable();
    if edits.is_empty() || candidates.peek().is_none() {
        return Vec::new();
    }
    let unused = unused(&apply_edits(snapshot.text(), edits));
    // Each edit leaves the text before it as it is.
    let backwards: Vec<TextEdit> = edits.iter().rev().cloned().collect();
    let is_unused = |statement: &&BlockStatement| {
        statement.target.as_ref().is_some_and(|target| {
            // What is written before a statement moves the end of its first word.
            let end = moved_by(target.range, &backwards).end;
            unused.contains(&(end, target.name.to_string()))
        })
    };
    let removed = candidates.filter(is_unused).filter_map(|statement| {
        let stmt = stmt_around(snapshot, statement.range)?;
        let (_, removal) = without(snapshot, stmt).filter(|_| stmt.range == statement.range)?;
        Some((statement.range, removal))
    });
    removed.collect()
}

/// The variables of a script that are given a value which nothing reads, and where their names end there.
fn unused(text: &str) -> Vec<(usize, String)> {
    let known = analyze(&parse(text), &Options::default(), &NoFiles);
    let of_values = known.diagnostics.iter();
    let of_values = of_values.filter(|found| found.code == codes::UNUSED_VALUE);
    let named = of_values.map(|found| (found.range.end, text[found.range].to_owned()));
    named.collect()
}

/// Whether nothing but the value of the variable is lost with a statement.
fn may_go(snapshot: &Snapshot, statement: &BlockStatement) -> bool {
    let Some(target) = &statement.target else {
        return false;
    };
    let text = snapshot.text();
    // What a comment behind it says would be left without it.
    let line = TextRange::new(
        statement.range.start,
        snapshot.line_end(statement.range.end),
    );
    let is_said_of = snapshot.parse.comments().iter().any(|comment| {
        let line = &text[comment.range];
        line.starts_with("#@") && words(line).any(|word| word == &*target.name)
    });
    let is_whole = matches!(statement.parts.as_slice(), [part] if part.root == target.version_node);
    is_whole
        && !is_said_of
        && !statement.live_after_block
        && !statement.hints_off
        && statement.sketch.is_none()
        && !snapshot.damage.touches(statement.range)
        && snapshot.parse.comments_in(line).is_empty()
}
