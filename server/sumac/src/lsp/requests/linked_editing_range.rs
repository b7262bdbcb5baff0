//! `textDocument/linkedEditingRange`.

use std::sync::Arc;

use sumac_ide::linked_editing::{NAME_PATTERN, linked_ranges};
use tower_lsp::ls_types::{LinkedEditingRangeParams, LinkedEditingRanges};

use crate::lsp::background::Failure;
use crate::lsp::state::Shared;
use crate::lsp::workspace::answer;

/// Answers the request.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn handle(
    shared: &Arc<Shared>,
    params: LinkedEditingRangeParams,
) -> Result<Option<LinkedEditingRanges>, Failure> {
    let at = params.text_document_position_params;
    answer(shared, move |view| {
        let (file, parse, offset) = view.place(&at)?;
        let places = linked_ranges(&parse, offset)?;
        let ranges: Option<Vec<_>> = places
            .into_iter()
            .map(|place| view.range(&file, place))
            .collect();
        Some(LinkedEditingRanges {
            ranges: ranges?,
            word_pattern: Some(NAME_PATTERN.to_owned()),
        })
    })
    .await
}
