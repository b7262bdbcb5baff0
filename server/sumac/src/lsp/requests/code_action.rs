//! `textDocument/codeAction`: answered from what is known, never by a search.

use std::sync::Arc;

use sumac_ide::CancelToken;
use sumac_ide::code_actions::{ActionContext, code_actions};
use tower_lsp::ls_types::{
    CodeActionParams, CodeActionResponse, OptionalVersionedTextDocumentIdentifier,
};

use crate::lsp::background::{Failure, background};
use crate::lsp::state::{Shared, Versioned};
use crate::lsp::to_proto;

/// Answers the request.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn handle(
    shared: &Arc<Shared>,
    params: CodeActionParams,
) -> Result<Option<CodeActionResponse>, Failure> {
    let uri = params.text_document.uri;
    let known = shared.versioned(&uri, false).await;
    let Some(Versioned {
        version, snapshot, ..
    }) = known
    else {
        return Ok(None);
    };
    let session = shared.session();
    let document = OptionalVersionedTextDocumentIdentifier {
        uri,
        version: Some(version),
    };
    let only = params.context.only;
    background(CancelToken::default(), move |_| {
        let only: Option<Vec<String>> =
            only.map(|kinds| kinds.iter().map(|kind| kind.as_str().to_owned()).collect());
        let range = to_proto::converter(&snapshot, session.encoding).text_range(params.range);
        let context = ActionContext {
            snapshot: &snapshot,
            range,
            only: only.as_deref(),
        };
        let actions = code_actions(&context).into_iter();
        Some(
            actions
                .map(|action| to_proto::code_action(&snapshot, &document, action, session))
                .collect(),
        )
    })
    .await
}
