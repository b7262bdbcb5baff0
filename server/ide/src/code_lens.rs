//! Lenses above statements that have a cheaper form: time it, and what timing found; compare its other forms; see why. Above
//! products whose loop nests were asked for: what these took.

use sumac_text::TextRange;

use crate::schedule::{self, products};
use crate::snapshot::Snapshot;
use crate::timing::{TimingKey, TimingState};

/// A lens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CodeLens {
    /// The statement.
    pub range: TextRange,
    /// Its text.
    pub title: String,
    /// What choosing it does.
    pub effect: LensEffect,
}

/// What choosing a lens does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LensEffect {
    /// Times the statement as written and as suggested.
    Time,
    /// Nothing: the statement is being timed.
    Wait,
    /// Searches other forms of the statement, and lets the person choose one.
    Compare,
    /// Shows the proof of the suggestion.
    Explain,
    /// Lets the person choose another loop nest for the product.
    Schedule,
}

impl LensEffect {
    /// Whether it is about running the script.
    #[must_use]
    pub fn runs(self) -> bool {
        matches!(self, LensEffect::Time | LensEffect::Wait)
    }
}

/// The lenses of the document. A result stays until one of the two forms or a size of their inputs changes.
#[must_use]
pub fn code_lenses(snapshot: &Snapshot) -> Vec<CodeLens> {
    let mut lenses: Vec<CodeLens> = snapshot
        .shown()
        .flat_map(|placed| {
            let suggestion = &*placed.suggestion;
            let key = TimingKey::new(&suggestion.pair.original, &suggestion.pair.optimized);
            let state = snapshot.timings.get(&key);
            let time = match state {
                Some(TimingState::Running) => LensEffect::Wait,
                _ => LensEffect::Time,
            };
            let state = title(state, suggestion.timed_part().as_deref());
            // Above each statement that it rewrites, and above none between them.
            let statements: Vec<TextRange> = suggestion.statement_ranges.to_vec();
            statements.into_iter().flat_map(move |range| {
                let lens = |title: &str, effect| CodeLens {
                    range,
                    title: title.to_owned(),
                    effect,
                };
                [
                    lens(&state, time),
                    lens("compare alternatives", LensEffect::Compare),
                    lens("why", LensEffect::Explain),
                ]
            })
        })
        .collect();
    lenses.extend(nests(snapshot));
    lenses
}

/// The lenses of products with loop nests. Nobody asked for any in most sessions, and then nothing is looked at.
fn nests(snapshot: &Snapshot) -> impl Iterator<Item = CodeLens> {
    let whole = TextRange::new(0, snapshot.text().len());
    let found = (!snapshot.nests.is_empty()).then(|| products(snapshot, whole));
    found.into_iter().flatten().filter_map(|product| {
        Some(CodeLens {
            range: product.range,
            title: schedule::lens_title(snapshot.nests.get(&product.size)?)?,
            effect: LensEffect::Schedule,
        })
    })
}

fn title(state: Option<&TimingState>, part: Option<&str>) -> String {
    match state {
        None => "▶ time it".to_owned(),
        Some(TimingState::Running) => "timing …".to_owned(),
        Some(TimingState::Done(timing)) => timing.title(part),
        Some(TimingState::Failed(why)) => {
            format!(
                "▶ time it (failed: {})",
                why.lines().next().unwrap_or_default()
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::fixture::{LOSS, snapshot, timing};

    fn titles(state: Option<TimingState>) -> Vec<String> {
        let mut snapshot = snapshot(LOSS).suggesting("sum((X - U %*% t(V))^2)", "1");
        let pair = &snapshot.suggestions[0].suggestion.pair;
        let key = TimingKey::new(&pair.original, &pair.optimized);
        let timings = state
            .into_iter()
            .map(|state| (key.clone(), state))
            .collect();
        snapshot.timings = Arc::new(timings);
        code_lenses(&snapshot)
            .into_iter()
            .map(|lens| lens.title)
            .collect()
    }

    fn timed(state: TimingState) -> String {
        titles(Some(state)).swap_remove(0)
    }

    #[test]
    fn only_statements_with_a_suggestion_have_a_lens() {
        assert_eq!(code_lenses(&snapshot(LOSS)), []);
        assert_eq!(titles(None), ["▶ time it", "compare alternatives", "why"]);
    }

    #[test]
    fn the_result_replaces_the_offer_and_a_failure_says_why() {
        assert_eq!(
            timed(TimingState::Done(Box::new(timing(10.0, 1.0)))),
            "10.0 ms → 1.0 ms (10×) · measured on the script's data"
        );
        assert_eq!(timed(TimingState::Running), "timing …");
        let failed = timed(TimingState::Failed("no memory\nat all".into()));
        assert_eq!(failed, "▶ time it (failed: no memory)");
    }
}
