//! Show 3 alternatives: searches other forms of the statement, shows what each costs, and writes the one chosen.
//!
//! ```text
//! loss = sum((X - U $0%*% t(V))^2)
//! ```
//! -> (the second of three)
//! ```text
//! loss = sum(X^2) - 2 * sum(X * (U %*% t(V))) + sum((t(U) %*% U) * (t(V) %*% V))
//! ```
//!
//! The search costs as much as the one for the suggestion, so it must never run before the action is chosen.

use super::action::{Action, ActionContext, Effect, kinds};

/// Alternatives that are searched for.
pub const MOST_ALTERNATIVES: usize = 3;

pub(super) fn offer(context: &ActionContext<'_>, acc: &mut Vec<Action>) {
    for suggestion in context.snapshot.applicable(context.range) {
        acc.push(Action::new(
            format!("Show {MOST_ALTERNATIVES} alternatives"),
            kinds::EXPLAIN,
            Effect::Compare(suggestion.statement_at(context.range).start),
        ));
    }
}
