//! Requests about sketch files: decode, call one function of `ide`, encode. `None`: the document is no open sketch file.

use std::sync::Arc;

use sumac_ide::semantic_tokens::SemanticToken;
use sumac_ide::sketch;
use sumac_text::TextRange;
use tower_lsp::ls_types as ls;

use super::{Known, library};
use crate::lsp::activity::What;
use crate::lsp::background::{Failure, background};
use crate::lsp::configuration;
use crate::lsp::convert::{self, Converter};
use crate::lsp::requests::{
    completion as items, document_highlight, document_symbol, folding_range,
};
use crate::lsp::settings::Session;
use crate::lsp::state::Shared;
use crate::lsp::to_proto;

/// What a request about a sketch file sees.
struct Seen {
    known: Arc<Known>,
    file: usize,
    session: Session,
}

impl Seen {
    fn converter(&self) -> Converter<'_> {
        self.known.converter(self.file, self.session.encoding)
    }

    fn offset(&self, position: ls::Position) -> usize {
        self.converter().offset(position)
    }
}

/// Runs `work` on the library of an open sketch file, in the background.
async fn answer<T: Send + 'static>(
    shared: &Arc<Shared>,
    uri: &ls::Uri,
    work: impl FnOnce(&Seen) -> T + Send + 'static,
) -> Result<Option<T>, Failure> {
    if !shared.sketches.is_open(uri) {
        return Ok(None);
    }
    let (keeper, of) = (Arc::clone(shared), uri.clone());
    background(shared.task_for(What::Answer, uri), move |_| {
        let known = library(&keeper, &of);
        let seen = Seen {
            file: known.number(&of)?,
            known,
            session: keeper.session(),
        };
        Some(work(&seen))
    })
    .await
}

/// The version of a file and what is wrong with it.
///
/// # Errors
/// As [`background`], here and below.
pub async fn diagnostics(
    shared: &Arc<Shared>,
    uri: &ls::Uri,
) -> Result<Option<(i32, Vec<ls::Diagnostic>)>, Failure> {
    let (of, keeper) = (uri.clone(), Arc::clone(shared));
    let found = answer(shared, uri, move |seen| {
        let path = convert::file_path(&of);
        let (config, _) = configuration::of_script(&keeper, path.as_deref());
        let severities = config.severities();
        let found = sketch::diagnostics(&seen.known.library, seen.file, &severities).into_iter();
        let converter = seen.converter();
        let found = found.map(|one| to_proto::diagnostic(&converter, &of, one));
        Some((seen.known.version(seen.file)?, found.collect()))
    });
    Ok(found.await?.flatten())
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
    let found = answer(shared, uri, move |seen| {
        let hover = sketch::hover(&seen.known.library, seen.file, seen.offset(position))?;
        Some(ls::Hover {
            contents: ls::HoverContents::Markup(to_proto::markup(hover.markdown, seen.session)),
            range: Some(seen.converter().range(hover.range)),
        })
    });
    Ok(found.await?.flatten())
}

/// `textDocument/completion`.
///
/// # Errors
/// As [`background`].
pub async fn completion(
    shared: &Arc<Shared>,
    uri: &ls::Uri,
    position: ls::Position,
) -> Result<Option<ls::CompletionResponse>, Failure> {
    let of = uri.clone();
    answer(shared, uri, move |seen| {
        let found = sketch::completion(&seen.known.library, seen.file, seen.offset(position));
        let converter = seen.converter();
        let found = found.iter();
        let found = found.map(|item| items::encode(&converter, &of, item, seen.session));
        ls::CompletionResponse::Array(found.collect())
    })
    .await
}

/// `textDocument/definition`.
///
/// # Errors
/// As [`background`].
pub async fn definition(
    shared: &Arc<Shared>,
    uri: &ls::Uri,
    position: ls::Position,
) -> Result<Option<ls::GotoDefinitionResponse>, Failure> {
    let found = answer(shared, uri, move |seen| {
        let offset = seen.offset(position);
        let (origin, found) = sketch::definition(&seen.known.library, seen.file, offset)?;
        let converter = seen.known.converter(found.file, seen.session.encoding);
        let link = ls::LocationLink {
            origin_selection_range: Some(seen.converter().range(origin)),
            target_uri: seen.known.uri(found.file)?.clone(),
            target_range: converter.range(found.full_range),
            target_selection_range: converter.range(found.focus),
        };
        Some(if seen.session.links_definitions {
            ls::GotoDefinitionResponse::Link(vec![link])
        } else {
            ls::GotoDefinitionResponse::Scalar(ls::Location {
                uri: link.target_uri,
                range: link.target_selection_range,
            })
        })
    });
    Ok(found.await?.flatten())
}

/// `textDocument/documentHighlight`.
///
/// # Errors
/// As [`background`].
pub async fn highlights(
    shared: &Arc<Shared>,
    uri: &ls::Uri,
    position: ls::Position,
) -> Result<Option<Vec<ls::DocumentHighlight>>, Failure> {
    answer(shared, uri, move |seen| {
        let found = sketch::highlights(&seen.known.library, seen.file, seen.offset(position));
        let highlight = |found: &sumac_ide::Highlight| ls::DocumentHighlight {
            range: seen.converter().range(found.range),
            kind: Some(document_highlight::kind(found.access)),
        };
        found.iter().map(highlight).collect()
    })
    .await
}

/// `textDocument/documentSymbol`.
///
/// # Errors
/// As [`background`].
pub async fn document_symbols(
    shared: &Arc<Shared>,
    uri: &ls::Uri,
) -> Result<Option<ls::DocumentSymbolResponse>, Failure> {
    let of = uri.clone();
    answer(shared, uri, move |seen| {
        let found = sketch::document_symbols(&seen.known.library, seen.file);
        document_symbol::encode(&seen.converter(), &of, &found, seen.session)
    })
    .await
}

/// `textDocument/foldingRange`.
///
/// # Errors
/// As [`background`].
pub async fn folding_ranges(
    shared: &Arc<Shared>,
    uri: &ls::Uri,
) -> Result<Option<Vec<ls::FoldingRange>>, Failure> {
    answer(shared, uri, move |seen| {
        let lines = seen.known.lines(seen.file);
        let found = sketch::folding_ranges(&seen.known.library, seen.file, lines);
        let converter = seen.converter();
        found
            .iter()
            .map(|fold| folding_range::encode(&converter, fold))
            .collect()
    })
    .await
}

/// `textDocument/formatting`. A file with errors stays as it is.
///
/// # Errors
/// As [`background`].
pub async fn formatting(
    shared: &Arc<Shared>,
    uri: &ls::Uri,
) -> Result<Option<Vec<ls::TextEdit>>, Failure> {
    answer(shared, uri, move |seen| {
        let found = sketch::format_document(&seen.known.library, seen.file);
        seen.converter().edits(&found)
    })
    .await
}

/// The tokens of `textDocument/semanticTokens`, by `encode`.
///
/// # Errors
/// As [`background`].
pub async fn semantic_tokens<T: Send + 'static>(
    shared: &Arc<Shared>,
    uri: &ls::Uri,
    range: Option<ls::Range>,
    encode: impl FnOnce(&[SemanticToken], &Converter<'_>) -> T + Send + 'static,
) -> Result<Option<T>, Failure> {
    answer(shared, uri, move |seen| {
        let converter = seen.converter();
        let all = TextRange::new(0, usize::MAX);
        let range = range.map_or(all, |range| converter.text_range(range));
        let found = sketch::semantic_tokens(&seen.known.library, seen.file, range);
        encode(&found, &converter)
    })
    .await
}
