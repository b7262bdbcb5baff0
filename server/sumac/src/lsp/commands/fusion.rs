//! `sumac.fusion`: opens the fusion plan of the block around a line as a read-only document.

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
/// There is no linear algebra on the line.
pub async fn run(shared: &Arc<Shared>, place: Place) -> Result<Value, Failure> {
    let (found, line) = place.line(shared, false).await?;
    let title = place.title();
    let task = shared.task_for(What::Lookup, &place.uri);
    let text = background(task, move |_| {
        let machine = found.options.machine();
        sumac_ide::fusion::fusion(&found.snapshot, line, &title, &machine)
    })
    .await?;
    let text = text.ok_or_else(|| {
        Failure::Refused(format!(
            "there is no linear algebra on line {}",
            place.line + 1
        ))
    })?;
    let uri = virtual_document::publish(shared, "fusion", &place, text);
    virtual_document::show(shared, &uri).await;
    Ok(json!({ "uri": uri.as_str() }))
}
