//! Explain, step by step: shows the proof that the suggestion equals the statement.

use super::{Action, ActionContext, Effect, kinds};

pub(super) fn offer(context: &ActionContext<'_>, acc: &mut Vec<Action>) {
    for suggestion in context.snapshot.applicable(context.range) {
        acc.push(Action {
            title: "Explain, step by step".to_owned(),
            kind: kinds::EXPLAIN,
            effect: Effect::Explain(suggestion.range.start),
        });
    }
}
