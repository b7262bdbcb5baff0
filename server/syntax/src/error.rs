//! What is wrong with a script's text, in words for its author.

use crate::text::TextRange;

/// One place that DML's grammar does not accept.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SyntaxError {
    /// The place.
    pub range: TextRange,
    /// What was found there and what was expected.
    pub message: String,
}

impl SyntaxError {
    /// An error at a place.
    #[must_use]
    pub fn new(range: TextRange, message: impl Into<String>) -> Self {
        Self {
            range,
            message: message.into(),
        }
    }
}

/// Brings errors into the order of their places and keeps the first of those that start at the same byte.
pub(crate) fn one_per_place(mut errors: Vec<SyntaxError>) -> Vec<SyntaxError> {
    errors.sort_by_key(|error| error.range);
    errors.dedup_by_key(|error| error.range.start);
    errors
}
