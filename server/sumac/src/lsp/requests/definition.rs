//! `textDocument/definition` and `textDocument/typeDefinition`.

use std::path::Path;
use std::sync::Arc;

use sumac_ide::workspace::Workspace;
use sumac_ide::{Snapshot, Target};
use sumac_text::TextRange;
use tower_lsp::ls_types::{
    GotoDefinitionParams, GotoDefinitionResponse, Location, LocationLink, Position, Uri,
};

use crate::lsp::background::Failure;
use crate::lsp::sketches;
use crate::lsp::state::Shared;
use crate::lsp::to_proto;
use crate::lsp::workspace::{View, answer, key};

/// A function of `ide` that leads from a place to others.
pub type Find = fn(Workspace<'_>, &Arc<Path>, &Snapshot, usize) -> Option<(TextRange, Vec<Target>)>;

/// Answers the request by `find`.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn handle(
    shared: &Arc<Shared>,
    params: GotoDefinitionParams,
    find: Find,
) -> Result<Option<GotoDefinitionResponse>, Failure> {
    let at = params.text_document_position_params;
    let uri = at.text_document.uri;
    let Some(snapshot) = shared.snapshot(&uri, false).await else {
        return sketches::definition(shared, &uri, at.position).await;
    };
    let keeper = Arc::clone(shared);
    answer(shared, move |view| {
        if let Some(found) = pinned(&keeper, view, &uri, &snapshot, at.position) {
            return Some(found);
        }
        let converter = to_proto::converter(&snapshot, view.session.encoding);
        let offset = converter.offset(at.position);
        let (origin, targets) = find(view.workspace(), &key(&uri), &snapshot, offset)?;
        let links: Vec<LocationLink> = targets
            .iter()
            .filter_map(|target| {
                let mut link = link(view, target)?;
                link.origin_selection_range = Some(converter.range(origin));
                Some(link)
            })
            .collect();
        Some(if view.session.links_definitions {
            GotoDefinitionResponse::Link(links)
        } else {
            let location = |link: LocationLink| Location {
                uri: link.target_uri,
                range: link.target_selection_range,
            };
            GotoDefinitionResponse::Array(links.into_iter().map(location).collect())
        })
    })
    .await
}

/// Where the sketch is defined that a pin at this place names.
fn pinned(
    shared: &Shared,
    view: &View,
    uri: &Uri,
    snapshot: &Snapshot,
    position: Position,
) -> Option<GotoDefinitionResponse> {
    let converter = to_proto::converter(snapshot, view.session.encoding);
    let offset = converter.offset(position);
    let (origin, path, full, name) = sumac_ide::sketch::pin_definition(snapshot, offset)?;
    let (target_uri, target_range, target_selection_range) = if path.is_empty() {
        (uri.clone(), converter.range(full), converter.range(name))
    } else {
        let known = sketches::library(shared, uri);
        let mut files = known.library.files().iter();
        let file = files.position(|file| file.path == path)?;
        let converter = known.converter(file, view.session.encoding);
        (
            known.uri(file)?.clone(),
            converter.range(full),
            converter.range(name),
        )
    };
    Some(if view.session.links_definitions {
        GotoDefinitionResponse::Link(vec![LocationLink {
            origin_selection_range: Some(
                to_proto::converter(snapshot, view.session.encoding).range(origin),
            ),
            target_uri,
            target_range,
            target_selection_range,
        }])
    } else {
        GotoDefinitionResponse::Array(vec![Location {
            uri: target_uri,
            range: target_selection_range,
        }])
    })
}

fn link(view: &View, target: &Target) -> Option<LocationLink> {
    Some(LocationLink {
        origin_selection_range: None,
        target_uri: view.uri(&target.file)?,
        target_range: view.range(&target.file, target.full_range)?,
        target_selection_range: view.range(&target.file, target.focus)?,
    })
}
