//! Work-done progress with a cancel button, where the client shows it.

use std::convert::Infallible;
use std::time::Duration;

use sumac_ide::CancelToken;
use tokio::sync::watch;
use tower_lsp::ls_types::{ProgressToken, Uri};

use super::state::Shared;
use crate::lsp::running::Running;

/// What the client shows while it waits.
#[derive(Clone, Debug)]
pub struct Shown<'a> {
    /// What is being done.
    pub title: &'a str,
    /// Shown only if the work takes longer than this.
    pub after: Duration,
}

/// Awaits `work`, which polls `token`, while the client, where it can, shows a cancel button that cancels `token`.
///
/// The work starts at once and never waits for the client.
pub async fn with_progress<T>(
    shared: &Shared,
    shown: Shown<'_>,
    token: CancelToken,
    work: impl Future<Output = T>,
) -> T {
    let (_, told) = watch::channel(String::new());
    with_reports(shared, shown, token, told, work).await
}

/// As [`with_progress`], and the client shows what `told` holds, as often as it changes.
pub async fn with_reports<T>(
    shared: &Shared,
    shown: Shown<'_>,
    token: CancelToken,
    mut told: watch::Receiver<String>,
    work: impl Future<Output = T>,
) -> T {
    if !shared.session().shows_progress {
        return work.await;
    }
    let (client, running) = (&shared.client, &shared.running);
    let name = running.add(token);
    let _forget = Forget {
        running,
        name: &name,
    };
    let mut work = std::pin::pin!(work);
    let begin = async {
        tokio::time::sleep(shown.after).await;
        let token = ProgressToken::String(name.clone());
        client.create_work_done_progress(token.clone()).await.ok()?;
        let first = told.borrow().clone();
        let progress = client.progress(token, shown.title).with_cancel_button();
        let progress = if first.is_empty() {
            progress
        } else {
            progress.with_message(first)
        };
        Some(progress.begin().await)
    };
    let begun = tokio::select! {
        result = &mut work => return result,
        begun = begin => begun,
    };
    let Some(progress) = begun else {
        return work.await;
    };
    let result = loop {
        tokio::select! {
            biased;
            result = &mut work => break result,
            changed = told.changed() => {
                // Nobody tells anything any more.
                if changed.is_err() {
                    break work.await;
                }
                let message = told.borrow_and_update().clone();
                progress.report_with_message(message, None).await;
            }
        }
    };
    progress.finish().await;
    result
}

/// Awaits `work`, which polls `token`, and cancels it when the document has another version than the one that it is for.
pub async fn while_current<T>(
    shared: &Shared,
    (uri, version): (&Uri, i32),
    token: &CancelToken,
    work: impl Future<Output = T>,
) -> T {
    let superseded = async {
        shared.superseded(uri, version).await;
        token.cancel();
        // The work ends by itself now, and with it its progress.
        std::future::pending::<Infallible>().await
    };
    tokio::select! {
        done = work => done,
        never = superseded => match never {},
    }
}

struct Forget<'a> {
    running: &'a Running,
    name: &'a str,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.running.lock().remove(self.name);
    }
}
