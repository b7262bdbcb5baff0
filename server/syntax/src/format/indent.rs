//! How deep a line starts while it is being typed, when there is no whole tree yet: brackets are counted, and a line
//! that must go on is indented once more. Agrees with the formatter on finished code.

use crate::lex::{Token, TokenKind, lex};

/// Signs and words behind which an expression or a statement goes on in the next line.
const UNFINISHED: &[&str] = &[
    "+", "-", "*", "/", "^", "%*%", "%%", "%/%", "<", "<=", ">", ">=", "==", "!=", "&", "&&", "|",
    "||", "!", "=", "<-", "+=", "else", "in", "return", "function",
];

/// Words whose parentheses are followed by a statement.
const HEADS: &[&str] = &["if", "while", "for", "parfor"];

/// The levels of indentation of the line that starts at `line_start`, by what stands before it and by the closing
/// bracket that it may start with. `None` inside a string or a comment, which is its author's.
#[must_use]
pub fn line_indent(text: &str, line_start: usize) -> Option<usize> {
    let before = text.get(..line_start)?;
    let line = text[line_start..].split('\n').next().unwrap_or_default();
    let tokens: Vec<Token> = lex(before).collect();
    let is_open = |token: &Token| match token.kind {
        TokenKind::Str { closed } => !closed,
        TokenKind::Comment => {
            before[token.range].starts_with("/*") && !before[token.range].ends_with("*/")
        }
        _ => false,
    };
    if tokens.last().is_some_and(is_open) {
        return None;
    }
    let mut open: Vec<Open> = Vec::new();
    let mut last: Option<&str> = None;
    // Whether the last closing parenthesis was that of a condition or a loop.
    let mut head = false;
    for token in tokens
        .iter()
        .filter(|token| token.kind != TokenKind::Comment)
    {
        let word = &before[token.range];
        match token.kind {
            TokenKind::Open => {
                let line = before[..token.range.start].matches('\n').count();
                open.push(Open {
                    line,
                    is_brace: word == "{",
                    is_head: last.is_some_and(|last| HEADS.contains(&last)),
                });
            }
            TokenKind::Close => head = open.pop().is_some_and(|open| open.is_head),
            _ => {}
        }
        last = Some(word);
    }
    if line.trim_start().starts_with(['}', ')', ']']) {
        open.pop();
        return Some(levels(&open));
    }
    let opens_block = line.trim_start().starts_with('{');
    let inside_brackets = open.last().is_some_and(|open| !open.is_brace);
    let goes_on = last.is_some_and(|last| UNFINISHED.contains(&last) || (last == ")" && head));
    Some(levels(&open) + usize::from(goes_on && !inside_brackets && !opens_block))
}

/// An open bracket.
struct Open {
    line: usize,
    is_brace: bool,
    is_head: bool,
}

/// Brackets that open on one line indent once.
fn levels(open: &[Open]) -> usize {
    open.chunk_by(|a, b| a.line == b.line).count()
}

#[cfg(test)]
mod tests {
    use super::line_indent;

    /// The indentation of the line that `$0` stands on.
    #[track_caller]
    fn check(fixture: &str, expected: Option<usize>) {
        let at = fixture.find("$0").expect("a cursor");
        let text = fixture.replacen("$0", "", 1);
        let line = text[..at].rfind('\n').map_or(0, |at| at + 1);
        assert_eq!(line_indent(&text, line), expected, "{fixture}");
    }

    #[test]
    fn lines_in_a_block_are_indented_and_its_end_is_not() {
        check("while (a) {\n$0", Some(1));
        check("while (a) {\n  if (b) {\n$0x = 1", Some(2));
        check("while (a) {\n  x = 1\n  $0}", Some(0));
        check("x = 1\n$0", Some(0));
    }

    #[test]
    fn what_goes_on_is_indented_once() {
        check("x = a +\n$0b", Some(1));
        check("x =\n$0", Some(1));
        check("x = f(\n$0a,\nb)", Some(1));
        check("x = t(f(\n$0a))", Some(1));
        check("x = f(a +\n$0b)", Some(1));
        check("x = f(\n  a\n$0)", Some(0));
    }

    #[test]
    fn a_statement_without_braces_is_indented_and_the_next_one_is_not() {
        check("if (a)\n$0b = 1", Some(1));
        check("if (a)\n  b = 1\n$0", Some(0));
        check("if (a)\n$0{", Some(0));
        check("x = (a)\n$0", Some(0));
        check("if (a) {\n} else\n$0", Some(1));
    }

    #[test]
    fn strings_and_comments_are_their_authors() {
        check("/* a\n$0 b */", None);
        check("x = \"a\n$0", None);
        check("{ # (\n$0", Some(1));
    }
}
