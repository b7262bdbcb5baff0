//! `textDocument/documentSymbol`.

use std::sync::Arc;

use sumac_ide::{DocumentSymbol, SymbolKind};
use tower_lsp::ls_types as ls;

use crate::lsp::activity::What;
use crate::lsp::background::{Failure, background};
use crate::lsp::convert::Converter;
use crate::lsp::settings::Session;
use crate::lsp::sketches;
use crate::lsp::state::Shared;
use crate::lsp::to_proto;

/// Answers the request.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn handle(
    shared: &Arc<Shared>,
    params: ls::DocumentSymbolParams,
) -> Result<Option<ls::DocumentSymbolResponse>, Failure> {
    let uri = params.text_document.uri;
    let Some(snapshot) = shared.snapshot(&uri, false).await else {
        return sketches::document_symbols(shared, &uri).await;
    };
    let session = shared.session();
    background(shared.task_for(What::Answer, &uri), move |_| {
        let converter = to_proto::converter(&snapshot, session.encoding);
        let symbols = sumac_ide::document_symbols(&snapshot);
        Some(encode(&converter, &uri, &symbols, session))
    })
    .await
}

/// An outline, as a tree where the client shows one.
#[must_use]
pub fn encode(
    converter: &Converter<'_>,
    uri: &ls::Uri,
    symbols: &[DocumentSymbol],
    session: Session,
) -> ls::DocumentSymbolResponse {
    if session.nests_symbols {
        let nested = symbols.iter().map(|symbol| nested(converter, symbol));
        ls::DocumentSymbolResponse::Nested(nested.collect())
    } else {
        let mut flat = Vec::new();
        for symbol in symbols {
            flatten(converter, uri, symbol, None, &mut flat);
        }
        ls::DocumentSymbolResponse::Flat(flat)
    }
}

/// The kind of a symbol.
#[must_use]
pub fn kind(kind: SymbolKind) -> ls::SymbolKind {
    match kind {
        SymbolKind::Source => ls::SymbolKind::MODULE,
        SymbolKind::Sketch => ls::SymbolKind::CLASS,
        SymbolKind::Stage => ls::SymbolKind::FIELD,
        SymbolKind::Function => ls::SymbolKind::FUNCTION,
        // The protocol has no parameters.
        SymbolKind::Parameter | SymbolKind::Variable => ls::SymbolKind::VARIABLE,
    }
}

fn nested(converter: &Converter<'_>, symbol: &DocumentSymbol) -> ls::DocumentSymbol {
    let children = symbol.children.iter().map(|child| nested(converter, child));
    #[expect(deprecated, reason = "the type has the field")]
    ls::DocumentSymbol {
        name: symbol.name.clone(),
        detail: Some(symbol.detail.clone()).filter(|detail| !detail.is_empty()),
        kind: kind(symbol.kind),
        tags: None,
        deprecated: None,
        range: converter.range(symbol.full_range),
        selection_range: converter.range(symbol.focus),
        children: Some(children.collect()),
    }
}

fn flatten(
    converter: &Converter<'_>,
    uri: &ls::Uri,
    symbol: &DocumentSymbol,
    inside: Option<&str>,
    acc: &mut Vec<ls::SymbolInformation>,
) {
    #[expect(deprecated, reason = "the type has the field")]
    acc.push(ls::SymbolInformation {
        name: symbol.name.clone(),
        kind: kind(symbol.kind),
        tags: None,
        deprecated: None,
        location: ls::Location {
            uri: uri.clone(),
            range: converter.range(symbol.full_range),
        },
        container_name: inside.map(str::to_owned),
    });
    for child in &symbol.children {
        flatten(converter, uri, child, Some(&symbol.name), acc);
    }
}
