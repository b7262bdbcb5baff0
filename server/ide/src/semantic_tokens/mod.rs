//! Colours by meaning: matrices, scalars and sparse inputs told apart, parameters from variables, builtins from the
//! script's own functions, and the parts of `#@` lines.
//!
//! ```text
//! Y = X %*% w
//! ```
//! gives `Y` (variable: matrix, modification), `=` (operator), `X` (variable: matrix, sparse), …

mod delta;
mod fact;
mod names;

pub use delta::{TokensEdit, delta};

use sumac_syntax::comments::CommentKind;
use sumac_syntax::lex::{self, TokenKind, lex};
use sumac_syntax::text::TextRange;

use crate::snapshot::Snapshot;

/// A coloured piece of one line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SemanticToken {
    /// Its place; never over the end of a line.
    pub range: TextRange,
    /// What it is.
    pub kind: SemanticKind,
    /// More about it.
    pub modifiers: Modifiers,
}

/// Makes an enumeration whose variants have the names that editors know them by.
macro_rules! named {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// All of them; the place of each is its number in the protocol.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name that editors know it by.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }
    };
}

named! {
    /// The kinds of tokens.
    SemanticKind {
        /// `source("…") as ns`, `ns::`.
        Namespace = "namespace",
        /// `Matrix[Double]`.
        Type = "type",
        /// A function's parameter or result.
        Parameter = "parameter",
        /// Any other variable, and symbolic sizes in `#@` lines.
        Variable = "variable",
        /// The name of a named argument.
        Property = "property",
        /// The code of a diagnostic in a `#@ allow` line.
        EnumMember = "enumMember",
        /// A function.
        Function = "function",
        /// `$name`.
        Macro = "macro",
        /// A word of the language.
        Keyword = "keyword",
        /// A comment, and the sign of a `#@` line.
        Comment = "comment",
        /// Text in quotes.
        String = "string",
        /// A number.
        Number = "number",
        /// An operator.
        Operator = "operator",
    }
}

named! {
    /// What a token can be besides its kind.
    Modifier {
        /// It is defined here and nowhere else: functions, parameters, namespaces, loop variables.
        Declaration = "declaration",
        /// It gets a value here.
        Modification = "modification",
        /// SystemDS brings it.
        DefaultLibrary = "defaultLibrary",
        /// A matrix.
        Matrix = "matrix",
        /// A number, a truth value or text.
        Scalar = "scalar",
        /// A matrix that is stored sparse.
        Sparse = "sparse",
        /// Its value is known before the script runs.
        Constant = "constant",
    }
}

/// A set of modifiers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Modifiers(u32);

impl Modifiers {
    /// The set as the protocol has it: one bit for each of [`Modifier::ALL`].
    #[must_use]
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Whether the set has it.
    #[must_use]
    pub fn has(self, modifier: Modifier) -> bool {
        self.0 & (1 << modifier as u32) != 0
    }

    /// The set with one more, if `condition` holds.
    #[must_use]
    pub fn with_if(self, modifier: Modifier, condition: bool) -> Self {
        Modifiers(self.0 | u32::from(condition) << modifier as u32)
    }

    /// The set with one more.
    #[must_use]
    pub fn with(self, modifier: Modifier) -> Self {
        self.with_if(modifier, true)
    }
}

/// The words that mean something by themselves.
const KEYWORDS: &[&str] = &[
    "FALSE",
    "TRUE",
    "as",
    "else",
    "externalFunction",
    "for",
    "function",
    "if",
    "implemented",
    "in",
    "parfor",
    "return",
    "setwd",
    "source",
    "while",
];

/// Signs that only divide.
const PUNCTUATION: &[&str] = &[",", ";", "::"];

/// The tokens that touch `range`, in the order of the text, never one over another.
#[must_use]
pub fn semantic_tokens(snapshot: &Snapshot, range: TextRange) -> Vec<SemanticToken> {
    let mut out = Painter {
        text: snapshot.text(),
        range,
        tokens: Vec::new(),
        painted: range.start.min(snapshot.text().len()),
    };
    out.painted = snapshot.lines.line_start(snapshot.lines.line(out.painted));
    let mut pieces = names::pieces(snapshot);
    pieces.extend(comments(snapshot));
    pieces.sort_by_key(|piece| piece.range);
    // A text or comment that begins in an earlier line may reach into the range.
    let reaches = |piece: &&Piece| piece.range.end > out.painted;
    if let Some(first) = pieces.iter().find(reaches) {
        out.painted = out.painted.min(first.range.start);
    }
    for piece in pieces {
        if piece.range.end > out.painted && piece.range.start <= range.end {
            out.piece(piece);
        }
    }
    let end = snapshot.text().len().min(range.end);
    out.gap(snapshot.lines.line_end(snapshot.lines.line(end)));
    out.tokens
}

/// A piece of the text of which the tree says what it is.
type Piece = SemanticToken;

fn piece(range: TextRange, kind: SemanticKind) -> Piece {
    SemanticToken {
        range,
        kind,
        modifiers: Modifiers::default(),
    }
}

fn comments(snapshot: &Snapshot) -> Vec<Piece> {
    let comments = snapshot.parse.comments().iter();
    let plain = comments.filter(|comment| comment.kind != CommentKind::Fact);
    let plain = plain.map(|comment| piece(comment.range, SemanticKind::Comment));
    let facts = &snapshot.parse.program().facts;
    let facts = facts.iter().flat_map(|line| fact::pieces(snapshot, line));
    plain.chain(facts).collect()
}

/// Puts the pieces and what stands between them into the order of the text.
struct Painter<'a> {
    text: &'a str,
    range: TextRange,
    tokens: Vec<SemanticToken>,
    /// Everything before is painted.
    painted: usize,
}

impl Painter<'_> {
    fn piece(&mut self, piece: Piece) {
        if piece.range.start < self.painted {
            return;
        }
        self.gap(piece.range.start);
        self.push(piece);
        self.painted = piece.range.end;
    }

    /// Keywords, numbers, signs and what could not be read, up to `end`.
    fn gap(&mut self, end: usize) {
        let start = self.painted;
        let Some(text) = self.text.get(start..end) else {
            return;
        };
        for token in lex(text) {
            if let Some(kind) = kind_of(token, text) {
                let lex::Token { range, .. } = token;
                self.push(piece(
                    TextRange::new(start + range.start, start + range.end),
                    kind,
                ));
            }
        }
        self.painted = end;
    }

    /// Adds a token, cut at the ends of lines.
    fn push(&mut self, token: SemanticToken) {
        let mut start = token.range.start;
        for line in self.text[token.range].split_inclusive(['\n', '\r']) {
            let range = TextRange::new(start, start + line.trim_end_matches(['\r', '\n']).len());
            start += line.len();
            let is_wanted = range.end >= self.range.start && range.start <= self.range.end;
            if !range.is_empty() && is_wanted {
                self.tokens.push(SemanticToken { range, ..token });
            }
        }
    }
}

fn kind_of(token: lex::Token, text: &str) -> Option<SemanticKind> {
    let text = &text[token.range];
    match token.kind {
        TokenKind::Word => KEYWORDS.contains(&text).then_some(SemanticKind::Keyword),
        TokenKind::Argument => Some(SemanticKind::Macro),
        TokenKind::Number => Some(SemanticKind::Number),
        TokenKind::Str { .. } => Some(SemanticKind::String),
        TokenKind::Comment => Some(SemanticKind::Comment),
        TokenKind::Sign if text.is_ascii() && !PUNCTUATION.contains(&text) => {
            Some(SemanticKind::Operator)
        }
        TokenKind::Sign | TokenKind::Open | TokenKind::Close => None,
    }
}

#[cfg(test)]
mod tests;
