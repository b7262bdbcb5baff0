//! The middleware before a service whose answers the tests decide.

use serde_json::{Value, json};
use tokio::sync::watch;
use tower_lsp::LspService;
use tower_lsp::ls_types as ls;

use super::*;
use crate::lsp::backend::Backend;
use crate::lsp::message_writer::message_writer;
use crate::lsp::{configuration, sync};

const URI: &str = "file:///a.dml";

/// Answers `ok` at once, `slow` when it is told to, and `bad` by a panic. Cancels the request that it is told to.
struct Script {
    go: watch::Sender<bool>,
    cancelled: watch::Sender<Vec<Value>>,
}

impl Service<Request> for Script {
    type Response = Option<Response>;
    type Error = ExitedError;
    type Future = Answering;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ExitedError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Answering {
        let (method, id, params) = request.into_parts();
        let Some(id) = id else {
            let params = params.unwrap_or_default();
            self.cancelled
                .send_modify(|all| all.push(params["id"].clone()));
            return Box::pin(async { Ok(None) });
        };
        let (mut go, mut cancelled) = (self.go.subscribe(), self.cancelled.subscribe());
        Box::pin(async move {
            let name = serde_json::to_value(&id).unwrap();
            match &*method {
                "bad" => panic!("broken"),
                "ok" => {}
                _ => {
                    tokio::select! {
                        _ = go.wait_for(|go| *go) => {}
                        _ = cancelled.wait_for(|all| all.contains(&name)) => {
                            let error = jsonrpc::Error::request_cancelled();
                            return Ok(Some(Response::from_error(id, error)));
                        }
                    }
                }
            }
            Ok(Some(Response::from_ok(id, json!("done"))))
        })
    }
}

struct Fixture {
    middleware: Middleware<Script>,
    go: watch::Sender<bool>,
    cancelled: watch::Receiver<Vec<Value>>,
}

fn fixture(asks_again: &[&str], settings: &Value) -> Fixture {
    let (service, _) = LspService::new(|client| Backend::new(client, message_writer().0));
    let shared = Arc::clone(service.inner().shared());
    let stale = json!({"cancel": true, "retryOnContentModified": asks_again});
    let params = json!({"capabilities": {"general": {"staleRequestSupport": stale}}});
    let params: ls::InitializeParams = serde_json::from_value(params).unwrap();
    shared.begin(&params);
    shared.configure(settings);
    configuration::limit(&shared);
    let (go, cancelled) = (watch::Sender::new(false), watch::Sender::new(Vec::new()));
    let script = Script {
        go: go.clone(),
        cancelled: cancelled.clone(),
    };
    Fixture {
        middleware: Middleware::new(script, shared),
        go,
        cancelled: cancelled.subscribe(),
    }
}

impl Fixture {
    fn ask(
        &mut self,
        id: i64,
        method: &'static str,
        uri: &str,
    ) -> tokio::task::JoinHandle<Outcome> {
        let params = json!({"textDocument": {"uri": uri}});
        let request = Request::build(method).id(id).params(params).finish();
        tokio::spawn(self.middleware.call(request))
    }

    fn open(&self, version: i32) {
        let document = ls::TextDocumentItem {
            uri: URI.parse().unwrap(),
            language_id: "systemds".to_owned(),
            version,
            text: "x = 1\n".to_owned(),
        };
        sync::open(&self.middleware.shared, document);
    }
}

async fn code(asked: tokio::task::JoinHandle<Outcome>) -> Option<i64> {
    let response = asked
        .await
        .unwrap()
        .unwrap()
        .expect("requests are answered");
    response.error().map(|error| error.code.code())
}

#[tokio::test]
async fn a_panic_is_one_error_and_the_next_request_is_answered() {
    let mut fixture = fixture(&[], &Value::Null);
    let bad = fixture.ask(1, "bad", URI);
    assert_eq!(code(bad).await, Some(-32603));
    let ok = fixture.ask(2, "ok", URI);
    assert_eq!(code(ok).await, None);
}

#[tokio::test]
async fn a_request_that_takes_too_long_is_cancelled_and_says_so() {
    let mut fixture = fixture(&[], &json!({"limits": {"requestTime": 0.001}}));
    let slow = fixture.ask(1, "slow", URI).await.unwrap().unwrap().unwrap();
    let message = &slow.error().expect("it is an error").message;
    assert!(
        message.contains("slow took longer") && message.contains("request-time"),
        "{message}"
    );
    assert_eq!(*fixture.cancelled.borrow(), [json!(1)]);
    let free = fixture.ask(2, "workspace/executeCommand", URI);
    fixture.go.send_replace(true);
    assert_eq!(code(free).await, None, "commands have limits of their own");
}

#[tokio::test]
async fn one_request_too_many_sends_the_oldest_of_its_kind_away() {
    let mut fixture = fixture(&[], &Value::Null);
    let other = fixture.ask(0, "slow", "file:///other.dml");
    let all: Vec<_> = (1..OPEN as i64)
        .map(|id| fixture.ask(id, "slow", URI))
        .collect();
    let one_more = fixture.ask(1000, "slow", URI);
    let mut all = all.into_iter();
    assert_eq!(code(all.next().unwrap()).await, Some(-32802));
    fixture.go.send_replace(true);
    for stayed in all.chain([other, one_more]) {
        assert_eq!(code(stayed).await, None);
    }
    assert_eq!(*fixture.cancelled.borrow(), [json!(1)]);
    assert!(lock(&fixture.middleware.open).requests.is_empty());
}

#[tokio::test]
async fn only_clients_that_ask_again_are_told_that_the_document_changed() {
    for (listed, expected) in [(&["slow"][..], Some(-32801)), (&["other"][..], None)] {
        let mut fixture = fixture(listed, &Value::Null);
        fixture.open(1);
        let asked = fixture.ask(1, "slow", URI);
        let unaffected = fixture.ask(2, "slow", "file:///other.dml");
        // Both have looked at the version that they are about.
        tokio::task::yield_now().await;
        fixture.open(2);
        if expected.is_none() {
            fixture.go.send_replace(true);
        }
        assert_eq!(code(asked).await, expected);
        fixture.go.send_replace(true);
        assert_eq!(code(unaffected).await, None);
    }
}
