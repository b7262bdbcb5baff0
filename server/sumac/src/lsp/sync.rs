//! Document synchronization: what the client opens, changes and closes.
//!
//! Every function here is synchronous on purpose: notifications are handled in the order in which they arrive only
//! as long as nothing is awaited before the state is written.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use sumac_ide::CancelToken;
use sumac_syntax::{Parse, is_other_language, parse};
use sumac_text::{LineIndex, TextEdit};
use tokio::sync::watch;
use tower_lsp::ls_types as ls;

use super::background::panic_text;
use super::convert::{self, Converter};
use super::document::{Document, Reached};
use super::languages;
use super::pipeline;
use super::requests::diagnostic;
use super::settings::Encoding;
use super::sketches;
use super::state::Shared;
use crate::lsp::pipeline::invalidate;

/// A script that is larger is left alone: it was generated, and nobody reads it.
const MAX_BYTES: usize = 8 << 20;
/// More edits at once than this are cheaper as one fresh parse.
const MAX_INCREMENTAL_EDITS: usize = 16;

/// `textDocument/didOpen`.
pub fn open(shared: &Arc<Shared>, document: ls::TextDocumentItem) {
    if sketches::is_sketch(&document.uri, &document.language_id) {
        sketches::open(shared, document);
        return;
    }
    if languages::open(shared, &document) {
        return;
    }
    let ls::TextDocumentItem {
        uri, version, text, ..
    } = document;
    if is_other_language(&text) {
        tracing::info!(
            "{} is written in another language of that ending: left alone",
            uri.as_str()
        );
        forget(shared, &uri);
        return;
    }
    if text.len() > MAX_BYTES {
        leave_alone(shared, &uri);
        return;
    }
    shared.disk_moved_on();
    let parse = parsed(&uri, || parse(text.as_str()));
    {
        let mut documents = shared.documents();
        let before = documents.remove(&uri);
        let change = before.as_ref().map_or(0, |document| document.change) + 1;
        let reached = match before {
            // Whoever waits for the text as it was gets an answer for the new one.
            Some(before) => {
                before.token.cancel();
                before.reached
            }
            None => watch::Sender::new(Reached::default()),
        };
        documents.insert(
            uri.clone(),
            Document {
                version,
                change,
                saved: parse.text().clone(),
                parse,
                token: CancelToken::default(),
                snapshot: None,
                diagnosed: None,
                since: Vec::new(),
                edited: None,
                seen: None,
                touched: shared.touch(),
                blocks: Arc::default(),
                reached,
            },
        );
    }
    shared.edited();
    pipeline::start(shared, &uri);
}

/// `textDocument/didChange`. A change for a version that is not newer is an echo and is left out.
pub fn change(shared: &Arc<Shared>, params: &ls::DidChangeTextDocumentParams) {
    if sketches::change(shared, params) || languages::change(shared, params) {
        return;
    }
    let ls::VersionedTextDocumentIdentifier { uri, version } = &params.text_document;
    let is_too_large = {
        let mut documents = shared.documents();
        let Some(document) = documents.get_mut(uri) else {
            tracing::debug!("{} was changed without being open", uri.as_str());
            return;
        };
        if *version <= document.version {
            tracing::warn!(
                "{} goes from version {} back to {version}",
                uri.as_str(),
                document.version
            );
            return;
        }
        let changes = &params.content_changes;
        let (parse, edits) = apply(&document.parse, changes, shared.session().encoding, uri);
        document.token.cancel();
        document.token = CancelToken::default();
        document.version = *version;
        document.change += 1;
        document.parse = parse;
        document.edited = edits.last().map(|edit| edit.range.start);
        document.touched = shared.touch();
        document.since.extend(edits);
        document.parse.text().len() > MAX_BYTES
    };
    if is_too_large {
        leave_alone(shared, uri);
        return;
    }
    shared.pace.typed();
    shared.edited();
    pipeline::start(shared, uri);
}

/// `textDocument/didClose`.
pub fn close(shared: &Arc<Shared>, uri: &ls::Uri) {
    if sketches::close(shared, uri) || languages::close(shared, uri) {
        return;
    }
    forget(shared, uri);
    pipeline::close(shared, uri);
}

/// From here on the document is none of ours.
fn forget(shared: &Shared, uri: &ls::Uri) {
    shared.tokens.forget(uri);
    if let Some(document) = shared.documents().remove(uri) {
        document.token.cancel();
    }
    shared.edited();
}

/// A text that is too large is not looked at, and the person is told so.
fn leave_alone(shared: &Arc<Shared>, uri: &ls::Uri) {
    close(shared, uri);
    let message = format!(
        "{} is larger than {} MB, so Sumac leaves it alone; what is generated is better read from a file of data",
        convert::file_name(uri),
        MAX_BYTES >> 20
    );
    let (shared, uri) = (Arc::clone(shared), uri.clone());
    tokio::spawn(async move {
        diagnostic::withdraw(&shared, &uri).await;
        let client = &shared.client;
        client.show_message(ls::MessageType::WARNING, message).await;
    });
}

/// `textDocument/didSave`. Where the client does not tell of files that others change, a save is the moment to look.
pub fn save(shared: &Arc<Shared>, uri: &ls::Uri) {
    if let Some(document) = shared.documents().get_mut(uri) {
        document.saved = document.parse.text().clone();
    }
    if !shared.session().watches_files {
        shared.disk_moved_on();
        sketches::look_again(shared);
        sketches::publish(shared);
        invalidate(shared);
    }
}

/// The text after the changes, each in the text that the one before it left; and the changes as edits.
fn apply(
    old: &Parse,
    changes: &[ls::TextDocumentContentChangeEvent],
    encoding: Encoding,
    uri: &ls::Uri,
) -> (Parse, Vec<TextEdit>) {
    let mut edits = Vec::new();
    let mut text: Option<String> = None;
    let mut now = old.clone();
    let is_incremental = changes.len() <= MAX_INCREMENTAL_EDITS;
    for change in changes {
        let fresh = text.as_deref().map(LineIndex::new);
        let lines = fresh.as_ref().unwrap_or_else(|| now.lines());
        let range = match change.range {
            Some(range) => Converter::new(lines, encoding).text_range(range),
            None => sumac_text::TextRange {
                start: 0,
                end: text.as_deref().unwrap_or(now.text()).len(),
            },
        };
        let edit = TextEdit {
            range,
            new_text: change.text.clone(),
        };
        if is_incremental {
            let edited = std::slice::from_ref(&edit);
            now = parsed_after(uri, &now, edited);
        } else {
            let whole = text.get_or_insert_with(|| now.text().to_string());
            whole.replace_range(range.start..range.end, &edit.new_text);
        }
        edits.push(edit);
    }
    match text {
        Some(text) => (parsed(uri, || parse(text.as_str())), edits),
        None => (now, edits),
    }
}

fn parsed_after(uri: &ls::Uri, old: &Parse, edits: &[TextEdit]) -> Parse {
    catch_unwind(AssertUnwindSafe(|| old.edit(edits))).unwrap_or_else(|payload| {
        let text = panic_text(payload.as_ref());
        tracing::error!("a defect in parsing a change of {}: {text}", uri.as_str());
        let text = sumac_text::apply_edits(old.text(), edits);
        parsed(uri, || parse(text.as_str()))
    })
}

/// Parsing never panics; should it ever, the session must survive with an empty script rather than end.
fn parsed(uri: &ls::Uri, work: impl FnOnce() -> Parse) -> Parse {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        let text = panic_text(payload.as_ref());
        tracing::error!("a defect in parsing {}: {text}", uri.as_str());
        parse("")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(range: Option<[u32; 4]>, text: &str) -> ls::TextDocumentContentChangeEvent {
        let range = range
            .map(|[a, b, c, d]| ls::Range::new(ls::Position::new(a, b), ls::Position::new(c, d)));
        ls::TextDocumentContentChangeEvent {
            range,
            range_length: None,
            text: text.into(),
        }
    }

    fn after(old: &str, changes: &[ls::TextDocumentContentChangeEvent]) -> String {
        text_after(old, changes, Encoding::Utf16)
    }

    fn text_after(
        old: &str,
        changes: &[ls::TextDocumentContentChangeEvent],
        encoding: Encoding,
    ) -> String {
        let uri = "file:///a.dml".parse().unwrap();
        let (parse, _) = apply(&parse(old), changes, encoding, &uri);
        parse.text().to_string()
    }

    #[test]
    fn changes_apply_one_after_the_other() {
        let changes = [
            change(Some([0, 0, 0, 1]), "loss"),
            change(Some([0, 7, 0, 8]), "sum(x)"),
        ];
        assert_eq!(after("y = x", &changes), "loss = sum(x)");
        assert_eq!(after("y = x", &[change(None, "z = 1")]), "z = 1");
    }

    #[test]
    fn many_changes_give_the_same_text_as_few() {
        let one = [change(Some([0, 4, 0, 4]), "a")];
        let many: Vec<_> = std::iter::repeat_n(one[0].clone(), 40).collect();
        let one_by_one = many.iter().fold("x = ".to_owned(), |text, change| {
            after(&text, std::slice::from_ref(change))
        });
        assert_eq!(after("x = ", &many), one_by_one);
    }
    #[test]
    fn places_backwards_beyond_the_ends_and_inside_characters_are_brought_in() {
        let text = "a𝒳b\r\nc";
        for (range, expected) in [
            ([0, 4, 0, 0], "!\r\nc"),
            ([0, 9, 7, 7], "a𝒳b!"),
            ([5, 0, 9, 0], "a𝒳b\r\nc!"),
            ([0, 2, 0, 3], "a!b\r\nc"),
            ([1, 0, 0, 99], "a𝒳b!c"),
        ] {
            assert_eq!(
                after(text, &[change(Some(range), "!")]),
                expected,
                "{range:?}"
            );
        }
    }

    /// An editor that keeps its text as lines of units, and knows nothing of bytes but where that is its unit.
    struct Editor {
        encoding: Encoding,
        text: Vec<char>,
    }

    impl Editor {
        fn width(&self, c: char) -> u32 {
            match self.encoding {
                Encoding::Utf8 => c.len_utf8() as u32,
                Encoding::Utf16 => c.len_utf16() as u32,
                Encoding::Utf32 => 1,
            }
        }

        /// The position of each character, and of the end; `None` between `\r` and `\n`, where no cursor can stand.
        fn positions(&self) -> Vec<Option<ls::Position>> {
            let mut at = ls::Position::default();
            let mut all = Vec::new();
            for (index, c) in self.text.iter().enumerate() {
                let is_inside = *c == '\n' && index > 0 && self.text[index - 1] == '\r';
                all.push((!is_inside).then_some(at));
                let ends = *c == '\n' || (*c == '\r' && self.text.get(index + 1) != Some(&'\n'));
                if ends {
                    at = ls::Position::new(at.line + 1, 0);
                } else if *c != '\r' {
                    at.character += self.width(*c);
                }
            }
            all.push(Some(at));
            all
        }

        /// Replaces what stands between two places; the change that tells the server so.
        fn edit(
            &mut self,
            from: usize,
            to: usize,
            new: &str,
        ) -> ls::TextDocumentContentChangeEvent {
            let positions = self.positions();
            let places: Vec<usize> = (0..positions.len())
                .filter(|at| positions[*at].is_some())
                .collect();
            let (from, to) = (places[from % places.len()], places[to % places.len()]);
            let (from, to) = (from.min(to), from.max(to));
            self.text.splice(from..to, new.chars());
            ls::TextDocumentContentChangeEvent {
                range: Some(ls::Range::new(
                    positions[from].unwrap(),
                    positions[to].unwrap(),
                )),
                range_length: None,
                text: new.to_owned(),
            }
        }
    }

    proptest::proptest! {
        // Each case parses its text some fifty times.
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]
        #[test]
        fn after_any_edits_the_text_is_the_clients(
            text in "[ax=1 é𝒳#\r\n]{0,40}",
            edits in proptest::collection::vec((0..99_usize, 0..99_usize, "[ax=1 é𝒳(\r\n]{0,6}"), 1..20),
        ) {
            for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
                let mut editor = Editor { encoding, text: text.chars().collect() };
                let changes: Vec<_> = edits.iter().map(|(from, to, new)| editor.edit(*from, *to, new)).collect();
                let expected: String = editor.text.iter().collect();
                proptest::prop_assert_eq!(&text_after(&text, &changes, encoding), &expected, "at once");
                let one_by_one = changes.iter().fold(text.clone(), |text, change| {
                    text_after(&text, std::slice::from_ref(change), encoding)
                });
                proptest::prop_assert_eq!(one_by_one, expected);
            }
        }
    }
}
