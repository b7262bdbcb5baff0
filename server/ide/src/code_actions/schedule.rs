//! Schedule with sketch …: a loop nest for the product at the cursor, as a sketch says it.

use super::action::{Action, ActionContext, Effect, kinds};
use crate::schedule::products;

pub(super) fn offer(context: &ActionContext<'_>, acc: &mut Vec<Action>) {
    if products(context.snapshot, context.range).next().is_some() {
        acc.push(Action::new(
            "Schedule with sketch …",
            kinds::EXPLAIN,
            Effect::Schedule(context.range.start),
        ));
    }
}
