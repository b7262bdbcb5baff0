//! Explain, step by step: shows the proof that the suggestion equals the statement.

use super::action::{Action, ActionContext, Effect, kinds};

pub(super) fn offer(context: &ActionContext<'_>, acc: &mut Vec<Action>) {
    for suggestion in context.snapshot.applicable(context.range) {
        acc.push(Action::new(
            "Explain, step by step",
            kinds::EXPLAIN,
            Effect::Explain(suggestion.statement_at(context.range).start),
        ));
    }
}
