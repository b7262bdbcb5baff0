//! `sumac.time`: times a statement as written and as suggested, in a worker process, with progress and cancel.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use sumac_engine::{EngineError, Limits};
use sumac_ide::{CancelToken, TimingKey, TimingState};
use tower_lsp::ls_types::MessageType;

use super::Place;
use crate::lsp::activity::{Task, What};
use crate::lsp::background::{Failure, background};
use crate::lsp::progress::{Shown, with_progress};
use crate::lsp::state::Shared;
use crate::lsp::{convert, pipeline};
use crate::measure::{self, Subject};
use crate::script::{Context, Stated};

/// Seconds after which a timing is stopped unless the configuration says otherwise.
const TIME_LIMIT: f64 = 300.0;

/// Runs the command; the result is the lens's text.
///
/// # Errors
/// There is no suggestion, nothing may run here, the run failed, or it was cancelled.
pub async fn run(shared: &Arc<Shared>, place: Place) -> Result<Value, Failure> {
    if !shared.session().trusted {
        return Err(Failure::Refused(
            "nothing is run in a workspace that is not trusted; trust it in the editor first"
                .into(),
        ));
    }
    let (found, suggestion) = place.suggestion(shared).await?;
    let key = TimingKey::new(&suggestion.pair.original, &suggestion.pair.optimized);
    let running = Claim::new(shared, &key)?;
    pipeline::refresh(shared).await;

    let engine = &found.config.engine;
    let limits = Limits {
        memory_bytes: found.config.run_memory(),
        seconds: Some(engine.time_limit.map_or(TIME_LIMIT, |seconds| seconds.0)),
    };
    let token = CancelToken::default();
    let path = convert::file_path(&place.uri);
    let what = What::Timing;
    let task = Task::new(&shared.activity, what, Some(&place.uri), token.clone());
    let part = suggestion.timed_part();
    let work = background(task, move |token| {
        let program = found.snapshot.parse.program();
        let folders = measure::folder_of(path.as_deref());
        let context = Context::new((*found.config).clone(), &Stated::default());
        let mut job = measure::job(Subject {
            suggestion: &suggestion,
            program,
            folders: &folders,
            stated: &context.stated,
        });
        job.planning.machine = found.options.machine;
        let engine = found.config.engine.name.unwrap_or_default().start()?;
        let once = suggestion.pair.once.as_ref();
        measure::time_suggestion(engine.as_ref(), (job, once), &limits, token, &mut |_| {})
    });
    let title = format!("Timing {}", place.title());
    let shown = Shown {
        title: &title,
        after: Duration::ZERO,
    };
    let answer = match with_progress(shared, shown, token, work).await? {
        Ok(timing) => {
            let title = timing.title(part.as_deref());
            running.end(Some(TimingState::Done(Box::new(timing))));
            Ok(json!({ "title": title }))
        }
        Err(EngineError::Cancelled) => {
            running.end(None);
            Err(Failure::Cancelled)
        }
        Err(error) => {
            let text = error.to_string();
            running.end(Some(TimingState::Failed(text.clone())));
            let message = format!("timing failed: {text}");
            shared
                .client
                .show_message(MessageType::ERROR, message)
                .await;
            Err(Failure::Refused(text))
        }
    };
    pipeline::refresh(shared).await;
    answer
}

/// One run for one pair of forms at a time. Whatever ends the run, the lens does not stay at "timing".
struct Claim<'a> {
    shared: &'a Shared,
    key: TimingKey,
    before: Option<TimingState>,
}

impl<'a> Claim<'a> {
    fn new(shared: &'a Shared, key: &TimingKey) -> Result<Self, Failure> {
        let before = shared.timings().get(key).cloned();
        if before == Some(TimingState::Running) {
            return Err(Failure::Refused(
                "this statement is being timed already".to_owned(),
            ));
        }
        shared.set_timing(key.clone(), Some(TimingState::Running));
        Ok(Claim {
            shared,
            key: key.clone(),
            before,
        })
    }

    /// Records the outcome; `None` brings back what was known before.
    fn end(mut self, state: Option<TimingState>) {
        if state.is_some() {
            self.before = state;
        }
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.shared.set_timing(self.key.clone(), self.before.take());
    }
}
