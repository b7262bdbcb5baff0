//! NumPy code: read as linear algebra, and written.
//!
//! Python is parsed at one place (`parse`), an expression becomes a tree of NumPy's own steps (`tree`), and that a DAG (`lower`). A form
//! goes the way back (`raise`, `print`), with the ranks, the kinds of numbers and the person's habits kept. Whatever is not known to be
//! NumPy's is opaque. This crate must never search, run Python, or know an editor.

mod display;
mod doubts;
mod env;
mod flow;
mod habits;
mod imports;
mod infer;
mod language;
mod lower;
mod make;
mod notation;
mod parse;
mod price;
mod print;
mod raise;
mod read;
mod rewrite;
mod scope;
mod setting;
mod shapes;
mod site;
mod sound;
mod steps;
mod style;
mod tree;
mod value;

pub use env::Env;
pub use infer::{Inferred, NoValue, infer};
pub use language::Python;
pub use lower::lower;
pub use notation::{Place, Reader};
pub use price::price;
pub use print::{Strength, print};
pub use raise::raise;
pub use read::expression;
pub use site::{Reading, Site};
pub use style::{Product, Style};
pub use tree::{Atom, Step, Tree};
pub use value::{DType, Value};

/// Reads a file: its algebra, what is known of its variables, and what is wrong. Broken code is normal input.
#[must_use]
pub fn read(text: &str) -> Reading {
    flow::read(text)
}
