//! Hints behind statements that have a cheaper form.
//!
//! ```text
//! loss = sum((X - U %*% t(V))^2) ⇒ sum(X^2) - …   ~19000× cheaper ✓
//! ```

use sumac_syntax::text::{TextEdit, TextRange};

use crate::snapshot::{Placed, Snapshot};
use crate::suggest::Suggestion;
use crate::{describe, quantity};

/// A hint.
#[derive(Clone, PartialEq, Debug)]
pub struct InlayHint {
    /// Where it stands: the end of the statement's line.
    pub offset: usize,
    /// Its text.
    pub label: String,
    /// More of it, as markdown.
    pub tooltip: String,
    /// What accepting it does; empty while a newer search is under way.
    pub edits: Vec<TextEdit>,
}

/// The hints whose place lies in `range`.
#[must_use]
pub fn inlay_hints(snapshot: &Snapshot, range: TextRange) -> Vec<InlayHint> {
    snapshot
        .shown()
        .map(|placed| hint(snapshot, placed))
        .filter(|hint| range.touches(hint.offset))
        .collect()
}

fn hint(snapshot: &Snapshot, placed: &Placed) -> InlayHint {
    let suggestion = &*placed.suggestion;
    InlayHint {
        offset: snapshot.line_end(suggestion.range.end),
        label: label(suggestion),
        tooltip: describe::markdown(suggestion),
        edits: if placed.is_fresh {
            suggestion.edits.clone()
        } else {
            Vec::new()
        },
    }
}

fn label(suggestion: &Suggestion) -> String {
    let words: Vec<&str> = suggestion.optimized.split_whitespace().collect();
    format!(
        "⇒ {}   ~{} cheaper ✓",
        words.join(" "),
        quantity::rough_ratio(suggestion.speedup()),
    )
}
