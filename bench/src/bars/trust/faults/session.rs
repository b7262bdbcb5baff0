//! A session with a server whose pipes can be cut, with a document that was typed into. What the server knows of the document is
//! compared with what a fresh server knows of the same text.

use std::fs::File;
use std::io::{BufReader, Read, Seek, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rand::RngExt;
use serde_json::{Value, json};

use super::command::judge_signalled;
use super::common::{Dice, PROMPT};
use super::ground::Ground;
use super::input::Input;
use super::tally::{Seen, What};
use super::{command, processes, scenes};
use crate::client::Session;
use crate::client::document::{Document, Edit, Encoding};
use crate::client::process::Process;
use crate::client::profile::Profile;

/// Between two looks at a process.
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// A server that has not computed for so long is done.
const SILENCE: Duration = Duration::from_millis(100);
/// The code of an answer about a text that is not there any more.
const CONTENT_MODIFIED: i64 = -32801;

/// A server with a client.
pub(super) struct Server<'a> {
    ground: &'a Ground,
    session: Session,
    child: Child,
    /// Carries the server's output here: it can be stopped and killed, as a client can.
    carrier: Child,
    input: Input,
    stderr: File,
    pub(super) document: Document,
}

impl Drop for Server<'_> {
    fn drop(&mut self) {
        for child in [&mut self.carrier, &mut self.child] {
            // Not there any more after a good end.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl<'a> Server<'a> {
    /// Starts a server with arguments, as a client with a process number, and opens `main.dml` with a text.
    ///
    /// # Errors
    /// It does not start or answer.
    pub(super) fn open(
        ground: &'a Ground,
        arguments: &[String],
        process: Option<u32>,
        text: &str,
    ) -> Result<Self> {
        let stderr = tempfile::tempfile()?;
        let mut child = ground
            .command(&[&scenes::words(&["lsp"]), arguments].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr.try_clone()?)
            .spawn()
            .context("the server does not start")?;
        let input = Input::of(child.stdin.take());
        let output = child.stdout.take().context("the server has no output")?;
        let mut carrier = Command::new("cat")
            .stdin(output)
            .stdout(Stdio::piped())
            .spawn()
            .context("there is no `cat`")?;
        let carried = carrier.stdout.take().context("`cat` has no output")?;
        let session = Session::over(Box::new(input.clone()), BufReader::new(carried));
        let document = Document::new(&ground.file("main.dml"), text);
        let mut server = Server {
            ground,
            session,
            child,
            carrier,
            input,
            stderr,
            document,
        };
        server.begin(process)?;
        server.session.open_again(&server.document)?;
        Ok(server)
    }

    fn begin(&mut self, process: Option<u32>) -> Result<()> {
        let root = crate::client::document::uri(&self.ground.work());
        let params = json!({
            "processId": process, "rootUri": root,
            "workspaceFolders": [{"uri": root, "name": "workspace"}],
            "capabilities": Profile::refreshing().capabilities,
        });
        let result = self.session.call("initialize", &params)?.good()?;
        if let Some(name) = result["capabilities"]["positionEncoding"].as_str() {
            self.session.encoding = Encoding::named(name)?;
        }
        self.session.notify("initialized", &json!({}))
    }

    /// Types a few lines here and there.
    ///
    /// # Errors
    /// The server does not listen.
    pub(super) fn typed(&mut self, dice: &mut Dice) -> Result<()> {
        for _ in 0..dice.random_range(1..6) {
            let starts: Vec<usize> = (self.document.text.match_indices('\n'))
                .map(|(at, _)| at + 1)
                .collect();
            let at = starts[dice.random_range(0..starts.len())];
            let number = dice.random_range(0..1_000_000);
            let text = format!("typed{number}  =  {number} # é, 𝕏\n");
            let edit = Edit {
                range: at..at,
                text,
            };
            self.session.change(&mut self.document, &[edit])?;
        }
        Ok(())
    }

    /// Begins to time the statement that has a suggestion; gives the number of the request, and the worker.
    ///
    /// # Errors
    /// There is no such lens, or no worker is started.
    pub(super) fn time_it(&mut self) -> Result<(i64, Vec<processes::Marked>)> {
        let deadline = Instant::now() + PROMPT * 10;
        let command = loop {
            let lenses = self
                .session
                .call("textDocument/codeLens", &self.document.named())?;
            let lenses = lenses.good()?;
            let commands = lenses.as_array().into_iter().flatten();
            let can_time = |title: &Value| title.as_str().is_some_and(|it| it.contains("▶"));
            let mut commands = commands.map(|lens| &lens["command"]);
            if let Some(command) = commands.find(|command| can_time(&command["title"])) {
                break command.clone();
            }
            // The search goes on.
            ensure!(
                Instant::now() < deadline,
                "there is nothing to time: {lenses}"
            );
            std::thread::sleep(LOOK_EVERY);
        };
        let id = self.session.request("workspace/executeCommand", &command)?;
        loop {
            let workers = processes::workers(self.ground.mark(), Duration::ZERO);
            if !workers.is_empty() {
                return Ok((id, workers));
            }
            ensure!(Instant::now() < deadline, "no worker was started");
            // The server asks whether it may show how far it is, and waits for the answer.
            self.session.next_before(Instant::now() + LOOK_EVERY)?;
        }
    }

    /// Asks without waiting.
    ///
    /// # Errors
    /// The server does not listen.
    pub(super) fn request(&mut self, method: &str, params: &Value) -> Result<i64> {
        self.session.request(method, params)
    }

    /// The answer to a request, in time or not at all: an object with `result` or `error`.
    ///
    /// # Errors
    /// The server has ended.
    pub(super) fn answer(&mut self, id: i64, within: Duration) -> Result<Option<Value>> {
        let deadline = Instant::now() + within;
        while let Some((_, message)) = self.session.next_before(deadline)? {
            if message["id"] == id && message.get("method").is_none() {
                return Ok(Some(message));
            }
        }
        Ok(None)
    }

    /// Asks behind a fault: the answer must come soon.
    ///
    /// # Errors
    /// The server has ended, or does not answer.
    pub(super) fn ask(&mut self, method: &str, params: &Value, seen: &mut Seen) -> Result<Value> {
        let asked = Instant::now();
        loop {
            let id = self.session.request(method, params)?;
            let answer = self.answer(id, PROMPT * 2)?;
            let Some(answer) = answer else {
                seen.took(method, PROMPT * 2 + LOOK_EVERY);
                bail!("{method} is not answered");
            };
            if answer["error"]["code"] != CONTENT_MODIFIED {
                seen.took(method, asked.elapsed());
                return Ok(answer);
            }
        }
    }

    /// Everything that the server knows of the text of the document.
    ///
    /// # Errors
    /// As [`Server::ask`].
    fn view(&mut self, seen: &mut Seen) -> Result<Vec<Value>> {
        let named = self.document.named();
        let mut formatting = named.clone();
        formatting["options"] = json!({"tabSize": 3, "insertSpaces": true});
        let questions = [
            ("textDocument/documentSymbol", &named),
            ("textDocument/semanticTokens/full", &named),
            ("textDocument/foldingRange", &named),
            ("textDocument/formatting", &formatting),
        ];
        let mut answers = Vec::new();
        for (method, params) in questions {
            let mut answer = self.ask(method, params, seen)?;
            let result = answer["result"].take();
            ensure!(!result.is_null(), "{method} is refused: {answer}");
            // Two servers number their results as they like.
            answers.push(match result.get("data") {
                Some(data) => data.clone(),
                None => result,
            });
        }
        Ok(answers)
    }

    /// Notes where the server knows another text than the one that was sent, or does not answer soon.
    ///
    /// # Errors
    /// There is no fresh server to compare with.
    pub(super) fn judge(&mut self, seen: &mut Seen) -> Result<()> {
        let own = match self.view(seen) {
            Ok(own) => own,
            Err(error) => {
                seen.wrong(What::Lost, format!("the session does not go on: {error:#}"));
                return Ok(());
            }
        };
        let mut fresh = Server::open(self.ground, &[], None, &self.document.text)?;
        let expected = fresh.view(&mut Seen::default())?;
        fresh.end(&mut Seen::default())?;
        for (number, (own, expected)) in own.iter().zip(&expected).enumerate() {
            if own != expected {
                let how = format!("a fresh server answers question {number} in another way");
                seen.wrong(What::Lost, how);
            }
        }
        Ok(())
    }

    /// What the server finds wrong with the document.
    ///
    /// # Errors
    /// As [`Server::ask`].
    pub(super) fn problems(&mut self, seen: &mut Seen) -> Result<Value> {
        let named = self.document.named();
        let mut answer = self.ask("textDocument/diagnostic", &named, seen)?;
        let items = answer["result"]["items"].take();
        ensure!(items.is_array(), "problems are refused: {answer}");
        Ok(items)
    }

    /// Labels of all hints that can be accepted, as soon as there are any and the server has nothing left to do.
    ///
    /// # Errors
    /// The server has ended, or finds nothing.
    pub(super) fn hints(&mut self) -> Result<Vec<String>> {
        self.session.hints_until(&self.document, |_| true)?;
        // What it found last is kept last.
        Process::new(self.child.id()).quiet(SILENCE, PROMPT * 30)?;
        let (_, hints) = self.session.hints_until(&self.document, |_| true)?;
        Ok(hints.into_iter().map(|hint| hint.label).collect())
    }

    /// Tells.
    ///
    /// # Errors
    /// The server does not listen.
    pub(super) fn notify(&mut self, method: &str, params: &Value) -> Result<()> {
        self.session.notify(method, params)
    }

    /// Sends bytes as they are.
    ///
    /// # Errors
    /// The server does not listen.
    pub(super) fn raw(&mut self, bytes: &[u8]) -> Result<()> {
        self.input
            .write_all(bytes)
            .context("the server does not listen")
    }

    /// The client's end of the input goes.
    pub(super) fn close_input(&self) {
        self.input.close();
    }

    /// The client's end of the output goes.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn close_output(&mut self) -> Result<()> {
        self.carrier.kill()?;
        self.carrier.wait()?;
        Ok(())
    }

    /// The client does not read any more, but it is there.
    ///
    /// # Errors
    /// There is no `kill`.
    pub(super) fn stall_output(&self) -> Result<()> {
        processes::signal(self.carrier.id(), "STOP")
    }

    /// Ends it by a signal.
    ///
    /// # Errors
    /// There is no `kill`.
    pub(super) fn signal(&self, name: &str) -> Result<()> {
        processes::signal(self.child.id(), name)
    }

    /// Waits for the end, which must come soon; gives what it said on its error stream.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn ended(&mut self, seen: &mut Seen) -> Result<(Option<i32>, String)> {
        let asked = Instant::now();
        let mut is_hung = false;
        let code = loop {
            if let Some(status) = self.child.try_wait()? {
                break status.code();
            }
            if asked.elapsed() > PROMPT * 4 {
                is_hung = true;
                self.child.kill()?;
                self.child.wait()?;
                break None;
            }
            std::thread::sleep(LOOK_EVERY);
        };
        seen.took("the end of the server", asked.elapsed());
        self.stderr.rewind()?;
        let mut said = Vec::new();
        self.stderr.read_to_end(&mut said)?;
        let said = String::from_utf8_lossy(&said).into_owned();
        let ended = command::Ended {
            code,
            stdout: String::new(),
            stderr: said,
            took: asked.elapsed(),
            is_hung,
        };
        judge_signalled(&ended, seen);
        Ok((code, ended.stderr))
    }

    /// Ends the session by the protocol; gives what the server said on its error stream.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn end(&mut self, seen: &mut Seen) -> Result<String> {
        let answer = self.ask("shutdown", &Value::Null, seen);
        let exit = self.notify("exit", &Value::Null);
        if answer.is_err() || exit.is_err() {
            seen.wrong(What::Lost, "the session cannot be ended in order");
            self.close_input();
        }
        let (code, said) = self.ended(seen)?;
        if code != Some(0) {
            let said = command::short(&said);
            let how = format!("the server ended with {code:?}: {said}");
            seen.wrong(What::Unclear, how);
        }
        Ok(said)
    }
}
