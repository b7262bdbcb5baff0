//! Show how it is fused: the operators of the block around the cursor, each as a short program.

use super::action::{Action, ActionContext, Effect, kinds};
use crate::fusion::has_choices;

pub(super) fn offer(context: &ActionContext<'_>, acc: &mut Vec<Action>) {
    if has_choices(context.snapshot, context.range) {
        acc.push(Action::new(
            "Show how it is fused",
            kinds::EXPLAIN,
            Effect::Fusion(context.range.start),
        ));
    }
}
