//! The way into a session: whatever bytes come, nothing panics; what is handed on is what the protocol library reads, all of it
//! came from the client as it is or mended, everything else is answered, and how the bytes are cut on their way does not matter.

use std::pin::Pin;
use std::task::{Context, Poll};

use serde_json::Value;
use sumac::lsp::{Ended, sifted};
use tokio::io::{AsyncRead, ReadBuf};
use tower_lsp_server::jsonrpc::{Request, Response};

/// A message that is well formed.
const GOOD: &str = r#"{"jsonrpc":"2.0","id":1,"method":"shutdown"}"#;

pub fn check(data: &[u8]) {
    stream(data);
    // The same as the body of a message, with one behind it.
    let mut framed = framed(data);
    framed.extend(self::framed(GOOD.as_bytes()));
    let (passed, told) = stream(&framed);
    let is_exit = |body: &Value| body["method"] == "exit";
    let has_exit = bodies(&passed).iter().any(|body| {
        let body: Value = serde_json::from_slice(body).expect("what is passed on is JSON");
        is_exit(&body)
    });
    if !has_exit {
        let last = bodies(&passed).pop();
        assert_eq!(
            last.as_deref(),
            Some(GOOD.as_bytes()),
            "the next message is lost"
        );
    }
    assert!(bodies(&told).len() <= 1, "one message has one answer");
}

fn framed(body: &[u8]) -> Vec<u8> {
    let mut framed = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    framed.extend(body);
    framed
}

/// What an input comes to, checked: the bytes that are passed on, and those that the client is told.
fn stream(input: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let (passed, told, ended) = through(input, usize::MAX);
    for body in bodies(&passed) {
        let is_read = serde_json::from_slice::<Request>(&body).is_ok()
            || serde_json::from_slice::<Response>(&body).is_ok();
        assert!(is_read, "{:?}", String::from_utf8_lossy(&body));
    }
    for body in bodies(&told) {
        let answer: Value = serde_json::from_slice(&body).expect("an answer is JSON");
        assert!(answer["error"]["code"].is_i64(), "{answer}");
    }
    // Cut in other places.
    for most in [1, 7] {
        let other = through(input, most);
        assert_eq!((&passed, &told, ended), (&other.0, &other.1, other.2));
    }
    // What was passed on passes.
    let (again, told_again, ended_again) = through(&passed, usize::MAX);
    assert_eq!((&passed, ended), (&again, ended_again));
    assert!(told_again.is_empty());
    (passed, told)
}

/// The bodies of messages that are well formed.
fn bodies(mut stream: &[u8]) -> Vec<Vec<u8>> {
    let mut bodies = Vec::new();
    while !stream.is_empty() {
        let head = stream.windows(4).position(|end| end == b"\r\n\r\n");
        let head = head.expect("headers end");
        let text = std::str::from_utf8(&stream[..head]).expect("headers are text");
        let length = text.strip_prefix("Content-Length: ").expect("a length");
        let length: usize = length.parse().expect("a number");
        let body = &stream[head + 4..];
        bodies.push(body[..length].to_vec());
        stream = &body[length..];
    }
    bodies
}

fn through(input: &[u8], most: usize) -> (Vec<u8>, Vec<u8>, Ended) {
    thread_local! {
        static RUNTIME: tokio::runtime::Runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime of one thread");
    }
    RUNTIME.with(|runtime| runtime.block_on(sifted(Slow { input, most })))
}

/// An input of which so many bytes come at a time.
struct Slow<'a> {
    input: &'a [u8],
    most: usize,
}

impl AsyncRead for Slow<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let count = self.input.len().min(self.most).min(into.remaining());
        let (now, later) = self.input.split_at(count);
        into.put_slice(now);
        self.input = later;
        Poll::Ready(Ok(()))
    }
}
