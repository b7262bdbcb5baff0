//! `sumac.apply`: applies the suggestion of a line by `workspace/applyEdit`.

use std::sync::Arc;

use serde_json::Value;
use tower_lsp::ls_types::{OptionalVersionedTextDocumentIdentifier, WorkspaceEdit};

use super::Place;
use crate::lsp::background::Failure;
use crate::lsp::state::Shared;
use crate::lsp::to_proto;

/// Runs the command; the result says whether the client applied the edit.
///
/// # Errors
/// There is no suggestion, or the client refused the edit.
pub async fn run(shared: &Arc<Shared>, place: Place) -> Result<Value, Failure> {
    let (found, suggestion) = place.suggestion(shared).await?;
    let session = shared.session();
    let converter = to_proto::converter(&found.snapshot, session.encoding);
    let document = OptionalVersionedTextDocumentIdentifier {
        uri: place.uri,
        version: Some(found.version),
    };
    let edit = to_proto::workspace_edit(&converter, &document, &suggestion.edits.to_vec(), session);
    in_editor(shared, edit).await
}

/// Has the client apply an edit; the result says that it did.
///
/// # Errors
/// The client refused the edit, or knows no edits from here.
pub(super) async fn in_editor(shared: &Shared, edit: WorkspaceEdit) -> Result<Value, Failure> {
    match shared.client.apply_edit(edit).await {
        Ok(answer) if answer.applied => Ok(Value::Bool(true)),
        Ok(answer) => Err(Failure::Refused(format!(
            "the editor did not apply the edit{}",
            answer
                .failure_reason
                .map_or(String::new(), |why| format!(": {why}"))
        ))),
        Err(error) => Err(Failure::Refused(format!(
            "the editor cannot apply edits: {error}"
        ))),
    }
}
