//! `sumac.alternatives`: opens the forms of a line's statement side by side, for clients that have no way to choose one. With
//! `true` as the fourth argument they are those that sketches lead to.

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
pub async fn run(
    shared: &Arc<Shared>,
    place: Place,
    arguments: &[Value],
) -> Result<Value, Failure> {
    let sketches = arguments.get(3).and_then(Value::as_bool).unwrap_or(false);
    let found = alternatives::of(shared, place, sketches).await?;
    if let Some(message) = found.message {
        shared.client.show_message(MessageType::INFO, message).await;
    }
    let Some(uri) = found.document else {
        return Ok(Value::Null);
    };
    virtual_document::show(shared, &uri).await;
    Ok(json!({ "uri": uri.as_str() }))
}
