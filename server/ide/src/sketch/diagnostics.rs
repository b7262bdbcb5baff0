//! What is wrong with a sketch file.

use sumac_analysis::{Severities, Severity, catalogue};
use sumac_sketch::text::{Level, Library};

use crate::diagnostic::Diagnostic;

/// The diagnostics of one of a library's files, in the order of their places, as serious as the person wants them.
#[must_use]
pub fn diagnostics(library: &Library, file: usize, severities: &Severities) -> Vec<Diagnostic> {
    let findings = library.findings(file).iter();
    findings
        .filter_map(|finding| {
            let reported = match finding.level {
                Level::Error => Severity::Error,
                Level::Warning => Severity::Warning,
            };
            Some(Diagnostic {
                range: finding.range,
                severity: severities.of(finding.code, reported)?,
                code: finding.code,
                message: finding.message.clone(),
                related: Vec::new(),
                tag: catalogue::code(finding.code).and_then(|code| code.tag),
                meant: None,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::sketch::vocabulary;

    #[test]
    fn errors_and_warnings_stand_at_their_places() {
        let text = "sketch s(n) { goal summ(?) }";
        let library = Library::new([(Arc::from("a.sketch"), Arc::from(text))], &vocabulary());
        let mut severities = Severities::default();
        let found = diagnostics(&library, 0, &severities);
        let shown: Vec<_> = found
            .iter()
            .map(|d| (d.severity, d.code, &text[d.range]))
            .collect();
        assert_eq!(
            shown,
            [
                (Severity::Warning, "sketch-unused", "n"),
                (Severity::Error, "sketch-name", "summ")
            ]
        );
        assert!(severities.set("sketch-unused", None));
        assert_eq!(diagnostics(&library, 0, &severities).len(), 1);
        for found in found {
            assert!(catalogue::code(found.code).is_some(), "{}", found.code);
        }
    }
}
