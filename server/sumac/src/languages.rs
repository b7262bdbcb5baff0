//! The languages beside DML whose files the product reads: an entry for each. Nothing else names one.

use std::path::Path;

use sumac_language::{Language, of_path};

/// All of them.
const LANGUAGES: [&dyn Language; 1] = [&sumac_python::Python];

/// The language of a file, by its name; `None` for DML and everything else.
#[must_use]
pub fn of(path: &Path) -> Option<&'static dyn Language> {
    of_path(path, &LANGUAGES)
}

/// How the names of their files end.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    LANGUAGES
        .into_iter()
        .flat_map(|language| language.extensions())
        .copied()
}
