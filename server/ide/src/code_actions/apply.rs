//! Apply optimized form: replaces the statement by its cheaper form.
//!
//! ```text
//! loss = sum((X - U $0%*% t(V))^2)
//! ```
//! ->
//! ```text
//! loss = sum(X^2) - 2 * sum(U * (X %*% V)) + sum((t(U) %*% U) * (t(V) %*% V))
//! ```

use super::{Action, ActionContext, Effect, kinds};

pub(super) fn offer(context: &ActionContext<'_>, acc: &mut Vec<Action>) {
    for suggestion in context.snapshot.applicable(context.range) {
        acc.push(Action::new(
            "Apply optimized form",
            kinds::REWRITE,
            Effect::Edit(suggestion.edits.to_vec()),
        ));
        if let Some(edits) = &suggestion.edits_with_temporaries {
            acc.push(Action::new(
                "Apply optimized form (with temporaries)",
                kinds::REWRITE,
                Effect::Edit(edits.to_vec()),
            ));
        }
    }
}
