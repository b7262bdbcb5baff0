//! A small editor over the standard input and output of the real server: framing by hand, one thread that reads.
//!
//! It asks for hints as an editor does: once after each change, and again whenever the server says that they are
//! out of date. It never polls, and never sleeps.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// A server that has not answered after this time is stuck.
const PATIENCE: Duration = Duration::from_secs(60);

/// An edit of one line: first and last column, and what stands there afterwards.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LineEdit {
    /// From 0.
    pub(crate) line: usize,
    /// Columns from 0; the text of these scripts is ASCII, so they are bytes too.
    pub(crate) columns: (usize, usize),
    pub(crate) text: String,
}

/// An open document.
pub(crate) struct Document {
    uri: String,
    version: i64,
    lines: usize,
}

/// An inlay hint.
#[derive(Clone, Debug)]
pub(crate) struct Hint {
    pub(crate) label: String,
    /// What accepting it does; empty for one that belongs to an earlier text.
    pub(crate) edits: Vec<Value>,
}

/// An answer with hints, and when its last byte was read.
pub(crate) struct Answer {
    pub(crate) at: Instant,
    pub(crate) hints: Vec<Hint>,
}

/// One session with a server process.
pub(crate) struct Session {
    child: Child,
    input: ChildStdin,
    inbox: Receiver<(Instant, Value)>,
    last_id: i64,
}

impl Drop for Session {
    fn drop(&mut self) {
        // Not there any more after a good end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Session {
    /// Starts the server and completes the handshake.
    pub(crate) fn start(program: &Path) -> Result<Self> {
        let mut child = Command::new(program)
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let input = child.stdin.take().context("the server has no input")?;
        let output = child.stdout.take().context("the server has no output")?;
        let (sender, inbox) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Ok(message) = receive(&mut output) {
                if sender.send((Instant::now(), message)).is_err() {
                    return;
                }
            }
        });
        let mut session = Session {
            child,
            input,
            inbox,
            last_id: 0,
        };
        let capabilities = json!({
            "workspace": {"inlayHint": {"refreshSupport": true}, "codeLens": {"refreshSupport": true}},
            "window": {"workDoneProgress": true},
        });
        let id = session.request("initialize", &json!({"capabilities": capabilities}))?;
        loop {
            let (_, message) = session.next(Instant::now() + PATIENCE)?;
            if is_answer(&message, id) {
                break;
            }
        }
        session.notify("initialized", &json!({}))?;
        Ok(session)
    }

    /// Opens a document.
    pub(crate) fn open(&mut self, path: &Path, text: &str) -> Result<Document> {
        let document = Document {
            uri: format!("file://{}", path.display()),
            version: 1,
            lines: text.lines().count() + 1,
        };
        let item = json!({
            "uri": document.uri, "languageId": "systemds", "version": document.version, "text": text,
        });
        self.notify("textDocument/didOpen", &json!({"textDocument": item}))?;
        Ok(document)
    }

    /// Changes a document.
    pub(crate) fn change(&mut self, document: &mut Document, edit: &LineEdit) -> Result<()> {
        document.version += 1;
        let position = |column: usize| json!({"line": edit.line, "character": column});
        let (start, end) = edit.columns;
        let params = json!({
            "textDocument": {"uri": document.uri, "version": document.version},
            "contentChanges": [{
                "range": {"start": position(start), "end": position(end)}, "text": edit.text,
            }],
        });
        self.notify("textDocument/didChange", &params)
    }

    /// Asks for the hints of a document, now and whenever the server says that they are out of date, until at least
    /// one can be accepted and `enough` is content with those that can.
    pub(crate) fn hints_until(
        &mut self,
        document: &Document,
        enough: impl Fn(&[Hint]) -> bool,
    ) -> Result<Answer> {
        let deadline = Instant::now() + PATIENCE;
        let mut asked = self.ask_for_hints(document)?;
        loop {
            let (at, message) = self.next(deadline)?;
            if message["method"] == "workspace/inlayHint/refresh" {
                asked = self.ask_for_hints(document)?;
            } else if is_answer(&message, asked) {
                let hints: Vec<Hint> = message["result"]
                    .as_array()
                    .map(|hints| hints.iter().filter_map(hint).collect())
                    .unwrap_or_default();
                let hints: Vec<Hint> = hints.into_iter().filter(|h| !h.edits.is_empty()).collect();
                if !hints.is_empty() && enough(&hints) {
                    return Ok(Answer { at, hints });
                }
            }
        }
    }

    /// Ends the session by the protocol; the server must end by itself, with code 0.
    pub(crate) fn end(mut self) -> Result<()> {
        let id = self.request("shutdown", &Value::Null)?;
        loop {
            let (_, message) = self.next(Instant::now() + PATIENCE)?;
            if is_answer(&message, id) {
                break;
            }
        }
        self.notify("exit", &Value::Null)?;
        let status = self.child.wait()?;
        anyhow::ensure!(status.success(), "the server ended with {status}");
        Ok(())
    }

    fn ask_for_hints(&mut self, document: &Document) -> Result<i64> {
        let range = json!({
            "start": {"line": 0, "character": 0}, "end": {"line": document.lines, "character": 0},
        });
        let params = json!({"textDocument": {"uri": document.uri}, "range": range});
        self.request("textDocument/inlayHint", &params)
    }

    /// The next message; requests of the server are answered on the way.
    fn next(&mut self, deadline: Instant) -> Result<(Instant, Value)> {
        let left = deadline.saturating_duration_since(Instant::now());
        let Ok((at, message)) = self.inbox.recv_timeout(left) else {
            match self.child.try_wait()? {
                Some(status) => bail!("the server has ended: {status}"),
                None => bail!("the server was silent for {} s", PATIENCE.as_secs()),
            }
        };
        if message.get("method").is_some() && message.get("id").is_some() {
            self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": null}))?;
        }
        Ok((at, message))
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<i64> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        Ok(id)
    }

    fn notify(&mut self, method: &str, params: &Value) -> Result<()> {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let body = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len())
            .and_then(|()| self.input.flush())
            .context("the server does not listen any more")
    }
}

fn is_answer(message: &Value, id: i64) -> bool {
    message.get("method").is_none() && message["id"] == id
}

fn hint(value: &Value) -> Option<Hint> {
    Some(Hint {
        label: value["label"].as_str()?.to_owned(),
        edits: value["textEdits"].as_array().cloned().unwrap_or_default(),
    })
}

/// Reads one message of the protocol.
fn receive(input: &mut impl BufRead) -> Result<Value> {
    let mut length = None;
    loop {
        let mut header = String::new();
        anyhow::ensure!(input.read_line(&mut header)? > 0, "the stream has ended");
        let header = header.trim_end();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("Content-Length:") {
            length = Some(value.trim().parse()?);
        }
    }
    let mut body = vec![0; length.context("a message without its length")?];
    input.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}

/// The text after the edits of a hint: what an editor makes of accepting it.
///
/// # Errors
/// An edit breaks the protocol.
pub(crate) fn accept(text: &str, edits: &[Value]) -> Result<String> {
    let offset = |place: &Value| -> Result<usize> {
        let get = |key: &str| place[key].as_u64().context("an edit without its place");
        let (line, column) = (
            usize::try_from(get("line")?)?,
            usize::try_from(get("character")?)?,
        );
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        Ok((start + column).min(text.len()))
    };
    let mut placed = Vec::new();
    for edit in edits {
        let range = offset(&edit["range"]["start"])?..offset(&edit["range"]["end"])?;
        let new = edit["newText"].as_str().context("an edit without text")?;
        placed.push((range, new));
    }
    placed.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut out = text.to_owned();
    for (range, new) in placed {
        anyhow::ensure!(
            range.start <= range.end,
            "an edit that ends before it starts"
        );
        out.replace_range(range, new);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_one_after_the_other() {
        let mut stream: &[u8] =
            b"Content-Length: 8\r\nContent-Type: x\r\n\r\n{\"id\":1}Content-Length: 2\r\n\r\n{}";
        assert_eq!(receive(&mut stream).unwrap(), json!({"id": 1}));
        assert_eq!(receive(&mut stream).unwrap(), json!({}));
        assert!(receive(&mut stream).is_err());
    }

    #[test]
    fn a_request_of_the_server_is_no_answer_even_with_the_same_id() {
        assert!(is_answer(&json!({"id": 3, "result": null}), 3));
        assert!(!is_answer(&json!({"id": 3, "method": "window/x"}), 3));
        assert!(!is_answer(&json!({"id": 4, "result": null}), 3));
    }

    #[test]
    fn a_hint_that_cannot_be_accepted_has_no_edits() {
        let stale = json!({"position": {"line": 2, "character": 5}, "label": "⇒ x"});
        assert!(hint(&stale).unwrap().edits.is_empty());
    }

    #[test]
    fn edits_are_applied_where_they_stand() {
        let place = |line: u64, character: u64| json!({"line": line, "character": character});
        let edit =
            |start, end, new: &str| json!({"range": {"start": start, "end": end}, "newText": new});
        let edits = [
            edit(place(0, 0), place(0, 1), "long"),
            edit(place(1, 2), place(1, 3), "c"),
        ];
        assert_eq!(accept("a\nb b\n", &edits).unwrap(), "long\nb c\n");
    }
}
