//! `textDocument/hover`.

use std::sync::Arc;

use tower_lsp::ls_types::{Hover, HoverParams};

use crate::lsp::background::Failure;
use crate::lsp::nearby_files::NearbyFiles;
use crate::lsp::state::Shared;
use crate::lsp::to_proto;
use crate::lsp::workspace::answer;
use crate::lsp::{languages, sketches};

/// Answers the request.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn handle(shared: &Arc<Shared>, params: HoverParams) -> Result<Option<Hover>, Failure> {
    let at = params.text_document_position_params;
    let uri = at.text_document.uri;
    let Some(snapshot) = shared.snapshot(&uri, false).await else {
        if let Some(hover) = languages::hover(shared, &uri, at.position).await? {
            return Ok(Some(hover));
        }
        return sketches::hover(shared, &uri, at.position).await;
    };
    let session = shared.session();
    answer(shared, move |view| {
        let around = NearbyFiles::new(view, &uri);
        let offset = to_proto::converter(&snapshot, session.encoding).offset(at.position);
        let hover = sumac_ide::hover(&snapshot, offset, &around)?;
        Some(to_proto::hover(&snapshot, hover, session))
    })
    .await
}
