//! `textDocument/diagnostic`, and the one place where diagnostics of scripts go to the client.
//!
//! A client that pulls, and that can be told to pull again, is never pushed a script's diagnostics; any other is pushed
//! them. An answer's id is its content, so that nothing is sent twice.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use tower_lsp::ls_types as ls;
use tower_lsp::ls_types::notification::PublishDiagnostics;

use crate::lsp::activity::What;
use crate::lsp::background::{Failure, background};
use crate::lsp::pulled::State;
use crate::lsp::state::Shared;
use crate::lsp::{languages, sketches, to_proto};

/// What the server says it can do.
#[must_use]
pub fn capability() -> ls::DiagnosticServerCapabilities {
    ls::DiagnosticServerCapabilities::Options(ls::DiagnosticOptions {
        identifier: Some("sumac".to_owned()),
        inter_file_dependencies: true,
        workspace_diagnostics: false,
        ..ls::DiagnosticOptions::default()
    })
}

/// Answers the request, once the present text is analysed. Asserts that are still being decided follow: the client is
/// told to pull again.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn handle(
    shared: &Arc<Shared>,
    params: ls::DocumentDiagnosticParams,
) -> Result<ls::DocumentDiagnosticReportResult, Failure> {
    let uri = params.text_document.uri;
    let pull = Pull::begin(shared, &uri);
    let items = match shared.diagnosed(&uri).await {
        Some(snapshot) => {
            let (task, encoding) = (
                shared.task_for(What::Answer, &uri),
                shared.session().encoding,
            );
            let of = uri.clone();
            background(task, move |_| {
                to_proto::diagnostics(&snapshot, &of, encoding)
            })
            .await?
        }
        None => match languages::diagnostics(shared, &uri).await? {
            Some(items) => items,
            None => sketches::diagnostics(shared, &uri)
                .await?
                .map_or_else(Vec::new, |(_, items)| items),
        },
    };
    let id = id(&items);
    if pull.answer(&id) {
        refresh(shared);
    }
    let report = if params.previous_result_id.as_ref() == Some(&id) {
        ls::DocumentDiagnosticReport::Unchanged(ls::RelatedUnchangedDocumentDiagnosticReport {
            related_documents: None,
            unchanged_document_diagnostic_report: ls::UnchangedDocumentDiagnosticReport {
                result_id: id,
            },
        })
    } else {
        ls::DocumentDiagnosticReport::Full(ls::RelatedFullDocumentDiagnosticReport {
            related_documents: None,
            full_document_diagnostic_report: ls::FullDocumentDiagnosticReport {
                result_id: Some(id),
                items,
            },
        })
    };
    Ok(report.into())
}

/// The diagnostics of a version of a script are these now, unless it is not the present one any more when its turn comes: what
/// took longer to compute must not cover what is newer.
pub async fn publish(
    shared: &Arc<Shared>,
    uri: &ls::Uri,
    items: Vec<ls::Diagnostic>,
    version: Option<i32>,
    is_present: impl FnOnce() -> bool,
) {
    let _turn = shared.publishing.lock().await;
    if !is_present() {
        return;
    }
    if !shared.session().pulls_diagnostics {
        let params = ls::PublishDiagnosticsParams::new(uri.clone(), items, version);
        shared.writer.notify::<PublishDiagnostics>(&params).await;
    } else if shared.pulled.found(uri, id(&items)) {
        refresh(shared);
    }
}

/// The problems of a document that is open no more are not shown any more.
pub async fn withdraw(shared: &Arc<Shared>, uri: &ls::Uri) {
    let is_closed = || {
        !shared.documents().contains_key(uri)
            && !shared.sketches.is_open(uri)
            && !shared.languages.is_open(uri)
    };
    publish(shared, uri, Vec::new(), None, is_closed).await;
    shared.pulled.forget(uri);
}

/// Has the client pull again; nobody waits for that.
fn refresh(shared: &Arc<Shared>) {
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        // A client that went away meanwhile shows nothing.
        let _ = shared.client.workspace_diagnostic_refresh().await;
    });
}

/// Content as an id.
fn id(items: &[ls::Diagnostic]) -> String {
    let mut hasher = DefaultHasher::new();
    // Without a key of its own a diagnostic always has a text.
    serde_json::to_string(items)
        .unwrap_or_default()
        .hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// A pull under way.
struct Pull<'a> {
    shared: &'a Shared,
    uri: &'a ls::Uri,
}

impl<'a> Pull<'a> {
    fn begin(shared: &'a Shared, uri: &'a ls::Uri) -> Self {
        let mut all = shared.pulled.lock();
        all.entry(uri.clone()).or_default().waiting += 1;
        Pull { shared, uri }
    }

    /// The client is given this; says whether it has to pull again.
    fn answer(self, id: &str) -> bool {
        let (shared, uri) = (self.shared, self.uri);
        if let Some(state) = shared.pulled.lock().get_mut(uri) {
            state.given = Some(id.to_owned());
        }
        drop(self);
        let all = shared.pulled.lock();
        all.get(uri).is_some_and(State::is_outdated)
    }
}

impl Drop for Pull<'_> {
    fn drop(&mut self) {
        if let Some(state) = self.shared.pulled.lock().get_mut(self.uri) {
            state.waiting = state.waiting.saturating_sub(1);
        }
    }
}
