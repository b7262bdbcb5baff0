//! Edits to a text. They are applied all at once and never touch a byte outside their ranges.

use crate::range::{TextEdit, TextRange};

/// Why a list of edits cannot be applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EditProblem {
    /// This edit reaches behind the end of the text, or starts or ends inside a character.
    OutOfText(TextRange),
    /// These two change the same bytes.
    Overlap(TextRange, TextRange),
}

impl std::fmt::Display for EditProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            EditProblem::OutOfText(range) => {
                write!(
                    f,
                    "the edit of bytes {}..{} does not fit the text",
                    range.start, range.end
                )
            }
            EditProblem::Overlap(a, b) => write!(
                f,
                "the edits of bytes {}..{} and {}..{} overlap; merge them into one",
                a.start, a.end, b.start, b.end
            ),
        }
    }
}

impl std::error::Error for EditProblem {}

/// Whether the edits, in any order, can be applied to `text` together. Two insertions at one place can: they are
/// applied in the order given.
///
/// # Errors
/// The first problem in the order of the ranges.
pub fn check_edits(text: &str, edits: &[TextEdit]) -> Result<(), EditProblem> {
    let sorted = sorted(edits);
    for edit in &sorted {
        if !fits(text, edit.range) {
            return Err(EditProblem::OutOfText(edit.range));
        }
    }
    for pair in sorted.windows(2) {
        if pair[0].range.end > pair[1].range.start {
            return Err(EditProblem::Overlap(pair[0].range, pair[1].range));
        }
    }
    Ok(())
}

/// The text after the edits, in any order. Edits that do not fit the text or overlap an earlier one are left out;
/// callers that must know use [`check_edits`] first.
#[must_use]
pub fn apply_edits(text: &str, edits: &[TextEdit]) -> String {
    let edits = usable_edits(text, edits);
    let new: usize = edits.iter().map(|edit| edit.new_text.len()).sum();
    // A text that has to grow at its end is copied again.
    let mut result = String::with_capacity(text.len() + new);
    let mut copied = 0;
    for edit in edits {
        result.push_str(&text[copied..edit.range.start]);
        result.push_str(&edit.new_text);
        copied = edit.range.end;
    }
    result.push_str(&text[copied..]);
    result
}

/// The edits that can be applied together, sorted.
#[must_use]
pub fn usable_edits(text: &str, edits: &[TextEdit]) -> Vec<TextEdit> {
    let mut usable: Vec<TextEdit> = Vec::with_capacity(edits.len());
    for edit in sorted(edits) {
        let free_from = usable.last().map_or(0, |last| last.range.end);
        if fits(text, edit.range) && edit.range.start >= free_from {
            usable.push(edit.clone());
        }
    }
    usable
}

fn sorted(edits: &[TextEdit]) -> Vec<&TextEdit> {
    let mut sorted: Vec<&TextEdit> = edits.iter().collect();
    sorted.sort_by_key(|edit| edit.range);
    sorted
}

fn fits(text: &str, range: TextRange) -> bool {
    range.start <= range.end
        && text.is_char_boundary(range.start)
        && text.is_char_boundary(range.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start: usize, end: usize, new_text: &str) -> TextEdit {
        TextEdit {
            range: TextRange { start, end },
            new_text: new_text.to_owned(),
        }
    }

    #[test]
    fn edits_apply_together_in_any_order() {
        let edits = [edit(4, 5, "sum(x)"), edit(0, 1, "loss"), edit(5, 5, ";")];
        assert_eq!(check_edits("y = x", &edits), Ok(()));
        assert_eq!(apply_edits("y = x", &edits), "loss = sum(x);");
    }

    #[test]
    fn insertions_at_one_place_keep_their_order() {
        assert_eq!(apply_edits("z", &[edit(0, 0, "x"), edit(0, 0, "y")]), "xyz");
    }

    #[test]
    fn overlapping_edits_are_reported_and_the_later_one_is_left_out() {
        let edits = [edit(0, 3, "a"), edit(2, 4, "b")];
        assert_eq!(
            check_edits("12345", &edits),
            Err(EditProblem::Overlap(edits[0].range, edits[1].range))
        );
        assert_eq!(apply_edits("12345", &edits), "a45");
    }

    #[test]
    fn edits_that_split_a_character_or_leave_the_text_are_reported() {
        for bad in [edit(1, 2, ""), edit(0, 9, ""), edit(3, 2, "")] {
            assert_eq!(
                check_edits("é!!", std::slice::from_ref(&bad)),
                Err(EditProblem::OutOfText(bad.range))
            );
            assert_eq!(apply_edits("é!!", &[bad]), "é!!");
        }
    }
}
