//! A piece that is no statement: what would have to follow to make it one, or else the longest beginning that can
//! be made one. That beginning becomes the statement, and its end is where the error is.

use sumac_text::SyntaxError;

use super::{Recovery, lines};
use crate::ast::{Stmt, StmtKind};
use crate::lex::{Token, TokenKind};

/// The name that stands for whatever is missing; it lies behind the piece, so its text is never seen.
const HOLE: &str = " x";

/// What may complete a piece: before and behind the closing brackets, and what that means to the author.
struct Completion {
    before: &'static str,
    behind: &'static str,
    expected: Expected,
}

#[derive(Clone, Copy)]
enum Expected {
    /// Only closing brackets and quotes.
    Closing,
    /// An operand, an argument, a value.
    Expression,
    /// Something with a name of its own.
    Words(&'static str),
}

/// Tried in this order.
#[rustfmt::skip]
const COMPLETIONS: &[Completion] = &[
    Completion { before: "",        behind: "",          expected: Expected::Closing },
    Completion { before: HOLE,      behind: "",          expected: Expected::Expression },
    Completion { before: "",        behind: " {}",       expected: Expected::Words("`{` or a statement") },
    Completion { before: HOLE,      behind: " {}",       expected: Expected::Expression },
    Completion { before: " in x",   behind: " {}",       expected: Expected::Words("`in` and a range such as `1:n`") },
    Completion { before: " x in x", behind: " {}",       expected: Expected::Words("a variable, `in` and a range such as `1:n`") },
    Completion { before: " Double x", behind: " {}",     expected: Expected::Words("a parameter such as `Double x`") },
    Completion { before: "",        behind: " as x",     expected: Expected::Words("`as` and a name for the file's functions") },
    Completion { before: "",        behind: " x",        expected: Expected::Words("a name for the file's functions") },
    Completion { before: "\"\"",    behind: "",          expected: Expected::Words("a path in quotes") },
    Completion { before: "\"\"",    behind: " as x",     expected: Expected::Words("a path in quotes") },
    Completion { before: "",        behind: " = x",      expected: Expected::Words("`=` and a value, or `(`") },
    Completion { before: "",        behind: " = x()",    expected: Expected::Words("`=` and a call") },
    Completion { before: HOLE,      behind: " = x()",    expected: Expected::Words("a variable") },
    Completion { before: "",        behind: " x()",      expected: Expected::Words("a call") },
    Completion { before: "",        behind: "()",        expected: Expected::Words("`(`: several variables can only be assigned from a call") },
];

/// How many tokens at a piece's end are given up one by one.
const MAX_SHRINK: usize = 40;

impl Recovery<'_> {
    /// Reads lines `at..=last`, which together are no statement.
    pub(super) fn repair(&mut self, at: usize, last: usize, found: &mut Vec<Stmt>) {
        let tokens: Vec<Token> = self.lines[at..=last]
            .iter()
            .flat_map(|line| line.tokens.iter().copied())
            .collect();
        let Some((first, end)) = tokens
            .first()
            .zip(tokens.last())
            .map(|(a, b)| (a.range, b.range.end))
        else {
            return;
        };
        let open = lines::open_brackets(&tokens, self.text);
        self.open_braces += open
            .iter()
            .filter(|token| &self.text[token.range] == "{")
            .count();

        if self.indexed_value(&tokens, end, found) {
            return;
        }
        for len in (1..=tokens.len()).rev().take(MAX_SHRINK) {
            let (kept, rest) = tokens.split_at(len);
            let Some((statements, expected, read)) = self.complete(kept) else {
                continue;
            };
            found.extend(statements);
            // A brace that was given up is what was not expected.
            let (kept, unread) = tokens.split_at(read);
            self.report(kept, if read < len { unread } else { rest }, expected);
            if let Some(unexpected) = rest.first() {
                let range = self.range(unexpected.range.start, end);
                found.push(Stmt {
                    range,
                    kind: StmtKind::Error,
                    is_damaged: true,
                });
            }
            return;
        }
        let message = match &self.text[first] {
            "else" => "unexpected `else`: no `if` stands before it".to_owned(),
            word if lines::is_reserved(word) => {
                format!(
                    "unexpected `{word}`: a word of the language is no name; expected a statement"
                )
            }
            word => format!("unexpected {}: expected a statement", quoted(word)),
        };
        self.error(self.range(first.start, first.end), message);
        found.push(Stmt {
            range: self.range(first.start, end),
            kind: StmtKind::Error,
            is_damaged: true,
        });
    }

    /// Reads `y = t(X)[1, 2]` as far as the index, which only a variable can have.
    fn indexed_value(&mut self, tokens: &[Token], end: usize, found: &mut Vec<Stmt>) -> bool {
        let indexed = tokens.windows(2).position(|pair| {
            matches!(&self.text[pair[0].range], ")" | "]")
                && &self.text[pair[1].range] == "["
                && pair[0].range.end == pair[1].range.start
        });
        let Some(at) = indexed.map(|at| at + 1) else {
            return false;
        };
        let Some((statements, _, _)) = self.complete(&tokens[..at]) else {
            return false;
        };
        found.extend(statements);
        let rest = self.range(tokens[at].range.start, end);
        self.error(
            rest,
            "only a variable can be indexed: assign what stands before `[` to a variable first",
        );
        found.push(Stmt {
            range: rest,
            kind: StmtKind::Error,
            is_damaged: true,
        });
        true
    }

    /// The statements of the tokens' text with the first completion that makes it readable, and how many of the tokens it
    /// completes.
    fn complete(&mut self, tokens: &[Token]) -> Option<(Vec<Stmt>, Expected, usize)> {
        let (first, last) = (tokens.first()?, tokens.last()?);
        let (start, end) = (first.range.start, last.range.end);
        let all = tokens.len();
        let mut texts = vec![(
            self.text[start..end].to_owned(),
            closing(tokens, self.text),
            all,
        )];
        if &self.text[last.range] == "{" {
            // `if (x {`: the body is for the lines that follow.
            let before = &tokens[..tokens.len() - 1];
            texts.push((
                format!("{} ", &self.text[start..end - 1]),
                closing(before, self.text),
                all - 1,
            ));
        }
        // What needs no further complaint is what the author most likely means.
        for complaints in [false, true] {
            for (piece, (quote, brackets), read) in &texts {
                for Completion {
                    before,
                    behind,
                    expected,
                } in COMPLETIONS
                {
                    // A string is closed before anything else can follow.
                    let suffix = format!("{quote}{before}{brackets}{behind}");
                    let found_before = (self.findings.errors.len(), self.findings.broken.len());
                    let Some(statements) = self.read(piece, &suffix, start, end - start) else {
                        continue;
                    };
                    if complaints || self.findings.errors.len() == found_before.0 {
                        let is_open = *read < all && !brackets.is_empty();
                        let expected = match expected {
                            Expected::Words(_) if is_open => Expected::Closing,
                            expected => *expected,
                        };
                        return Some((statements, expected, *read));
                    }
                    self.findings.errors.truncate(found_before.0);
                    self.findings.broken.truncate(found_before.1);
                }
            }
        }
        None
    }

    /// Reports what is wrong behind `kept`.
    fn report(&mut self, kept: &[Token], rest: &[Token], expected: Expected) {
        let Some(last) = kept.last() else { return };
        let open = lines::open_brackets(kept, self.text);
        let innermost = open
            .iter()
            .rev()
            .find(|token| &self.text[token.range] != "{");
        let after = quoted(&self.text[last.range]);
        let mut opened = None;
        let wanted = match (expected, innermost) {
            _ if matches!(last.kind, TokenKind::Str { closed: false }) => {
                let quote = &self.text[last.range][..1];
                let range = self.range(last.range.start, last.range.end);
                self.error(
                    range,
                    format!(
                        "this string is never closed: expected `{quote}` before the end of the line"
                    ),
                );
                return;
            }
            (Expected::Words(words), _) => format!("expected {words} after {after}"),
            (Expected::Expression, _) => format!("expected an expression after {after}"),
            (Expected::Closing, Some(bracket)) => {
                let sign = &self.text[bracket.range];
                opened = Some(self.base + bracket.range.start);
                let what = self.what_opens(kept, *bracket);
                format!("expected `{}` to close the {what}", lines::closer(sign))
            }
            (Expected::Closing, None) if rest.is_empty() => {
                "this could not be read together with what surrounds it".to_owned()
            }
            (Expected::Closing, None) => {
                format!("expected an operator or the next statement after {after}")
            }
        };
        let (at, message) = match rest.first() {
            Some(unexpected) => {
                let word = quoted(&self.text[unexpected.range]);
                (unexpected.range, format!("unexpected {word}: {wanted}"))
            }
            None => (last.range, wanted),
        };
        let mut error = SyntaxError::new(self.range(at.start, at.end), message);
        error.opened = opened;
        self.findings.errors.push(error);
    }

    fn what_opens(&self, tokens: &[Token], bracket: Token) -> &'static str {
        let before = tokens.iter().take_while(|token| **token != bracket).last();
        let behind_name = before.is_some_and(|token| {
            token.kind == TokenKind::Word
                && !matches!(
                    &self.text[token.range],
                    "if" | "while" | "for" | "parfor" | "in"
                )
        });
        match (&self.text[bracket.range], behind_name) {
            ("(", true) => "call",
            ("(", false) => "parenthesis",
            (_, true) => "index",
            (_, false) => "list",
        }
    }
}

/// The quote and the brackets that close what the tokens leave open.
fn closing(tokens: &[Token], text: &str) -> (String, String) {
    let quote = match tokens.last() {
        Some(Token {
            kind: TokenKind::Str { closed: false },
            range,
        }) => text[*range][..1].to_owned(),
        _ => String::new(),
    };
    let open = lines::open_brackets(tokens, text);
    (
        quote,
        open.iter()
            .rev()
            .map(|token| lines::closer(&text[token.range]))
            .collect(),
    )
}

/// A word in backquotes, shortened and on one line.
fn quoted(word: &str) -> String {
    const LONGEST: usize = 24;
    let shown: String = word
        .chars()
        .take(LONGEST)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();
    let dots = if word.chars().count() > LONGEST {
        "…"
    } else {
        ""
    };
    format!("`{shown}{dots}`")
}
