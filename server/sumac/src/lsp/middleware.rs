//! What stands between the wire and the handlers: every request that comes in passes here once.
//!
//! - So many requests are open at most that a cancel is always read. One more sends the oldest away that asks the same
//!   of the same document, or the oldest of all.
//! - A request that takes too long is cancelled and says so.
//! - Where a document changed under a request, a client that asks again by itself is told to; any other gets its answer.
//! - A panic is an error of that request and a line in the log.
//!
//! Must never keep a message waiting, and never change an answer.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::oneshot;
use tower_lsp::ExitedError;
use tower_lsp::jsonrpc::{self, ErrorCode, Id, Request, Response};
use tower_lsp::ls_types::Uri;
use tower_service::Service;

use super::background::{Failure, panic_text};
use super::state::Shared;

/// Requests that are open at once.
pub const OPEN: usize = 128;

/// Requests that are about the session, or whose work has limits and a cancel button of its own.
const FREE: [&str; 7] = [
    "initialize",
    "shutdown",
    "workspace/executeCommand",
    super::requests::alternatives::METHOD,
    super::status::METHOD,
    super::status::CANCEL,
    super::status::CLEAR,
];

/// LSP's `ServerCancelled`.
const SERVER_CANCELLED: ErrorCode = ErrorCode::ServerError(-32802);
/// LSP's `RequestFailed`: well-formed, understood, and not possible now.
const REQUEST_FAILED: ErrorCode = ErrorCode::ServerError(-32803);

type Outcome = Result<Option<Response>, ExitedError>;
type Answering = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// A service whose requests pass the middleware.
pub struct Middleware<S> {
    inner: Arc<Mutex<S>>,
    shared: Arc<Shared>,
    open: Arc<Mutex<Open>>,
}

/// The requests that are open, the oldest first.
#[derive(Debug, Default)]
struct Open {
    next: u64,
    requests: VecDeque<Entry>,
}

#[derive(Debug)]
struct Entry {
    number: u64,
    method: String,
    uri: Option<Uri>,
    /// Dropped to send the request away.
    _stay: oneshot::Sender<Infallible>,
}

impl<S> Middleware<S> {
    /// Lets requests pass to `inner`.
    pub fn new(inner: S, shared: Arc<Shared>) -> Self {
        Middleware {
            inner: Arc::new(Mutex::new(inner)),
            shared,
            open: Arc::default(),
        }
    }
}

impl<S> Service<Request> for Middleware<S>
where
    S: Service<Request, Response = Option<Response>, Error = ExitedError> + Send + 'static,
    S::Future: Send + 'static,
{
    type Response = Option<Response>;
    type Error = ExitedError;
    type Future = Answering;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ExitedError>> {
        lock(&self.inner).poll_ready(cx)
    }

    fn call(&mut self, request: Request) -> Answering {
        let id = request.id().cloned();
        let method = request.method().to_owned();
        let uri = document(&request);
        let work = lock(&self.inner).call(request);
        let Some(id) = id else {
            return Box::pin(guarded(work, method, None));
        };
        let work = guarded(work, method.clone(), Some(id.clone()));
        if FREE.contains(&&*method) {
            return Box::pin(work);
        }
        let question = Question {
            inner: Arc::clone(&self.inner),
            shared: Arc::clone(&self.shared),
            id,
            place: Place::new(&self.open, &method, uri.as_ref()),
            method,
            uri,
        };
        Box::pin(question.answer(work))
    }
}

/// A request that asks something of the server.
struct Question<S> {
    inner: Arc<Mutex<S>>,
    shared: Arc<Shared>,
    id: Id,
    method: String,
    uri: Option<Uri>,
    place: Place,
}

/// Why a question is not answered.
enum Ended {
    SentAway,
    Outdated,
    TookTooLong(Duration),
}

impl<S> Question<S>
where
    S: Service<Request, Response = Option<Response>, Error = ExitedError> + Send + 'static,
    S::Future: Send + 'static,
{
    async fn answer(self, work: impl Future<Output = Outcome> + Send) -> Outcome {
        let Question {
            inner,
            shared,
            id,
            method,
            uri,
            mut place,
        } = self;
        let version = || shared.version(uri.as_ref()?);
        let asked = version();
        let limit = shared.request_time();
        let outdated = async {
            if shared.asks_again(&method) {
                shared.edited_since(|| version() != asked).await;
            } else {
                std::future::pending::<()>().await;
            }
        };
        let mut work = std::pin::pin!(work);
        let ended = tokio::select! {
            biased;
            outcome = &mut work => return outcome,
            _ = &mut place.sent_away => Ended::SentAway,
            () = outdated => Ended::Outdated,
            () = tokio::time::sleep(limit) => Ended::TookTooLong(limit),
        };
        // The work ends as if the client had called it off, and leaves nothing behind.
        let cancel = Request::build("$/cancelRequest")
            .params(serde_json::json!({ "id": id }))
            .finish();
        let cancelled = lock(&inner).call(cancel);
        let _ = cancelled.await;
        let _ = work.await;
        let error = ended.error(&method, version() != asked);
        Ok(Some(Response::from_error(id, error)))
    }
}

impl Ended {
    fn error(self, method: &str, is_outdated: bool) -> jsonrpc::Error {
        let error = |code, message: String| jsonrpc::Error {
            code,
            message: Cow::Owned(message),
            data: None,
        };
        match self {
            Ended::Outdated => jsonrpc::Error::content_modified(),
            Ended::SentAway if is_outdated => jsonrpc::Error::content_modified(),
            Ended::SentAway => error(
                SERVER_CANCELLED,
                format!(
                    "more than {OPEN} requests are open, so {method} is not answered; ask again"
                ),
            ),
            Ended::TookTooLong(limit) => {
                let message = format!(
                    "{method} took longer than {} s and was stopped; `request-time` in [limits] of \
                     sumac.toml gives it more time",
                    limit.as_secs_f64()
                );
                tracing::warn!("{message}");
                error(REQUEST_FAILED, message)
            }
        }
    }
}

/// A place among the open requests; given back when dropped.
#[derive(Debug)]
struct Place {
    open: Arc<Mutex<Open>>,
    number: u64,
    sent_away: oneshot::Receiver<Infallible>,
}

impl Place {
    fn new(open: &Arc<Mutex<Open>>, method: &str, uri: Option<&Uri>) -> Self {
        let (stay, sent_away) = oneshot::channel();
        let mut all = lock(open);
        if all.requests.len() >= OPEN {
            let same = |entry: &Entry| entry.method == method && entry.uri.as_ref() == uri;
            let at = all.requests.iter().position(same).unwrap_or(0);
            all.requests.remove(at);
        }
        all.next += 1;
        let number = all.next;
        all.requests.push_back(Entry {
            number,
            method: method.to_owned(),
            uri: uri.cloned(),
            _stay: stay,
        });
        Place {
            open: Arc::clone(open),
            number,
            sent_away,
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut all = lock(&self.open);
        all.requests.retain(|entry| entry.number != self.number);
    }
}

/// The document that a request is about.
fn document(request: &Request) -> Option<Uri> {
    let uri = request.params()?.get("textDocument")?.get("uri")?;
    uri.as_str()?.parse().ok()
}

/// `work`, whose panic is an error of its request, if it is one, and a line in the log.
async fn guarded(
    work: impl Future<Output = Outcome> + Send,
    method: String,
    id: Option<Id>,
) -> Outcome {
    let mut work = std::pin::pin!(work);
    let ended = poll_fn(
        |cx| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(cx))) {
            Ok(poll) => poll.map(Ok),
            Err(payload) => Poll::Ready(Err(panic_text(payload.as_ref()))),
        },
    );
    match ended.await {
        Ok(outcome) => outcome,
        Err(text) => {
            tracing::error!("panic in {method}: {text}");
            Ok(id.map(|id| Response::from_error(id, Failure::Panicked(text).into())))
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
