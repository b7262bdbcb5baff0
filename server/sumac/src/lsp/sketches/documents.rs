//! What the client opens, changes and closes of sketch files, and what it is told is wrong with them. Nothing is awaited
//! before the state is written.

use std::sync::Arc;

use sumac_ide::sketch::has_sketches;
use tower_lsp::ls_types as ls;

use super::answers::diagnostics;
use super::store::Open;
use crate::lsp::convert::text_after;
use crate::lsp::pipeline::invalidate_some;
use crate::lsp::requests::diagnostic;
use crate::lsp::state::Shared;

/// `textDocument/didOpen`.
pub fn open(shared: &Arc<Shared>, document: ls::TextDocumentItem) {
    let open = Open {
        version: document.version,
        text: document.text.into(),
    };
    {
        let mut state = shared.sketches.lock();
        state.open.insert(document.uri, open);
        state.changed();
    }
    shared.edited();
    changed(shared);
}

/// `textDocument/didChange`; says whether the document is a sketch file. A version that is not newer is left out.
pub fn change(shared: &Arc<Shared>, params: &ls::DidChangeTextDocumentParams) -> bool {
    let ls::VersionedTextDocumentIdentifier { uri, version } = &params.text_document;
    let encoding = shared.session().encoding;
    {
        let mut state = shared.sketches.lock();
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
        open.version = *version;
        open.text = text_after(&open.text, &params.content_changes, encoding).into();
        state.changed();
    }
    shared.pace.typed();
    shared.edited();
    changed(shared);
    true
}

/// `textDocument/didClose`; says whether the document is a sketch file. From now on the disk says what stands in it.
pub fn close(shared: &Arc<Shared>, uri: &ls::Uri) -> bool {
    let is_sketch = {
        let mut state = shared.sketches.lock();
        let is_sketch = state.open.remove(uri).is_some();
        if is_sketch {
            state.changed();
        }
        is_sketch
    };
    if is_sketch {
        shared.tokens.forget(uri);
        shared.sketches.fits.forget(uri);
        shared.edited();
        changed(shared);
    }
    is_sketch
}

/// What a changed sketch file means for the others, and for the scripts that speak of sketches.
fn changed(shared: &Arc<Shared>) {
    publish(shared);
    repin(shared);
}

/// Has the scripts analysed again that speak of sketches: a sketch file has changed.
pub fn repin(shared: &Arc<Shared>) {
    let pinned: Vec<ls::Uri> = {
        let documents = shared.documents();
        let speaks = documents
            .iter()
            .filter(|(_, document)| has_sketches(document.parse.text(), document.parse.facts()));
        speaks.map(|(uri, _)| uri.clone()).collect()
    };
    invalidate_some(shared, |uri| pinned.contains(uri));
}

/// Tells the client what is wrong with each open sketch file: what one file says may be wrong because of another.
pub fn publish(shared: &Arc<Shared>) {
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        let open: Vec<ls::Uri> = shared.sketches.lock().open.keys().cloned().collect();
        for uri in open {
            let _turn = shared.sketches.publishing.lock().await;
            // A newer text has a run of its own, and both come to the same.
            let Ok(Some((version, items))) = diagnostics(&shared, &uri).await else {
                continue;
            };
            let is_open = || shared.sketches.is_open(&uri);
            diagnostic::publish(&shared, &uri, items, Some(version), is_open).await;
        }
    });
}
