//! What reading a file gives: the algebra in it with all that writing it back needs, what is known, and what is wrong.
//!
//! Plain data; must never read anything itself.

use std::sync::Arc;

use sumac_language::{Diagnostic, Fact};
use sumac_text::{SyntaxError, TextRange};

use crate::env::Env;
use crate::style::Style;
use crate::tree::Tree;

/// Everything that was read of a file.
#[derive(Debug, Default)]
pub struct Reading {
    /// What is wrong, sorted by place.
    pub diagnostics: Vec<Diagnostic>,
    /// What is known of variables where they get a value, sorted by place.
    pub facts: Vec<Fact>,
    /// The algebra, sorted by place.
    pub sites: Vec<Site>,
    /// What keeps the file from being run.
    pub syntax_errors: Vec<SyntaxError>,
}

/// A maximal expression of algebra that computes something.
#[derive(Debug)]
pub struct Site {
    /// Its place.
    pub range: TextRange,
    /// The statement, of one with a body the part before it.
    pub statement: TextRange,
    /// The function, with the classes around it.
    pub function: Option<Arc<str>>,
    /// What it is.
    pub tree: Tree,
    /// How its author writes.
    pub style: Style,
    /// What is assumed beyond the text, each a sentence without its full stop.
    pub assumes: Vec<String>,
    /// Pairs of sizes of which the text says that the first is at most the second.
    pub order: Vec<(Arc<str>, Arc<str>)>,
    /// Whether nothing around it binds tighter: otherwise a text that is no atom needs parentheses.
    pub is_bare: bool,
    /// What is known where it stands.
    pub env: Arc<Env>,
}
