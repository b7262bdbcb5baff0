//! What is wrong with a sketch file.

use sumac_analysis::Severity;
use sumac_sketch::text::{Level, Library};

use crate::Diagnostic;

/// The diagnostics of one of a library's files, in the order of their places.
#[must_use]
pub fn diagnostics(library: &Library, file: usize) -> Vec<Diagnostic> {
    let findings = library.findings(file).iter();
    findings
        .map(|finding| Diagnostic {
            range: finding.range,
            severity: match finding.level {
                Level::Error => Severity::Error,
                Level::Warning => Severity::Warning,
            },
            code: finding.code,
            message: finding.message.clone(),
            related: Vec::new(),
            tag: None,
            meant: None,
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
        let found = diagnostics(&library, 0);
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
    }
}
