//! Allow a diagnostic: a `#@ allow` line above the statement, or for the whole file.
//!
//! ```text
//! $0x = 1
//! x = 2
//! ```
//! ->
//! ```text
//! #@ allow unused-value
//! x = 1
//! x = 2
//! ```

use sumac_analysis::codes;
use sumac_syntax::ast::{Fact, FactKind};
use sumac_syntax::walk::{Node, walk};
use sumac_text::TextRange;

use super::fix::{Fix, line_above, replace};
use super::{Diagnostic, Snapshot};

/// Codes that nothing can allow: they are about `#@` lines, or about text that is no statement.
const NEVER: [&str; 3] = [
    codes::SYNTAX_ERROR,
    codes::UNKNOWN_CODE,
    codes::UNUSED_ALLOW,
];

/// For the statement.
pub(super) fn statement(snapshot: &Snapshot, found: &Diagnostic) -> Option<Fix> {
    if NEVER.contains(&found.code) {
        return None;
    }
    let start = line_of_statement(snapshot, found.range)?;
    let lines = &snapshot.lines;
    let above = lines.line(start).checked_sub(1);
    let facts = &snapshot.parse.program().facts;
    let existing = facts
        .iter()
        .find(|fact| Some(lines.line(fact.range.start)) == above && allows(fact, false).is_some());
    let edit = match existing.and_then(|fact| allows(fact, false)) {
        Some(last) => replace(at(last.end), format!(", {}", found.code)),
        None => line_above(snapshot, start, &format!("#@ allow {}", found.code)),
    };
    let title = format!("Allow `{}` for this statement", found.code);
    Some(Fix::possible(title, vec![edit]))
}

/// For the whole file.
pub(super) fn file(snapshot: &Snapshot, found: &Diagnostic) -> Option<Fix> {
    if NEVER.contains(&found.code) {
        return None;
    }
    let facts = &snapshot.parse.program().facts;
    let edit = match facts.iter().find_map(|fact| allows(fact, true)) {
        Some(last) => replace(at(last.end), format!(", {}", found.code)),
        None => replace(at(0), format!("#@ allow-file {}\n", found.code)),
    };
    let title = format!("Allow `{}` in this file", found.code);
    Some(Fix::possible(title, vec![edit]))
}

fn at(offset: usize) -> TextRange {
    TextRange {
        start: offset,
        end: offset,
    }
}

/// The last code of a line that allows some.
fn allows(fact: &Fact, whole: bool) -> Option<TextRange> {
    match &fact.kind {
        FactKind::Allow { codes, whole_file } if *whole_file == whole => {
            codes.last().map(|code| code.range)
        }
        _ => None,
    }
}

/// The start of the innermost statement around `range` of which a line above would be about just it: the first
/// statement on its line.
fn line_of_statement(snapshot: &Snapshot, range: TextRange) -> Option<usize> {
    let lines = &snapshot.lines;
    let mut statements = Vec::new();
    walk(snapshot.parse.program(), &mut |node| {
        if let Node::Stmt(stmt) = node {
            statements.push(stmt.range);
        }
    });
    statements.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let first_on = |line: usize| statements.iter().find(|s| lines.line(s.start) == line);
    let around = statements.iter().filter(|s| s.contains(range));
    around
        .rev()
        .filter_map(|stmt| first_on(lines.line(stmt.start)))
        .find(|first| first.contains(range))
        .map(|first| first.start)
}
