//! Diagnostics on a terminal, over the source they are about.

use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use sumac_analysis::Severity;
use sumac_ide::Diagnostic;
use sumac_syntax::text::TextRange;
use sumac_syntax::{Columns, LineCol, LineIndex};

/// Line and column (in characters) of a byte offset, both from 1.
#[must_use]
pub(super) fn line_column(lines: &LineIndex, offset: usize) -> (usize, usize) {
    let LineCol { line, col } = lines.line_col(offset, Columns::Utf32);
    (line + 1, col + 1)
}

/// The word for a severity.
#[must_use]
pub(super) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "information",
        Severity::Hint => "hint",
    }
}

/// A diagnostic with the lines it is about.
#[must_use]
pub(super) fn diagnostic(path: &str, text: &str, found: &Diagnostic, colored: bool) -> String {
    let level = match found.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Information => Level::INFO,
        Severity::Hint => Level::HELP,
    };
    let annotation = |kind: AnnotationKind, range| kind.span(visible(text, range));
    let mut snippet = Snippet::source(text)
        .path(path)
        .annotation(annotation(AnnotationKind::Primary, found.range));
    for (range, message) in &found.related {
        let related = annotation(AnnotationKind::Context, *range);
        snippet = snippet.annotation(related.label(message.as_str()));
    }
    let report = [level
        .primary_title(found.message.as_str())
        .id(found.code)
        .element(snippet)];
    let renderer = if colored {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    renderer.decor_style(DecorStyle::Ascii).render(&report)
}

/// A range of whole characters inside the text.
fn visible(text: &str, range: TextRange) -> Range<usize> {
    let start = text.floor_char_boundary(range.start);
    let end = text.ceil_char_boundary(range.end).max(start);
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(start: usize, end: usize) -> Diagnostic {
        Diagnostic {
            range: TextRange { start, end },
            severity: Severity::Error,
            code: "shape-mismatch",
            message: "no fit".into(),
            related: vec![(TextRange { start: 0, end: 1 }, "made here".into())],
            tag: None,
            meant: None,
        }
    }

    #[test]
    fn a_diagnostic_shows_its_place_and_what_explains_it() {
        let text = "X = 1\ny = X %*% é\n";
        let shown = diagnostic("a.dml", text, &found(10, 18), false);
        for part in [
            "error[shape-mismatch]: no fit",
            "a.dml:2:5",
            "^^^^^^^",
            "made here",
        ] {
            assert!(shown.contains(part), "no {part:?} in\n{shown}");
        }
    }

    #[test]
    fn places_at_the_edges_of_the_text_are_shown_too() {
        for (text, start, end) in [("", 0, 0), ("é", 1, 1), ("a\n", 2, 2), ("a", 7, 9)] {
            assert!(diagnostic("a.dml", text, &found(start, end), false).contains("no fit"));
        }
    }

    #[test]
    fn columns_count_characters_from_one() {
        let text = "é = 1\nb";
        let lines = LineIndex::new(text);
        assert_eq!(line_column(&lines, 3), (1, 3));
        assert_eq!(line_column(&lines, 99), (2, 2));
    }
}
