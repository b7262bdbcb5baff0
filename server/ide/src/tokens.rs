//! The tokens around a cursor: what is being typed has no tree yet, so features that help while typing look at tokens.
//!
//! Never decides what a script means; and never fails, for half-typed text is the normal case here.

use sumac_syntax::Parse;
use sumac_syntax::ast::ExprKind;
use sumac_syntax::lex::{Token, TokenKind, lex};
use sumac_syntax::walk::{Node, walk};
use sumac_text::TextRange;

/// A cursor with the tokens before and behind it.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    /// All tokens but comments.
    tokens: Vec<Token>,
    /// How many of them end before the word at the cursor.
    before: usize,
    /// The word at the cursor, dots and a dollar sign included; empty where there is none.
    pub(crate) word: TextRange,
    /// What the cursor stands inside of.
    pub(crate) inside: Inside,
    /// Where it stands.
    pub(crate) offset: usize,
}

/// What a cursor can stand inside of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Inside {
    /// Code.
    Code,
    /// A number.
    Number,
    /// A comment.
    Comment,
    /// A `#@` line, which begins there.
    Fact(TextRange),
    /// A text in quotes: what stands between them.
    Text(TextRange),
}

/// A call whose parenthesis is open at the cursor.
#[derive(Debug)]
pub(crate) struct OpenCall<'a> {
    /// `ns` in `ns::f(`.
    pub(crate) namespace: Option<&'a str>,
    /// The function's name.
    pub(crate) name: &'a str,
    /// The arguments in order, also those behind the cursor.
    pub(crate) args: Vec<OpenArg<'a>>,
    /// Which of them the cursor stands in.
    pub(crate) active: usize,
    /// The place of the opening parenthesis among the tokens.
    open: usize,
}

/// An argument of an open call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OpenArg<'a> {
    /// `k` in `k = …`.
    pub(crate) name: Option<&'a str>,
    /// Whether anything but the name is there.
    pub(crate) is_empty: bool,
}

/// Words that open a parenthesis without being called.
pub(crate) const HEADS: &[&str] = &[
    "externalFunction",
    "for",
    "function",
    "if",
    "implemented",
    "parfor",
    "return",
    "setwd",
    "source",
    "while",
];

impl<'a> Cursor<'a> {
    /// The cursor at `offset`.
    pub(crate) fn new(parse: &'a Parse, offset: usize) -> Self {
        let text: &str = parse.text();
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let all = tokens(parse);
        let word = word_at(text, offset);
        let inside = inside(text, &all, offset);
        let word = match inside {
            Inside::Code => word,
            _ => TextRange::new(offset, offset),
        };
        let tokens: Vec<Token> = all
            .into_iter()
            .filter(|token| token.kind != TokenKind::Comment)
            .collect();
        let before = match inside {
            Inside::Text(content) => tokens.partition_point(|t| t.range.end < content.start),
            _ => tokens.partition_point(|t| t.range.end <= word.start),
        };
        Cursor {
            text,
            tokens,
            before,
            word,
            inside,
            offset,
        }
    }

    /// Whether the word at the cursor is a `$` argument.
    pub(crate) fn starts_with_dollar(&self) -> bool {
        self.text[self.word].starts_with('$')
    }

    /// The text of the token that stands `back` tokens before the word; 1 is the last one.
    pub(crate) fn back(&self, back: usize) -> Option<&'a str> {
        let at = self.before.checked_sub(back)?;
        self.token_text(at)
    }

    /// What the token `back` tokens before the word is.
    pub(crate) fn kind_back(&self, back: usize) -> Option<TokenKind> {
        let at = self.before.checked_sub(back)?;
        Some(self.tokens.get(at)?.kind)
    }

    /// Whether the word stands in another line than the token before it.
    pub(crate) fn begins_line(&self) -> bool {
        let start = self
            .before
            .checked_sub(1)
            .map_or(0, |at| self.tokens[at].range.end);
        self.text[start..self.word.start.max(start)].contains('\n')
    }

    /// The text behind the word, from the first character that is no space in its line.
    pub(crate) fn behind(&self) -> &'a str {
        self.text[self.word.end..].trim_start_matches([' ', '\t'])
    }

    /// The word in front of the parenthesis that closes right before the cursor: `if` in `if (x > 0) …`.
    pub(crate) fn closed_head(&self) -> Option<&'a str> {
        let close = self.before.checked_sub(1)?;
        if self.token_text(close)? != ")" {
            return None;
        }
        let mut depth = 0;
        for at in (0..=close).rev() {
            match self.tokens[at].kind {
                TokenKind::Close => depth += 1,
                TokenKind::Open => {
                    depth -= 1;
                    if depth == 0 {
                        return self.token_text(at.checked_sub(1)?);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The bracket that is open at the cursor, and the word in front of it.
    pub(crate) fn bracket(&self) -> Option<(&'a str, Option<&'a str>)> {
        let open = self.opening(self.before)?;
        let is_word = |at: &usize| self.tokens[*at].kind == TokenKind::Word;
        let word = open.checked_sub(1).filter(is_word);
        Some((
            self.token_text(open)?,
            word.and_then(|at| self.token_text(at)),
        ))
    }

    /// The call whose own parenthesis is the innermost open bracket.
    pub(crate) fn call(&self) -> Option<OpenCall<'a>> {
        self.call_from(self.opening(self.before)?)
    }

    /// The innermost call around the cursor; other brackets are looked through.
    pub(crate) fn enclosing_call(&self) -> Option<OpenCall<'a>> {
        let mut open = self.opening(self.before)?;
        loop {
            if let Some(call) = self.call_from(open) {
                return Some(call);
            }
            open = self.opening(open)?;
        }
    }

    fn call_from(&self, open: usize) -> Option<OpenCall<'a>> {
        let at = open.checked_sub(1)?;
        let name = self.token_text(at)?;
        let is_call = self.token_text(open)? == "("
            && self.tokens[at].kind == TokenKind::Word
            && !HEADS.contains(&name);
        if !is_call {
            return None;
        }
        let namespace = match at.checked_sub(1).and_then(|at| self.token_text(at)) {
            Some("::") => at.checked_sub(2).and_then(|at| self.token_text(at)),
            _ => None,
        };
        let (args, active) = self.arguments(open);
        Some(OpenCall {
            namespace,
            name,
            args,
            active,
            open,
        })
    }

    /// Whether the word at the cursor begins an argument of `call`.
    pub(crate) fn begins_argument(&self, call: &OpenCall<'_>) -> bool {
        self.before == call.open + 1 || self.back(1) == Some(",")
    }

    /// The arguments behind the token `open`, and which of them the cursor stands in.
    fn arguments(&self, open: usize) -> (Vec<OpenArg<'a>>, usize) {
        let mut args = Vec::new();
        let mut active = 0;
        let mut first = open + 1;
        let mut depth = 0_usize;
        for at in open + 1..=self.tokens.len() {
            let text = self.token_text(at);
            let is_end = match text {
                None | Some("{" | "}" | ";") => true,
                Some("(" | "[") => {
                    depth += 1;
                    false
                }
                Some(")" | "]") if depth == 0 => true,
                Some(")" | "]") => {
                    depth -= 1;
                    false
                }
                // Behind the cursor a new statement ends a call that is still open.
                _ => at > self.before && depth == 0 && self.begins_statement(at),
            };
            if is_end || (depth == 0 && text == Some(",")) {
                args.push(self.argument(first, at));
                if at < self.before {
                    active = args.len();
                }
                first = at + 1;
            }
            if is_end {
                break;
            }
        }
        (args, active)
    }

    fn argument(&self, first: usize, end: usize) -> OpenArg<'a> {
        let is_named = end > first + 1 && self.token_text(first + 1) == Some("=");
        let name = self.token_text(first).filter(|_| is_named);
        OpenArg {
            name,
            is_empty: end <= first + if is_named { 2 } else { 0 },
        }
    }

    /// The innermost bracket that is open before the token `end`. What looks like the start of another statement,
    /// and a brace, end the search: an author of a half-typed line means that line.
    fn opening(&self, end: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in (0..end).rev() {
            match self.token_text(at)? {
                "{" | "}" | ";" if depth == 0 => return None,
                ")" | "]" | "}" => depth += 1,
                "(" | "[" if depth == 0 => return Some(at),
                "(" | "[" | "{" => depth -= 1,
                _ if depth == 0 && self.begins_statement(at) => return None,
                _ => {}
            }
        }
        None
    }

    /// Whether the token is the first of a line and begins what can only be a statement.
    fn begins_statement(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at).filter(|t| t.kind == TokenKind::Word) else {
            return false;
        };
        let before = at.checked_sub(1);
        let gap = before.map_or(0, |at| self.tokens[at].range.end);
        let is_first = at == 0 || self.text[gap..token.range.start].contains('\n');
        if !is_first {
            return false;
        }
        let continues = before.is_some_and(|at| matches!(self.token_text(at), Some("," | "(")));
        match self.token_text(at + 1) {
            Some("<-" | "+=") => true,
            Some("=") => !continues,
            Some("(") => {
                ["for", "if", "parfor", "source", "while"].contains(&&self.text[token.range])
            }
            _ => false,
        }
    }

    fn token_text(&self, at: usize) -> Option<&'a str> {
        Some(&self.text[self.tokens.get(at)?.range])
    }
}

/// The tokens of a script, comments included. A text in quotes that runs over several lines is one token where the
/// tree has it so.
fn tokens(parse: &Parse) -> Vec<Token> {
    let text: &str = parse.text();
    let mut out = Vec::new();
    let mut done = 0;
    let mut push = |from: usize, to: usize| {
        for token in lex(&text[from..to]) {
            out.push(Token {
                range: TextRange::new(from + token.range.start, from + token.range.end),
                ..token
            });
        }
        out.len()
    };
    let mut long = Vec::new();
    walk(parse.program(), &mut |node| {
        if let Node::Expr(expr) = node
            && matches!(expr.kind, ExprKind::Str(_))
            && text[expr.range].contains('\n')
        {
            long.push(expr.range);
        }
    });
    let mut places = Vec::new();
    for range in long {
        if range.start >= done {
            places.push((push(done, range.start), range));
            done = range.end;
        }
    }
    push(done, text.len());
    // From the last to the first, so that the places still to come stay true.
    for (place, range) in places.into_iter().rev() {
        let kind = TokenKind::Str { closed: true };
        out.insert(place, Token { kind, range });
    }
    out
}

fn inside(text: &str, tokens: &[Token], offset: usize) -> Inside {
    let at = tokens.partition_point(|token| token.range.start < offset);
    let Some(token) = at.checked_sub(1).map(|at| tokens[at]) else {
        return Inside::Code;
    };
    let range = token.range;
    let own = &text[range];
    match token.kind {
        TokenKind::Comment => {
            let is_closed = own.starts_with("/*") && own.len() >= 4 && own.ends_with("*/");
            let end = if own.starts_with('#') {
                // Spaces behind the last word belong to the line's comment.
                offset.min(range.end + trailing_space(&text[range.end..]))
            } else {
                range.end
            };
            if offset > end || (is_closed && offset == end) {
                Inside::Code
            } else if own.starts_with("#@") {
                Inside::Fact(range)
            } else {
                Inside::Comment
            }
        }
        TokenKind::Str { closed } if offset < range.end || (!closed && offset == range.end) => {
            let end = range.end - usize::from(closed);
            Inside::Text(TextRange::new(range.start + 1, end))
        }
        TokenKind::Number if offset <= range.end => Inside::Number,
        _ => Inside::Code,
    }
}

fn trailing_space(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

/// The word at `offset`, dots and a dollar sign included.
fn word_at(text: &str, offset: usize) -> TextRange {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let head = text[..offset].trim_end_matches(is_part);
    let tail = text[offset..].trim_start_matches(is_part);
    let mut start = head.len();
    let end = text.len() - tail.len();
    if head.ends_with('$') {
        start -= 1;
    } else {
        // A name begins with a letter.
        let word = &text[start..end];
        let name = word.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
        start = (end - name.len()).min(offset);
        if start == offset && !text[start..end].starts_with(|c: char| c.is_ascii_alphabetic()) {
            return TextRange::new(offset, offset);
        }
    }
    TextRange::new(start, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_cursor<T>(fixture: &str, look: impl FnOnce(&Cursor<'_>) -> T) -> T {
        let offset = fixture.find("$0").expect("the fixture has a cursor");
        let text = fixture.replacen("$0", "", 1);
        let parse = sumac_syntax::parse(text.as_str());
        look(&Cursor::new(&parse, offset))
    }

    #[track_caller]
    fn check_call(fixture: &str, expected: Option<(&str, usize, usize)>) {
        with_cursor(fixture, |cursor| {
            let call = cursor.enclosing_call();
            let shown = call.as_ref().map(|c| (c.name, c.active, c.args.len()));
            assert_eq!(shown, expected, "{fixture}");
        });
    }

    #[test]
    fn the_call_around_a_cursor_is_found_in_half_typed_text() {
        check_call("Y = sum(X, $0", Some(("sum", 1, 2)));
        check_call("Y = sum($0", Some(("sum", 0, 1)));
        check_call("Y = rand(rows=1,\n  cols=$0\nz = 1", Some(("rand", 1, 2)));
        check_call("Y = f(g(a, b), (X + $0), c)", Some(("f", 1, 3)));
        check_call("Y = f(X[1, $0], c)", Some(("f", 0, 2)));
        check_call("Y = f(g(a, $0b), c)", Some(("g", 1, 2)));
    }

    #[test]
    fn another_statement_is_no_argument() {
        check_call("Y = sum(X\nZ = $0", None);
        check_call("if (sum($0", Some(("sum", 0, 1)));
        check_call("if ($0", None);
        check_call("x = f(1); y = $0", None);
        check_call("f = function(Double a) return (Double b) { $0 }", None);
        check_call("x = sum(X) $0", None);
        check_call("x = f(a,\nfor (i in $0", None);
    }

    #[test]
    fn words_have_their_dots_and_dollar_signs() {
        let word = |fixture: &str| with_cursor(fixture, |c| c.text[c.word].to_owned());
        assert_eq!(word("x = as.sc$0"), "as.sc");
        assert_eq!(word("x = as.$0"), "as.");
        assert_eq!(word("x = as.sc$0alar(y)"), "as.scalar");
        assert_eq!(word("x = $0abc"), "abc");
        assert_eq!(word("x = $ra$0"), "$ra");
        assert_eq!(word("x = $$0"), "$");
        assert_eq!(word("x = a + $0"), "");
        assert_eq!(word("x = .$0"), "");
        assert_eq!(word("x = 1:n$0"), "n");
    }

    #[test]
    fn a_cursor_knows_what_it_stands_inside_of() {
        let inside = |fixture: &str| {
            with_cursor(fixture, |c| match c.inside {
                Inside::Fact(_) => "fact".to_owned(),
                Inside::Text(content) => format!("text {}", &c.text[content]),
                other => format!("{other:?}"),
            })
        };
        assert_eq!(inside("# a$0"), "Comment");
        assert_eq!(inside("# a $0\nx = 1"), "Comment");
        assert_eq!(inside("/* a $0 */"), "Comment");
        assert_eq!(inside("/* a */$0"), "Code");
        assert_eq!(inside("#@ X: $0\n"), "fact");
        assert_eq!(inside("x = \"a$0b\""), "text ab");
        assert_eq!(inside("x = \"ab$0\ny = 1"), "text ab");
        assert_eq!(inside("x = \"\"$0"), "Code");
        assert_eq!(inside("x = \"a\n $0 b\" + 1"), "text a\n  b");
        assert_eq!(inside("x = 1.5$0"), "Number");
        assert_eq!(inside("$0# a"), "Code");
        assert_eq!(inside("# a\n$0"), "Code");
    }

    #[test]
    fn named_arguments_are_seen_on_both_sides() {
        with_cursor("X = rand(rows=3, $0, cols=2, )", |cursor| {
            let call = cursor.call().expect("a call");
            let names: Vec<_> = call
                .args
                .iter()
                .map(|arg| (arg.name, arg.is_empty))
                .collect();
            let expected = [
                (Some("rows"), false),
                (None, true),
                (Some("cols"), false),
                (None, true),
            ];
            assert_eq!(names, expected);
            assert_eq!(call.active, 1);
            assert!(cursor.begins_argument(&call));
        });
    }
}
