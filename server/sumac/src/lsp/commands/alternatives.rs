//! `sumac.alternatives`: opens the forms of a line's statement side by side, for clients that have no way to choose one.

use std::sync::Arc;

use serde_json::{Value, json};
use tower_lsp::ls_types::MessageType;

use super::Place;
use crate::lsp::background::Failure;
use crate::lsp::requests::alternatives;
use crate::lsp::state::Shared;
use crate::lsp::virtual_document;

/// Runs the command; the result is `{uri}`, whose text `sumac/document` gives. `null`: there are no alternatives, and
/// the person was told so.
///
/// # Errors
/// There is no suggestion, the script has changed, or the search was cancelled.
pub async fn run(shared: &Arc<Shared>, place: Place) -> Result<Value, Failure> {
    let found = alternatives::find(shared, place).await?;
    if let Some(message) = found.message {
        shared.client.show_message(MessageType::INFO, message).await;
    }
    let Some(uri) = found.document else {
        return Ok(Value::Null);
    };
    virtual_document::show(shared, &uri).await;
    Ok(json!({ "uri": uri.as_str() }))
}
