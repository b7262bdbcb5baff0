//! A client that speaks nonsense: bytes that are no message, messages that are no request, and requests for what is not there.
//! Between them it asks something that has an answer, and the server must give it.

use std::io::{BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::{Context, Result};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::client::wire;

/// A server that has not answered after this time is stuck.
const PATIENCE: Duration = Duration::from_secs(120);
/// So many pieces of nonsense lie between two questions.
const RUN: usize = 10;

/// Bodies that are no message, or none that anyone knows.
const BODIES: [&str; 22] = [
    "",
    "{",
    "null",
    "7",
    "[]",
    "{}",
    "[[[[[[[[",
    "\"text\"",
    r#"{"jsonrpc":"2.0"}"#,
    r#"{"jsonrpc":"1.0","id":1,"method":"none"}"#,
    r#"{"jsonrpc":"2.0","id":1.5,"method":"none"}"#,
    r#"{"jsonrpc":"2.0","id":{},"method":"none"}"#,
    r#"{"jsonrpc":"2.0","id":-1,"method":7}"#,
    r#"{"jsonrpc":"2.0","id":-1,"method":"$/none"}"#,
    r#"{"jsonrpc":"2.0","method":"$/none"}"#,
    r#"{"jsonrpc":"2.0","method":"none","params":[1,2,3]}"#,
    r#"{"jsonrpc":"2.0","id":-1,"method":"textDocument/hover","params":{"textDocument":3}}"#,
    r#"{"jsonrpc":"2.0","id":-1,"method":"textDocument/hover","params":"\ud800"}"#,
    r#"{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"\udfff"}}}"#,
    r#"[{"jsonrpc":"2.0","id":1,"method":"none"}]"#,
    r#"{"jsonrpc":"2.0","id":99,"result":null}"#,
    r#"{"jsonrpc":"2.0","id":99,"error":"no"}"#,
];

/// Headers around a body, of which `LENGTH` is the length.
const FRAMES: [&str; 9] = [
    "Content-Length: LENGTH\r\n\r\n",
    "content-length:LENGTH\r\n\r\n",
    "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: LENGTH\r\n\r\n",
    "X: y\r\nContent-Length: LENGTH\r\nZ: \r\n\r\n",
    "Content-Length: many\r\n\r\n",
    "Content-Length: -LENGTH\r\n\r\n",
    "no header\r\n\r\n",
    "\r\n\r\n",
    "",
];

/// Speaks nonsense so many times; everything follows from the seed.
///
/// # Errors
/// The server ended, or did not answer a good question.
pub(super) fn run(program: &Path, seed: u64, times: usize) -> Result<()> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut client = Client::start(program)?;
    client.ask("initialize", &json!({"capabilities": {}}))?;
    client.say(&wire::framed(
        &json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}),
    ))?;
    for time in 0..times {
        client
            .say(&nonsense(&mut rng))
            .with_context(|| format!("after {time} pieces of nonsense"))?;
        if time % RUN == 0 {
            client
                .ask("workspace/symbol", &json!({"query": "x"}))
                .with_context(|| format!("after {time} pieces of nonsense"))?;
        }
    }
    client.ask("shutdown", &Value::Null)?;
    client.say(&wire::framed(&json!({"jsonrpc": "2.0", "method": "exit"})))?;
    let status = client.child.wait()?;
    anyhow::ensure!(status.success(), "the server ended with {status}");
    println!("{times} pieces of nonsense, and every question between them was answered");
    Ok(())
}

/// Bytes with or without headers that fit.
fn nonsense(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut body = BODIES[rng.random_range(0..BODIES.len())]
        .as_bytes()
        .to_vec();
    if !body.is_empty() && rng.random_bool(0.2) {
        let at = rng.random_range(0..body.len());
        body[at] = rng.random_range(0..=255);
    }
    let frame = FRAMES[rng.random_range(0..FRAMES.len())];
    let mut bytes = frame
        .replace("LENGTH", &body.len().to_string())
        .into_bytes();
    if rng.random_bool(0.9) || frame.contains("LENGTH") {
        bytes.extend(body);
    }
    bytes
}

struct Client {
    child: Child,
    input: ChildStdin,
    heard: Receiver<Value>,
    last_id: i64,
}

impl Client {
    fn start(program: &Path) -> Result<Client> {
        let mut child = Command::new(program)
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let input = child.stdin.take().context("the server has no input")?;
        let output = child.stdout.take().context("the server has no output")?;
        let (sender, heard) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Ok(message) = wire::receive(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Ok(Client {
            child,
            input,
            heard,
            last_id: 1000,
        })
    }

    fn say(&mut self, bytes: &[u8]) -> Result<()> {
        self.input
            .write_all(bytes)
            .and_then(|()| self.input.flush())
            .context("the server does not listen any more")
    }

    /// Asks, and waits for the answer: a result.
    fn ask(&mut self, method: &str, params: &Value) -> Result<()> {
        self.last_id += 1;
        let id = self.last_id;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.say(&wire::framed(&request))?;
        loop {
            let message = self.heard.recv_timeout(PATIENCE);
            let message = message.with_context(|| format!("{method} is not answered"))?;
            if message["id"] == id && message.get("method").is_none() {
                let error = &message["error"];
                anyhow::ensure!(error.is_null(), "{method} is refused: {error}");
                return Ok(());
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Not there any more after a good end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
