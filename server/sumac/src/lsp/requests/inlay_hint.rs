//! `textDocument/inlayHint`.

use std::sync::Arc;

use tower_lsp::ls_types::{InlayHint, InlayHintParams};

use crate::lsp::activity::What;
use crate::lsp::background::{Failure, background};
use crate::lsp::document::Versioned;
use crate::lsp::languages;
use crate::lsp::state::Shared;
use crate::lsp::to_proto;

/// Answers the request. A client that can be told to ask again gets what is known at once; any other waits for the
/// search.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn handle(
    shared: &Arc<Shared>,
    params: InlayHintParams,
) -> Result<Option<Vec<InlayHint>>, Failure> {
    let session = shared.session();
    let uri = &params.text_document.uri;
    let known = shared.versioned(uri, !session.refreshes_hints).await;
    let Some(Versioned {
        snapshot, config, ..
    }) = known
    else {
        return languages::inlay_hints(shared, uri, params.range).await;
    };
    let with_forms = config.inlay_hints.enabled.unwrap_or(true);
    let with_shapes = config.inlay_hints.shapes.unwrap_or(false);
    if !with_forms && !with_shapes {
        return Ok(None);
    }
    let task = shared.task_for(What::Answer, uri);
    let shared = Arc::clone(shared);
    background(task, move |_| {
        let converter = to_proto::converter(&snapshot, session.encoding);
        let range = converter.text_range(params.range);
        if let Some(document) = shared.documents().get_mut(&params.text_document.uri) {
            document.seen = Some(range);
            document.touched = shared.touch();
        }
        let mut hints = Vec::new();
        if with_shapes {
            let shapes = sumac_ide::shape_hints(&snapshot, range);
            hints.extend(
                shapes
                    .iter()
                    .map(|hint| to_proto::shape_hint(&converter, hint)),
            );
        }
        if with_forms {
            let forms = sumac_ide::inlay_hints(&snapshot, range);
            hints.extend(
                forms
                    .iter()
                    .map(|hint| to_proto::inlay_hint(&converter, hint)),
            );
        }
        Some(hints)
    })
    .await
}
