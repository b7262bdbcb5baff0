//! A way to put a diagnostic right, and the edits that such ways are made of. Must know no diagnostic.

use sumac_syntax::ast::{Expr, Stmt};
use sumac_syntax::walk::{Node, walk};
use sumac_text::{TextEdit, TextRange};

use crate::snapshot::Snapshot;

/// A way to put one diagnostic right.
pub(crate) struct Fix {
    pub(crate) title: String,
    pub(crate) edits: Vec<TextEdit>,
    /// Whether it keeps or restores what the script means: such fixes can be made for all diagnostics of a kind.
    pub(crate) is_safe: bool,
    /// Whether most people want just this.
    pub(crate) is_preferred: bool,
}

impl Fix {
    /// What most people want, and what can be done everywhere at once.
    pub(crate) fn obvious(title: impl Into<String>, edits: Vec<TextEdit>) -> Self {
        Fix {
            title: title.into(),
            edits,
            is_safe: true,
            is_preferred: true,
        }
    }

    /// One way among others.
    pub(crate) fn possible(title: impl Into<String>, edits: Vec<TextEdit>) -> Self {
        Fix {
            title: title.into(),
            edits,
            is_safe: false,
            is_preferred: false,
        }
    }
}

/// The replacement of a place.
pub(crate) fn replace(range: TextRange, new_text: impl Into<String>) -> TextEdit {
    TextEdit {
        range,
        new_text: new_text.into(),
    }
}

/// The expression at exactly `range`.
pub(crate) fn expr_at(snapshot: &Snapshot, range: TextRange) -> Option<&Expr> {
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
pub(crate) fn stmt_around(snapshot: &Snapshot, range: TextRange) -> Option<&Stmt> {
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
pub(crate) fn line_above(snapshot: &Snapshot, offset: usize, line: &str) -> TextEdit {
    let lines = &snapshot.lines;
    let start = lines.line_start(lines.line(offset));
    let text = &snapshot.text()[start..offset];
    let indent = &text[..text.len() - text.trim_start().len()];
    let at = TextRange { start, end: start };
    replace(at, format!("{indent}{line}\n"))
}

/// Takes a place out; where nothing else stands on its lines, the lines go with it.
pub(crate) fn removal(snapshot: &Snapshot, range: TextRange) -> TextEdit {
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
