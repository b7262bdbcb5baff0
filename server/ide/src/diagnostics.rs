//! What is wrong with the script, and what could be better. The analysis finds it; this is how editors are told.

use sumac_analysis::{Severity, codes};
use sumac_syntax::text::TextRange;

use crate::snapshot::Snapshot;

/// A diagnostic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The place.
    pub range: TextRange,
    /// How serious.
    pub severity: Severity,
    /// Identifies the kind of problem: `shape-mismatch`.
    pub code: &'static str,
    /// What was found, what was expected, a way out.
    pub message: String,
    /// Other places that explain it.
    pub related: Vec<(TextRange, String)>,
    /// Whether the place can go: editors fade it.
    pub is_unnecessary: bool,
}

/// The diagnostics of the document, in source order.
#[must_use]
pub fn diagnostics(snapshot: &Snapshot) -> Vec<Diagnostic> {
    let clamp = |range: TextRange| {
        let len = snapshot.text().len();
        TextRange {
            start: range.start.min(len),
            end: range.end.min(len),
        }
    };
    snapshot
        .analysis
        .diagnostics
        .iter()
        .map(|found| Diagnostic {
            range: clamp(found.range),
            severity: found.severity,
            code: found.code,
            message: found.message.clone(),
            related: found
                .related
                .iter()
                .map(|(r, text)| (clamp(*r), text.clone()))
                .collect(),
            is_unnecessary: found.code == codes::UNUSED_VALUE,
        })
        .collect()
}
