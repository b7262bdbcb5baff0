//! Whether a `#@` line that is no fact was meant as one. To SystemDS every such line is a comment, and people write
//! `#@TODO` in scripts that know nothing of facts: only what clearly begins as a fact is worth a warning.

use crate::lex::{Token, TokenKind, lex};

/// The words that facts begin with.
const KEYWORDS: [&str; 5] = ["off", "sketch", "allow", "allow-file", "assert"];

/// Words that people put in front of a colon in comments, and that name no matrix.
const MARKERS: [&str; 8] = [
    "TODO", "FIXME", "XXX", "NOTE", "HACK", "BUG", "Note", "Todo",
];

/// Decides for the text behind `#@`, which is no fact.
pub(crate) fn is_meant(text: &str) -> bool {
    let tokens: Vec<Token> = lex(text).collect();
    let word = |at: usize| tokens.get(at).map_or("", |token| &text[token.range]);
    let kind = |at: usize| tokens.get(at).map(|token| token.kind);
    match (kind(0), word(1)) {
        (Some(TokenKind::Argument), sign) => matches!(sign, "=" | "==" | ":"),
        (Some(TokenKind::Sign), "=") => word(0) == "$",
        (Some(TokenKind::Word), _) if MARKERS.contains(&word(0)) => false,
        (Some(TokenKind::Word), ":") => begins_sizes(text, &tokens[2..]),
        (Some(TokenKind::Word), "=" | "==") => is_number(text, &tokens[2..]),
        // The colon is missing: `X 10 x 20`.
        (Some(TokenKind::Word), _) if kind(1) == Some(TokenKind::Number) => {
            tokens.len() > 3 && begins_sizes(text, &tokens[1..])
        }
        (Some(TokenKind::Word), _) => is_keyword_line(text, &tokens),
        _ => false,
    }
}

/// `10 x 20`, `10 by n`, `n x`, `10, 20`, `10`, `?`: what stands there is a size, or two.
fn begins_sizes(text: &str, tokens: &[Token]) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| &text[token.range]);
    let is_size = |at: usize| match tokens.get(at).map(|token| token.kind) {
        Some(TokenKind::Number) => true,
        Some(TokenKind::Word) => word(at).len() <= 12,
        _ => word(at) == "?",
    };
    // `3x4` is a number and the word `x4`; `10x` is one, too.
    let is_times = |text: &str| {
        matches!(text, "x" | "X" | "×" | "by" | "*" | ",")
            || text
                .strip_prefix('x')
                .is_some_and(|rest| rest.is_empty() || rest.chars().all(|c| c.is_ascii_digit()))
    };
    let start = usize::from(matches!(word(0), "-" | "(" | "["));
    let is_number = tokens.get(start).map(|token| token.kind) == Some(TokenKind::Number);
    match word(start + 1) {
        "" => is_number || word(start) == "?",
        sign if is_times(sign) => {
            let other = word(start + 2);
            is_size(start)
                && (other.is_empty() || is_number || word(start) == "?" || is_size(start + 2))
                && (is_number || tokens.len() <= start + 6)
        }
        _ => is_number && tokens.get(start + 1).map(|token| token.kind) == Some(TokenKind::Number),
    }
}

/// A number and nothing behind it.
fn is_number(text: &str, tokens: &[Token]) -> bool {
    let start = usize::from(
        tokens
            .first()
            .is_some_and(|token| &text[token.range] == "-"),
    );
    tokens.len() == start + 1 && tokens[start].kind == TokenKind::Number
}

/// A line that begins with a word of facts, or nearly so, and goes on as such a fact does.
fn is_keyword_line(text: &str, tokens: &[Token]) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let rest = text.trim_start()[first.len()..].trim();
    let words = rest.split_whitespace().count();
    let near = KEYWORDS.iter().find(|word| is_near(first, word));
    match near.copied() {
        Some("off") => words <= 1,
        Some("sketch") => words <= 1 || rest.contains('{'),
        Some("allow" | "allow-file") => {
            words <= 1 || rest.contains(',') || rest.contains('-') || words == 2 && first == "allow"
        }
        Some("assert") => {
            let is_expression = tokens.iter().skip(1).any(|token| {
                let sign = &text[token.range];
                token.kind == TokenKind::Sign && !matches!(sign, "." | "," | ";" | ":" | "?" | "!")
            });
            rest.is_empty() || is_expression
        }
        _ => false,
    }
}

/// The same word but for one letter: changed, left out, added, or two that changed places.
fn is_near(found: &str, word: &str) -> bool {
    if found == word {
        return true;
    }
    let (a, b): (Vec<char>, Vec<char>) = (found.chars().collect(), word.chars().collect());
    let head = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[head..], &b[head..]);
    let tail = |x: usize, y: usize| a.get(x..).is_some_and(|x| b.get(y..) == Some(x));
    found.len() > 1
        && (tail(1, 1)
            || tail(1, 0)
            || tail(0, 1)
            || (a.len() > 1 && b.len() > 1 && a[0] == b[1] && a[1] == b[0] && tail(2, 2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_of_other_people_are_no_facts() {
        for line in [
            "TODO implement other cases",
            "TODO: 3 more cases",
            " follow the paper",
            " code",
            " rewrite this",
            "",
            " ",
            "param X the matrix",
            " X is 10 by 20",
            " note: see section 3",
            " date: 2015-03-01",
            " y = X %*% w",
            " alpha = 0.5 works best",
            " $X is the input",
            " off the charts, really",
            " sketch of the algorithm",
            " assert that x is positive",
            " allow X to be sparse",
            " author: someone",
            " ----",
            " é",
            " x: a, b, c and others too",
        ] {
            assert!(!is_meant(line), "{line}");
        }
    }

    #[test]
    fn facts_with_a_slip_are_meant() {
        for line in [
            " X: 100 by 20",
            " X: 10 20",
            " X: 10 x",
            " X: 3x4 cells",
            " X: n by m",
            " X: -1 x 5",
            " X: 10 x 20, sparsity 1.5",
            " X: 10 x 20 dense",
            " X 10 x 20",
            " n = 1.5",
            " n == 3",
            " $k = n",
            " $k == 3",
            " ofs",
            " of",
            " off now",
            " alow unused-value",
            " allow",
            " allow a b",
            " allow unused-value,",
            " asert a == b",
            " assert a + b",
            " assert a == ",
            " sketch s(X",
            " skecth s",
        ] {
            assert!(is_meant(line), "{line}");
        }
    }
}
