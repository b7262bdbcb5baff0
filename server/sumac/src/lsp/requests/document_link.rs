//! `textDocument/documentLink` and `documentLink/resolve`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tower_lsp::ls_types::{DocumentLink, DocumentLinkParams};

use crate::lsp::activity::What;
use crate::lsp::background::{Failure, background};
use crate::lsp::convert;
use crate::lsp::state::Shared;
use crate::lsp::workspace::answer;

/// Answers `textDocument/documentLink`. Where a link leads is filled in when it is followed.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn handle(
    shared: &Arc<Shared>,
    params: DocumentLinkParams,
) -> Result<Option<Vec<DocumentLink>>, Failure> {
    answer(shared, move |view| {
        let (file, parse) = view.document(&params.text_document.uri)?;
        let found = sumac_ide::document_links(view.workspace(), &file, &parse);
        let link = |link: &sumac_ide::DocumentLink| {
            Some(DocumentLink {
                range: view.range(&file, link.range)?,
                target: None,
                tooltip: None,
                data: Some(link.target.to_str()?.into()),
            })
        };
        Some(found.iter().filter_map(link).collect())
    })
    .await
}

/// Answers `documentLink/resolve`: the file, and its size for whoever hesitates to open it.
///
/// # Errors
/// The link is not one of ours or its file is gone; or the request was cancelled.
pub async fn resolve(shared: &Shared, link: DocumentLink) -> Result<DocumentLink, Failure> {
    background(shared.task(What::Answer), move |_| {
        let path = link
            .data
            .as_ref()
            .and_then(|data| data.as_str())
            .map(PathBuf::from);
        let Some(path) = path.filter(|path| path.is_absolute()) else {
            return Err(Failure::Refused(
                "this link was not made by sumac".to_owned(),
            ));
        };
        match std::fs::metadata(&path) {
            Ok(metadata) => Ok(DocumentLink {
                target: convert::file_uri(&path),
                tooltip: Some(tooltip(&path, metadata.len())),
                ..link
            }),
            Err(error) => Err(Failure::Refused(format!(
                "{} cannot be opened: {error}",
                path.display()
            ))),
        }
    })
    .await?
}

#[expect(clippy::cast_precision_loss, reason = "shown with two digits")]
fn tooltip(path: &Path, bytes: u64) -> String {
    let size = sumac_ide::quantity::bytes(bytes as f64);
    format!("{} ({size})", path.display())
}
