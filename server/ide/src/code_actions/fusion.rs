//! Show how it is fused: the operators of the block around the cursor, each as a short program.

use super::{Action, ActionContext, Effect, kinds};
use crate::fusion::Block;

pub(super) fn offer(context: &ActionContext<'_>, acc: &mut Vec<Action>) {
    let block = Block::around(context.snapshot, context.range);
    if block.is_some_and(|block| block.has_choices()) {
        acc.push(Action::new(
            "Show how it is fused",
            kinds::EXPLAIN,
            Effect::Fusion(context.range.start),
        ));
    }
}
