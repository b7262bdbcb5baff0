//! `textDocument/prepareRename` and `textDocument/rename`.

use std::collections::HashMap;
use std::sync::Arc;

use tower_lsp::ls_types as ls;

use crate::lsp::background::Failure;
use crate::lsp::settings::Session;
use crate::lsp::sketches;
use crate::lsp::state::Shared;
use crate::lsp::workspace::{View, answer, complete, lookup};

/// Answers `textDocument/prepareRename`.
///
/// # Errors
/// What is there cannot be renamed; or the request was cancelled or the feature panicked.
pub async fn prepare(
    shared: &Arc<Shared>,
    at: ls::TextDocumentPositionParams,
) -> Result<Option<ls::PrepareRenameResponse>, Failure> {
    let uri = &at.text_document.uri;
    if let Some(found) = sketches::prepare_rename(shared, uri, at.position).await? {
        return Ok(found);
    }
    answer(shared, move |view| {
        let Some((file, parse, offset)) = view.place(&at) else {
            return Ok(None);
        };
        let found = sumac_ide::prepare_rename(view.workspace(), &file, &parse, offset);
        let Some((range, name)) = found.map_err(Failure::Refused)? else {
            return Ok(None);
        };
        let range = view.range(&file, range);
        Ok(
            range.map(|range| ls::PrepareRenameResponse::RangeWithPlaceholder {
                range,
                placeholder: name.to_string(),
            }),
        )
    })
    .await?
}

/// Answers `textDocument/rename`.
///
/// # Errors
/// Something is in the way; or the request was cancelled or the feature panicked.
pub async fn handle(
    shared: &Arc<Shared>,
    params: ls::RenameParams,
) -> Result<Option<ls::WorkspaceEdit>, Failure> {
    let (at, new_name) = (params.text_document_position, params.new_name);
    // A call in a file that is not known yet would be missed.
    complete(shared).await;
    let uri = &at.text_document.uri;
    if let Some(found) = sketches::rename(shared, uri, at.position, &new_name).await? {
        return Ok(Some(found));
    }
    lookup(shared, move |view| {
        let Some((file, parse, offset)) = view.place(&at) else {
            return Ok(None);
        };
        let is_wide = sumac_ide::reaches_other_files(view.workspace(), &file, &parse, offset);
        if let Some(why) = view.unseen().filter(|_| is_wide) {
            let message = format!("{why}, so nothing was renamed; open the folder that holds it");
            return Err(Failure::Refused(message));
        }
        let edits = sumac_ide::rename(view.workspace(), &file, &parse, offset, new_name.trim());
        let edits = edits.map_err(Failure::Refused)?;
        Ok(Some(workspace_edit(view, &edits)?))
    })
    .await?
}

/// The edits; with the versions that they are for, where the client can check them.
fn workspace_edit(view: &View, edits: &sumac_ide::Edits) -> Result<ls::WorkspaceEdit, Failure> {
    let mut files = Vec::new();
    for (file, edits) in edits {
        let converted = edits.iter().map(|edit| {
            Some(ls::TextEdit {
                range: view.range(file, edit.range)?,
                new_text: edit.new_text.clone(),
            })
        });
        // Half of a renaming is worse than none.
        let converted: Option<Vec<ls::TextEdit>> = converted.collect();
        let (Some(uri), Some(edits)) = (view.uri(file), converted) else {
            let message = format!("{} cannot be read, so nothing was renamed", file.display());
            return Err(Failure::Refused(message));
        };
        files.push((uri, view.version(file), edits));
    }
    Ok(encoded(files, view.session))
}

/// The edits of several files, each with the version that they are for, where the client can check it.
#[must_use]
pub fn encoded(
    files: Vec<(ls::Uri, Option<i32>, Vec<ls::TextEdit>)>,
    session: Session,
) -> ls::WorkspaceEdit {
    if session.versioned_edits {
        let edits = files
            .into_iter()
            .map(|(uri, version, edits)| ls::TextDocumentEdit {
                text_document: ls::OptionalVersionedTextDocumentIdentifier { uri, version },
                edits: edits.into_iter().map(ls::OneOf::Left).collect(),
            })
            .collect();
        ls::WorkspaceEdit {
            document_changes: Some(ls::DocumentChanges::Edits(edits)),
            ..ls::WorkspaceEdit::default()
        }
    } else {
        let changes: HashMap<_, _> = files
            .into_iter()
            .map(|(uri, _, edits)| (uri, edits))
            .collect();
        ls::WorkspaceEdit {
            changes: Some(changes),
            ..ls::WorkspaceEdit::default()
        }
    }
}
