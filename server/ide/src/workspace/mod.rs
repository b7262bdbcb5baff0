//! The workspace: all scripts of it, as far as one file can see another.
//!
//! An [`Index`] holds a small [`Outline`] of every file. It is built from the syntax alone and opens nothing: texts
//! come from whoever calls, through [`Texts`].

#[cfg(test)]
pub(crate) mod fixture;
mod index;
mod occurrences;
mod outline;
mod symbol;

use std::path::Path;
use std::sync::Arc;

use sumac_syntax::Parse;
use sumac_text::TextRange;

pub use index::{FunctionRef, Index};
pub use occurrences::{Access, Occurrence, Role, occurrences, unquoted};
pub use outline::{CallSite, Function, Name, Outline, Parameter, Source, hash};
pub use symbol::{Found, Symbol, at};

/// Where the texts of files come from. Tests use a map in memory.
pub trait Texts {
    /// The text of a file, as an open document has it or else as it is on disk.
    fn parse(&self, file: &Path) -> Option<Parse>;

    /// Whether a file is there and may be looked at.
    fn exists(&self, file: &Path) -> bool;
}

/// What features that look beyond one file need.
#[derive(Clone, Copy)]
pub struct Workspace<'a> {
    /// All known files.
    pub index: &'a Index,
    /// Their texts.
    pub texts: &'a dyn Texts,
}

/// A place in a file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Location {
    /// The file.
    pub file: Arc<Path>,
    /// The place.
    pub range: TextRange,
}
