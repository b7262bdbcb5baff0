//! DML text to a tree-sitter tree to a typed, owned AST, and back to text.
//!
//! This crate is the bottom of the language side: it must never know about shapes, costs, protocols or files.

pub mod ast;
mod chunks;
pub mod comments;
pub mod damage;
pub mod expression;
pub mod facts;
pub mod format;
pub mod inline;
pub mod lex;
mod lower;
mod meant;
mod moved;
pub mod other_language;
pub mod parse;
mod pieces;
pub mod print;
pub mod ranges;
mod recover;
mod tree;
mod unit;
mod units;
pub mod walk;

pub use damage::Damage;
pub use expression::parse_expression;
pub use facts::parse_fact;
pub use other_language::is_other_language;
pub use parse::{Parse, parse};
pub use unit::Unit;
pub use units::Piece;
