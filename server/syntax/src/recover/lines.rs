//! Lines of tokens and guesses about where statements start and end. Nothing is parsed here.

use sumac_text::TextRange;

use crate::lex::{Token, TokenKind, lex};

/// A line that has a token; comments are left out.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) tokens: Vec<Token>,
}

impl Line {
    /// First byte of the first token.
    pub(crate) fn start(&self) -> usize {
        self.tokens.first().map_or(0, |token| token.range.start)
    }

    /// The line in a text that has `by` bytes more in front.
    pub(crate) fn moved(mut self, by: usize) -> Line {
        for token in &mut self.tokens {
            token.range = TextRange::new(token.range.start + by, token.range.end + by);
        }
        self
    }

    /// Behind the last token.
    pub(crate) fn end(&self) -> usize {
        self.tokens.last().map_or(0, |token| token.range.end)
    }
}

/// Words that start a statement.
const STARTERS: &[&str] = &["if", "while", "for", "parfor", "source", "setwd"];

/// Words that cannot start one, besides being followed by what a name would be.
pub(crate) const INNER_WORDS: &[&str] = &[
    "else",
    "in",
    "as",
    "return",
    "implemented",
    "function",
    "externalFunction",
    "TRUE",
    "FALSE",
];

/// The words that the language keeps for itself and that start no statement.
const RESERVED: &[&str] = &[
    "ifdef", "int", "integer", "string", "boolean", "double", "unknown",
];

/// How many lines are searched for a closing bracket.
const FARTHEST: usize = 5000;

/// Whether a word can be no name.
pub(crate) fn is_reserved(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    INNER_WORDS.contains(&word)
        || RESERVED.contains(&word)
        || (word != lower && RESERVED[1..].contains(&&*lower))
}

/// The lines of a text that have tokens.
pub(crate) fn split(text: &str) -> Vec<Line> {
    each(text).collect()
}

/// The lines of a text that have tokens, one after the other.
pub(crate) fn each(text: &str) -> impl Iterator<Item = Line> {
    let mut tokens = lex(text).peekable();
    let mut last_end = 0;
    std::iter::from_fn(move || {
        let mut line = Line { tokens: Vec::new() };
        while let Some(token) = tokens.peek() {
            let new_line = text[last_end..token.range.start].contains('\n');
            // A comment over several lines ends a line just as a newline does.
            let breaks = token.kind == TokenKind::Comment && text[token.range].contains('\n');
            if new_line && !line.tokens.is_empty() {
                break;
            }
            last_end = token.range.end;
            if token.kind != TokenKind::Comment {
                line.tokens.push(*token);
            }
            tokens.next();
            if breaks && !line.tokens.is_empty() {
                break;
            }
        }
        (!line.tokens.is_empty()).then_some(line)
    })
}

/// The brackets that are open behind `tokens`, outermost first. A closing brace closes whatever was forgotten
/// inside; other closing signs that fit nothing are passed over.
pub(crate) fn open_brackets<'t>(
    tokens: impl IntoIterator<Item = &'t Token>,
    text: &str,
) -> Vec<Token> {
    let mut open = Vec::new();
    for token in tokens {
        step(&mut open, *token, text);
    }
    open
}

fn step(open: &mut Vec<Token>, token: Token, text: &str) {
    match token.kind {
        TokenKind::Open => open.push(token),
        TokenKind::Close => {
            let wanted = opener(&text[token.range]);
            let fits = open.iter().rposition(|open| &text[open.range] == wanted);
            let Some(fits) = fits else { return };
            let crosses_block = open[fits + 1..].iter().any(|open| &text[open.range] == "{");
            if wanted == "{" || !crosses_block {
                open.truncate(fits);
            }
        }
        _ => {}
    }
}

fn opener(closer: &str) -> &'static str {
    match closer {
        ")" => "(",
        "]" => "[",
        _ => "{",
    }
}

/// The sign that closes a bracket.
pub(crate) fn closer(opener: &str) -> char {
    match opener {
        "(" => ')',
        "[" => ']',
        _ => '}',
    }
}

/// The last line of the piece that starts at line `at`, if its brackets close.
pub(crate) fn balanced_end(lines: &[Line], at: usize, text: &str) -> Option<usize> {
    let mut open = Vec::new();
    for (here, line) in lines.iter().enumerate().skip(at).take(FARTHEST) {
        for token in &line.tokens {
            step(&mut open, *token, text);
        }
        if !open.is_empty() {
            continue;
        }
        let goes_on = lines.get(here + 1).is_some_and(|next| {
            continues(next, text) || (ends_in_a_sign(line, text) && !starts_statement(next, text))
        });
        if !goes_on {
            return Some(here);
        }
    }
    None
}

/// The last line of the piece that starts at line `at` and cannot be read as it is: up to the next line that looks
/// like a statement.
pub(crate) fn broken_end(lines: &[Line], at: usize, text: &str) -> usize {
    let next = lines[at + 1..]
        .iter()
        .position(|line| starts_statement(line, text) || starts_with(line, text, "}"));
    next.map_or(lines.len() - 1, |next| at + next)
}

fn starts_with(line: &Line, text: &str, sign: &str) -> bool {
    line.tokens
        .first()
        .is_some_and(|token| &text[token.range] == sign)
}

/// Whether a line can only go on with what the line before began.
fn continues(line: &Line, text: &str) -> bool {
    let Some(first) = line.tokens.first() else {
        return false;
    };
    let word = &text[first.range];
    match first.kind {
        TokenKind::Sign => word != ";",
        TokenKind::Close => word != "}",
        TokenKind::Open => word != "[" || !starts_statement(line, text),
        TokenKind::Word => INNER_WORDS.contains(&word),
        TokenKind::Number | TokenKind::Str { .. } | TokenKind::Argument => true,
        TokenKind::Comment => false,
    }
}

fn ends_in_a_sign(line: &Line, text: &str) -> bool {
    line.tokens
        .last()
        .is_some_and(|token| token.kind == TokenKind::Sign && &text[token.range] != ";")
}

/// Whether a line defines a function.
pub(crate) fn starts_function(line: &Line, text: &str) -> bool {
    let words: Vec<&str> = line
        .tokens
        .iter()
        .take(3)
        .map(|token| &text[token.range])
        .collect();
    matches!(words[..], [_, "=" | "<-", "function" | "externalFunction"])
}

/// Whether a line looks like the start of a statement and not like the inside of a call's arguments.
pub(crate) fn starts_statement(line: &Line, text: &str) -> bool {
    let tokens = &line.tokens;
    let Some(first) = tokens.first() else {
        return false;
    };
    let word = &text[first.range];
    if first.kind == TokenKind::Word && STARTERS.contains(&word) {
        return true;
    }
    // `k = 3,` is an argument, `y = f(a,` a statement.
    let ends_in_comma = tokens.last().is_some_and(|last| &text[last.range] == ",");
    if (ends_in_comma && open_brackets(tokens, text).is_empty())
        || closes_more_than_it_opens(tokens, text)
    {
        return false;
    }
    let assigns = |at: usize| {
        tokens
            .get(at)
            .is_some_and(|token| matches!(&text[token.range], "=" | "<-" | "+="))
    };
    let sign = |at: usize| tokens.get(at).map_or("", |token| &text[token.range]);
    match first.kind {
        TokenKind::Word if INNER_WORDS.contains(&word) => false,
        TokenKind::Word => match sign(1) {
            "(" => true,
            "::" => sign(3) == "(",
            "[" => behind_bracket(tokens, 1, text).is_some_and(assigns),
            _ => assigns(1),
        },
        TokenKind::Open if word == "[" => behind_bracket(tokens, 0, text).is_some_and(assigns),
        _ => false,
    }
}

/// The token behind the bracket that opens at token `at`.
fn behind_bracket(tokens: &[Token], at: usize, text: &str) -> Option<usize> {
    let mut open = Vec::new();
    for (here, token) in tokens.iter().enumerate().skip(at) {
        step(&mut open, *token, text);
        if open.is_empty() {
            return Some(here + 1);
        }
    }
    None
}

fn closes_more_than_it_opens(tokens: &[Token], text: &str) -> bool {
    let mut depth = 0_isize;
    tokens.iter().any(|token| {
        match &text[token.range] {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            _ => {}
        }
        depth < 0
    })
}
