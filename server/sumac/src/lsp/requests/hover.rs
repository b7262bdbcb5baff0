//! `textDocument/hover`.

use std::sync::Arc;

use sumac_ide::CancelToken;
use tower_lsp::ls_types::{Hover, HoverParams};

use crate::lsp::background::{Failure, background};
use crate::lsp::state::Shared;
use crate::lsp::to_proto;

/// Answers the request.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn handle(shared: &Arc<Shared>, params: HoverParams) -> Result<Option<Hover>, Failure> {
    let at = params.text_document_position_params;
    let Some(snapshot) = shared.snapshot(&at.text_document.uri, false).await else {
        return Ok(None);
    };
    let session = shared.session();
    background(CancelToken::default(), move |_| {
        let offset = to_proto::converter(&snapshot, session.encoding).offset(at.position);
        let hover = sumac_ide::hover(&snapshot, offset)?;
        Some(to_proto::hover(&snapshot, hover, session))
    })
    .await
}
