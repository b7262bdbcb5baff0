//! A part of a script that is understood by itself: a value without a place.

use std::sync::Arc;

use sumac_text::TextRange;

use crate::ast::Program;

/// A part of a script that is understood by itself. Places count from its start.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Unit {
    /// Its text.
    pub text: String,
    /// Its statements and `#@` lines.
    pub program: Program,
    /// Where it cannot be read. What the language passes over does not count.
    pub errors: Vec<TextRange>,
}

/// A function by itself, and where it stands in its piece.
pub(crate) struct PlacedUnit {
    pub(crate) range: TextRange,
    pub(crate) unit: Arc<Unit>,
}
