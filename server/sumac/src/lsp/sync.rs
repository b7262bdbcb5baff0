//! Document synchronization: what the client opens, changes and closes.
//!
//! Every function here is synchronous on purpose: notifications are handled in the order in which they arrive only
//! as long as nothing is awaited before the state is written.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use sumac_ide::CancelToken;
use sumac_syntax::text::TextEdit;
use sumac_syntax::{LineIndex, Parse, is_other_language, parse};
use tokio::sync::watch;
use tower_lsp::ls_types as ls;

use super::background::panic_text;
use super::convert::Converter;
use super::pipeline;
use super::settings::Encoding;
use super::state::{Document, Reached, Shared};

/// More edits at once than this are cheaper as one fresh parse.
const MAX_INCREMENTAL_EDITS: usize = 16;

/// `textDocument/didOpen`.
pub fn open(shared: &Arc<Shared>, document: ls::TextDocumentItem) {
    let ls::TextDocumentItem {
        uri, version, text, ..
    } = document;
    if is_other_language(&text) {
        tracing::info!(
            "{} is written in another language of that ending: left alone",
            uri.as_str()
        );
        shared.documents().remove(&uri);
        return;
    }
    shared.disk_moved_on();
    let parse = parsed(&uri, || parse(text.as_str()));
    {
        let mut documents = shared.documents();
        let before = documents.remove(&uri);
        let change = before.as_ref().map_or(0, |document| document.change) + 1;
        if let Some(before) = before {
            before.token.cancel();
        }
        documents.insert(
            uri.clone(),
            Document {
                version,
                change,
                parse,
                token: CancelToken::default(),
                snapshot: None,
                since: Vec::new(),
                edited: None,
                seen: None,
                touched: shared.touch(),
                reached: watch::Sender::new(Reached::default()),
            },
        );
    }
    pipeline::start(shared, &uri);
}

/// `textDocument/didChange`. A change for a version that is not newer is an echo and is left out.
pub fn change(shared: &Arc<Shared>, params: &ls::DidChangeTextDocumentParams) {
    let ls::VersionedTextDocumentIdentifier { uri, version } = &params.text_document;
    {
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
    }
    pipeline::start(shared, uri);
}

/// `textDocument/didClose`.
pub fn close(shared: &Arc<Shared>, uri: &ls::Uri) {
    shared.tokens.forget(uri);
    if let Some(document) = shared.documents().remove(uri) {
        document.token.cancel();
    }
    pipeline::close(shared, uri);
}

/// `textDocument/didSave`. Where the client does not tell of files that others change, a save is the moment to look.
pub fn save(shared: &Arc<Shared>) {
    if !shared.session().watches_files {
        shared.disk_moved_on();
        invalidate(shared);
    }
}

/// Has every open document analysed again: a data file or the settings have changed.
pub fn invalidate(shared: &Arc<Shared>) {
    invalidate_some(shared, |_| true);
}

/// Has some of the open documents analysed again.
pub fn invalidate_some(shared: &Arc<Shared>, is_affected: impl Fn(&ls::Uri) -> bool) {
    let mut affected = Vec::new();
    for (uri, document) in shared.documents().iter_mut() {
        if is_affected(uri) {
            document.token.cancel();
            document.token = CancelToken::default();
            document.change += 1;
            affected.push(uri.clone());
        }
    }
    for uri in &affected {
        pipeline::start(shared, uri);
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
            None => sumac_syntax::text::TextRange {
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
        let text = sumac_syntax::edit::apply_edits(old.text(), edits);
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
        let uri = "file:///a.dml".parse().unwrap();
        apply(&parse(old), changes, Encoding::Utf16, &uri)
            .0
            .text()
            .to_string()
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
}
