//! `workspace/symbol`.

use std::sync::Arc;

use tower_lsp::ls_types::{SymbolInformation, WorkspaceSymbolParams, WorkspaceSymbolResponse};

use super::document_symbol::kind;
use crate::lsp::background::Failure;
use crate::lsp::state::Shared;
use crate::lsp::workspace::lookup;

/// Answers the request.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn handle(
    shared: &Arc<Shared>,
    params: WorkspaceSymbolParams,
) -> Result<Option<WorkspaceSymbolResponse>, Failure> {
    lookup(shared, move |view| {
        let found = sumac_ide::workspace_symbols(&view.index, &params.query);
        #[expect(deprecated, reason = "the type has the field")]
        let symbol = |symbol: sumac_ide::WorkspaceSymbol| {
            Some(SymbolInformation {
                location: view.location(&symbol.location)?,
                name: symbol.name,
                kind: kind(symbol.kind),
                tags: None,
                deprecated: None,
                container_name: Some(symbol.detail),
            })
        };
        let symbols: Vec<SymbolInformation> = found.into_iter().filter_map(symbol).collect();
        Some(WorkspaceSymbolResponse::Flat(symbols))
    })
    .await
}
