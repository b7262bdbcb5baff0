//! `textDocument/codeLens` and `codeLens/resolve`: what can be done with a suggestion above its statement, and calls counted above functions.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use sumac_ide::ReferenceLens;
use tower_lsp::ls_types::{CodeLens, CodeLensParams, Command, Location, Uri};

use crate::lsp::activity::What;
use crate::lsp::background::{Failure, background};
use crate::lsp::document::Versioned;
use crate::lsp::sketches::fits;
use crate::lsp::state::Shared;
use crate::lsp::to_proto;
use crate::lsp::workspace::{View, answer, lookup};

/// A command of the client: shows the places that its last argument lists.
pub const SHOW_REFERENCES: &str = "sumac.showReferences";

/// Answers the request.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn handle(
    shared: &Arc<Shared>,
    params: CodeLensParams,
) -> Result<Option<Vec<CodeLens>>, Failure> {
    let uri = params.text_document.uri;
    if let Some(lenses) = fits::lenses(shared, &uri).await? {
        return Ok(Some(lenses));
    }
    let suggestions = suggestions(shared, &uri).await?;
    let references = references(shared, uri).await?;
    Ok(match (suggestions, references) {
        (None, None) => None,
        (suggestions, references) => {
            let all = suggestions.into_iter().chain(references);
            Some(all.flatten().collect())
        }
    })
}

/// The lenses of suggestions. A client that can be told to ask again gets what is known at once; any other waits for the
/// search. In a workspace that is not trusted nothing may run, so nothing of that kind is offered.
async fn suggestions(shared: &Arc<Shared>, uri: &Uri) -> Result<Option<Vec<CodeLens>>, Failure> {
    let session = shared.session();
    let known = shared.versioned(uri, !session.refreshes_lenses).await;
    let Some(Versioned {
        snapshot, config, ..
    }) = known
    else {
        return Ok(None);
    };
    if !config.code_lens.enabled.unwrap_or(true) {
        return Ok(None);
    }
    let uri = uri.clone();
    background(shared.task_for(What::Answer, &uri), move |_| {
        let converter = to_proto::converter(&snapshot, session.encoding);
        let lenses = sumac_ide::code_lenses(&snapshot);
        Some(
            lenses
                .iter()
                .filter(|lens| session.trusted || !lens.effect.runs())
                .map(|lens| {
                    let mut out = to_proto::code_lens(&converter, &uri, lens, session);
                    if let Some(command) = &mut out.command {
                        to_proto::at_statement(&snapshot, &converter, command, lens.range.start);
                    }
                    out
                })
                .collect(),
        )
    })
    .await
}

/// The lenses that count calls.
async fn references(shared: &Arc<Shared>, uri: Uri) -> Result<Option<Vec<CodeLens>>, Failure> {
    if !shared.session().shows_references {
        return Ok(None);
    }
    let known = shared.versioned(&uri, false).await;
    if !known.is_some_and(|known| known.config.code_lens.references.unwrap_or(false)) {
        return Ok(None);
    }
    answer(shared, move |view| {
        let (file, _) = view.document(&uri)?;
        let lenses = sumac_ide::reference_places(&view.index, &file);
        let encode = |range| {
            Some(CodeLens {
                range: view.range(&file, range)?,
                command: None,
                data: Some(json!({ "references": uri })),
            })
        };
        Some(lenses.into_iter().filter_map(encode).collect())
    })
    .await
}

/// Answers `codeLens/resolve`: counts the calls of the function that the lens is above. A lens that has its command, or is
/// not ours, stays as it is.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn resolve(shared: &Arc<Shared>, lens: CodeLens) -> Result<CodeLens, Failure> {
    let uri = lens.data.as_ref().and_then(|data| data.get("references"));
    let Some(uri) = uri.and_then(|uri| uri.as_str()?.parse::<Uri>().ok()) else {
        return Ok(lens);
    };
    lookup(shared, move |view| {
        let found = view.document(&uri).and_then(|(file, _)| {
            let lenses = sumac_ide::reference_lenses(&view.index, &file);
            let mut encoded = lenses
                .iter()
                .filter_map(|found| reference_lens(view, &uri, &file, found));
            encoded.find(|found| found.range == lens.range)
        });
        // The function has moved or gone: the client asks for its lenses anew.
        found.unwrap_or_else(|| CodeLens {
            command: Some(Command::new("references".to_owned(), String::new(), None)),
            ..lens.clone()
        })
    })
    .await
}

fn reference_lens(view: &View, uri: &Uri, file: &Path, lens: &ReferenceLens) -> Option<CodeLens> {
    let range = view.range(file, lens.range)?;
    let places = lens.places.iter().filter_map(|place| view.location(place));
    let places: Vec<Location> = places.collect();
    // An empty name is a text to read.
    let name = if places.is_empty() {
        ""
    } else {
        SHOW_REFERENCES
    };
    let arguments = vec![json!(uri), json!(range.start), json!(places)];
    Some(CodeLens {
        range,
        command: Some(Command {
            title: lens.title.clone(),
            command: name.to_owned(),
            arguments: Some(arguments),
        }),
        data: None,
    })
}
