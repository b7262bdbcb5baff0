//! Requests about these documents, answered from what is known.

use std::sync::Arc;

use sumac_ide::expressions::{self, File};
use tower_lsp::ls_types as ls;

use crate::lsp::activity::What;
use crate::lsp::background::{Failure, background};
use crate::lsp::convert::Converter;
use crate::lsp::state::Shared;
use crate::lsp::to_proto;

/// `textDocument/diagnostic`: the version and what is wrong, once it has been read.
///
/// # Errors
/// As [`background`], here and below.
pub async fn diagnostics(
    shared: &Arc<Shared>,
    uri: &ls::Uri,
) -> Result<Option<Vec<ls::Diagnostic>>, Failure> {
    answer(shared, uri, {
        let (uri, encoding) = (uri.clone(), shared.session().encoding);
        move |_, file| {
            let converter = Converter::new(&file.lines, encoding);
            let found = expressions::diagnostics(file.language, file.text(), &file.analysis, false);
            found
                .into_iter()
                .map(|one| to_proto::diagnostic(&converter, &uri, one))
                .collect()
        }
    })
    .await
}

/// `textDocument/hover`.
///
/// # Errors
/// As [`background`].
pub async fn hover(
    shared: &Arc<Shared>,
    uri: &ls::Uri,
    position: ls::Position,
) -> Result<Option<ls::Hover>, Failure> {
    let session = shared.session();
    let found = answer(shared, uri, move |_, file| {
        let converter = Converter::new(&file.lines, session.encoding);
        let hover = expressions::hover(file, converter.offset(position))?;
        Some(ls::Hover {
            contents: ls::HoverContents::Markup(to_proto::markup(hover.markdown, session)),
            range: Some(converter.range(hover.range)),
        })
    });
    Ok(found.await?.flatten())
}

/// `textDocument/inlayHint`.
///
/// # Errors
/// As [`background`].
pub async fn inlay_hints(
    shared: &Arc<Shared>,
    uri: &ls::Uri,
    range: ls::Range,
) -> Result<Option<Vec<ls::InlayHint>>, Failure> {
    let session = shared.session();
    answer(shared, uri, move |_, file| {
        let converter = Converter::new(&file.lines, session.encoding);
        let found = expressions::hints(file, converter.text_range(range));
        found
            .iter()
            .map(|hint| to_proto::inlay_hint(&converter, hint))
            .collect()
    })
    .await
}

/// `textDocument/codeAction`.
///
/// # Errors
/// As [`background`].
pub async fn code_actions(
    shared: &Arc<Shared>,
    uri: &ls::Uri,
    range: ls::Range,
    only: Option<Vec<String>>,
) -> Result<Option<ls::CodeActionResponse>, Failure> {
    let (session, of) = (shared.session(), uri.clone());
    answer(shared, uri, move |version, file| {
        let converter = Converter::new(&file.lines, session.encoding);
        let document = ls::OptionalVersionedTextDocumentIdentifier {
            uri: of,
            version: Some(version),
        };
        let actions = expressions::actions(file, converter.text_range(range), only.as_deref());
        let encoded = actions.into_iter().filter_map(|action| {
            let sumac_ide::code_actions::Effect::Edit(edits) = action.effect else {
                return None;
            };
            Some(ls::CodeActionOrCommand::CodeAction(ls::CodeAction {
                title: action.title,
                kind: Some(action.kind.to_owned().into()),
                is_preferred: action.is_preferred.then_some(true),
                edit: Some(to_proto::workspace_edit(
                    &converter, &document, &edits, session,
                )),
                ..ls::CodeAction::default()
            }))
        });
        encoded.collect()
    })
    .await
}

/// What `make` makes of the present version, once that has been read; `None` where the document is none of these.
async fn answer<T: Send + 'static>(
    shared: &Arc<Shared>,
    uri: &ls::Uri,
    make: impl FnOnce(i32, &File) -> T + Send + 'static,
) -> Result<Option<T>, Failure> {
    if !shared.languages.is_open(uri) {
        return Ok(None);
    }
    let is_there = || !shared.languages.is_open(uri) || shared.languages.present(uri).is_some();
    shared.edited_since(is_there).await;
    let Some((version, file)) = shared.languages.present(uri) else {
        return Ok(None);
    };
    let task = shared.task_for(What::Answer, uri);
    background(task, move |_| Some(make(version, &file))).await
}
