//! `sumac.explain`: opens the proof of a line's suggestion as a read-only document.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Place;
use crate::lsp::activity::What;
use crate::lsp::background::{Failure, background};
use crate::lsp::state::Shared;
use crate::lsp::virtual_document;

/// Runs the command; the result is `{uri}`, whose text `sumac/document` gives.
///
/// # Errors
/// There is no suggestion.
pub async fn run(shared: &Arc<Shared>, place: Place) -> Result<Value, Failure> {
    let (_, suggestion) = place.suggestion(shared).await?;
    let title = place.title();
    let task = shared.task_for(What::Lookup, &place.uri);
    let text = background(task, move |cancel| {
        sumac_ide::explain(&suggestion, &title, cancel)
    })
    .await?;
    let uri = virtual_document::publish(shared, "explain", &place, text);
    virtual_document::show(shared, &uri).await;
    Ok(json!({ "uri": uri.as_str() }))
}
