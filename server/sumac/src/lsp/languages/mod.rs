//! Documents of a language other than DML: what is open, what is known of it, and the way there from a change.
//!
//! Such a document is none of the scripts: it has no runs and no sketches. Each change starts its own run and cancels the one before it;
//! a run stores nothing once its version is superseded. Locks are held for look-ups and swaps only.

mod answers;
mod run;
pub mod store;

use std::sync::Arc;

use sumac_ide::CancelToken;
use sumac_text::LineIndex;
use tower_lsp::ls_types as ls;

use super::convert::text_after;
use super::requests::diagnostic;
use super::state::Shared;
use super::workspace::known::key;

pub use answers::{code_actions, diagnostics, hover, inlay_hints};
use run::start;
use store::Open;

/// A file that is larger was generated.
const MAX_BYTES: usize = 2 << 20;

/// `textDocument/didOpen`; says whether the document is of such a language.
pub fn open(shared: &Arc<Shared>, document: &ls::TextDocumentItem) -> bool {
    let Some(language) = crate::languages::of(&key(&document.uri)) else {
        return false;
    };
    if document.text.len() > MAX_BYTES {
        return true;
    }
    let open = Open {
        language,
        version: document.version,
        lines: LineIndex::new(document.text.as_str()),
        token: CancelToken::default(),
        known: None,
    };
    let before = shared
        .languages
        .lock()
        .open
        .insert(document.uri.clone(), open);
    if let Some(before) = before {
        before.token.cancel();
    }
    shared.edited();
    start(shared, &document.uri);
    true
}

/// `textDocument/didChange`; says whether the document is of such a language. A version that is not newer is left out.
pub fn change(shared: &Arc<Shared>, params: &ls::DidChangeTextDocumentParams) -> bool {
    let ls::VersionedTextDocumentIdentifier { uri, version } = &params.text_document;
    let encoding = shared.session().encoding;
    {
        let mut state = shared.languages.lock();
        let Some(open) = state.open.get_mut(uri) else {
            return false;
        };
        if *version <= open.version {
            tracing::warn!(
                "{} goes from version {} back to {version}",
                uri.as_str(),
                open.version
            );
            return true;
        }
        let text = text_after(open.lines.text(), &params.content_changes, encoding);
        open.token.cancel();
        open.token = CancelToken::default();
        open.version = *version;
        open.lines = LineIndex::new(text);
    }
    shared.pace.typed();
    shared.edited();
    start(shared, uri);
    true
}

/// `textDocument/didClose`; says whether the document is of such a language.
pub fn close(shared: &Arc<Shared>, uri: &ls::Uri) -> bool {
    let Some(open) = shared.languages.lock().open.remove(uri) else {
        return false;
    };
    open.token.cancel();
    shared.edited();
    let (shared, uri) = (Arc::clone(shared), uri.clone());
    tokio::spawn(async move { diagnostic::withdraw(&shared, &uri).await });
    true
}
