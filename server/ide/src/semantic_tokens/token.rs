//! A coloured piece as a value, and what kind of piece a token of the language is by itself. Must look at no script.

use sumac_syntax::lex::{self, TokenKind};
use sumac_text::TextRange;

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

/// A piece of the text of which the tree says what it is.
pub(super) type Piece = SemanticToken;

pub(super) fn piece(range: TextRange, kind: SemanticKind) -> Piece {
    SemanticToken {
        range,
        kind,
        modifiers: Modifiers::default(),
    }
}

pub(super) fn kind_of(token: lex::Token, text: &str) -> Option<SemanticKind> {
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
