//! The words of a text. Any text has words: what begins none is a word of its own.

use sumac_text::TextRange;

/// Signs, the longer ones first.
const SIGNS: [&str; 20] = [
    "=>", "->", "|>", ">>", "(", ")", "[", "]", "<", ">", ",", ":", "=", "+", "-", "*", "/", "{",
    "}", ".",
];

/// Words that are no names.
pub(super) const KEYWORDS: [&str; 9] = [
    "program", "fun", "let", "in", "set", "rule", "also", "where", "on",
];

/// What a word is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Kind {
    Name,
    Keyword,
    Number,
    Sign(&'static str),
    Comment,
    Unknown,
    End,
}

/// A word and its place.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) range: TextRange,
}

/// The words of a text, [`Kind::End`] last.
pub(super) fn lex(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (kind, len) = word(rest, first);
        tokens.push(Token {
            kind,
            range: TextRange::new(at, at + len),
        });
        at += len;
    }
    tokens.push(Token {
        kind: Kind::End,
        range: TextRange::new(text.len(), text.len()),
    });
    tokens
}

fn word(rest: &str, first: char) -> (Kind, usize) {
    let end = |fits: &dyn Fn(char) -> bool| rest.find(|c| !fits(c)).unwrap_or(rest.len());
    if first == '#' {
        return (Kind::Comment, rest.find(['\n', '\r']).unwrap_or(rest.len()));
    }
    if first.is_ascii_alphabetic() || first == '_' {
        let len = end(&|c| c.is_ascii_alphanumeric() || c == '_');
        let kind = if KEYWORDS.contains(&&rest[..len]) {
            Kind::Keyword
        } else {
            Kind::Name
        };
        return (kind, len);
    }
    if first.is_ascii_digit() {
        return (Kind::Number, number(rest));
    }
    match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        Some(sign) => (Kind::Sign(sign), sign.len()),
        None => (Kind::Unknown, first.len_utf8()),
    }
}

/// Digits, perhaps with a fraction, an exponent, and a type behind them.
fn number(rest: &str) -> usize {
    let digits = |from: usize| {
        let text = &rest[from..];
        from + text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len())
    };
    let mut end = digits(0);
    if rest[end..].starts_with('.') {
        end = digits(end + 1);
    }
    let exponent = rest[end..].strip_prefix(['e', 'E']);
    if let Some(behind) = exponent {
        let sign = usize::from(behind.starts_with(['+', '-']));
        let after = digits(end + 1 + sign);
        if after > end + 1 + sign {
            end = after;
        }
    }
    for suffix in ["f32", "f64"] {
        if rest[end..].starts_with(suffix) {
            return end + suffix.len();
        }
    }
    end
}
