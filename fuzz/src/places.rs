//! Places in texts: that they lie inside and between characters, and trees without them. Knows no grammar.

use sumac_text::TextRange;

/// Panics unless the range is one of the text, with whole characters.
#[track_caller]
pub fn assert_inside(text: &str, range: TextRange, what: &str) {
    assert!(
        range.start <= range.end && text.get(range.start..range.end).is_some(),
        "{what} at {range:?} of a text of {} bytes",
        text.len()
    );
}

/// A tree as `{:?}` shows it, without its places.
pub fn without_places(tree: &impl std::fmt::Debug) -> String {
    let shown = format!("{tree:?}");
    let mut shape = String::with_capacity(shown.len());
    let mut rest = &*shown;
    while let Some(at) = rest.find("TextRange {") {
        shape.push_str(&rest[..at]);
        let end = rest[at..].find('}').map_or(rest.len(), |end| at + end + 1);
        rest = &rest[end..];
    }
    shape + rest
}
