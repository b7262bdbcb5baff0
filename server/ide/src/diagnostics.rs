//! What is wrong with the script, and what could be better. The analysis finds it; this is how editors are told.

use sumac_analysis::catalogue;
use sumac_text::TextRange;

use crate::Diagnostic;
use crate::asserts;
use crate::sketch::pin_diagnostics;
use crate::snapshot::Snapshot;

/// The diagnostics of the document, in source order, as serious as the person wants them.
#[must_use]
pub fn diagnostics(snapshot: &Snapshot) -> Vec<Diagnostic> {
    let clamp = |range: TextRange| {
        let len = snapshot.text().len();
        TextRange {
            start: range.start.min(len),
            end: range.end.min(len),
        }
    };
    let mut all: Vec<Diagnostic> = snapshot
        .analysis
        .findings()
        .diagnostics
        .iter()
        .filter_map(|found| {
            Some(Diagnostic {
                range: clamp(found.range),
                severity: snapshot.severities.of(found.code, found.severity)?,
                code: found.code,
                message: found.message.clone(),
                related: found
                    .related
                    .iter()
                    .map(|(r, text)| (clamp(*r), text.clone()))
                    .collect(),
                tag: catalogue::code(found.code).and_then(|code| code.tag),
                meant: found.meant().map(str::to_owned),
            })
        })
        .collect();
    let decided = asserts::diagnostics(snapshot.analysis.findings(), &snapshot.verdicts);
    all.extend(decided.into_iter().filter_map(|found| {
        let severity = snapshot.severities.of(found.code, found.severity)?;
        Some(Diagnostic { severity, ..found })
    }));
    all.extend(pin_diagnostics(snapshot).into_iter().filter_map(|found| {
        let mut silenced = snapshot.analysis.findings().silenced.iter();
        if silenced.any(|(code, place)| **code == *found.code && place.contains(found.range)) {
            return None;
        }
        let severity = snapshot.severities.of(found.code, found.severity)?;
        Some(Diagnostic { severity, ..found })
    }));
    all.sort_by_key(|found| found.range);
    all
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sumac_analysis::catalogue::Tag;
    use sumac_analysis::{Severities, Severity, codes};

    use super::*;
    use crate::Snapshot;
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
        assert_eq!(mismatch.tag, None);
    }

    #[test]
    fn a_value_that_nothing_reads_is_faded() {
        let found = diagnostics(&snapshot("x = 1\nx = 2\nprint(x)\n"));
        assert!(
            found
                .iter()
                .any(|d| d.tag == Some(Tag::Unnecessary) && d.range.start == 0),
            "{found:?}"
        );
    }

    #[test]
    fn a_person_decides_how_serious_a_code_is() {
        let with = |severity| {
            let mut severities = Severities::default();
            severities.set(codes::UNUSED_VALUE, severity);
            let snapshot = Snapshot {
                severities: Arc::new(severities),
                ..snapshot("x = 1\nx = 2\nprint(x)\n")
            };
            let found = diagnostics(&snapshot);
            found.iter().map(|d| d.severity).collect::<Vec<_>>()
        };
        assert_eq!(with(Some(Severity::Error)), [Severity::Error]);
        assert_eq!(with(None), []);
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
