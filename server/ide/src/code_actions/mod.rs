//! What the light bulb offers. Each action is one file, registered by one line in [`ALL`].

mod action;
mod alternatives;
mod apply;
mod apply_all;
mod explain;
mod fusion;
mod hoisted;
mod quick_fixes;
mod schedule;
mod unread;
mod variables;
mod why_none;

use crate::snapshot::Snapshot;

pub use action::{Action, ActionContext, Effect, kinds};
pub use alternatives::MOST_ALTERNATIVES;
pub use apply_all::{AllEdits, TITLE as APPLY_ALL, all_edits, edits_of};

type Offer = fn(&ActionContext<'_>, &mut Vec<Action>);

const ALL: [Offer; 8] = [
    quick_fixes::offer,
    apply::offer,
    apply_all::offer,
    alternatives::offer,
    explain::offer,
    why_none::offer,
    fusion::offer,
    schedule::offer,
];

/// The actions for a place.
#[must_use]
pub fn code_actions(context: &ActionContext<'_>) -> Vec<Action> {
    let mut actions = Vec::new();
    let context = &ActionContext {
        range: context.snapshot.aimed_at(context.range),
        ..*context
    };
    for offer in ALL {
        offer(context, &mut actions);
    }
    actions.retain(|action| context.only.is_none() || context.asks_for(action.kind));
    tell_apart(context.snapshot, &mut actions);
    actions
}

/// Of a selection several statements may be offered the same: the line says which is which.
fn tell_apart(snapshot: &Snapshot, actions: &mut [Action]) {
    let titles: Vec<String> = actions.iter().map(|it| it.title.clone()).collect();
    let is_alone = |title: &String| titles.iter().filter(|it| *it == title).count() < 2;
    for (action, title) in actions.iter_mut().zip(&titles) {
        if let Some(at) = action.effect.place().filter(|_| !is_alone(title)) {
            let line = snapshot.lines.line(at) + 1;
            action.title = format!("{title} (line {line})");
        }
    }
}

#[cfg(test)]
mod tests {
    use sumac_text::TextRange;

    use super::*;
    use crate::fixture::{LOSS, at_cursor, cursor, snapshot, suggestion};

    const ORIGINAL: &str = "sum((X - U %*% t(V))^2)";

    fn titles(fixture: &str, is_fresh: bool, only: Option<&[&str]>) -> Vec<String> {
        let (snapshot, offset) = at_cursor(fixture);
        let mut found = suggestion(&snapshot, ORIGINAL, "sum(X^2)");
        found.edits_with_temporaries = Some(found.edits.clone());
        let snapshot = snapshot.with(found, is_fresh);
        let only = only.map(|kinds| kinds.iter().map(|k| (*k).to_owned()).collect::<Vec<_>>());
        let context = ActionContext {
            snapshot: &snapshot,
            range: cursor(offset),
            only: only.as_deref(),
        };
        code_actions(&context)
            .into_iter()
            .map(|action| action.title)
            .collect()
    }

    fn on_statement() -> String {
        LOSS.replace("%*%", "%$0*%")
    }

    #[test]
    fn a_statement_with_a_suggestion_offers_to_apply_and_explain_it() {
        assert_eq!(
            titles(&on_statement(), true, None),
            [
                "Apply optimized form",
                "Apply optimized form (with temporaries)",
                "Show 3 alternatives",
                "Explain, step by step",
                "Show how it is fused",
                "Schedule with sketch …",
            ]
        );
    }

    #[test]
    fn a_cursor_in_the_space_of_a_line_is_offered_what_its_statement_is() {
        let indented = LOSS.replace("loss = ", "$0  loss = ");
        let whole = titles(&on_statement(), true, None);
        assert_eq!(titles(&indented, true, None), whole);
        let behind = LOSS.replace("as ALS", "as$0 ALS");
        assert_eq!(titles(&behind, true, None), whole);
        let above = LOSS.replace("loss = ", "$0# loss\nloss = ");
        assert_eq!(titles(&above, true, None), Vec::<String>::new());
    }

    #[test]
    fn what_a_selection_is_offered_several_times_says_of_which_line() {
        let script = snapshot(LOSS)
            .suggesting(ORIGINAL, "sum(X^2)")
            .suggesting("print(loss)", "print(2 * loss)");
        let context = ActionContext {
            snapshot: &script,
            range: TextRange::new(0, LOSS.len()),
            only: None,
        };
        let found = code_actions(&context);
        for title in ["Apply optimized form", "Explain, step by step"] {
            for line in [7, 8] {
                let title = format!("{title} (line {line})");
                assert_eq!(found.iter().filter(|it| it.title == title).count(), 1);
            }
        }
        let twice = snapshot("x = 1\nx = 2\nx = 3\nprint(x)\n");
        let context = ActionContext {
            snapshot: &twice,
            range: TextRange::new(0, 12),
            only: None,
        };
        let found: Vec<String> = code_actions(&context)
            .into_iter()
            .map(|it| it.title)
            .filter(|title| title.starts_with("Allow"))
            .collect();
        assert_eq!(
            found,
            [
                "Allow `unused-value` for this statement (line 1)",
                "Allow `unused-value` in this file",
                "Allow `unused-value` for this statement (line 2)",
            ]
        );
    }

    #[test]
    fn no_form_is_offered_elsewhere_or_for_an_earlier_text() {
        let elsewhere = LOSS.replace("U = read", "U =$0 read");
        assert_eq!(titles(&elsewhere, true, None), Vec::<String>::new());
        // How it is fused is known of the present text.
        assert_eq!(
            titles(&on_statement(), false, None),
            ["Show how it is fused", "Schedule with sketch …"]
        );
    }

    #[test]
    fn a_request_for_a_kind_gets_that_kind_and_those_below() {
        let asked = |kind: &str| titles(&on_statement(), true, Some(&[kind]));
        assert_eq!(asked("refactor").len(), 6);
        assert_eq!(asked("refactor.rewrite").len(), 2);
        assert_eq!(
            asked("refactor.rew"),
            Vec::<String>::new(),
            "half a word is no kind"
        );
        assert_eq!(asked("quickfix"), Vec::<String>::new());
    }

    #[test]
    fn nothing_is_rewritten_when_a_file_is_saved() {
        let asked = |kind: &str| titles(&on_statement(), true, Some(&[kind]));
        for kind in ["source", "source.fixAll", "source.fixAll.sumac"] {
            assert_eq!(asked(kind), Vec::<String>::new(), "{kind}");
        }
    }

    #[test]
    fn all_suggestions_are_offered_at_one_of_several_and_to_who_names_the_kind() {
        let (snapshot, offset) = at_cursor(&on_statement());
        let one = snapshot.suggesting(ORIGINAL, "sum(X^2)");
        let two = one.suggesting("print(loss)", "print(2 * loss)");
        let offered = |snapshot: &Snapshot, offset: usize, only: Option<&[String]>| {
            let context = ActionContext {
                snapshot,
                range: cursor(offset),
                only,
            };
            let actions = code_actions(&context);
            actions.iter().any(|action| action.title == APPLY_ALL)
        };
        assert!(offered(&two, offset, None));
        assert!(!offered(&one, offset, None), "there is but one");
        assert!(!offered(&two, 0, None), "none stands here");
        let named = [kinds::APPLY_ALL.to_owned()];
        assert!(offered(&two, 0, Some(&named)));
        let rewriting = [kinds::REWRITE.to_owned()];
        assert!(!offered(&two, 0, Some(&rewriting)));
    }

    #[test]
    fn a_joined_suggestion_says_which_lines_it_rewrites_and_lines_between_are_their_own() {
        let text = LOSS.replace("print(loss)", "Y = X %*% V\nz = sum(Y)\nprint(loss)");
        let snapshot = snapshot(&text);
        let mut joined = suggestion(&snapshot, ORIGINAL, "1");
        let last = suggestion(&snapshot, "sum(Y)", "2");
        joined.range = joined.range.cover(last.range);
        joined.statement_ranges.extend(last.statement_ranges);
        let snapshot = snapshot.with(joined, true).suggesting("X %*% V", "W");
        let titles = |place: &str| {
            let at = text.find(place).expect("it stands there");
            let context = ActionContext {
                snapshot: &snapshot,
                range: cursor(at),
                only: None,
            };
            let found = code_actions(&context).into_iter().map(|it| it.title);
            let found = found.filter(|title| title.starts_with("Apply optimized"));
            found.collect::<Vec<_>>()
        };
        let line = |place: &str| text[..text.find(place).unwrap()].matches('\n').count() + 1;
        let both = format!(
            "Apply optimized form (rewrites lines {} and {})",
            line(ORIGINAL),
            line("z = sum")
        );
        assert_eq!(titles(ORIGINAL), std::slice::from_ref(&both));
        assert_eq!(titles("sum(Y)"), [both]);
        assert_eq!(titles("X %*% V"), ["Apply optimized form"]);
        assert_eq!(titles("print(loss)"), Vec::<String>::new());
    }
}
