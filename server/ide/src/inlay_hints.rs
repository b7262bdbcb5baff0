//! Hints behind statements that have a cheaper form.
//!
//! ```text
//! loss = sum((X - U %*% t(V))^2) ⇒ sum(X^2) - …   ~19000× cheaper ✓
//! ```

use sumac_text::{TextEdit, TextRange};

use crate::describe;
use crate::snapshot::{Placed, Snapshot};
use crate::suggestion::Suggestion;

/// What the tooltip of a hint begins with while a newer search is under way.
const EARLIER: &str = "*Of an earlier text, being searched again.*";

/// A hint.
#[derive(Clone, PartialEq, Debug)]
pub struct InlayHint {
    /// Where it stands: the end of the statement's line.
    pub offset: usize,
    /// Its text.
    pub label: String,
    /// More of it, as markdown.
    pub tooltip: String,
    /// What accepting it does; empty while a newer search is under way.
    pub edits: Vec<TextEdit>,
}

/// The hints whose place lies in `range`.
#[must_use]
pub fn inlay_hints(snapshot: &Snapshot, range: TextRange) -> Vec<InlayHint> {
    let mut hints = Vec::new();
    for placed in snapshot.shown() {
        let suggestion = &*placed.suggestion;
        let Some((last, others)) = suggestion.statement_ranges.split_last() else {
            continue;
        };
        let rewrites = suggestion.rewrites(&snapshot.lines);
        let end = snapshot.line_end(last.end);
        // Each statement that it rewrites is marked; what is between them is none of its.
        let mut others: Vec<usize> = others.iter().map(|it| snapshot.line_end(it.end)).collect();
        others.dedup();
        let line = snapshot.lines.line(last.start) + 1;
        for offset in others.into_iter().filter(|offset| *offset != end) {
            if range.touches(offset) {
                hints.push(hint(placed, offset, format!("⇒ with line {line} ✓")));
            }
        }
        if range.touches(end) {
            let lines = rewrites.map_or_else(String::new, |lines| format!(" · {lines}"));
            hints.push(hint(placed, end, label(snapshot, suggestion) + &lines));
        }
    }
    hints.sort_by_key(|hint| hint.offset);
    hints
}

fn hint(placed: &Placed, offset: usize, label: String) -> InlayHint {
    let suggestion = &*placed.suggestion;
    InlayHint {
        offset,
        label,
        tooltip: if placed.is_fresh {
            describe::markdown(suggestion)
        } else {
            format!("{EARLIER}\n\n{}", describe::markdown(suggestion))
        },
        edits: if placed.is_fresh {
            suggestion.edits.to_vec()
        } else {
            Vec::new()
        },
    }
}

/// Where the whole statement was timed, what that found stands in place of the estimate. The time of a part says nothing of what
/// the whole gains.
fn label(snapshot: &Snapshot, suggestion: &Suggestion) -> String {
    let timing = snapshot.timing_of(suggestion);
    let gain = match timing.filter(|_| suggestion.timed_part().is_none()) {
        Some(timing) => timing.gain(),
        None => suggestion.gain("~"),
    };
    let caveats = suggestion.caveats();
    let caveats: String = caveats.map(|caveat| format!(" · {caveat}")).collect();
    format!(
        "⇒ {}   {gain} ✓{caveats}",
        describe::one_line(&suggestion.optimized)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{LOSS, snapshot, suggestion};

    const ORIGINAL: &str = "sum((X - U %*% t(V))^2)";
    const EVERYWHERE: TextRange = TextRange {
        start: 0,
        end: usize::MAX,
    };

    #[test]
    fn the_hint_stands_at_the_end_of_the_line_behind_the_comment() {
        let hints = inlay_hints(
            &snapshot(LOSS).suggesting(ORIGINAL, "sum(X^2) - 1"),
            EVERYWHERE,
        );
        let [hint] = hints.as_slice() else {
            panic!("{hints:?}")
        };
        assert_eq!(hint.label, "⇒ sum(X^2) - 1   ~100× cheaper ✓");
        assert!(LOSS[..hint.offset].ends_with("# as ALS has it"));
        assert_eq!(hint.edits.len(), 1);
        assert!(
            hint.tooltip.contains("| FLOPs | 4.6 G | 46 M |"),
            "{}",
            hint.tooltip
        );
    }

    #[test]
    fn a_form_of_several_lines_is_shown_on_one() {
        let hints = inlay_hints(
            &snapshot(LOSS).suggesting(ORIGINAL, "sum(X^2)\n    - 1"),
            EVERYWHERE,
        );
        assert_eq!(hints[0].label, "⇒ sum(X^2) - 1   ~100× cheaper ✓");
    }

    #[test]
    fn a_hint_of_an_earlier_text_cannot_be_accepted() {
        let snapshot = snapshot(LOSS);
        let stale = snapshot.with(suggestion(&snapshot, ORIGINAL, "1"), false);
        let hint = &inlay_hints(&stale, EVERYWHERE)[0];
        assert_eq!(hint.edits, []);
        assert!(hint.tooltip.starts_with(EARLIER), "{}", hint.tooltip);
        let fresh = &inlay_hints(&snapshot.suggesting(ORIGINAL, "1"), EVERYWHERE)[0];
        assert!(!fresh.tooltip.contains(EARLIER));
    }

    #[test]
    fn every_statement_of_a_joined_suggestion_is_marked_and_none_between() {
        let text = LOSS.replace("print(loss)", "Y = X %*% V\nz = sum(Y)\nprint(loss)");
        let snapshot = snapshot(&text);
        let mut joined = suggestion(&snapshot, ORIGINAL, "1");
        let last = suggestion(&snapshot, "sum(Y)", "2");
        joined.range = joined.range.cover(last.range);
        joined.statement_ranges.extend(last.statement_ranges);
        let hints = inlay_hints(&snapshot.with(joined, true), EVERYWHERE);
        let line = |offset: usize| text[..offset].matches('\n').count() + 1;
        let first = line(text.find(ORIGINAL).unwrap());
        let second = line(text.find("z = sum").unwrap());
        let shown: Vec<(usize, &str)> = hints
            .iter()
            .map(|hint| (line(hint.offset), hint.label.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                (first, format!("⇒ with line {second} ✓").as_str()),
                (
                    second,
                    format!("⇒ 1   ~100× cheaper ✓ · rewrites lines {first} and {second}").as_str()
                ),
            ]
        );
    }

    #[test]
    fn hints_outside_the_asked_range_and_small_gains_are_left_out() {
        let snapshot = snapshot(LOSS).suggesting(ORIGINAL, "1");
        assert_eq!(inlay_hints(&snapshot, TextRange { start: 0, end: 40 }), []);
        let demanding = Snapshot {
            min_speedup: 101.0,
            ..snapshot
        };
        assert_eq!(inlay_hints(&demanding, EVERYWHERE), []);
    }
}
