//! `textDocument/codeLens`.

use std::sync::Arc;

use sumac_ide::CancelToken;
use tower_lsp::ls_types::{CodeLens, CodeLensParams};

use crate::lsp::background::{Failure, background};
use crate::lsp::state::{Shared, Versioned};
use crate::lsp::to_proto;

/// Answers the request. A client that can be told to ask again gets what is known at once; any other waits for the
/// search. In a workspace that is not trusted nothing may run, so nothing is offered.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn handle(
    shared: &Arc<Shared>,
    params: CodeLensParams,
) -> Result<Option<Vec<CodeLens>>, Failure> {
    let session = shared.session();
    if !session.trusted {
        return Ok(None);
    }
    let uri = params.text_document.uri;
    let known = shared.versioned(&uri, !session.refreshes_lenses).await;
    let Some(Versioned {
        snapshot, config, ..
    }) = known
    else {
        return Ok(None);
    };
    if !config.code_lens.enabled.unwrap_or(true) {
        return Ok(None);
    }
    background(CancelToken::default(), move |_| {
        let converter = to_proto::converter(&snapshot, session.encoding);
        let lenses = sumac_ide::code_lenses(&snapshot);
        Some(
            lenses
                .iter()
                .map(|lens| to_proto::code_lens(&converter, &uri, lens))
                .collect(),
        )
    })
    .await
}
