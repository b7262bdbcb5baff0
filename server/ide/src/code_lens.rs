//! Lenses above statements that have a cheaper form: time it, and what timing found.

use sumac_syntax::text::TextRange;

use crate::snapshot::Snapshot;
use crate::timing::{TimingKey, TimingState};

/// A lens; choosing it times the statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CodeLens {
    /// The statement.
    pub range: TextRange,
    /// Its text.
    pub title: String,
    /// Why it cannot be chosen now, if it cannot.
    pub is_running: bool,
}

/// The lenses of the document. A result stays until one of the two forms or a size of their inputs changes.
#[must_use]
pub fn code_lenses(snapshot: &Snapshot) -> Vec<CodeLens> {
    snapshot
        .shown()
        .map(|placed| {
            let suggestion = &*placed.suggestion;
            let key = TimingKey::new(&suggestion.pair.original, &suggestion.pair.optimized);
            let state = snapshot.timings.get(&key);
            CodeLens {
                range: suggestion.range,
                title: title(state),
                is_running: state == Some(&TimingState::Running),
            }
        })
        .collect()
}

fn title(state: Option<&TimingState>) -> String {
    match state {
        None => "▶ time it".to_owned(),
        Some(TimingState::Running) => "timing …".to_owned(),
        Some(TimingState::Done(timing)) => timing.title(),
        Some(TimingState::Failed(why)) => {
            format!(
                "▶ time it (failed: {})",
                why.lines().next().unwrap_or_default()
            )
        }
    }
}
