//! What is wrong with a text, in words for its author.

use crate::range::TextRange;

/// What the language does with a place that its grammar does not have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Effect {
    /// It refuses the script.
    Refused,
    /// It complains, and reads on as if the place were not there.
    PassedOver,
}

/// One place that a language's grammar does not have.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SyntaxError {
    /// The place.
    pub range: TextRange,
    /// What was found there and what was expected.
    pub message: String,
    /// The bracket that the message says is never closed.
    pub opened: Option<usize>,
    /// What becomes of the script.
    pub effect: Effect,
}

impl SyntaxError {
    /// An error at a place.
    #[must_use]
    pub fn new(range: TextRange, message: impl Into<String>) -> Self {
        Self {
            range,
            message: message.into(),
            opened: None,
            effect: Effect::Refused,
        }
    }

    /// A place that the language passes over.
    #[must_use]
    pub fn passed_over(range: TextRange, message: impl Into<String>) -> Self {
        Self {
            effect: Effect::PassedOver,
            ..Self::new(range, message)
        }
    }

    /// Whether the language refuses the script for it.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.effect == Effect::Refused
    }

    /// The error of a piece that starts at byte `start` of a text; the message gets the line of the open bracket, which `line`
    /// knows.
    #[must_use]
    pub fn placed(&self, start: usize, line: &dyn Fn(usize) -> usize) -> SyntaxError {
        let opened = self.opened.map(|at| at + start);
        let mut message = self.message.clone();
        if let Some(opened) = opened {
            message.push_str(&format!(" opened at line {}", line(opened)));
        }
        SyntaxError {
            range: self.range.moved(start),
            message,
            opened,
            effect: self.effect,
        }
    }
}

/// Brings errors into the order of their places and keeps the first of those that start at the same byte.
#[must_use]
pub fn one_per_place(mut errors: Vec<SyntaxError>) -> Vec<SyntaxError> {
    errors.sort_by_key(|error| error.range);
    errors.dedup_by_key(|error| error.range.start);
    errors
}
