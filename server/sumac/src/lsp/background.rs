//! The one way to work outside the protocol's own task.
//!
//! Handlers must stay short, or cancels and keystrokes stay unread. Whatever computes goes through
//! [`background`]: on a blocking thread, with a token that is cancelled as soon as nobody waits any more, and
//! with a panic turned into an error of that one request.

use std::borrow::Cow;

use sumac_ide::CancelToken;
use tower_lsp::jsonrpc;

use super::activity::Task;

/// Why there is no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// Nobody wants it any more.
    Cancelled,
    /// A defect of the server: the text of the panic.
    Panicked(String),
    /// The request cannot be fulfilled, and why: text for the user.
    Refused(String),
}

impl From<Failure> for jsonrpc::Error {
    fn from(failure: Failure) -> Self {
        let error = |code, message: String| jsonrpc::Error {
            code,
            message: Cow::Owned(message),
            data: None,
        };
        match failure {
            Failure::Cancelled => jsonrpc::Error::request_cancelled(),
            Failure::Panicked(text) => error(
                jsonrpc::ErrorCode::InternalError,
                format!("a defect in sumac, the session goes on: {text}"),
            ),
            // LSP's RequestFailed: well-formed, understood, and not possible now.
            Failure::Refused(text) => error(jsonrpc::ErrorCode::ServerError(-32803), text),
        }
    }
}

/// Runs `work` on a blocking thread, when it is the task's turn. If the returned future is dropped (the client cancelled
/// the request), the task's token is cancelled, and `work` is expected to notice soon.
///
/// # Errors
/// `work` panicked, or the runtime is shutting down.
pub async fn background<T: Send + 'static>(
    task: Task,
    work: impl FnOnce(&CancelToken) -> T + Send + 'static,
) -> Result<T, Failure> {
    let guard = CancelOnDrop {
        token: task.token().clone(),
        armed: true,
    };
    let turn = task.turn().await;
    let result = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        task.begin();
        work(task.token())
    })
    .await;
    guard.disarm();
    result.map_err(|error| match error.try_into_panic() {
        Ok(payload) => {
            let text = panic_text(payload.as_ref());
            tracing::error!("panic in background work: {text}");
            Failure::Panicked(text)
        }
        Err(_) => Failure::Cancelled,
    })
}

/// The message of a panic.
#[must_use]
pub fn panic_text(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}

struct CancelOnDrop {
    token: CancelToken,
    armed: bool,
}

impl CancelOnDrop {
    fn disarm(mut self) {
        self.armed = false;
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if self.armed {
            self.token.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::lsp::activity::{Activity, What};

    fn task(activity: &Arc<Activity>, what: What) -> Task {
        Task::new(activity, what, None, CancelToken::default())
    }

    #[tokio::test]
    async fn a_panic_is_an_error_of_the_request() {
        let activity = Arc::default();
        let failed = background(task(&activity, What::Answer), |_| -> u8 {
            panic!("broken")
        });
        assert_eq!(failed.await, Err(Failure::Panicked("broken".into())));
        assert_eq!(activity.tasks(), (vec![], 0), "nothing goes on");
    }

    #[tokio::test]
    async fn dropping_the_request_cancels_its_work() {
        let activity = Arc::default();
        let (started, wait) = tokio::sync::oneshot::channel();
        let (ended, seen) = tokio::sync::oneshot::channel();
        let request = tokio::spawn(background(task(&activity, What::Answer), move |token| {
            let _ = started.send(());
            while !token.is_cancelled() {
                std::thread::yield_now();
            }
            let _ = ended.send(());
        }));
        wait.await.unwrap();
        request.abort();
        seen.await.expect("the work saw that it was cancelled");
    }
    #[tokio::test]
    async fn many_lookups_take_turns_and_keep_no_answer_waiting() {
        let activity: Arc<Activity> = Arc::default();
        let (go, waits) = tokio::sync::watch::channel(());
        let lookups: Vec<_> = (0..5)
            .map(|_| {
                let mut waits = waits.clone();
                let runtime = tokio::runtime::Handle::current();
                tokio::spawn(background(task(&activity, What::Lookup), move |_| {
                    runtime.block_on(waits.changed()).is_ok()
                }))
            })
            .collect();
        let running = |activity: &Activity| activity.tasks().0.len();
        while activity.tasks().1 != 3 || running(&activity) != 2 {
            activity.changed().await;
        }
        let answer = background(task(&activity, What::Answer), |_| 7).await;
        assert_eq!(answer, Ok(7));
        assert_eq!((running(&activity), activity.tasks().1), (2, 3));
        drop(go);
        for lookup in lookups {
            assert!(lookup.await.is_ok_and(|answer| answer == Ok(false)));
        }
    }

    #[tokio::test]
    async fn work_is_cancelled_by_its_kind_and_document() {
        let activity: Arc<Activity> = Arc::default();
        let uri = "file:///a.dml".parse().unwrap();
        let of = |uri| Task::new(&activity, What::Search, uri, CancelToken::default());
        let (one, other) = (of(Some(&uri)), of(None));
        assert_eq!(activity.cancel(What::Timing, Some(&uri)), 0);
        assert_eq!(activity.cancel(What::Search, Some(&uri)), 1);
        assert!(one.token().is_cancelled() && !other.token().is_cancelled());
    }
}
