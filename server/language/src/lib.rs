//! What any script language gives: its expressions as linear algebra, what is known of its variables, what is wrong, what running
//! costs, and a way to write a form back.
//!
//! A language is an implementation of [`Language`], in a crate of its own, and an entry where the binary lists them. Everything else is
//! plain data that says nothing of the language. This crate must never read a text itself, search, or know an editor.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use sumac_cost::Polynomial;
use sumac_la::{Dag, Dim, NodeId};
use sumac_text::{SyntaxError, TextEdit, TextRange};

/// A script language.
pub trait Language: fmt::Debug + Sync {
    /// Its name in messages and options, in small letters: `python`.
    fn name(&self) -> &'static str;

    /// How the names of its files end, without the dot.
    fn extensions(&self) -> &'static [&'static str];

    /// Everything that is known of a text. Broken code is normal input: it never fails.
    fn read(&self, text: &str) -> Analysis;

    /// The errors that keep a text from being run, as the language itself would find them.
    fn syntax_errors(&self, text: &str) -> Vec<SyntaxError>;
}

/// The language of a file, by its name's end.
#[must_use]
pub fn of_path<'a>(path: &Path, languages: &[&'a dyn Language]) -> Option<&'a dyn Language> {
    let extension = path.extension()?.to_str()?;
    let is_it = |language: &&&dyn Language| language.extensions().contains(&extension);
    languages.iter().find(is_it).copied()
}

/// Everything that is known of a text.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// What is wrong, sorted by place. Syntax errors are not among them.
    pub diagnostics: Vec<Diagnostic>,
    /// What is known of variables, sorted by place.
    pub facts: Vec<Fact>,
    /// The largest expressions that are linear algebra and compute something, sorted by place, none inside another.
    pub expressions: Vec<Expression>,
}

/// How serious a diagnostic is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The statement fails whenever it runs.
    Error,
    /// It is likely not what was meant.
    Warning,
}

/// Something to tell about a place of a text.
#[derive(Clone, PartialEq, Debug)]
pub struct Diagnostic {
    /// The place.
    pub range: TextRange,
    /// How serious.
    pub severity: Severity,
    /// A stable name, such as `shape-mismatch`.
    pub code: &'static str,
    /// For a person: what was found, what was expected, a way out.
    pub message: String,
    /// Other places that explain it.
    pub related: Vec<(TextRange, String)>,
}

/// What is known of a variable where it is given a value.
#[derive(Clone, PartialEq, Debug)]
pub struct Fact {
    /// The variable.
    pub name: Arc<str>,
    /// The assigned name.
    pub range: TextRange,
    /// The function it stands in, with the classes around it: `Model.fit`.
    pub function: Option<Arc<str>>,
    /// The shape as the language writes it: `(n, d)`; empty where the rank is not known.
    pub shape: String,
    /// The kind of number, where it is known.
    pub number: Option<&'static str>,
    /// Where it comes from: `docstring, line 3`, `propagated`.
    pub source: String,
}

/// An expression that is linear algebra.
#[derive(Clone, Debug)]
pub struct Expression {
    /// Its place.
    pub range: TextRange,
    /// The whole statement.
    pub statement: TextRange,
    /// The function it stands in, with the classes around it.
    pub function: Option<Arc<str>>,
    /// Everything that suggestions for it depend on but its place: equal keys, equal suggestions.
    pub key: String,
    /// Its value as the only root. Sizes are numbers or names, and a name assumes no number.
    pub dag: Dag,
    /// What running it as it is written costs.
    pub price: Price,
    /// What is assumed beyond what the text says, each a sentence without its full stop: ``` `X` holds 64-bit floats ```.
    pub assumes: Vec<String>,
    /// Pairs of sizes, the first at most the second, where the text itself says so before this place (`assert d <= n`).
    pub order: Vec<(Arc<str>, Arc<str>)>,
    /// Writes another form of it.
    pub notation: Arc<dyn Notation>,
}

/// Writes forms of one expression in its place.
pub trait Notation: fmt::Debug + Send + Sync {
    /// The texts of a form with one root, the simplest first. Each has the value's rank and kind of number as written, evaluates
    /// nothing more often that could have an effect, and was read again: it means this form.
    ///
    /// # Errors
    /// Why it cannot be written, in a sentence without its full stop.
    fn write(&self, form: &Dag) -> Result<Vec<Spelling>, String>;

    /// What must be there for the expression, or another form of it, to run on made-up values.
    ///
    /// # Errors
    /// What of it cannot be made up, in a sentence without its full stop.
    fn setting(&self) -> Result<Setting, String>;

    /// How a node of a form is called in a message.
    fn say(&self, form: &Dag, node: NodeId) -> String;
}

/// What an expression needs to run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Setting {
    /// Statements that come first: `import numpy as np`.
    pub imports: Vec<String>,
    /// Arrays, by what is assigned (`X`, `self.X`), with their sizes and kind of number.
    pub arrays: Vec<(String, Vec<Dim>, &'static str)>,
    /// Sizes by name that the text reads as numbers.
    pub integers: Vec<(String, Dim)>,
}

/// A way to write a form.
#[derive(Clone, Debug)]
pub struct Spelling {
    /// The expression.
    pub text: String,
    /// What it means, as it is read again in its place.
    pub dag: Dag,
    /// What running it costs.
    pub price: Price,
    /// What this spelling assumes beyond the expression, each a sentence without its full stop.
    pub assumes: Vec<String>,
    /// The edit of the file.
    pub edit: TextEdit,
}

/// What running an expression costs over the sizes in it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Price {
    /// Seconds of one run, calls included.
    pub seconds: Polynomial,
    /// Most bytes of results that are there at once, what is read not counted.
    pub peak_bytes: Polynomial,
    /// Floating-point operations.
    pub flops: Polynomial,
}
