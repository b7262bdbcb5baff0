//! Diagnostics on a terminal, over the source they are about.

use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{Annotation, AnnotationKind, Level, Renderer, Snippet};
use sumac_analysis::Severity;
use sumac_ide::Diagnostic;
use sumac_text::{Columns, LineCol, LineIndex, TextRange};

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
pub(super) fn diagnostic(
    path: &str,
    (text, lines): (&str, &LineIndex),
    found: &Diagnostic,
    colored: bool,
) -> String {
    let level = match found.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Information => Level::INFO,
        Severity::Hint => Level::HELP,
    };
    // Of a long script only the lines that are shown are looked at, for each of very many diagnostics.
    let (near, far): (Vec<_>, Vec<_>) = found.related.iter().partition(|(range, _)| {
        range.start.abs_diff(found.range.start) <= NEAR
            && range.end.abs_diff(found.range.end) <= NEAR
    });
    let ranges = near.iter().map(|(range, _)| *range);
    let part = Part::around(text, lines, ranges.chain([found.range]));
    if part.text.len() > LONGEST {
        let (line, column) = line_column(lines, found.range.start);
        let (severity, code, message) = (severity(found.severity), found.code, &found.message);
        return format!("{severity}[{code}]: {message}\n --> {path}:{line}:{column}");
    }
    let mut snippet = part
        .snippet(path)
        .annotation(AnnotationKind::Primary.span(part.visible(found.range)));
    for (range, message) in near {
        let related = AnnotationKind::Context.span(part.visible(*range));
        snippet = snippet.annotation(related.label(message.as_str()));
    }
    let mut group = level
        .primary_title(found.message.as_str())
        .id(found.code)
        .element(snippet);
    for (range, message) in far {
        let part = Part::around(text, lines, std::iter::once(*range));
        let related = AnnotationKind::Context.span(part.visible(*range));
        group = group.element(
            part.snippet(path)
                .annotation(related.label(message.as_str())),
        );
    }
    let report = [group];
    let renderer = if colored {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    renderer.decor_style(DecorStyle::Ascii).render(&report)
}

/// Longer lines are not shown: nobody reads them, and each of many diagnostics would show them anew.
const LONGEST: usize = 1 << 13;

/// What is further away than so many bytes is shown by itself.
const NEAR: usize = 1 << 16;

/// Some lines of a text.
struct Part<'a> {
    text: &'a str,
    /// Where they start in the text.
    start: usize,
    /// The first of them, from 1.
    line: usize,
}

impl<'a> Part<'a> {
    /// The lines that some ranges touch.
    fn around(text: &'a str, lines: &LineIndex, ranges: impl Iterator<Item = TextRange>) -> Self {
        let (first, last) = ranges.fold((text.len(), 0), |(first, last), range| {
            (first.min(range.start), last.max(range.end))
        });
        let line = lines.line(first);
        let start = lines.line_start(line).min(text.len());
        let last = text.ceil_char_boundary(last.min(text.len()));
        let end = text[last..]
            .find('\n')
            .map_or(text.len(), |at| last + at + 1);
        Part {
            text: &text[start..end.max(start)],
            start,
            line: line + 1,
        }
    }

    fn snippet(&self, path: &'a str) -> Snippet<'a, Annotation<'a>> {
        Snippet::source(self.text).line_start(self.line).path(path)
    }

    /// A range of whole characters inside the part.
    fn visible(&self, range: TextRange) -> Range<usize> {
        let place = |at: usize| at.saturating_sub(self.start);
        let start = self.text.floor_char_boundary(place(range.start));
        let end = self.text.ceil_char_boundary(place(range.end)).max(start);
        start..end
    }
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
        let lines = LineIndex::new(text);
        let shown = diagnostic("a.dml", (text, &lines), &found(10, 18), false);
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
            let lines = LineIndex::new(text);
            let shown = diagnostic("a.dml", (text, &lines), &found(start, end), false);
            assert!(shown.contains("no fit"));
        }
    }

    #[test]
    fn what_is_far_away_is_shown_beside_it_at_its_line() {
        let text = format!("X = 1\n{}y = X\n", "# nothing\n".repeat(10_000));
        let lines = LineIndex::new(text.as_str());
        let place = text.len() - 6;
        let shown = diagnostic("a.dml", (&text, &lines), &found(place, place + 5), false);
        for part in ["a.dml:10002:1", "10002 | y = X", "a.dml:1:1", "made here"] {
            assert!(shown.contains(part), "no {part:?} in\n{shown}");
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
