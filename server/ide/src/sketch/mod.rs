//! Sketch files as editors and the command line show them. A [`Library`] holds the files; each feature is one function
//! over it.

mod completion;
mod diagnostics;
#[cfg(test)]
pub(crate) mod fixture;
mod format;
mod hover;
mod inline;
mod navigation;
mod outline;
pub(crate) mod pins;
mod tokens;
mod words;

use std::sync::LazyLock;

use sumac_sketch::text::{Prover, Vocabulary};
use sumac_sumproduct::guided;

use crate::prove::apart;

pub use completion::completion;
pub use diagnostics::diagnostics;
pub use format::format_document;
pub use hover::{hover, of_sketch};
pub use inline::pin_definition;
pub(crate) use inline::{
    inline_completion, inline_hover, inline_tokens, pin_completion, pin_diagnostics, pin_hover,
};
pub use navigation::{Definition, Pin, definition, highlights, prepare_rename, references, rename};
pub use outline::{document_symbols, folding_ranges};
pub use pins::{Missed, Pins, has_sketches, inline_text, is_in_sketch, pinned};
pub use sumac_sketch::text::ast::SketchDef;
pub use sumac_sketch::text::{Filled, Known as Meaning, Library, Place, format as formatted};
pub use sumac_sumproduct::guided::{Cache, GuideStore, rules_of};
pub use tokens::semantic_tokens;

/// What sketches of linear algebra may speak of.
static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(vocabulary);

/// What sketches of linear algebra may speak of. An equation that does not hold is refused with values that show it.
#[must_use]
pub fn vocabulary() -> Vocabulary {
    Vocabulary {
        prover: Prover(Some(|equation| {
            let refused = match guided::prove(equation) {
                Ok(()) => return Ok(()),
                Err(refused) => refused,
            };
            let found = refused
                .sides
                .as_deref()
                .and_then(|(dag, sides)| apart(dag, sides));
            Err(found.map_or(refused.message.clone(), |found| {
                let values: Vec<String> = found
                    .inputs
                    .iter()
                    .map(|(name, value)| format!("{name} = {value}"))
                    .collect();
                format!(
                    "{}; with {} the one is {} and the other {}",
                    refused.message,
                    values.join(", "),
                    found.left,
                    found.right
                )
            }))
        })),
        ..guided::vocabulary()
    }
}

/// The paths that a sketch file imports, as they are written.
#[must_use]
pub fn imports(text: &str) -> Vec<String> {
    let file = sumac_sketch::text::parse(text).file;
    file.imports
        .iter()
        .map(|import| import.path.to_string())
        .collect()
}
