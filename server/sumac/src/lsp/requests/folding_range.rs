//! `textDocument/foldingRange`. Needs the text alone, so it never waits for an analysis.

use std::sync::Arc;

use sumac_ide::{Fold, FoldKind};
use tower_lsp::ls_types::{FoldingRange, FoldingRangeKind, FoldingRangeParams};

use crate::lsp::activity::What;
use crate::lsp::background::{Failure, background};
use crate::lsp::convert::Converter;
use crate::lsp::sketches;
use crate::lsp::state::Shared;

/// Answers the request.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn handle(
    shared: &Arc<Shared>,
    params: FoldingRangeParams,
) -> Result<Option<Vec<FoldingRange>>, Failure> {
    let uri = params.text_document.uri;
    let Some(parse) = shared.parse(&uri) else {
        return sketches::folding_ranges(shared, &uri).await;
    };
    let encoding = shared.session().encoding;
    background(shared.task_for(What::Answer, &uri), move |_| {
        let converter = Converter::new(parse.lines(), encoding);
        let folds = sumac_ide::folding_ranges(&parse);
        Some(folds.iter().map(|fold| encode(&converter, fold)).collect())
    })
    .await
}

/// A fold.
#[must_use]
pub fn encode(converter: &Converter<'_>, fold: &Fold) -> FoldingRange {
    let range = converter.range(fold.range);
    FoldingRange {
        start_line: range.start.line,
        start_character: Some(range.start.character),
        end_line: range.end.line,
        end_character: Some(range.end.character),
        kind: match fold.kind {
            FoldKind::Code => None,
            FoldKind::Comment => Some(FoldingRangeKind::Comment),
            FoldKind::Imports => Some(FoldingRangeKind::Imports),
            FoldKind::Region => Some(FoldingRangeKind::Region),
        },
        collapsed_text: None,
    }
}
