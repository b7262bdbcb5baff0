//! Small libraries for tests.

use std::sync::Arc;

use super::{Library, VOCABULARY};

/// A library of files by path and text.
pub fn library(files: &[(&str, &str)]) -> Library {
    let texts = files
        .iter()
        .map(|(path, text)| (Arc::from(*path), Arc::from(*text)));
    Library::new(texts, &VOCABULARY)
}

/// A library of one file, whose `$0` is the cursor.
pub fn at_cursor(text: &str) -> (Library, usize) {
    let offset = text.find("$0").expect("a cursor");
    let text = text.replacen("$0", "", 1);
    (library(&[("a.sketch", &text)]), offset)
}
