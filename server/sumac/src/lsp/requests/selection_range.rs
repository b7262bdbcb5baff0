//! `textDocument/selectionRange`. Needs the text alone, so it never waits for an analysis.

use std::sync::Arc;

use sumac_text::TextRange;
use tower_lsp::ls_types::{SelectionRange, SelectionRangeParams};

use crate::lsp::activity::What;
use crate::lsp::background::{Failure, background};
use crate::lsp::convert::Converter;
use crate::lsp::state::Shared;

/// Answers the request: one chain for each position, as the protocol wants it.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn handle(
    shared: &Arc<Shared>,
    params: SelectionRangeParams,
) -> Result<Option<Vec<SelectionRange>>, Failure> {
    let uri = params.text_document.uri;
    let Some(parse) = shared.parse(&uri) else {
        return Ok(None);
    };
    let encoding = shared.session().encoding;
    background(shared.task_for(What::Answer, &uri), move |_| {
        let converter = Converter::new(parse.lines(), encoding);
        let chains = params.positions.iter().map(|position| {
            let offset = converter.offset(*position);
            chain(
                &converter,
                &sumac_ide::selection_ranges(&parse, offset),
                offset,
            )
        });
        Some(chains.collect())
    })
    .await
}

/// The innermost range with the others as its parents.
fn chain(converter: &Converter<'_>, ranges: &[TextRange], offset: usize) -> SelectionRange {
    let at_cursor = TextRange::new(offset, offset);
    let outermost = ranges.iter().rev().fold(None, |parent, range| {
        Some(SelectionRange {
            range: converter.range(*range),
            parent: parent.map(Box::new),
        })
    });
    outermost.unwrap_or_else(|| SelectionRange {
        range: converter.range(at_cursor),
        parent: None,
    })
}
