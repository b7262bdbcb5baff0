//! A rough scanner that never fails: brackets, strings, comments and words with their places. The recovery from
//! errors and the reader of `#@` lines need tokens where there is no tree; what a script means is never decided here.

use sumac_text::TextRange;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A name, dots included, or a keyword.
    Word,
    /// `$name`, `$1`.
    Argument,
    /// A number.
    Number,
    /// A string with its quotes; not closed if the line ends first.
    Str {
        /// Whether the closing quote is there.
        closed: bool,
    },
    /// `( [ {`
    Open,
    /// `) ] }`
    Close,
    /// `#…`, `#@…`, `/*…*/`; a block comment may be unclosed.
    Comment,
    /// Any other sign, the longest that DML has.
    Sign,
}

/// A token with its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its place.
    pub range: TextRange,
}

/// Signs of more than one character, longest first.
const LONG_SIGNS: &[&str] = &[
    "%*%", "%/%", "%%", "<-", "<=", ">=", "==", "!=", "+=", "&&", "||", "::",
];

/// All tokens of `text`. A string ends with its line at the latest: that is what an author of a half-typed one means.
pub fn lex(text: &str) -> impl Iterator<Item = Token> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = &text[at..];
            let first = rest.chars().next()?;
            if first.is_whitespace() {
                at += first.len_utf8();
                continue;
            }
            let (kind, len) = token(rest, first);
            let range = TextRange::new(at, at + len);
            at += len;
            return Some(Token { kind, range });
        }
    })
}

/// Length of the sign at the start of `rest` that belongs to no token and that the language passes over; 0 if there
/// is none.
pub(crate) fn skipped_len(rest: &str) -> usize {
    let mut chars = rest.chars();
    let (first, second) = (chars.next(), chars.next());
    let plain = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    match first {
        Some('$') if second == Some('$') => 2,
        Some('$') if plain(second) => 0,
        Some('.') if second.is_some_and(|c| c.is_ascii_digit()) => 0,
        Some(c) if matches!(c, '$' | '.' | '@' | '~' | '`' | '?' | '\\') || !c.is_ascii() => {
            c.len_utf8()
        }
        _ => 0,
    }
}

/// Length of the word or number at the start of `rest`.
pub(crate) fn word_or_number_len(rest: &str) -> usize {
    if rest.starts_with(|c: char| c.is_ascii_digit()) {
        number_len(rest)
    } else {
        dotted_len(rest)
    }
}

fn token(rest: &str, first: char) -> (TokenKind, usize) {
    match first {
        '#' => (
            TokenKind::Comment,
            rest.find('\n')
                .map_or(rest.len(), |end| rest[..end].trim_end_matches('\r').len()),
        ),
        '/' if rest.starts_with("/*") => (
            TokenKind::Comment,
            rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
        ),
        '"' | '\'' => string(rest, first),
        '(' | '[' | '{' => (TokenKind::Open, 1),
        ')' | ']' | '}' => (TokenKind::Close, 1),
        '$' => (TokenKind::Argument, 1 + word_len(&rest[1..])),
        '0'..='9' => (TokenKind::Number, number_len(rest)),
        '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => {
            (TokenKind::Number, number_len(rest))
        }
        c if c.is_ascii_alphabetic() => (TokenKind::Word, dotted_len(rest)),
        _ => {
            let long = LONG_SIGNS.iter().find(|sign| rest.starts_with(**sign));
            (
                TokenKind::Sign,
                long.map_or(first.len_utf8(), |sign| sign.len()),
            )
        }
    }
}

fn string(rest: &str, quote: char) -> (TokenKind, usize) {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => {
                return (
                    TokenKind::Str { closed: false },
                    rest[..at].trim_end_matches('\r').len(),
                );
            }
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return (TokenKind::Str { closed: true }, at + 1),
            _ => {}
        }
    }
    (TokenKind::Str { closed: false }, rest.len())
}

fn word_len(rest: &str) -> usize {
    rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(rest.len())
}

fn dotted_len(rest: &str) -> usize {
    let mut len = word_len(rest);
    while rest[len..].starts_with('.')
        && rest[len + 1..].starts_with(|c: char| c.is_ascii_alphabetic())
    {
        len += 1 + word_len(&rest[len + 1..]);
    }
    len
}

fn number_len(rest: &str) -> usize {
    let digits = |from: usize| {
        rest[from..]
            .find(|c: char| !c.is_ascii_digit())
            .map_or(rest.len(), |len| from + len)
    };
    let mut len = digits(0);
    if rest[len..].starts_with('.') {
        len = digits(len + 1);
    }
    if rest[len..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[len + 1..].starts_with(['+', '-']));
        let end = digits(len + 1 + sign);
        if end > len + 1 + sign {
            len = end;
        }
    }
    len + usize::from(rest[len..].starts_with(['l', 'L']))
}

/// The words of a text that could be names, whatever else it holds.
pub fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|c: char| !is_of_word(c))
        .filter(|word| word.starts_with(char::is_alphabetic))
}

/// Whether a character may stand in a name.
pub(crate) fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<&str> {
        lex(text).map(|token| &text[token.range]).collect()
    }

    #[test]
    fn signs_are_the_longest_that_fit() {
        assert_eq!(
            tokens("a<-b%*%c%/%1e-6L+=.5 as.scalar(X)"),
            [
                "a",
                "<-",
                "b",
                "%*%",
                "c",
                "%/%",
                "1e-6L",
                "+=",
                ".5",
                "as.scalar",
                "(",
                "X",
                ")"
            ]
        );
    }

    #[test]
    fn a_string_ends_with_its_line() {
        let text = "p('a\\'b\r\nc') # d";
        assert_eq!(tokens(text), ["p", "(", "'a\\'b", "c", "') # d"]);
    }

    #[test]
    fn every_character_that_is_no_space_is_in_a_token() {
        let text = "é\u{0}∑ \"x /* ü";
        let inside: usize = lex(text).map(|token| token.range.len()).sum();
        assert_eq!(inside, text.len() - 1);
    }
}
