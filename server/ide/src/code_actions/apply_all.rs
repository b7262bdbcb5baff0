//! Apply all suggestions of this file: one edit for all of them, which the person sees before it is made.
//!
//! An optimization is no fix: nothing here is of a kind that editors apply when a file is saved.

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
/// it: nobody has looked at each of them. Of two that touch the same text the first wins.
#[must_use]
pub fn all_edits(snapshot: &Snapshot) -> AllEdits {
    edits_of(snapshot, |suggestion| suggestion.caveats().next().is_none())
}

/// As [`all_edits`], of the suggestions that `is_wanted` takes.
#[must_use]
pub fn edits_of(snapshot: &Snapshot, is_wanted: impl Fn(&Suggestion) -> bool) -> AllEdits {
    let mut all = AllEdits::default();
    let shown = snapshot.shown().filter(|placed| placed.is_fresh);
    for placed in shown.filter(|placed| is_wanted(&placed.suggestion)) {
        let edits = placed.suggestion.edits.to_vec();
        let meets = |a: &TextEdit, b: &TextEdit| {
            // Statements that two suggestions put in front of the same loop have names of their own.
            let both_insert = a.range.is_empty() && b.range.is_empty();
            !both_insert && a.range.start <= b.range.end && b.range.start <= a.range.end
        };
        if !edits
            .iter()
            .any(|edit| all.edits.iter().any(|taken| meets(edit, taken)))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{LOSS, snapshot, suggestion};
    use crate::suggestion::accuracy::Accuracy;

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
        let stale = snapshot.with(suggestion(&snapshot, "print(loss)", "print(2)"), false);
        assert_eq!(all_edits(&stale), AllEdits::default());
    }
}
