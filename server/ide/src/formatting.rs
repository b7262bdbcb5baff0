//! Formatting as edits: whole documents, the statements of a selection, and the line that is being typed.
//!
//! Edits change only blanks, newlines and semicolons, so cursors and marks stay where they are. They come from the
//! formatter; nothing is laid out here.

use sumac_syntax::Parse;
use sumac_syntax::format::{FormatError, FormatOptions, format_edits, line_indent};
use sumac_text::{TextEdit, TextRange};

/// The edits that format a document. Broken statements stay as they are.
///
/// # Errors
/// The formatter refuses the script.
pub fn format_document(
    parse: &Parse,
    options: &FormatOptions,
) -> Result<Vec<TextEdit>, FormatError> {
    format_edits(parse, None, options)
}

/// The edits that format the statements which a selection touches.
///
/// # Errors
/// The formatter refuses the script.
pub fn format_range(
    parse: &Parse,
    range: TextRange,
    options: &FormatOptions,
) -> Result<Vec<TextEdit>, FormatError> {
    format_edits(parse, Some(range), options)
}

/// What follows from typing a newline, or a `}` as the first sign of its line, before `offset`: the line starts
/// where the formatter would have it start.
#[must_use]
pub fn format_on_type(
    parse: &Parse,
    offset: usize,
    typed: &str,
    options: &FormatOptions,
) -> Vec<TextEdit> {
    let text: &str = parse.text();
    let Some(before) = text.get(..offset) else {
        return Vec::new();
    };
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    if typed == "}" && before[start..].trim_start() != "}" {
        return Vec::new();
    }
    let Some(levels) = line_indent(text, start) else {
        return Vec::new();
    };
    let old = &text[start..];
    let old = &old[..old.len() - old.trim_start_matches([' ', '\t']).len()];
    let new = " ".repeat(levels * options.indent_width);
    if old == new {
        return Vec::new();
    }
    vec![TextEdit {
        range: TextRange::new(start, start + old.len()),
        new_text: new,
    }]
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use sumac_syntax::parse;
    use sumac_text::apply_edits;

    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "`expect!` makes a value")]
    #[track_caller]
    fn check_document(text: &str, expected: Expect) {
        let edits = format_document(&parse(text), &FormatOptions::default()).unwrap();
        expected.assert_eq(&apply_edits(text, &edits));
    }

    /// Formats between the two `$0`.
    #[expect(clippy::needless_pass_by_value, reason = "`expect!` makes a value")]
    #[track_caller]
    fn check_range(fixture: &str, expected: Expect) {
        let start = fixture.find("$0").expect("a selection");
        let text = fixture.replacen("$0", "", 1);
        let end = text.find("$0").expect("the selection's end");
        let text = text.replacen("$0", "", 1);
        let range = TextRange::new(start, end);
        let edits = format_range(&parse(text.as_str()), range, &FormatOptions::default()).unwrap();
        expected.assert_eq(&apply_edits(&text, &edits));
    }

    /// Types the sign before `$0`.
    #[track_caller]
    fn check_typed(fixture: &str, expected: &str) {
        let offset = fixture.find("$0").expect("a cursor");
        let text = fixture.replacen("$0", "", 1);
        let typed = &text[offset - 1..offset];
        let edits = format_on_type(
            &parse(text.as_str()),
            offset,
            typed,
            &FormatOptions::default(),
        );
        assert_eq!(apply_edits(&text, &edits), expected);
    }

    #[test]
    fn edits_touch_only_what_changes() {
        let text = "x = 1\ny=f( x )\nz = 3\n";
        let edits = format_document(&parse(text), &FormatOptions::default()).unwrap();
        let ranges: Vec<_> = edits
            .iter()
            .map(|edit| (edit.range.start, edit.range.end))
            .collect();
        assert_eq!(ranges, [(7, 7), (8, 8), (10, 11), (12, 13)]);
    }

    #[test]
    fn a_broken_statement_stays_and_the_others_are_formatted() {
        check_document(
            "x=1\ny  = = 2\nif(x){z=3}\n",
            expect![[r#"
                x = 1
                y  = = 2
                if (x) {
                  z = 3
                }
            "#]],
        );
    }

    #[test]
    fn a_formatted_document_has_no_edits() {
        let edits = format_document(&parse("x = 1\n"), &FormatOptions::default()).unwrap();
        assert_eq!(edits, []);
    }

    #[test]
    fn a_selection_formats_the_statements_that_it_touches() {
        check_range(
            "a=1\nif(b){\n c=1;\n d$0=f( 2,\n3 );\n e$0=3\n}\nf=4\n",
            expect![[r#"
                a=1
                if(b){
                 c=1;
                  d = f(2, 3)
                  e = 3
                }
                f=4
            "#]],
        );
    }

    #[test]
    fn a_selection_over_a_brace_formats_the_whole_statement() {
        check_range(
            "a=1\nif(b){$0\n c=1;}$0\nf=4\n",
            expect![[r#"
                a=1
                if (b) {
                  c = 1
                }
                f=4
            "#]],
        );
    }

    #[test]
    fn a_new_line_is_indented_as_deep_as_its_block() {
        check_typed("while (a) {\n$0\n}", "while (a) {\n  \n}");
        check_typed("x = a +\n$0", "x = a +\n  ");
        check_typed("x = 1\n$0", "x = 1\n");
    }

    #[test]
    fn a_brace_that_closes_a_block_moves_back() {
        check_typed("while (a) {\n  b = 1\n  }$0\n", "while (a) {\n  b = 1\n}\n");
    }

    #[test]
    fn a_brace_behind_code_moves_nothing() {
        check_typed("   while (a) { b = 1 }$0\n", "   while (a) { b = 1 }\n");
    }
}
