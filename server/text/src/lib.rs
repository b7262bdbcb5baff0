//! A source text: ranges of bytes, edits, lines and columns, syntax errors.
//!
//! What any language needs of a text is here. This crate must never know a grammar, a tree, a file or a protocol.

mod edit;
mod error;
mod line_index;
mod range;

pub use edit::{EditProblem, apply_edits, check_edits, usable_edits};
pub use error::{Effect, SyntaxError, one_per_place};
pub use line_index::{Columns, LineCol, LineIndex};
pub use range::{TextEdit, TextRange};
