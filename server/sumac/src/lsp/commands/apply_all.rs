//! `sumac.applyAll`: applies all suggestions of a document, once the person has seen what that changes: in a read-only document
//! beside the script, with a question.
//!
//! No editor's own preview of edits: there each edit can be left out by itself, and half a suggestion may delete a variable
//! that is still read.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use sumac_text::apply_edits;
use tower_lsp::ls_types::{
    MessageActionItem, MessageType, OptionalVersionedTextDocumentIdentifier,
};

use super::Place;
use super::apply::in_editor;
use crate::cli::diff::unified;
use crate::lsp::background::Failure;
use crate::lsp::state::Shared;
use crate::lsp::{convert, to_proto, virtual_document};

/// The answer that makes the edits.
const APPLY: &str = "Apply";
/// The answer that leaves the script as it is.
const LEAVE: &str = "Leave as it is";

/// Runs the command; the result says whether the edits were made.
///
/// # Errors
/// There is no suggestion, the script has changed, or the client refused the edits.
pub async fn run(shared: &Arc<Shared>, place: Place) -> Result<Value, Failure> {
    let (found, _) = place.line(shared, true).await?;
    let all = sumac_ide::all_edits(&found.snapshot);
    let name = convert::file_name(&place.uri);
    let count = match all.suggestions {
        0 => {
            return Err(Failure::Refused(format!(
                "there is no suggestion in {name}"
            )));
        }
        1 => "1 suggestion".to_owned(),
        n => format!("{n} suggestions"),
    };
    let session = shared.session();
    let converter = to_proto::converter(&found.snapshot, session.encoding);
    let document = OptionalVersionedTextDocumentIdentifier {
        uri: place.uri.clone(),
        version: Some(found.version),
    };
    let old = found.snapshot.text();
    let diff = unified(Path::new(&*name), old, &apply_edits(old, &all.edits), false);
    let text = format!("# {count} of {name}\n\n```diff\n{}\n```\n", diff.trim_end());
    let uri = virtual_document::publish(shared, "all", &place, text);
    virtual_document::show(shared, &uri).await;
    let answers = [APPLY, LEAVE].map(|title| MessageActionItem {
        title: title.to_owned(),
        properties: std::collections::HashMap::new(),
    });
    let question = format!("Apply {count} to {name}?");
    let asked =
        shared
            .client
            .show_message_request(MessageType::INFO, question, Some(answers.into()));
    let answer = asked.await.ok().flatten();
    if answer.is_none_or(|answer| answer.title != APPLY) {
        return Ok(Value::Bool(false));
    }
    let edit = to_proto::workspace_edit(&converter, &document, &all.edits, session);
    in_editor(shared, edit).await
}
