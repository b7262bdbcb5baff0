//! The one way to work outside the protocol's own task.
//!
//! Handlers must stay short, or cancels and keystrokes stay unread. Whatever computes goes through
//! [`background`]: on a blocking thread, with a token that is cancelled as soon as nobody waits any more, and
//! with a panic turned into an error of that one request.

use std::borrow::Cow;

use sumac_ide::CancelToken;
use tower_lsp::jsonrpc;

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

/// Runs `work` on a blocking thread. If the returned future is dropped (the client cancelled the request), the
/// token is cancelled, and `work` is expected to notice soon.
///
/// # Errors
/// `work` panicked, or the runtime is shutting down.
pub async fn background<T: Send + 'static>(
    token: CancelToken,
    work: impl FnOnce(&CancelToken) -> T + Send + 'static,
) -> Result<T, Failure> {
    let guard = CancelOnDrop {
        token: token.clone(),
        armed: true,
    };
    let result = tokio::task::spawn_blocking(move || work(&token)).await;
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
    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_error_of_the_request() {
        let failed = background(CancelToken::default(), |_| -> u8 { panic!("broken") }).await;
        assert_eq!(failed, Err(Failure::Panicked("broken".into())));
    }

    #[tokio::test]
    async fn dropping_the_request_cancels_its_work() {
        let token = CancelToken::default();
        let (started, wait) = tokio::sync::oneshot::channel();
        let (ended, seen) = tokio::sync::oneshot::channel();
        let request = tokio::spawn(background(token, move |token| {
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
}
