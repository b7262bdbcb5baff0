//! The way from a text to its formatted form as edits of what stands between its signs. A sign that is not the same
//! in both is an error: nothing is ever lost.

use sumac_text::{TextEdit, TextRange};

use super::FormatError;
use super::builder::is_gap_char;

/// A changed gap between two signs, as a whole.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct GapEdit {
    range: TextRange,
    new_text: String,
}

impl GapEdit {
    /// The edit without what stays at its start and its end.
    pub(super) fn minimal(self, text: &str) -> TextEdit {
        let (old, new) = (&text[self.range], self.new_text.as_str());
        let alike = |(a, b): &(char, char)| a == b;
        let start: usize = (old.chars().zip(new.chars()))
            .take_while(alike)
            .map(|(c, _)| c.len_utf8())
            .sum();
        let (old, new) = (&old[start..], &new[start..]);
        let end: usize = (old.chars().rev().zip(new.chars().rev()))
            .take_while(alike)
            .map(|(c, _)| c.len_utf8())
            .sum();
        TextEdit {
            range: TextRange::new(self.range.start + start, self.range.end - end),
            new_text: new[..new.len() - end].to_owned(),
        }
    }
}

/// The changed gaps.
///
/// # Errors
/// The texts differ in more than white space and semicolons.
pub(super) fn between(old: &str, new: &str) -> Result<Vec<GapEdit>, FormatError> {
    let mut edits = Vec::new();
    let (mut at, mut new_rest) = (0, new);
    loop {
        let rest = &old[at..];
        let old_gap = &rest[..rest.find(is_sign).unwrap_or(rest.len())];
        let (new_gap, behind) = new_rest.split_at(new_rest.find(is_sign).unwrap_or(new_rest.len()));
        if old_gap != new_gap {
            edits.push(GapEdit {
                range: TextRange::new(at, at + old_gap.len()),
                new_text: new_gap.to_owned(),
            });
        }
        at += old_gap.len();
        let rest = &old[at..];
        let len = rest.find(is_gap_char).unwrap_or(rest.len());
        let new_len = behind.find(is_gap_char).unwrap_or(behind.len());
        // Signs may have come together or apart; their order is what counts.
        let len = len.min(new_len);
        if rest.get(..len) != behind.get(..len)
            || (len == 0 && !(rest.is_empty() && behind.is_empty()))
        {
            return Err(FormatError::Differs("its text"));
        }
        if len == 0 {
            return Ok(edits);
        }
        at += len;
        new_rest = &behind[len..];
    }
}

/// The edits inside a range of whole lines; of one that crosses its start or end, only what lies on its lines.
pub(super) fn inside(edits: Vec<GapEdit>, text: &str, range: TextRange) -> Vec<GapEdit> {
    edits
        .into_iter()
        .filter(|edit| edit.range.end >= range.start && edit.range.start <= range.end)
        .filter_map(|mut edit| {
            if edit.range.start < range.start {
                edit.range.start = range.start;
                let line = edit.new_text.rfind('\n')? + 1;
                edit.new_text.drain(..line);
            }
            if edit.range.end > range.end {
                edit.range.end = range.end;
                let newline = edit.new_text.find('\n').unwrap_or(edit.new_text.len());
                let line = edit.new_text[..newline].trim_end_matches('\r').len();
                edit.new_text.truncate(line);
            }
            (edit.new_text != text[edit.range]).then_some(edit)
        })
        .collect()
}

/// The edits of a part of a text in the whole text; without those at the part's ends, where something else stands.
pub(super) fn within(edits: Vec<GapEdit>, part: TextRange) -> impl Iterator<Item = GapEdit> {
    let is_inside = move |edit: &GapEdit| edit.range.start > 0 && edit.range.end < part.len();
    edits
        .into_iter()
        .filter(is_inside)
        .map(move |edit| GapEdit {
            range: TextRange::new(edit.range.start + part.start, edit.range.end + part.start),
            ..edit
        })
}

fn is_sign(c: char) -> bool {
    !is_gap_char(c)
}
