//! Apply all suggestions of this file: one edit for all of them, which the person sees before it is made.
//!
//! An optimization is no fix: nothing here is of a kind that editors apply when a file is saved.

use std::cmp::Ordering;

use sumac_text::{TextEdit, TextRange};

use super::action::{Action, ActionContext, Effect, kinds};
use crate::snapshot::Snapshot;
use crate::suggestion::Suggestion;

/// What the action is called.
pub const TITLE: &str = "Apply all suggestions of this file";

pub(super) fn offer(context: &ActionContext<'_>, acc: &mut Vec<Action>) {
    let is_at_one = context.snapshot.applicable(context.range).next().is_some();
    if !is_at_one && !context.names(kinds::APPLY_ALL) {
        return;
    }
    // Of one suggestion there is an action already.
    if all_edits(context.snapshot).suggestions > 1 {
        acc.push(Action::new(TITLE, kinds::APPLY_ALL, Effect::ApplyAll));
    }
}

/// All suggestions together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AllEdits {
    /// Their edits, sorted.
    pub edits: Vec<TextEdit>,
    /// How many suggestions they are of.
    pub suggestions: usize,
    /// The places of those that were wanted and change what another one changes, or what stands between: they are found again once
    /// that one is applied.
    pub overlapping: Vec<TextRange>,
}

/// The edits of all suggestions worth showing, those apart that may lose digits or need that a matrix is a vector, as is stated of
/// it, and those that were timed and are slower: nobody has looked at each of them. Of two that touch the same text the first wins.
#[must_use]
pub fn all_edits(snapshot: &Snapshot) -> AllEdits {
    let is_slower = |suggestion: &Suggestion| {
        let timing = snapshot.timing_of(suggestion);
        timing.is_some_and(|timing| timing.speedup() < 1.0)
    };
    edits_of(snapshot, |suggestion| {
        suggestion.caveats().next().is_none() && !is_slower(suggestion)
    })
}

/// As [`all_edits`], of the suggestions that `is_wanted` takes.
#[must_use]
pub fn edits_of(snapshot: &Snapshot, is_wanted: impl Fn(&Suggestion) -> bool) -> AllEdits {
    let mut all = AllEdits::default();
    let shown = snapshot.shown().filter(|placed| placed.is_fresh);
    for placed in shown.filter(|placed| is_wanted(&placed.suggestion)) {
        let edits = placed.suggestion.edits.to_vec();
        let meet = |a: &TextEdit, b: &TextEdit| meet(snapshot.text(), a, b);
        if !edits
            .iter()
            .any(|edit| all.edits.iter().any(|taken| meet(edit, taken)))
        {
            all.edits.extend(edits);
            all.suggestions += 1;
        } else {
            all.overlapping.push(placed.suggestion.range);
        }
    }
    all.edits.sort_by_key(|edit| edit.range);
    all
}

/// Whether two edits of a text change the same part of it, or parts that touch and could grow together.
fn meet(text: &str, a: &TextEdit, b: &TextEdit) -> bool {
    // Statements that two suggestions put in front of the same loop have names of their own.
    if a.range.is_empty() && b.range.is_empty() {
        return false;
    }
    let (first, second) = match a.range.start <= b.range.start {
        true => (a, b),
        false => (b, a),
    };
    let at = second.range.start;
    match first.range.end.cmp(&at) {
        Ordering::Less => false,
        Ordering::Greater => true,
        // Whole lines that stand one above the other stay apart.
        Ordering::Equal => {
            let are_whole = text[..at].ends_with('\n') && ends_a_line(&first.new_text);
            first.range.is_empty() || second.range.is_empty() || !are_whole
        }
    }
}

/// Whether what follows a text stands on a line of its own.
fn ends_a_line(text: &str) -> bool {
    text.is_empty() || text.ends_with('\n')
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::fixture::{self, LOSS, snapshot, suggestion};
    use crate::suggestion::accuracy::Accuracy;
    use crate::timing::{TimingKey, TimingState};

    #[test]
    fn lines_that_go_one_above_the_other_do_not_meet() {
        let text = "a = 1\nb = 2\nc = 3\n";
        let edit = |from: usize, to: usize, new_text: &str| TextEdit {
            range: TextRange::new(from, to),
            new_text: new_text.to_owned(),
        };
        let (first, second) = (edit(0, 6, ""), edit(6, 12, ""));
        assert!(!meet(text, &first, &second) && !meet(text, &second, &first));
        assert!(!meet(text, &edit(0, 6, "x = 1\n"), &second));
        // What stays of the first line would stand before the second.
        assert!(meet(text, &edit(0, 6, "x = 1"), &second));
        assert!(meet(text, &edit(0, 5, ""), &edit(5, 12, "")));
        assert!(meet(text, &edit(0, 7, ""), &second));
        assert!(meet(text, &edit(6, 6, "x = 1\n"), &second));
        assert!(!meet(text, &edit(6, 6, "x = 1\n"), &edit(6, 6, "y = 1\n")));
        assert!(!meet(text, &edit(0, 5, "x"), &second));
    }

    #[test]
    fn all_suggestions_are_applied_and_overlapping_ones_only_once() {
        let snapshot = snapshot(LOSS);
        let both = snapshot
            .suggesting("sum((X - U %*% t(V))^2)", "sum(X^2)")
            .suggesting("U %*% t(V)", "W")
            .suggesting("print(loss)", "print(2)");
        let all = all_edits(&both);
        assert_eq!(all.suggestions, 2);
        let new = sumac_text::apply_edits(both.text(), &all.edits);
        assert!(
            new.contains("loss = sum(X^2) #") && new.contains("print(2)"),
            "{new}"
        );
        let mut lossy = suggestion(&snapshot, "print(loss)", "print(2)");
        lossy.advice_mut().accuracy = Some(Accuracy {
            lost_digits: 8.0,
            ..Accuracy::default()
        });
        let lossy = snapshot.with(lossy, true);
        assert_eq!(all_edits(&lossy), AllEdits::default());
        assert_eq!(edits_of(&lossy, |_| true).suggestions, 1);
        let mut needy = suggestion(&snapshot, "print(loss)", "print(2)");
        needy.advice_mut().needs = vec!["ncol(w) = 1".to_owned()];
        assert_eq!(all_edits(&snapshot.with(needy, true)), AllEdits::default());
        let timed = |before: f64, after: f64| {
            let quick = suggestion(&snapshot, "print(loss)", "print(2)");
            let key = TimingKey::new(&quick.pair.original, &quick.pair.optimized);
            let timing = fixture::timing(before, after);
            let mut timed = snapshot.with(quick, true);
            timed.timings = Arc::new([(key, TimingState::Done(Box::new(timing)))].into());
            all_edits(&timed).suggestions
        };
        assert_eq!((timed(2.0, 1.0), timed(1.0, 1.4)), (1, 0));
        let stale = snapshot.with(suggestion(&snapshot, "print(loss)", "print(2)"), false);
        assert_eq!(all_edits(&stale), AllEdits::default());
    }
}
