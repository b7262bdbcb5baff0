//! Apply optimized form: replaces the statement by its cheaper form.
//!
//! ```text
//! loss = sum((X - U $0%*% t(V))^2)
//! ```
//! ->
//! ```text
//! loss = sum(X^2) - 2 * sum(U * (X %*% V)) + sum((t(U) %*% U) * (t(V) %*% V))
//! ```

use super::action::{Action, ActionContext, Effect, kinds};

pub(super) fn offer(context: &ActionContext<'_>, acc: &mut Vec<Action>) {
    for suggestion in context.snapshot.applicable(context.range) {
        // Of several statements: it must be clear that others change, too.
        let lines = suggestion.rewrites(&context.snapshot.lines);
        let title = |what: &[&str]| match what.join(", ").as_str() {
            "" => "Apply optimized form".to_owned(),
            what => format!("Apply optimized form ({what})"),
        };
        let caveats: Vec<String> = suggestion.caveats().collect();
        let lines = lines.iter().chain(&caveats);
        let lines: Vec<&str> = lines.map(String::as_str).collect();
        acc.push(Action::new(
            title(&lines),
            kinds::REWRITE,
            Effect::Edit(suggestion.edits.to_vec()),
        ));
        if let Some(edits) = &suggestion.edits_with_temporaries {
            let what = [&["with temporaries"], lines.as_slice()].concat();
            acc.push(Action::new(
                title(&what),
                kinds::REWRITE,
                Effect::Edit(edits.to_vec()),
            ));
        }
    }
}
