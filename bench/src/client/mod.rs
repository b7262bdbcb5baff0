//! A small editor over the standard input and output of the real server: what benchmarks, replays and the stress driver
//! drive it with.
//!
//! One thread reads, and says when. Nothing here polls the server, and nothing here judges what it answers.

pub(crate) mod document;
#[cfg(test)]
pub(crate) mod in_process;
mod launch;
pub(crate) mod process;
pub(crate) mod profile;
pub(crate) mod wire;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Child;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use document::{Document, Edit, Encoding};
use launch::Started;
use process::Process;

pub(crate) use launch::Launch;

/// A server that has not answered after this time is stuck.
const PATIENCE: Duration = Duration::from_secs(120);
/// A server that has not computed for this long is done.
const SILENCE: Duration = Duration::from_millis(40);
/// How long all work on a long script may take.
const LONG_WORK: Duration = Duration::from_secs(900);

/// An answer to a request, and when its last byte was read.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) at: Instant,
    /// Null for an error.
    pub(crate) result: Value,
    /// Null for a result.
    pub(crate) error: Value,
}

impl Answer {
    /// The result.
    ///
    /// # Errors
    /// The answer is an error.
    pub(crate) fn good(self) -> Result<Value> {
        anyhow::ensure!(self.error.is_null(), "the server refused: {}", self.error);
        Ok(self.result)
    }
}

/// What the server said last about a document's problems.
#[derive(Clone, Debug)]
pub(crate) struct Published {
    pub(crate) at: Instant,
    pub(crate) version: Option<i64>,
    pub(crate) diagnostics: Value,
}

/// An inlay hint.
#[derive(Clone, Debug)]
pub(crate) struct Hint {
    pub(crate) label: String,
    /// What accepting it does; empty for one that belongs to an earlier text.
    pub(crate) edits: Vec<Value>,
}

/// The error code of an answer about a text that is not there any more.
const CONTENT_MODIFIED: i64 = -32801;
/// A request is sent again no more often than this.
const MOST_RETRIES: usize = 20;

/// What a client answers to a request of the server, by its method and parameters.
pub(crate) type AnswerWith = Box<dyn FnMut(&str, &Value) -> Value>;

/// One session with a server process.
pub(crate) struct Session {
    /// None for a server in this process.
    child: Option<Child>,
    input: Box<dyn Write>,
    inbox: Receiver<(Instant, Value)>,
    last_id: i64,
    /// Requests without an answer.
    awaited: BTreeSet<i64>,
    /// Answers that nobody has taken yet: they may come while something else is waited for.
    answers: BTreeMap<i64, Answer>,
    published: BTreeMap<String, Published>,
    /// Methods of the server's requests.
    asked: BTreeSet<String>,
    /// Methods that the server registered at run time.
    registered: BTreeSet<String>,
    must_refresh: bool,
    /// Methods that the client said to ask again where the text had changed meanwhile.
    retried: BTreeSet<String>,
    answer_with: AnswerWith,
    /// What the server said that it can do.
    pub(crate) capabilities: Value,
    /// How columns are counted.
    pub(crate) encoding: Encoding,
    /// What the server's process costs.
    pub(crate) process: Process,
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // Not there any more after a good end.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Session {
    /// Starts the server and completes the handshake.
    pub(crate) fn start(launch: &Launch) -> Result<Self> {
        let mut session = Session::spawn(launch)?;
        session.begin(launch)?;
        Ok(session)
    }

    /// Completes the handshake as the client that the launch names.
    pub(crate) fn begin(&mut self, launch: &Launch) -> Result<()> {
        let root = launch.root.as_deref().map(document::uri);
        let folders = root
            .as_ref()
            .map(|uri| json!([{"uri": uri, "name": "workspace"}]));
        let params = json!({
            "processId": null, "rootUri": root, "workspaceFolders": folders,
            "capabilities": launch.profile.capabilities,
            "initializationOptions": launch.profile.options,
        });
        let stale = &launch.profile.capabilities["general"]["staleRequestSupport"];
        let retried = stale["retryOnContentModified"].as_array().into_iter();
        let retried = retried.flatten().filter_map(Value::as_str);
        self.retried = retried.map(str::to_owned).collect();
        let result = self.call("initialize", &params)?.good()?;
        self.capabilities = result["capabilities"].clone();
        if let Some(name) = self.capabilities["positionEncoding"].as_str() {
            self.encoding = Encoding::named(name)?;
        }
        self.notify("initialized", &json!({}))?;
        Ok(())
    }

    /// Starts the server and says nothing to it.
    pub(crate) fn spawn(launch: &Launch) -> Result<Self> {
        let Started {
            child,
            input,
            output,
        } = launch.start()?;
        let mut session = Session::over(Box::new(input), BufReader::new(output));
        session.process = Process::new(child.id());
        session.child = Some(child);
        Ok(session)
    }

    /// A session with a server at the other end of these streams, to which nothing was said.
    pub(crate) fn over(input: Box<dyn Write>, mut output: impl BufRead + Send + 'static) -> Self {
        let (sender, inbox) = channel();
        std::thread::spawn(move || {
            while let Ok(message) = wire::receive(&mut output) {
                if sender.send((Instant::now(), message)).is_err() {
                    return;
                }
            }
        });
        Session {
            // What a server in this process costs cannot be told apart.
            process: Process::new(0),
            child: None,
            input,
            inbox,
            last_id: 0,
            awaited: BTreeSet::new(),
            answers: BTreeMap::new(),
            published: BTreeMap::new(),
            asked: BTreeSet::new(),
            registered: BTreeSet::new(),
            retried: BTreeSet::new(),
            must_refresh: false,
            answer_with: Box::new(consent),
            capabilities: Value::Null,
            encoding: Encoding::default(),
        }
    }

    /// Opens a document.
    pub(crate) fn open(&mut self, path: &Path, text: &str) -> Result<Document> {
        let document = Document::new(path, text);
        self.open_again(&document)?;
        Ok(document)
    }

    /// Opens a document that was open before.
    pub(crate) fn open_again(&mut self, document: &Document) -> Result<()> {
        self.published.remove(&document.uri);
        let item = json!({
            "uri": document.uri, "languageId": "systemds", "version": document.version,
            "text": document.text,
        });
        self.notify("textDocument/didOpen", &json!({"textDocument": item}))
    }

    /// Changes a document; says when the server was told.
    pub(crate) fn change(&mut self, document: &mut Document, edits: &[Edit]) -> Result<Instant> {
        let params = document.change(edits, self.encoding);
        let clock = Instant::now();
        self.notify("textDocument/didChange", &params)?;
        Ok(clock)
    }

    /// Closes a document.
    pub(crate) fn close(&mut self, document: &Document) -> Result<()> {
        self.notify("textDocument/didClose", &document.named())
    }

    /// The problems of a document's present version, waiting for them.
    pub(crate) fn diagnostics(&mut self, document: &Document) -> Result<Published> {
        if self.pulls_diagnostics() {
            let answer = self.call("textDocument/diagnostic", &document.named())?;
            let at = answer.at;
            return Ok(Published {
                at,
                version: Some(document.version),
                diagnostics: answer.good()?["items"].clone(),
            });
        }
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(published) = self.published.get(&document.uri)
                && published.version == Some(document.version)
            {
                anyhow::ensure!(
                    published.diagnostics.is_array(),
                    "the server published {} instead of a list",
                    published.diagnostics
                );
                return Ok(published.clone());
            }
            self.next(deadline)?;
        }
    }

    /// Asks for the hints of a document, now and whenever the server says that they are out of date, until at least
    /// one can be accepted and `enough` is content with those that can.
    pub(crate) fn hints_until(
        &mut self,
        document: &Document,
        enough: impl Fn(&[Hint]) -> bool,
    ) -> Result<(Instant, Vec<Hint>)> {
        let deadline = Instant::now() + PATIENCE;
        let mut asked = self.request("textDocument/inlayHint", &document.whole())?;
        self.must_refresh = false;
        loop {
            self.next(deadline)?;
            if let Some(Answer { at, result, .. }) = self.answers.remove(&asked) {
                let all = result.as_array().into_iter().flatten();
                let hints: Vec<Hint> = all
                    .filter_map(hint)
                    .filter(|hint| !hint.edits.is_empty())
                    .collect();
                if !hints.is_empty() && enough(&hints) {
                    return Ok((at, hints));
                }
            }
            if std::mem::take(&mut self.must_refresh) {
                asked = self.request("textDocument/inlayHint", &document.whole())?;
            }
        }
    }

    /// Waits until the server has nothing left to do, and gives the processor time since its start.
    ///
    /// # Errors
    /// It has ended, never falls silent, or this is not Linux.
    pub(crate) fn settle(&mut self) -> Result<Duration> {
        loop {
            let quiet = self.process.quiet(SILENCE, LONG_WORK)?;
            // The answer to a question of the server may give it work again.
            if !self.read_what_came()? {
                return Ok(quiet.total);
            }
        }
    }

    /// How many e-graphs the server has grown since its start.
    ///
    /// # Errors
    /// The server does not count them.
    pub(crate) fn saturations(&mut self) -> Result<u64> {
        self.counted("/saturations")
    }

    /// Bytes that the server takes to remember what it found, by its own estimate.
    ///
    /// # Errors
    /// The server does not tell.
    pub(crate) fn cached(&mut self) -> Result<u64> {
        self.counted("/memory/cached")
    }

    /// A number of the server's status.
    fn counted(&mut self, pointer: &str) -> Result<u64> {
        let status = self.call("sumac/status", &Value::Null)?.good();
        let status = status.context("the server does not tell its status")?;
        let counted = status.pointer(pointer).and_then(Value::as_u64);
        counted.with_context(|| format!("the server's status has no number `{pointer}`"))
    }

    /// Ends the session by the protocol; the server must end by itself, with code 0.
    pub(crate) fn end(mut self) -> Result<()> {
        self.call("shutdown", &Value::Null)?.good()?;
        self.notify("exit", &Value::Null)?;
        self.wait()
    }

    /// The methods that the server has asked this client by.
    pub(crate) fn asked(&self) -> &BTreeSet<String> {
        &self.asked
    }

    /// The methods that the server has registered at run time.
    pub(crate) fn registered(&self) -> &BTreeSet<String> {
        &self.registered
    }

    /// From now on answers requests of the server in this way.
    pub(crate) fn answer_with(&mut self, answer: AnswerWith) {
        self.answer_with = answer;
    }

    /// Waits until the server has ended by itself; it must do so with code 0.
    pub(crate) fn wait(&mut self) -> Result<()> {
        if let Some(child) = &mut self.child {
            let status = child.wait()?;
            anyhow::ensure!(status.success(), "the server ended with {status}");
        }
        Ok(())
    }

    /// Asks, and waits for the answer.
    pub(crate) fn call(&mut self, method: &str, params: &Value) -> Result<Answer> {
        for _ in 0..MOST_RETRIES {
            let id = self.request(method, params)?;
            let answer = self
                .answer(id)
                .with_context(|| format!("in answer to {method}"))?;
            if !self.asks_again(method, &answer) {
                return Ok(answer);
            }
        }
        anyhow::bail!("{method} was answered {MOST_RETRIES} times by that its text had changed")
    }

    /// Whether an answer says that the text had changed, and the client promised to ask again then.
    pub(crate) fn asks_again(&self, method: &str, answer: &Answer) -> bool {
        answer.error["code"] == CONTENT_MODIFIED && self.retried.contains(method)
    }

    /// Waits for the answer to a request.
    pub(crate) fn answer(&mut self, id: i64) -> Result<Answer> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(answer) = self.answers.remove(&id) {
                return Ok(answer);
            }
            self.next(deadline)?;
        }
    }

    /// Asks without waiting.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Result<i64> {
        self.last_id += 1;
        let id = self.last_id;
        self.awaited.insert(id);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        Ok(id)
    }

    /// Does not want the answer any more.
    pub(crate) fn cancel(&mut self, id: i64) -> Result<()> {
        self.notify("$/cancelRequest", &json!({"id": id}))
    }

    /// Tells.
    pub(crate) fn notify(&mut self, method: &str, params: &Value) -> Result<()> {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    /// Sends a message as it is.
    pub(crate) fn send(&mut self, message: &Value) -> Result<()> {
        wire::send(&mut self.input, message)
    }

    /// Whether problems are asked for rather than published.
    fn pulls_diagnostics(&self) -> bool {
        !self.capabilities["diagnosticProvider"].is_null()
            || self.registered.contains("textDocument/diagnostic")
    }

    /// Takes what has arrived; says whether anything had.
    fn read_what_came(&mut self) -> Result<bool> {
        let mut any = false;
        while let Ok((at, message)) = self.inbox.try_recv() {
            self.take(at, &message)?;
            any = true;
        }
        Ok(any)
    }

    /// The next message; requests of the server are answered on the way.
    pub(crate) fn next(&mut self, deadline: Instant) -> Result<(Instant, Value)> {
        let next = self.next_before(deadline)?;
        next.with_context(|| format!("the server was silent for {} s", PATIENCE.as_secs()))
    }

    /// The next message, if one comes before the deadline.
    pub(crate) fn next_before(&mut self, deadline: Instant) -> Result<Option<(Instant, Value)>> {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.inbox.recv_timeout(left) {
            Ok((at, message)) => {
                self.take(at, &message)?;
                Ok(Some((at, message)))
            }
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                let child = self.child.as_mut().context("the server has ended")?;
                bail!("the server has ended: {}", child.wait()?)
            }
        }
    }

    fn take(&mut self, at: Instant, message: &Value) -> Result<()> {
        let Some(method) = message["method"].as_str() else {
            let id = message["id"].as_i64();
            if let Some(id) = id.filter(|id| self.awaited.remove(id)) {
                let answer = Answer {
                    at,
                    result: message["result"].clone(),
                    error: message["error"].clone(),
                };
                self.answers.insert(id, answer);
            }
            return Ok(());
        };
        let params = &message["params"];
        match method {
            "workspace/inlayHint/refresh" => self.must_refresh = true,
            "textDocument/publishDiagnostics" => {
                let published = Published {
                    at,
                    version: params["version"].as_i64(),
                    diagnostics: params["diagnostics"].clone(),
                };
                let uri = params["uri"].as_str().unwrap_or_default().to_owned();
                let (version, before) = (published.version, self.published.get(&uri));
                let before = before.and_then(|before| before.version);
                anyhow::ensure!(
                    version.is_none() || version >= before,
                    "problems of version {version:?} of {uri} came after those of version {before:?}"
                );
                self.published.insert(uri, published);
            }
            "client/registerCapability" => {
                let all = params["registrations"].as_array().into_iter().flatten();
                let methods = all.filter_map(|one| one["method"].as_str());
                self.registered.extend(methods.map(str::to_owned));
            }
            _ => {}
        }
        if let Some(id) = message.get("id") {
            self.asked.insert(method.to_owned());
            let result = (self.answer_with)(method, params);
            self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}))?;
        }
        Ok(())
    }
}

/// What an editor whose person agrees to everything answers to a request of the server.
pub(crate) fn consent(method: &str, params: &Value) -> Value {
    match method {
        "workspace/configuration" => {
            let items = params["items"].as_array().map_or(0, Vec::len);
            json!(vec![Value::Null; items])
        }
        "workspace/applyEdit" => json!({"applied": true}),
        "window/showDocument" => json!({"success": true}),
        _ => Value::Null,
    }
}

fn hint(value: &Value) -> Option<Hint> {
    Some(Hint {
        label: value["label"].as_str()?.to_owned(),
        edits: value["textEdits"].as_array().cloned().unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_of_the_server_is_no_answer_and_an_answer_waits_to_be_taken() {
        let answers = [
            json!({"id": 1, "method": "window/x"}),
            json!({"id": 1, "result": "one"}),
            json!({"id": 2, "result": "two"}),
        ];
        let stream: Vec<u8> = answers.iter().flat_map(wire::framed).collect();
        let mut session = Session::over(
            Box::new(std::io::sink()),
            BufReader::new(std::io::Cursor::new(stream)),
        );
        let one = session.request("x", &Value::Null).unwrap();
        let two = session.request("y", &Value::Null).unwrap();
        assert_eq!(session.answer(two).unwrap().result, "two");
        assert_eq!(session.answer(one).unwrap().result, "one");
    }

    #[test]
    fn a_hint_that_cannot_be_accepted_has_no_edits() {
        let stale = json!({"position": {"line": 2, "character": 5}, "label": "⇒ x"});
        assert!(hint(&stale).unwrap().edits.is_empty());
    }

    #[test]
    fn every_setting_that_is_asked_for_has_an_answer() {
        let asked = json!({"items": [{"section": "sumac"}, {}]});
        assert_eq!(
            consent("workspace/configuration", &asked),
            json!([null, null])
        );
        assert_eq!(
            consent("window/workDoneProgress/create", &Value::Null),
            Value::Null
        );
    }
}
