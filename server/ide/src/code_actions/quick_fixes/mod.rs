//! Quick fixes: each is bound to a diagnostic, is one file, and is registered by one line in [`ALL`].

mod allow;
mod as_scalar;
mod did_you_mean;
mod double_sign;
mod remove_allow;
mod remove_source;
mod remove_statement;
mod replace_deprecated;
mod state_argument;
mod state_size;
mod transpose;

use sumac_syntax::ast::{Expr, Stmt};
use sumac_syntax::text::{TextEdit, TextRange};
use sumac_syntax::walk::{Node, walk};

use super::{Action, ActionContext, Effect, kinds};
use crate::diagnostics::{Diagnostic, diagnostics};
use crate::snapshot::Snapshot;

/// A way to put one diagnostic right.
struct Fix {
    title: String,
    edits: Vec<TextEdit>,
    /// Whether it keeps or restores what the script means: such fixes can be made for all diagnostics of a kind.
    is_safe: bool,
    /// Whether most people want just this.
    is_preferred: bool,
}

impl Fix {
    /// What most people want, and what can be done everywhere at once.
    fn obvious(title: impl Into<String>, edits: Vec<TextEdit>) -> Self {
        Fix {
            title: title.into(),
            edits,
            is_safe: true,
            is_preferred: true,
        }
    }

    /// One way among others.
    fn possible(title: impl Into<String>, edits: Vec<TextEdit>) -> Self {
        Fix {
            title: title.into(),
            edits,
            is_safe: false,
            is_preferred: false,
        }
    }
}

type Fixer = fn(&Snapshot, &Diagnostic) -> Option<Fix>;

const ALL: [Fixer; 13] = [
    did_you_mean::fix,
    double_sign::fix,
    as_scalar::fix,
    transpose::right,
    transpose::left,
    replace_deprecated::fix,
    remove_statement::fix,
    remove_source::fix,
    remove_allow::fix,
    state_size::fix,
    state_argument::fix,
    allow::statement,
    allow::file,
];

pub(super) fn offer(context: &ActionContext<'_>, acc: &mut Vec<Action>) {
    let snapshot = context.snapshot;
    let all = diagnostics(snapshot);
    let touched = |found: &&Diagnostic| {
        found.range.start <= context.range.end && context.range.start <= found.range.end
    };
    for found in all.iter().filter(touched) {
        let first = acc.len();
        for fixer in ALL {
            let Some(fix) = fixer(snapshot, found) else {
                continue;
            };
            // One change of a place can put several right.
            let effect = Effect::Edit(fix.edits.clone());
            let known = acc
                .iter_mut()
                .find(|it| it.title == fix.title && it.effect == effect);
            if let Some(known) = known {
                known.fixes.push(found.clone());
                continue;
            }
            let everywhere = fix.is_safe.then(|| same(snapshot, &all, found.code, fixer));
            acc.push(Action {
                fixes: vec![found.clone()],
                is_preferred: fix.is_preferred,
                ..Action::new(fix.title, kinds::QUICK_FIX, Effect::Edit(fix.edits))
            });
            let title = format!("Fix all `{}` in this file", found.code);
            if let Some((edits, fixes)) = everywhere
                && fixes.len() > 1
                && acc.iter().all(|action| action.title != title)
            {
                acc.push(Action {
                    fixes,
                    ..Action::new(title, kinds::QUICK_FIX, Effect::Edit(edits))
                });
            }
        }
        acc[first..].sort_by_key(|action| !is_transposed_here(action, context.range));
    }
}

/// Whether it transposes what is under the cursor: of two operands that is the first to offer.
fn is_transposed_here(action: &Action, cursor: TextRange) -> bool {
    let Effect::Edit(edits) = &action.effect else {
        return false;
    };
    let is_here =
        |edit: &TextEdit| edit.range.start <= cursor.start && cursor.end <= edit.range.end;
    action.title.starts_with(transpose::TITLE) && edits.iter().any(is_here)
}

/// What one fixer can do for all diagnostics of a code at once. Of two that touch the same text the first wins.
fn same(
    snapshot: &Snapshot,
    all: &[Diagnostic],
    code: &str,
    fixer: Fixer,
) -> (Vec<TextEdit>, Vec<Diagnostic>) {
    let (mut edits, mut fixed): (Vec<TextEdit>, Vec<Diagnostic>) = (Vec::new(), Vec::new());
    for found in all.iter().filter(|found| found.code == code) {
        let Some(fix) = fixer(snapshot, found).filter(|fix| fix.is_safe) else {
            continue;
        };
        let meets = |a: &TextEdit, b: &TextEdit| {
            a.range.start < b.range.end && b.range.start < a.range.end || a.range == b.range
        };
        let is_free = |edit: &TextEdit| !edits.iter().any(|taken| meets(edit, taken));
        if fix.edits.iter().all(is_free) {
            edits.extend(fix.edits);
            fixed.push(found.clone());
        }
    }
    edits.sort_by_key(|edit| edit.range);
    (edits, fixed)
}

/// The replacement of a place.
fn replace(range: TextRange, new_text: impl Into<String>) -> TextEdit {
    TextEdit {
        range,
        new_text: new_text.into(),
    }
}

/// The expression at exactly `range`.
fn expr_at(snapshot: &Snapshot, range: TextRange) -> Option<&Expr> {
    let mut found = None;
    walk(snapshot.parse.program(), &mut |node| {
        if let Node::Expr(expr) = node
            && expr.range == range
        {
            found.get_or_insert(expr);
        }
    });
    found
}

/// The innermost statement around `range`.
fn stmt_around(snapshot: &Snapshot, range: TextRange) -> Option<&Stmt> {
    let mut found = None;
    walk(snapshot.parse.program(), &mut |node| {
        if let Node::Stmt(stmt) = node
            && stmt.range.contains(range)
        {
            found = Some(stmt);
        }
    });
    found
}

/// A new line above the one on which `offset` lies, indented like it.
pub(super) fn line_above(snapshot: &Snapshot, offset: usize, line: &str) -> TextEdit {
    let lines = &snapshot.lines;
    let start = lines.line_start(lines.line(offset));
    let text = &snapshot.text()[start..offset];
    let indent = &text[..text.len() - text.trim_start().len()];
    let at = TextRange { start, end: start };
    replace(at, format!("{indent}{line}\n"))
}

/// Takes a place out; where nothing else stands on its lines, the lines go with it.
fn removal(snapshot: &Snapshot, range: TextRange) -> TextEdit {
    let (text, lines) = (snapshot.text(), &snapshot.lines);
    let start = lines.line_start(lines.line(range.start));
    let end = snapshot.line_end(range.end);
    let behind = text[range.end..end].trim_start();
    let is_alone = text[start..range.start].trim().is_empty()
        && behind.trim_start_matches(';').trim().is_empty();
    if !is_alone {
        // A comment behind it stays.
        let semicolon = behind.starts_with(';');
        let gap = text[range.end..end].len() - behind.len();
        let end = range.end + if semicolon { gap + 1 } else { 0 };
        return replace(TextRange { end, ..range }, "");
    }
    let next = lines.line(range.end) + 1;
    let end = if next < lines.len_lines() {
        lines.line_start(next)
    } else {
        text.len()
    };
    replace(TextRange { start, end }, "")
}

#[cfg(test)]
mod tests;
