//! `textDocument/references`.

use std::sync::Arc;

use tower_lsp::ls_types::{Location, ReferenceParams};

use crate::lsp::background::Failure;
use crate::lsp::sketches;
use crate::lsp::state::Shared;
use crate::lsp::workspace::lookup;

/// Answers the request.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn handle(
    shared: &Arc<Shared>,
    params: ReferenceParams,
) -> Result<Option<Vec<Location>>, Failure> {
    let with_definitions = params.context.include_declaration;
    let at = params.text_document_position;
    let (uri, position) = (&at.text_document.uri, at.position);
    if let Some(found) = sketches::references(shared, uri, position, with_definitions).await? {
        return Ok(Some(found));
    }
    lookup(shared, move |view| {
        let (file, parse, offset) = view.place(&at)?;
        let found =
            sumac_ide::references(view.workspace(), &file, &parse, offset, with_definitions);
        Some(
            found
                .iter()
                .filter_map(|place| view.location(place))
                .collect(),
        )
    })
    .await
}
