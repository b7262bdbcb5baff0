//! A folder of scripts, a server that works on them, and the texts as they must be: what a writer writes in.
//!
//! The mirror of each text is kept by the protocol's words alone, so that a server that reads a change otherwise is found
//! out. At any point everything that the server says can be held against a fresh server's.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::places::Places;
use crate::client::document::{self, Document, Edit};
use crate::client::{Launch, Session};
use crate::difference;

/// Requests that may wait for their answers side by side.
const MOST_PENDING: usize = 8;

/// What is asked about a document and is known as soon as its text is.
const OF_THE_TEXT: &[&str] = &[
    "textDocument/semanticTokens/full",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/formatting",
];
/// What is asked about a document and is known when its searches have ended.
const OF_SEARCHES: &[&str] = &["textDocument/inlayHint", "textDocument/codeLens"];

/// The protocol's code for a request that was understood and is not possible now.
const REFUSED: i64 = -32803;

/// A request that may come at any time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ask {
    /// About all of a document.
    Whole(&'static str),
    /// About a byte of it.
    At(&'static str, usize),
}

/// What a writer does to a file.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Step {
    /// Changes, each in the text that the one before it left.
    Edit(Vec<Edit>),
    /// Changes as the protocol writes them, and versions that are left out before.
    Raw(Vec<Value>, i64),
    Open,
    Close,
    Save,
    Ask(Ask),
    /// Waits for the problems of the present version.
    Look,
}

/// A script.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) path: PathBuf,
    /// What it began as.
    pub(super) origin: String,
    /// What stands on disk.
    disk: String,
    /// What the client holds.
    pub(super) document: Document,
    pub(super) is_open: bool,
}

impl File {
    /// The bytes of its text, as the server reads it.
    pub(super) fn bytes(&self) -> usize {
        let text = if self.is_open {
            &self.document.text
        } else {
            &self.disk
        };
        text.len()
    }
}

/// The folder, the server and the texts.
pub(super) struct World {
    pub(super) files: Vec<File>,
    pub(super) session: Session,
    launch: Launch,
    pending: Vec<(i64, Ask)>,
}

impl World {
    /// A world of these texts, written into a folder. The session is one with a server that the launch would start.
    pub(super) fn new(
        session: Session,
        launch: Launch,
        folder: &Path,
        texts: &[String],
    ) -> Result<Self> {
        let mut files = Vec::new();
        for (index, text) in texts.iter().enumerate() {
            let path = folder.join(format!("script{index}.dml"));
            std::fs::write(&path, text)
                .with_context(|| format!("cannot write {}", path.display()))?;
            files.push(File {
                origin: text.clone(),
                disk: text.clone(),
                document: Document::new(&path, text),
                is_open: false,
                path,
            });
        }
        Ok(World {
            files,
            session,
            launch,
            pending: Vec::new(),
        })
    }

    /// Does a step; says whether a text changed.
    pub(super) fn take(&mut self, index: usize, step: &Step) -> Result<bool> {
        let file = &mut self.files[index];
        let session = &mut self.session;
        match step {
            Step::Open => {
                if file.is_open {
                    return Ok(false);
                }
                file.document.version += 1;
                file.document.text.clone_from(&file.disk);
                file.is_open = true;
                session.open_again(&file.document)?;
                return Ok(false);
            }
            _ if !file.is_open => return Ok(false),
            Step::Edit(edits) => {
                session.change(&mut file.document, edits)?;
                return Ok(true);
            }
            Step::Raw(changes, left_out) => {
                let document = &mut file.document;
                document.version += 1 + left_out;
                for change in changes {
                    document.text = changed(&document.text, change, session.encoding)?;
                }
                let named = json!({"uri": document.uri, "version": document.version});
                let params = json!({"textDocument": named, "contentChanges": changes});
                session.notify("textDocument/didChange", &params)?;
                return Ok(true);
            }
            Step::Close => {
                file.is_open = false;
                session.close(&file.document)?;
            }
            Step::Save => {
                file.disk.clone_from(&file.document.text);
                std::fs::write(&file.path, &file.disk)?;
                session.notify("textDocument/didSave", &file.document.named())?;
            }
            Step::Look => {
                session.diagnostics(&file.document)?;
            }
            Step::Ask(ask) => {
                let (method, params) = match *ask {
                    Ask::Whole(method) => (method, file.document.whole()),
                    Ask::At(method, byte) => (method, file.document.at(byte, session.encoding)),
                };
                let id = session.request(method, &params)?;
                self.pending.push((id, *ask));
            }
        }
        self.answered(MOST_PENDING)?;
        Ok(false)
    }

    /// Waits until at most so many requests have no answer. Every answer must be a good one: nothing was cancelled. What
    /// was asked about a text that has changed since is asked again by the editor, if it wants it still.
    fn answered(&mut self, most: usize) -> Result<()> {
        while self.pending.len() > most {
            let (id, ask) = self.pending.remove(0);
            let answer = self.session.answer(id)?;
            let (Ask::Whole(method) | Ask::At(method, _)) = ask;
            if self.session.asks_again(method, &answer) {
                continue;
            }
            answer
                .good()
                .with_context(|| format!("in answer to {ask:?}"))?;
        }
        Ok(())
    }

    /// Where what the server says differs from what a fresh server says of the same texts.
    ///
    /// # Errors
    /// One of them failed.
    pub(super) fn difference(&mut self) -> Result<Option<String>> {
        self.answered(0)?;
        let open = self.open();
        self.session.settle()?;
        let found = known(&mut self.session, &open)?;
        let mut fresh = Session::start(&self.launch).context("the fresh server")?;
        for document in &open {
            fresh.open_again(document)?;
        }
        for document in &open {
            fresh.diagnostics(document).context("the fresh server")?;
        }
        fresh.settle()?;
        let expected = known(&mut fresh, &open).context("the fresh server")?;
        fresh.end().context("the fresh server")?;
        Ok(difference::first(&expected, &found))
    }

    /// Writes the texts of the open documents, as the client holds them, and all others as they stand on disk.
    pub(super) fn keep_open(&self, folder: &Path) -> Result<()> {
        std::fs::create_dir_all(folder)?;
        for file in &self.files {
            let name = file.path.file_name().context("a file without a name")?;
            let text = match file.is_open {
                true => &file.document.text,
                false => &file.disk,
            };
            std::fs::write(folder.join(name), text)?;
        }
        Ok(())
    }

    /// The open documents.
    fn open(&self) -> Vec<Document> {
        let open = self.files.iter().filter(|file| file.is_open);
        open.map(|file| file.document.clone()).collect()
    }

    /// Everything that the server says of the open documents that does not depend on how a client shows things, with
    /// bytes for places.
    ///
    /// # Errors
    /// A request failed, or a place is none.
    pub(super) fn in_bytes(&mut self) -> Result<Value> {
        self.answered(0)?;
        self.session.settle()?;
        let open = self.open();
        let places = Places {
            texts: open
                .iter()
                .map(|document| (document.uri.as_str(), document.text.as_str()))
                .collect(),
            encoding: self.session.encoding,
        };
        let mut all = serde_json::Map::new();
        for document in &open {
            let problems = self.session.diagnostics(document)?.diagnostics;
            let problems = places.in_bytes(&document.uri, &problems)?;
            all.insert(format!("{} problems", document.uri), problems);
            for method in OF_THE_TEXT.iter().chain(OF_SEARCHES) {
                let result = asked(&mut self.session, document, method)?;
                let result = match *method {
                    // Lines, and columns only for clients that fold at columns.
                    "textDocument/foldingRange" => continue,
                    "textDocument/semanticTokens/full" => places.tokens(&document.uri, &result)?,
                    _ => places.in_bytes(&document.uri, &result)?,
                };
                all.insert(format!("{} {method}", document.uri), result);
            }
        }
        Ok(Value::Object(all))
    }

    /// Ends the session by the protocol.
    pub(super) fn end(mut self) -> Result<()> {
        self.answered(0)?;
        self.session.end()
    }
}

/// Everything that a server says of documents.
fn known(session: &mut Session, documents: &[Document]) -> Result<Value> {
    let mut all = serde_json::Map::new();
    for document in documents {
        let name = document.uri.rsplit('/').next().unwrap_or_default();
        let problems = session.diagnostics(document)?.diagnostics;
        all.insert(format!("{name} problems"), problems);
        for method in OF_THE_TEXT.iter().chain(OF_SEARCHES) {
            let result = asked(session, document, method)?;
            all.insert(format!("{name} {method}"), result);
        }
    }
    Ok(Value::Object(all))
}

/// An answer about all of a document, without the name that the server gave the answer.
fn asked(session: &mut Session, document: &Document, method: &str) -> Result<Value> {
    let mut params = document.whole();
    params["options"] = json!({"tabSize": 2, "insertSpaces": true});
    let answer = session.call(method, &params)?;
    // A text that cannot be formatted is refused, by a fresh server too.
    if answer.error["code"] == REFUSED {
        return Ok(answer.error);
    }
    let mut result = answer
        .good()
        .with_context(|| format!("{method} of {}", document.uri))?;
    if let Some(name) = result.get_mut("resultId") {
        name.take();
    }
    Ok(result)
}

/// The text after a change as the protocol writes it. A range that is given backwards is turned round.
fn changed(text: &str, change: &Value, encoding: document::Encoding) -> Result<String> {
    let new = change["text"].as_str().context("a change without a text")?;
    let range = &change["range"];
    if range.is_null() {
        return Ok(new.to_owned());
    }
    let a = document::byte(text, &range["start"], encoding)?;
    let b = document::byte(text, &range["end"], encoding)?;
    let mut text = text.to_owned();
    text.replace_range(a.min(b)..a.max(b), new);
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Plan, drive};
    use super::*;
    use crate::client::in_process;

    fn begun() -> Session {
        let mut session = in_process::session();
        session.begin(&Launch::new(Path::new("sumac"))).unwrap();
        session
    }

    /// What a server says of the text alone.
    fn of_texts(session: &mut Session, documents: &[Document]) -> Vec<Value> {
        let mut all = Vec::new();
        for document in documents {
            all.push(session.diagnostics(document).unwrap().diagnostics);
            for method in OF_THE_TEXT {
                all.push(asked(session, document, method).unwrap());
            }
        }
        all
    }

    #[test]
    fn after_a_persons_edits_the_server_has_the_texts_that_it_should_have() {
        has_the_texts_after(250, Kind::Person);
    }

    #[test]
    fn after_a_machines_edits_the_server_has_the_texts_that_it_should_have() {
        has_the_texts_after(120, Kind::Machine);
    }

    fn has_the_texts_after(edits: usize, kind: Kind) {
        let plan = Plan {
            seed: 3,
            edits,
            files: 5,
            checks: 0,
            kind,
        };
        let folder = tempfile::tempdir().unwrap();
        let texts = super::super::texts(plan.files);
        let launch = Launch::new(Path::new("sumac"));
        let mut world = World::new(begun(), launch, folder.path(), &texts).unwrap();
        drive(&mut world, plan).unwrap();
        let open = world.open();
        assert!(!open.is_empty());
        let found = of_texts(&mut world.session, &open);
        let mut fresh = begun();
        for document in &open {
            fresh.open_again(document).unwrap();
        }
        assert_eq!(found, of_texts(&mut fresh, &open));
        world.end().unwrap();
        fresh.end().unwrap();
    }

    #[test]
    fn a_change_means_what_the_protocol_says() {
        let place = |line: u64, character: u64| json!({"line": line, "character": character});
        let change =
            |start: Value, end: Value| json!({"range": {"start": start, "end": end}, "text": "z"});
        let after =
            |change: &Value| changed("a𝕏b\r\nc", change, document::Encoding::Utf16).unwrap();
        assert_eq!(after(&change(place(0, 3), place(0, 4))), "a𝕏z\r\nc");
        assert_eq!(after(&change(place(0, 99), place(0, 99))), "a𝕏bz\r\nc");
        assert_eq!(after(&change(place(7, 0), place(9, 9))), "a𝕏b\r\ncz");
        assert_eq!(after(&change(place(1, 1), place(0, 1))), "az");
        assert_eq!(after(&json!({"text": "new"})), "new");
    }
}
