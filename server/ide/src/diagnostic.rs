//! A diagnostic as a value.

use sumac_analysis::Severity;
use sumac_analysis::catalogue::Tag;
use sumac_text::TextRange;

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
    /// How editors draw the place.
    pub tag: Option<Tag>,
    /// What likely was meant at the place.
    pub meant: Option<String>,
}
