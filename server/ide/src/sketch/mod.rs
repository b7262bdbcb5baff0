//! Sketch files as editors and the command line show them. A [`Library`] holds the files; each feature is one function
//! over it.

mod diagnostics;

pub use diagnostics::diagnostics;
pub use sumac_sketch::text::{Filled, Library};
pub use sumac_sumproduct::guided::{Cache, Progress, vocabulary};

/// The paths that a sketch file imports, as they are written.
#[must_use]
pub fn imports(text: &str) -> Vec<String> {
    let file = sumac_sketch::text::parse(text).file;
    file.imports
        .iter()
        .map(|import| import.path.to_string())
        .collect()
}
