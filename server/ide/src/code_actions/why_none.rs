//! Why no suggestion: says what the search of a statement came to, and states sizes that it lacks.

use super::action::{Action, ActionContext, Effect, kinds};
use super::quick_fixes::fix::line_above;

pub(super) fn offer(context: &ActionContext<'_>, acc: &mut Vec<Action>) {
    let (snapshot, range) = (context.snapshot, context.range);
    if snapshot.why_none(range).is_none() {
        return;
    }
    acc.push(Action::new(
        "Why no suggestion",
        kinds::EXPLAIN,
        Effect::WhyNone(range.start),
    ));
    let touched = snapshot.silences.iter().filter(|silence| {
        silence.statement.start <= range.end && range.start <= silence.statement.end
    });
    for (name, above) in touched.flat_map(|silence| &silence.asks) {
        let line = line_above(snapshot, *above, &format!("#@ {name}: rows x cols"));
        acc.push(Action::new(
            format!("State the size of `{name}` to get suggestions"),
            kinds::REWRITE,
            Effect::Edit(vec![line]),
        ));
    }
}
