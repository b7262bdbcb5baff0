//! What is wrong with a file, in the terms of scripts.

use sumac_analysis::{Severity, codes};
use sumac_language::{Analysis, Language};

use crate::diagnostic::Diagnostic;

/// The diagnostics of a text, syntax errors among them only where `with_syntax` asks for them: an editor has them of the language's own
/// servers.
#[must_use]
pub fn diagnostics(
    language: &dyn Language,
    text: &str,
    analysis: &Analysis,
    with_syntax: bool,
) -> Vec<Diagnostic> {
    let plain = |range, severity, code, message| Diagnostic {
        range,
        severity,
        code,
        message,
        related: Vec::new(),
        tag: None,
        meant: None,
    };
    let errors = if with_syntax {
        language.syntax_errors(text)
    } else {
        Vec::new()
    };
    let errors = errors.into_iter().map(|error| {
        plain(
            error.range,
            Severity::Error,
            codes::SYNTAX_ERROR,
            error.message,
        )
    });
    let found = analysis.diagnostics.iter().map(|found| {
        let severity = match found.severity {
            sumac_language::Severity::Error => Severity::Error,
            sumac_language::Severity::Warning => Severity::Warning,
        };
        Diagnostic {
            related: found.related.clone(),
            ..plain(found.range, severity, found.code, found.message.clone())
        }
    });
    let mut all: Vec<Diagnostic> = errors.chain(found).collect();
    all.sort_by_key(|found| found.range);
    all
}
