//! What nothing reads any more once suggestions are applied: their forms may read other variables than what they take the place of.
//!
//! Only what somebody read before goes with them. Must never take away what does more than give its variable a value, or what a
//! person says something of.

use sumac_analysis::{BlockStatement, StatementBlock};
use sumac_syntax::lex::words;
use sumac_text::{TextEdit, TextRange};

use super::quick_fixes::fix::stmt_around;
use super::quick_fixes::remove_statement::without;
use crate::snapshot::Snapshot;
use crate::suggest::with_edits;

/// Offers `take` each statement of a script whose value nothing reads after `edits`, which change the statements of `changed`, with what
/// takes it away. What only such a statement reads is offered once that one was taken.
pub(super) fn unread(
    snapshot: &Snapshot,
    changed: &[TextRange],
    edits: &[TextEdit],
    take: &mut dyn FnMut(TextRange, TextEdit) -> bool,
) {
    let has_changes = |block: &&StatementBlock| {
        let mut ranges = block.statements.iter().map(|statement| statement.range);
        ranges.any(|range| changed.contains(&range))
    };
    for block in snapshot.analysis.blocks.iter().filter(has_changes) {
        // A variable that a form leaves to what was given to it before.
        let is_left = |other: &&BlockStatement| {
            changed.contains(&other.range) && has_lost(snapshot, other, other.range, edits)
        };
        let left: Vec<&BlockStatement> = block.statements.iter().filter(is_left).collect();
        let mut gone: Vec<TextRange> = Vec::new();
        // Readers stand behind what they read.
        for statement in block.statements.iter().rev() {
            let is_read = |reader: &usize| {
                let range = block.statements[*reader].range;
                let is_other =
                    changed.contains(&range) && has_lost(snapshot, statement, range, edits);
                !is_other && !gone.contains(&range)
            };
            if statement.readers.is_empty()
                || is_written(statement, edits, &gone)
                || left.iter().any(|other| is_of_one_name(statement, other))
                || statement.readers.iter().any(is_read)
                || !may_go(snapshot, statement)
            {
                continue;
            }
            let stmt = stmt_around(snapshot, statement.range);
            let whole = stmt.filter(|stmt| stmt.range == statement.range);
            let removal = whole.and_then(|stmt| without(snapshot, stmt));
            if removal.is_some_and(|(_, removal)| take(statement.range, removal)) {
                gone.push(statement.range);
            }
        }
    }
}

/// Whether two statements give the same variable a value.
fn is_of_one_name(statement: &BlockStatement, other: &BlockStatement) -> bool {
    let name = |of: &BlockStatement| of.target.as_ref().map(|target| target.name.clone());
    statement.range != other.range && name(statement) == name(other)
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

/// Whether what the edits write reads the variable of a statement: a form may read what the statement that it stands for never did.
/// What is written of a statement that is `gone` is not written any more.
fn is_written(statement: &BlockStatement, edits: &[TextEdit], gone: &[TextRange]) -> bool {
    let is_left = |edit: &&TextEdit| !gone.iter().any(|gone| gone.contains(edit.range));
    let mut left = edits.iter().filter(is_left);
    left.any(|edit| names(&edit.new_text, statement))
}

/// Whether the variable of a statement stands nowhere any more in one that read it.
fn has_lost(
    snapshot: &Snapshot,
    statement: &BlockStatement,
    reader: TextRange,
    edits: &[TextEdit],
) -> bool {
    let within: Vec<TextEdit> = edits
        .iter()
        .filter(|edit| edit.range.start < reader.end && reader.start < edit.range.end)
        .cloned()
        .collect();
    !names(&with_edits(snapshot.text(), reader, &within), statement)
}

/// Whether a text has the variable of a statement among its words.
fn names(text: &str, statement: &BlockStatement) -> bool {
    let name = statement.target.as_ref().map(|target| &*target.name);
    words(text).any(|word| Some(word) == name)
}
