//! Rules: equations between terms with letters, as text; compiled to patterns with indices and types.
//!
//! A rule is written with names and as few types as it needs, and is checked before it is used: whatever its left side
//! matches, its right side has the same type. What a letter may not mention follows from where it stands on both sides,
//! so no condition can be forgotten.

mod compile;
mod library;
pub(crate) mod pattern;

pub use compile::Rule;
pub(crate) use compile::on_vectors;
pub use library::Library;

#[cfg(test)]
mod tests;
