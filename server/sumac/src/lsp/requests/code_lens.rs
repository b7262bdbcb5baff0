//! `textDocument/codeLens`: what can be done with a suggestion above its statement, and calls counted above functions.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use sumac_ide::{CancelToken, ReferenceLens};
use tower_lsp::ls_types::{CodeLens, CodeLensParams, Command, Location, Uri};

use crate::lsp::background::{Failure, background};
use crate::lsp::state::{Shared, Versioned};
use crate::lsp::to_proto;
use crate::lsp::workspace::{View, answer};

/// A command of the client: shows the places that its last argument lists.
const SHOW_REFERENCES: &str = "sumac.showReferences";

/// Answers the request.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn handle(
    shared: &Arc<Shared>,
    params: CodeLensParams,
) -> Result<Option<Vec<CodeLens>>, Failure> {
    let uri = params.text_document.uri;
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
    background(CancelToken::default(), move |_| {
        let converter = to_proto::converter(&snapshot, session.encoding);
        let lenses = sumac_ide::code_lenses(&snapshot);
        Some(
            lenses
                .iter()
                .filter(|lens| session.trusted || !lens.effect.runs())
                .map(|lens| to_proto::code_lens(&converter, &uri, lens, session))
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
        let lenses = sumac_ide::reference_lenses(&view.index, &file);
        let encode = |lens: &ReferenceLens| reference_lens(view, &uri, &file, lens);
        Some(lenses.iter().filter_map(encode).collect())
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
