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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::snapshot;

    #[test]
    fn a_mismatch_names_both_shapes_at_its_place() {
        let script = "A = matrix(1, rows=2, cols=3)\nprint(sum(A %*% A))\n";
        let snapshot = snapshot(script);
        let found = diagnostics(&snapshot);
        let [mismatch] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!(mismatch.code, codes::SHAPE_MISMATCH);
        assert_eq!(&script[mismatch.range], "A %*% A");
        assert!(mismatch.message.contains("2 x 3"), "{}", mismatch.message);
        assert!(!mismatch.is_unnecessary);
    }

    #[test]
    fn a_value_that_nothing_reads_is_faded() {
        let found = diagnostics(&snapshot("x = 1\nx = 2\nprint(x)\n"));
        assert!(
            found.iter().any(|d| d.is_unnecessary && d.range.start == 0),
            "{found:?}"
        );
    }

    #[test]
    fn places_stay_inside_a_broken_text() {
        for script in [
            "x = (1 +",
            "#@ X: ",
            "é = [",
            "\u{feff}",
            "f = function(",
            "\r\r\"",
        ] {
            for found in diagnostics(&snapshot(script)) {
                assert!(
                    script.get(found.range.start..found.range.end).is_some(),
                    "{script:?}: {found:?}"
                );
            }
        }
    }
}
