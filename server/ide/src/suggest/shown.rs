//! The statements of a suggestion as people are shown them. Nothing here is written into a script.

use sumac_syntax::lex::{Token, TokenKind, lex};
use sumac_text::{TextEdit, TextRange, apply_edits};

/// The statements of `ranges` after the edits, with a mark for other statements between them.
pub(super) fn shown(text: &str, ranges: &[TextRange], edits: &[TextEdit]) -> String {
    let Some(range) = ranges.iter().copied().reduce(TextRange::cover) else {
        return String::new();
    };
    let mut all = others_between(text, ranges, edits);
    all.extend(edits.iter().cloned());
    all.sort_by_key(|edit| edit.range);
    with_edits(text, range, &all)
}

/// The text of `range` after the edits, of which some may begin before it or end behind it (whole lines that go).
pub(super) fn with_edits(text: &str, range: TextRange, edits: &[TextEdit]) -> String {
    let whole = edits
        .iter()
        .map(|edit| edit.range)
        .fold(range, TextRange::cover);
    let moved: Vec<TextEdit> = edits
        .iter()
        .map(|edit| TextEdit {
            range: TextRange::new(edit.range.start - whole.start, edit.range.end - whole.start),
            new_text: edit.new_text.clone(),
        })
        .collect();
    apply_edits(&text[whole], &moved).trim().to_owned()
}

/// A mark in the place of other statements that stand between those of `ranges`: what is shown of these must not seem to change
/// those. Where `edits` reach is left to them.
fn others_between(text: &str, ranges: &[TextRange], edits: &[TextEdit]) -> Vec<TextEdit> {
    let mut marks = Vec::new();
    for pair in ranges.windows(2) {
        let (before, behind) = (pair[0], pair[1]);
        let taken = edits.iter().map(|edit| edit.range);
        let start = taken
            .clone()
            .filter(|range| range.start < behind.start && range.end <= behind.start)
            .map(|range| range.end)
            .fold(before.end, usize::max);
        let end = taken
            .filter(|range| (start..behind.start).contains(&range.start))
            .map(|range| range.start)
            .fold(behind.start, usize::min);
        if start >= end {
            continue;
        }
        let between = TextRange::new(start, end);
        let is_code =
            |token: &Token| token.kind != TokenKind::Comment && &text[between][token.range] != ";";
        if !lex(&text[between]).any(|token| is_code(&token)) {
            continue;
        }
        let ends_line = if line_start(text, start) == start {
            ""
        } else {
            "\n"
        };
        let indent = &text[line_start(text, behind.start)..behind.start];
        let indent = if indent.trim().is_empty() { indent } else { "" };
        let rest = if line_start(text, end) == end {
            ""
        } else {
            indent
        };
        marks.push(TextEdit {
            range: between,
            new_text: format!("{ends_line}{indent}# …\n{rest}"),
        });
    }
    marks
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The statements that begin and end with these letters, after the text of `gone` is gone.
    fn of(text: &str, statements: &[&str], gone: &[&str]) -> String {
        let place = |part: &&str| {
            let start = text.find(part).unwrap();
            TextRange::new(start, start + part.len())
        };
        let ranges: Vec<TextRange> = statements.iter().map(place).collect();
        let edits = gone.iter().map(|part| TextEdit {
            range: place(part),
            new_text: String::new(),
        });
        shown(text, &ranges, &edits.collect::<Vec<_>>())
    }

    #[test]
    fn other_statements_become_a_mark_and_comments_stay() {
        let text = "{\n  a = 1\n  b = 2\n  c = a # why\n  # so\n  d = c; e = 3; f = d\n}\n";
        assert_eq!(of(text, &["a = 1", "c = a"], &[]), "a = 1\n  # …\n  c = a");
        assert_eq!(
            of(text, &["a = 1", "c = a"], &["  a = 1\n"]),
            "# …\n  c = a"
        );
        assert_eq!(
            of(text, &["c = a", "d = c"], &[]),
            "c = a # why\n  # so\n  d = c"
        );
        assert_eq!(of(text, &["d = c", "f = d"], &[]), "d = c\n# …\nf = d");
    }
}
