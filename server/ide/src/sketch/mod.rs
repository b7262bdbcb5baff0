//! Sketch files as editors and the command line show them. A [`Library`] holds the files; each feature is one function
//! over it.

mod completion;
mod diagnostics;
#[cfg(test)]
pub(crate) mod fixture;
mod hover;
mod navigation;
mod outline;
mod pins;
mod tokens;
mod words;

use std::sync::LazyLock;

use sumac_sketch::text::Vocabulary;

pub use completion::completion;
pub use diagnostics::diagnostics;
pub use hover::{hover, of_sketch};
pub use navigation::{Definition, definition, highlights, prepare_rename, references, rename};
pub use outline::{document_symbols, folding_ranges};
pub use pins::{Missed, Pins, has_sketches, inline_text, pin_definition};
pub(crate) use pins::{
    inline_completion, inline_hover, inline_tokens, pin_completion, pin_diagnostics, pin_hover,
};
pub use sumac_sketch::text::ast::SketchDef;
pub use sumac_sketch::text::{Filled, Known as Meaning, Library, Place};
pub use sumac_sumproduct::guided::{Cache, rules_of, vocabulary};
pub use tokens::semantic_tokens;

/// What sketches of linear algebra may speak of.
static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(vocabulary);

/// The paths that a sketch file imports, as they are written.
#[must_use]
pub fn imports(text: &str) -> Vec<String> {
    let file = sumac_sketch::text::parse(text).file;
    file.imports
        .iter()
        .map(|import| import.path.to_string())
        .collect()
}
