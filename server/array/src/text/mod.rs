//! The text of array programs and of rules: words, trees, and the way back from terms to text.
//!
//! Nothing here knows types or what a name means.

pub mod ast;
mod lex;
mod parse;
mod parse_types;
pub mod print;

pub use parse::{parse_program, parse_rules, parse_type};

use sumac_text::TextRange;

use crate::prim::Prim;

/// Whether a text can be the name of a program, a size or an input, and means nothing else.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let is_word = matches!(lex::lex(text).as_slice(), [word, _] if word.kind == lex::Kind::Name && word.range.end == text.len());
    is_word && Prim::named(text).is_none() && !matches!(text, "f32" | "f64")
}

/// What is wrong with a text, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextError {
    /// Where.
    pub range: TextRange,
    /// What was expected and what was found, and a way out.
    pub message: String,
}

impl TextError {
    /// An error at a place.
    pub(crate) fn new(range: TextRange, message: impl Into<String>) -> Self {
        TextError {
            range,
            message: message.into(),
        }
    }

    /// As `LINE:COLUMN: message`, both counted from one, columns in characters.
    #[must_use]
    pub fn show(&self, text: &str) -> String {
        let start = self.range.start.min(text.len());
        let before = &text[..start];
        let line = before.matches('\n').count() + 1;
        let begin = before.rfind('\n').map_or(0, |place| place + 1);
        let column = before[begin..].chars().count() + 1;
        format!("{line}:{column}: {}", self.message)
    }
}
