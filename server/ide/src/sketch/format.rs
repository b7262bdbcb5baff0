//! The layout of a sketch file, as one edit of what differs.

use sumac_sketch::text::{Library, TextRange, format};
use sumac_text::TextEdit;

/// The edit that lays a library's file out; none where it has its layout, or cannot be read.
#[must_use]
pub fn format_document(library: &Library, file: usize) -> Vec<TextEdit> {
    let Some(source) = library.files().get(file) else {
        return Vec::new();
    };
    let old = &*source.text;
    let Ok(new) = format(old) else {
        return Vec::new();
    };
    if new == old {
        return Vec::new();
    }
    let start = old
        .char_indices()
        .zip(new.chars())
        .find(|((_, a), b)| a != b)
        .map_or(old.len().min(new.len()), |((at, _), _)| at);
    let rest = old[start..].chars().rev().zip(new[start..].chars().rev());
    let same: usize = rest
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len_utf8())
        .sum();
    vec![TextEdit {
        range: TextRange::new(start, old.len() - same),
        new_text: new[start..new.len() - same].to_owned(),
    }]
}

#[cfg(test)]
mod tests {
    use sumac_text::apply_edits;

    use super::*;
    use crate::sketch::fixture::library;

    #[test]
    fn one_edit_makes_the_layout() {
        for text in [
            "sketch  é { goal ?}",
            "\n\nsketch s { goal ? } # 𝒳",
            "sketch s { goal sum( ? ) }",
            "def f = ?",
            "",
            "def f = ?\n",
            "def f = ?\n\n\n",
        ] {
            let library = library(&[("a.sketch", text)]);
            let edits = format_document(&library, 0);
            match format(text) {
                Ok(made) => assert_eq!(apply_edits(text, &edits), made),
                Err(_) => assert_eq!(edits, [], "{text}"),
            }
        }
    }
}
