//! `textDocument/documentHighlight`.

use std::sync::Arc;

use sumac_ide::workspace::Access;
use tower_lsp::ls_types::{DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams};

use crate::lsp::background::Failure;
use crate::lsp::sketches;
use crate::lsp::state::Shared;
use crate::lsp::workspace::answer;

/// Answers the request.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn handle(
    shared: &Arc<Shared>,
    params: DocumentHighlightParams,
) -> Result<Option<Vec<DocumentHighlight>>, Failure> {
    let at = params.text_document_position_params;
    let (uri, position) = (&at.text_document.uri, at.position);
    if let Some(found) = sketches::highlights(shared, uri, position).await? {
        return Ok(Some(found));
    }
    answer(shared, move |view| {
        let (file, parse, offset) = view.place(&at)?;
        let found = sumac_ide::highlights(&view.index, &file, &parse, offset);
        let highlight = |found: &sumac_ide::Highlight| {
            Some(DocumentHighlight {
                range: view.range(&file, found.range)?,
                kind: Some(kind(found.access)),
            })
        };
        Some(found.iter().filter_map(highlight).collect())
    })
    .await
}

/// How a place is highlighted.
#[must_use]
pub fn kind(access: Access) -> DocumentHighlightKind {
    match access {
        Access::Declare | Access::Write => DocumentHighlightKind::WRITE,
        Access::Read => DocumentHighlightKind::READ,
        Access::State => DocumentHighlightKind::TEXT,
    }
}
