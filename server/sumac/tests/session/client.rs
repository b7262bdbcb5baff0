//! A small editor for tests: speaks the protocol over an in-process pipe, answers the server's own requests as an
//! editor would, and keeps what it was told.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf,
};
use tokio::sync::{Notify, oneshot};

/// One open session.
pub struct Session {
    output: Arc<tokio::sync::Mutex<WriteHalf<DuplexStream>>>,
    inbox: Arc<Inbox>,
    next_id: i64,
    server: tokio::task::JoinHandle<sumac::lsp::Ended>,
}

#[derive(Default)]
struct Inbox {
    waiting: Mutex<BTreeMap<i64, oneshot::Sender<Value>>>,
    /// Requests and notifications of the server, in order.
    messages: Mutex<VecDeque<Value>>,
    arrived: Notify,
}

impl Session {
    /// Starts a server and completes the handshake.
    pub async fn start(params: Value) -> (Self, Value) {
        let (client, server) = tokio::io::duplex(1 << 20);
        let (server_in, server_out) = tokio::io::split(server);
        let server = tokio::spawn(sumac::lsp::serve(server_in, server_out));
        let (input, output) = tokio::io::split(client);
        let inbox = Arc::new(Inbox::default());
        let output = Arc::new(tokio::sync::Mutex::new(output));
        tokio::spawn(read(input, Arc::clone(&inbox), Arc::clone(&output)));
        let mut session = Session {
            output,
            inbox,
            next_id: 0,
            server,
        };
        let answer = session.request("initialize", params).await;
        session.notify("initialized", json!({})).await;
        (session, answer["result"].clone())
    }

    /// Starts a server with the capabilities of a full editor.
    pub async fn start_full() -> Self {
        let capabilities = json!({
            "workspace": {
                "inlayHint": {"refreshSupport": true},
                "codeLens": {"refreshSupport": true},
                "workspaceEdit": {"documentChanges": true},
            },
            "window": {"workDoneProgress": true, "showDocument": {"support": true}},
        });
        Self::start(json!({"capabilities": capabilities})).await.0
    }

    /// Sends a request; the whole response.
    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        let (_, response) = self.send_request(method, params).await;
        response.await.expect("the server answers every request")
    }

    /// Sends a request without waiting.
    pub async fn send_request(
        &mut self,
        method: &str,
        params: Value,
    ) -> (i64, oneshot::Receiver<Value>) {
        self.next_id += 1;
        let (sender, receiver) = oneshot::channel();
        self.inbox
            .waiting
            .lock()
            .unwrap()
            .insert(self.next_id, sender);
        let message =
            json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params});
        write(&self.output, &message).await;
        (self.next_id, receiver)
    }

    /// Sends a notification.
    pub async fn notify(&self, method: &str, params: Value) {
        write(
            &self.output,
            &json!({"jsonrpc": "2.0", "method": method, "params": params}),
        )
        .await;
    }

    /// Takes the next message of the server with this method, waiting for it; later ones stay.
    pub async fn message(&self, method: &str) -> Value {
        loop {
            let arrived = self.inbox.arrived.notified();
            {
                let mut messages = self.inbox.messages.lock().unwrap();
                if let Some(at) = messages.iter().position(|m| m["method"] == method) {
                    return messages.remove(at).unwrap()["params"].clone();
                }
            }
            arrived.await;
        }
    }

    /// Whether such a message of the server waits to be taken.
    pub fn has_message(&self, method: &str) -> bool {
        let messages = self.inbox.messages.lock().unwrap();
        messages.iter().any(|message| message["method"] == method)
    }

    /// Opens a document.
    pub async fn open(&self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "systemds", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}))
            .await;
    }

    /// Changes a document: each change is `[line, column, line, column]` and the new text.
    pub async fn change(&self, uri: &str, version: i32, changes: &[([u32; 4], &str)]) {
        let changes: Vec<Value> = changes
            .iter()
            .map(|([a, b, c, d], text)| json!({"range": range([*a, *b, *c, *d]), "text": text}))
            .collect();
        let document = json!({"uri": uri, "version": version});
        let params = json!({"textDocument": document, "contentChanges": changes});
        self.notify("textDocument/didChange", params).await;
    }

    /// The diagnostics of a version of a document, waiting for them.
    pub async fn diagnostics(&self, version: i32) -> Value {
        loop {
            let published = self.message("textDocument/publishDiagnostics").await;
            if published["version"] == version {
                return published["diagnostics"].clone();
            }
        }
    }

    /// Ends the session by the protocol; the server must have ended by itself afterwards.
    pub async fn end(mut self) {
        let answer = self.request("shutdown", Value::Null).await;
        assert_eq!(answer["error"], Value::Null, "{answer}");
        self.notify("exit", Value::Null).await;
        self.server.await.expect("the server ends without a panic");
    }
}

/// A range of the protocol.
pub fn range([a, b, c, d]: [u32; 4]) -> Value {
    json!({"start": {"line": a, "character": b}, "end": {"line": c, "character": d}})
}

async fn write(output: &tokio::sync::Mutex<WriteHalf<DuplexStream>>, message: &Value) {
    let body = message.to_string();
    let mut output = output.lock().await;
    let text = format!("Content-Length: {}\r\n\r\n{body}", body.len());
    // The server may have ended: the test then fails where it misses the answer.
    let _ = output.write_all(text.as_bytes()).await;
}

async fn read(
    input: ReadHalf<DuplexStream>,
    inbox: Arc<Inbox>,
    output: Arc<tokio::sync::Mutex<WriteHalf<DuplexStream>>>,
) {
    let mut input = BufReader::new(input);
    while let Some(message) = next_message(&mut input).await {
        let id = message["id"].clone();
        match message["method"].as_str() {
            None => {
                let waiting = id
                    .as_i64()
                    .and_then(|id| inbox.waiting.lock().unwrap().remove(&id));
                if let Some(waiting) = waiting {
                    let _ = waiting.send(message);
                }
            }
            Some(method) => {
                let result = match method {
                    "workspace/applyEdit" => json!({"applied": true}),
                    "window/showDocument" => json!({"success": true}),
                    // The first answer is chosen.
                    "window/showMessageRequest" => message["params"]["actions"][0].clone(),
                    _ => Value::Null,
                };
                if !id.is_null() {
                    write(
                        &output,
                        &json!({"jsonrpc": "2.0", "id": id, "result": result}),
                    )
                    .await;
                }
                inbox.messages.lock().unwrap().push_back(message);
                inbox.arrived.notify_waiters();
            }
        }
    }
}

async fn next_message(input: &mut BufReader<ReadHalf<DuplexStream>>) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            header => {
                if let Some(value) = header.strip_prefix("Content-Length: ") {
                    length = value.parse().ok()?;
                }
            }
        }
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body).await.ok()?;
    serde_json::from_slice(&body).ok()
}
