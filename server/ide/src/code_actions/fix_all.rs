//! `source.fixAll.sumac`: applies every suggestion of the document. Offered only to who asks for it.

use sumac_syntax::text::TextEdit;

use super::{Action, ActionContext, Effect, kinds};
use crate::snapshot::Snapshot;

pub(super) fn offer(context: &ActionContext<'_>, acc: &mut Vec<Action>) {
    if !context.asks_for(kinds::FIX_ALL) {
        return;
    }
    let edits = fix_all(context.snapshot);
    if !edits.is_empty() {
        acc.push(Action::new(
            "Apply all optimized forms",
            kinds::FIX_ALL,
            Effect::Edit(edits),
        ));
    }
}

/// The edits of all suggestions worth showing, sorted. Of two that touch the same text the first wins.
#[must_use]
pub fn fix_all(snapshot: &Snapshot) -> Vec<TextEdit> {
    let mut all: Vec<TextEdit> = Vec::new();
    for placed in snapshot.shown().filter(|placed| placed.is_fresh) {
        let edits = placed.suggestion.edits.to_vec();
        let meets = |a: &TextEdit, b: &TextEdit| {
            // Statements that two suggestions put in front of the same loop have names of their own.
            let both_insert = a.range.is_empty() && b.range.is_empty();
            !both_insert && a.range.start <= b.range.end && b.range.start <= a.range.end
        };
        if !edits
            .iter()
            .any(|edit| all.iter().any(|taken| meets(edit, taken)))
        {
            all.extend(edits);
        }
    }
    all.sort_by_key(|edit| edit.range);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{LOSS, snapshot, suggestion};

    #[test]
    fn all_suggestions_are_applied_and_overlapping_ones_only_once() {
        let snapshot = snapshot(LOSS);
        let both = snapshot
            .suggesting("sum((X - U %*% t(V))^2)", "sum(X^2)")
            .suggesting("U %*% t(V)", "W")
            .suggesting("print(loss)", "print(2)");
        let new = sumac_syntax::edit::apply_edits(both.text(), &fix_all(&both));
        assert!(
            new.contains("loss = sum(X^2) #") && new.contains("print(2)"),
            "{new}"
        );
        let stale = snapshot.with(suggestion(&snapshot, "print(loss)", "print(2)"), false);
        assert_eq!(fix_all(&stale), []);
    }
}
