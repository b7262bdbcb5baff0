//! Scripts with parts that cannot be read. How such a part is taken depends on the blanks and semicolons around it, so a
//! change is made only where the script is the same afterwards; what is left over stays as it is.

use sumac_text::{TextEdit, TextRange};

use super::edits::{self, GapEdit};
use super::{FormatOptions, gaps_of, same};
use crate::parse::{Parse, parse};

/// Parts that are tried one by one: each try compares whole scripts.
const MOST_TRIES: usize = 32;

/// All of `whole`, the changes of the whole layout, if that is safe; else those of all parts that can be read; else
/// those of as many of these as are safe together.
pub(super) fn safe_gaps(
    script: &Parse,
    whole: Option<Vec<GapEdit>>,
    options: &FormatOptions,
) -> Vec<GapEdit> {
    if let Some(whole) = whole.filter(|edits| is_safe(script, edits)) {
        return whole;
    }
    let parts = readable_parts(script).into_iter().map(|part| {
        let found = gaps_of(&parse(&script.text()[part]), options);
        edits::within(found.unwrap_or_default(), part).collect()
    });
    let parts: Vec<Vec<GapEdit>> = parts.collect();
    let all = parts.concat();
    if is_safe(script, &all) {
        return all;
    }
    let mut kept = Vec::new();
    for part in parts.into_iter().take(MOST_TRIES) {
        let more = [&kept[..], &part[..]].concat();
        if is_safe(script, &more) {
            kept = more;
        }
    }
    kept
}

/// Whether the script is the same after these changes.
fn is_safe(script: &Parse, edits: &[GapEdit]) -> bool {
    let edits = edits.iter().cloned();
    let edits: Vec<TextEdit> = edits.map(|edit| edit.minimal(script.text())).collect();
    same::check(script, &script.edit(&edits)).is_ok()
}

/// The runs of pieces that can be read.
fn readable_parts(script: &Parse) -> Vec<TextRange> {
    let mut parts: Vec<TextRange> = Vec::new();
    for piece in script.pieces().filter(|piece| !piece.is_broken) {
        let range = TextRange::new(piece.start, piece.start + piece.text.len());
        match parts.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => parts.push(range),
        }
    }
    parts
}
