//! The words of a sketch file. Any text has words: what begins none is a word of its own.

use sumac_text::TextRange;

/// Words that are no names.
pub const KEYWORDS: [&str; 9] = [
    "import", "def", "rule", "sketch", "guide", "goal", "using", "minimize", "within",
];

/// Signs, the longer ones first.
const SIGNS: [&str; 29] = [
    "%*%", "%/%", "%%", "<=", ">=", "==", "!=", "&&", "||", "^", "*", "/", "+", "-", "<", ">", "&",
    "|", "!", "=", "(", ")", "[", "]", "{", "}", ",", ":", "?",
];

/// What a word is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// A name.
    Name,
    /// One of [`KEYWORDS`].
    Keyword(&'static str),
    /// A number.
    Number(f64),
    /// Text in quotes.
    String,
    /// A sign.
    Sign(&'static str),
    /// What begins no word of the language.
    Unknown,
    /// Behind the last word.
    End,
}

/// A word and its place.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Its place.
    pub range: TextRange,
}

/// The words of a text, [`Kind::End`] last. Comments are none.
#[must_use]
pub fn lex(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if first == '#' {
            at = rest.find(['\n', '\r']).map_or(text.len(), |n| at + n);
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

/// The comments between the words of a text, each to the end of its line.
#[must_use]
pub fn comments(text: &str, words: &[Token]) -> Vec<TextRange> {
    let mut found = Vec::new();
    let mut from = 0;
    for word in words {
        while let Some(at) = text[from..word.range.start].find('#') {
            let start = from + at;
            let len = text[start..].find(['\n', '\r']);
            let end = len.map_or(text.len(), |len| start + len);
            found.push(TextRange::new(start, end));
            from = end;
        }
        from = word.range.end;
    }
    found
}

/// Whether a text is a name, and no word of the language.
#[must_use]
pub fn is_name(text: &str) -> bool {
    matches!(&*lex(text), [one, _] if one.kind == Kind::Name && one.range.end == text.len() && one.range.start == 0)
}

fn word(rest: &str, first: char) -> (Kind, usize) {
    if first.is_ascii_alphabetic() || first == '_' {
        let len = name(rest);
        let known = KEYWORDS.iter().find(|keyword| **keyword == &rest[..len]);
        return (
            known.map_or(Kind::Name, |keyword| Kind::Keyword(keyword)),
            len,
        );
    }
    if let Some((value, len)) = number(rest) {
        return (Kind::Number(value), len);
    }
    if first == '"' || first == '\'' {
        let inside = &rest[1..];
        let end = inside.find([first, '\n', '\r']);
        if let Some(end) = end.filter(|end| inside[*end..].starts_with(first)) {
            return (Kind::String, end + 2);
        }
        return (Kind::Unknown, 1);
    }
    match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        Some(sign) => (Kind::Sign(sign), sign.len()),
        None => (Kind::Unknown, first.len_utf8()),
    }
}

/// Length of the name that `rest` begins with. A dot joins two names, as in `as.scalar`.
fn name(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    let mut len = bytes.iter().take_while(|b| is_word(b)).count();
    while bytes.get(len) == Some(&b'.') && bytes.get(len + 1).is_some_and(u8::is_ascii_alphabetic) {
        len += 1 + bytes[len + 1..].iter().take_while(|b| is_word(b)).count();
    }
    len
}

/// The number that `rest` begins with, and its length.
fn number(rest: &str) -> Option<(f64, usize)> {
    let bytes = rest.as_bytes();
    let digits = |from: usize| {
        bytes[from..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count()
    };
    let whole = digits(0);
    let mut len = whole;
    if bytes.get(len) == Some(&b'.') {
        let part = digits(len + 1);
        if whole + part == 0 {
            return None;
        }
        len += 1 + part;
    }
    if len == 0 {
        return None;
    }
    if matches!(bytes.get(len), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(len + 1), Some(b'+' | b'-')));
        let power = bytes
            .get(len + 1 + sign)
            .map_or(0, |_| digits(len + 1 + sign));
        if power > 0 {
            len += 1 + sign + power;
        }
    }
    Some((rest[..len].parse().ok()?, len))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        lex(text).into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn words_are_told_apart() {
        use Kind::{End, Keyword, Name, Number, Sign, String, Unknown};
        assert_eq!(
            kinds("goal as.scalar %*% 1.5e3x\"a\" 2.@ # c"),
            [
                Keyword("goal"),
                Name,
                Sign("%*%"),
                Number(1500.0),
                Name,
                String,
                Number(2.0),
                Unknown,
                End
            ]
        );
    }

    #[test]
    fn comments_stand_between_words() {
        let text = "# a\n\"# no\" # b # c\n#";
        let found = comments(text, &lex(text));
        let shown: Vec<_> = found.iter().map(|range| &text[*range]).collect();
        assert_eq!(shown, ["# a", "# b # c", "#"]);
        assert!(is_name("as.scalar") && !is_name("goal") && !is_name("a b") && !is_name(""));
        assert!(!is_name(" a") && !is_name("1") && !is_name("a # b"));
    }

    #[test]
    fn odd_text_has_words_too() {
        for text in ["", ".", "\"open", "é", "1e", "a.", "%", ";;"] {
            let tokens = lex(text);
            assert_eq!(tokens.last().map(|t| t.kind), Some(Kind::End), "{text}");
            assert!(
                tokens
                    .windows(2)
                    .all(|w| w[0].range.end <= w[1].range.start)
            );
        }
    }
}
