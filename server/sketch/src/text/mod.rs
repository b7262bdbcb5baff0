//! The text of sketches: words, typed tree, and what names in it mean.
//!
//! `grammars/sketch` describes the same language for editors; a test holds both against each other. The tree here is
//! read by a descent of its own, because it can say at each place what was expected there. Nothing here knows which
//! operators there are, what an e-graph is, or where a file lies on a disk.

pub mod ast;
mod equations;
mod expression;
mod format;
mod imports;
pub mod lex;
pub mod library;
mod names;
mod parse;
pub mod print;
mod unfold;

pub use format::format;
pub use library::{
    Equation, Filled, FilledStage, Finding, Known, Level, Library, Place, Prover, Source,
    Vocabulary,
};
pub use parse::{Parse, parse, parse_expression};
pub use sumac_text::TextRange;
