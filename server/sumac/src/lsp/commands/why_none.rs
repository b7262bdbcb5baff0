//! `sumac.whyNoSuggestion`: says why a line's statement has no suggestion.

use std::sync::Arc;

use serde_json::{Value, json};
use tower_lsp::ls_types::MessageType;

use super::Place;
use crate::lsp::background::Failure;
use crate::lsp::state::Shared;

/// Runs the command; the result is `{reason}`, which is shown as a message as well.
///
/// # Errors
/// The document is not open, or has another version.
pub async fn run(shared: &Arc<Shared>, place: Place) -> Result<Value, Failure> {
    let (found, line) = place.line(shared, true).await?;
    let why = found.snapshot.why_none(line);
    let reason = match &why {
        Some(why) => format!("{}: {why}.", place.title()),
        None if found.snapshot.applicable(line).next().is_some() => {
            format!("{}: the statement has a suggestion.", place.title())
        }
        None => format!("{}: no statement there was searched.", place.title()),
    };
    shared.client.show_message(MessageType::INFO, &reason).await;
    Ok(json!({ "reason": reason }))
}
