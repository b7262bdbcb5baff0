//! Apply all suggestions of this file: one edit for all of them, which the person sees before it is made.
//!
//! An optimization is no fix: nothing here is of a kind that editors apply when a file is saved.

use std::cmp::Ordering;
use std::slice;

use sumac_text::{TextEdit, TextRange};

use super::action::{Action, ActionContext, Effect, kinds};
use super::hoisted::Hoisted;
use super::unread::unread;
use super::variables::Variables;
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
    if chosen(context.snapshot, is_safe(context.snapshot)).0.len() > 1 {
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
    edits_of(snapshot, is_safe(snapshot))
}

/// Whether nobody needs to look at a suggestion before it is applied.
fn is_safe(snapshot: &Snapshot) -> impl Fn(&Suggestion) -> bool + '_ {
    move |suggestion| {
        let timing = snapshot.timing_of(suggestion);
        let is_slower = timing.is_some_and(|timing| timing.speedup() < 1.0);
        suggestion.caveats().next().is_none() && !is_slower
    }
}

/// As [`all_edits`], of the suggestions that `is_wanted` takes. What only their statements have read, and none of their forms reads, goes
/// with them.
#[must_use]
pub fn edits_of(snapshot: &Snapshot, is_wanted: impl Fn(&Suggestion) -> bool) -> AllEdits {
    let (mut chosen, overlapping) = chosen(snapshot, is_wanted);
    let (mut variables, mut hoisted) = (Variables::of(snapshot.text()), Hoisted::default());
    for (suggestion, edits) in &mut chosen {
        let own = suggestion.before_loop.as_ref();
        let own = own.map_or(&[][..], |before| &before.names);
        *edits = hoisted.shared(variables.apart(std::mem::take(edits), own), own);
    }
    let mut removals: Vec<TextEdit> = Vec::new();
    loop {
        let edits = sorted(edits_among(&chosen).chain(&removals));
        let before = removals.len();
        for (statement, removal) in unread(snapshot, &edits) {
            // What was suggested for the statement alone goes with it.
            let (own, others): (Vec<_>, Vec<_>) = chosen
                .into_iter()
                .partition(|(suggestion, _)| suggestion.statement_ranges[..] == [statement]);
            // What it computes before a loop may serve others by now.
            let is_free = own
                .iter()
                .all(|(suggestion, _)| suggestion.before_loop.is_none())
                && !meets_any(
                    snapshot.text(),
                    slice::from_ref(&removal),
                    edits_among(&others).chain(&removals),
                );
            chosen = others;
            match is_free {
                true => removals.push(removal),
                false => chosen.extend(own),
            }
        }
        if removals.len() == before {
            return AllEdits {
                suggestions: chosen.len(),
                edits,
                overlapping,
            };
        }
    }
}

/// A suggestion that is applied, with its edits.
type Chosen<'a> = (&'a Suggestion, Vec<TextEdit>);

/// The suggestions that `is_wanted` takes and that go together, and the places of the others of these.
fn chosen(
    snapshot: &Snapshot,
    is_wanted: impl Fn(&Suggestion) -> bool,
) -> (Vec<Chosen<'_>>, Vec<TextRange>) {
    let mut chosen: Vec<Chosen<'_>> = Vec::new();
    let mut overlapping = Vec::new();
    let shown = snapshot.shown().filter(|placed| placed.is_fresh);
    for placed in shown.filter(|placed| is_wanted(&placed.suggestion)) {
        let edits = placed.suggestion.edits.to_vec();
        match meets_any(snapshot.text(), &edits, edits_among(&chosen)) {
            false => chosen.push((&placed.suggestion, edits)),
            true => overlapping.push(placed.suggestion.range),
        }
    }
    (chosen, overlapping)
}

fn edits_among<'a>(chosen: &'a [Chosen<'_>]) -> impl Iterator<Item = &'a TextEdit> {
    chosen.iter().flat_map(|(_, edits)| edits)
}

fn sorted<'a>(edits: impl Iterator<Item = &'a TextEdit>) -> Vec<TextEdit> {
    let mut edits: Vec<TextEdit> = edits.cloned().collect();
    edits.sort_by_key(|edit| edit.range);
    edits
}

/// Whether one of the edits meets one that was taken before.
fn meets_any<'a>(
    text: &str,
    edits: &[TextEdit],
    mut taken: impl Iterator<Item = &'a TextEdit>,
) -> bool {
    taken.any(|taken| edits.iter().any(|edit| meet(text, edit, taken)))
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
    use crate::timing::{TimingKey, TimingState};
    use sumac_advice::Accuracy;

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
            .suggesting("print(loss)", "print(2 * loss)");
        let all = all_edits(&both);
        assert_eq!(all.suggestions, 2);
        let new = sumac_text::apply_edits(both.text(), &all.edits);
        assert!(
            new.contains("loss = sum(X^2) #") && new.contains("print(2 * loss)"),
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

    /// All suggestions of a script, which take their first for their second, applied.
    fn applied(script: &str, suggested: &[(&str, &str)]) -> (String, usize) {
        let mut snapshot = snapshot(script);
        for (original, optimized) in suggested {
            snapshot = snapshot.suggesting(original, optimized);
        }
        let all = all_edits(&snapshot);
        let text = sumac_text::apply_edits(snapshot.text(), &all.edits);
        (text, all.suggestions)
    }

    const READ_TWICE: &str = "A = rand(rows=9, cols=9)
C = A + 1
B = A %*% C
x = sum(B)
y = sum(t(B))
print(x + y)
";

    #[test]
    fn what_no_form_reads_any_more_goes_with_the_statements_that_read_it() {
        let both = [("sum(B)", "sum(A)"), ("sum(t(B))", "mean(A)")];
        let expected = "A = rand(rows=9, cols=9)\nx = sum(A)\ny = mean(A)\nprint(x + y)\n";
        assert_eq!(applied(READ_TWICE, &both), (expected.to_owned(), 2));
        // What was suggested for it alone goes along.
        let own = [both[0], both[1], ("A %*% C", "t(A) %*% C")];
        assert_eq!(applied(READ_TWICE, &own), (expected.to_owned(), 2));
    }

    #[test]
    fn what_a_form_reads_for_the_first_time_stays() {
        let both = [("sum(B)", "sum(C)"), ("sum(t(B))", "mean(A)")];
        let expected =
            "A = rand(rows=9, cols=9)\nC = A + 1\nx = sum(C)\ny = mean(A)\nprint(x + y)\n";
        assert_eq!(applied(READ_TWICE, &both), (expected.to_owned(), 2));
    }

    #[test]
    fn what_a_dropped_statement_leaves_its_variable_stays() {
        let script =
            "A = rand(rows=9, cols=9)\nC = A + 1\nC = t(t(C))\nif (sum(A) > 3) print(sum(C))\n";
        let (text, _) = applied(script, &[("C = t(t(C))", "")]);
        assert_eq!(text, script.replace("C = t(t(C))", ""));
        // Also where another statement had read it, and goes on without it.
        let script = "A = rand(rows=9, cols=9)\nC = A + 1\nx = sum(C)\nC = 1 + A\nif (x > 3) print(sum(C))\n";
        let both = [("sum(C)", "sum(A) + 81"), ("C = 1 + A", "")];
        let stays = "A = rand(rows=9, cols=9)\nC = A + 1\nx = sum(A) + 81\n";
        assert!(applied(script, &both).0.starts_with(stays));
        let (text, _) = applied(script, &both[..1]);
        assert!(!text.contains("C = A + 1"), "{text}");
    }

    #[test]
    fn what_may_still_be_read_stays() {
        let both = [("sum(B)", "sum(A)"), ("sum(t(B))", "mean(A)")];
        let stays = |script: &str, suggested: &[(&str, &str)]| {
            let (text, _) = applied(script, suggested);
            assert!(text.contains("B = A %*% C"), "{text}");
        };
        stays(READ_TWICE, &both[..1]);
        stays(READ_TWICE, &[both[0], ("sum(t(B))", "sum(colSums(B))")]);
        // It is read behind the block, a person says something of it, or nobody has read it before.
        stays(&format!("{READ_TWICE}if (x > 1) print(sum(B))\n"), &both);
        stays(
            &READ_TWICE.replace("\nx =", "\n#@ assert colSums(B) == t(rowSums(t(B)))\nx ="),
            &both,
        );
        stays(&READ_TWICE.replace("A %*% C", "A %*% C # why"), &both);
        stays(&format!("#@ B: 9 x 9\n{READ_TWICE}"), &both);
        stays(
            "A = rand(rows=9, cols=9)\nC = A + 1\nB = A %*% C\nprint(sum(C))\n",
            &[("sum(C)", "sum(A) + 81")],
        );
    }
}
