//! `textDocument/semanticTokens/full`, `…/full/delta` and `…/range`.

use std::sync::Arc;

use sumac_ide::semantic_tokens::{
    Modifier, SemanticKind, SemanticToken, TokensEdit, delta, semantic_tokens,
};
use sumac_text::TextRange;
use tower_lsp::ls_types as ls;

use crate::lsp::activity::What;
use crate::lsp::background::{Failure, background};
use crate::lsp::convert::Converter;
use crate::lsp::given_tokens::Encoded;
use crate::lsp::state::Shared;
use crate::lsp::{sketches, to_proto};

const EVERYWHERE: TextRange = TextRange {
    start: 0,
    end: usize::MAX,
};

/// What the server says it can do.
#[must_use]
pub fn capability() -> ls::SemanticTokensServerCapabilities {
    let kinds = SemanticKind::ALL.iter();
    let modifiers = Modifier::ALL.iter();
    ls::SemanticTokensServerCapabilities::SemanticTokensOptions(ls::SemanticTokensOptions {
        legend: ls::SemanticTokensLegend {
            token_types: kinds.map(|kind| kind.name().into()).collect(),
            token_modifiers: modifiers.map(|modifier| modifier.name().into()).collect(),
        },
        range: Some(true),
        full: Some(ls::SemanticTokensFullOptions::Delta { delta: Some(true) }),
        ..ls::SemanticTokensOptions::default()
    })
}

/// Answers `full`.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn full(
    shared: &Arc<Shared>,
    params: ls::SemanticTokensParams,
) -> Result<Option<ls::SemanticTokensResult>, Failure> {
    let uri = params.text_document.uri;
    let Some(tokens) = compute(shared, &uri, None).await? else {
        return Ok(None);
    };
    let (id, _) = shared.tokens.replace(uri, &tokens, None);
    Ok(Some(whole(Some(id), &tokens).into()))
}

/// Answers `full/delta`: everything, where the client's last answer is not known any more.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn full_delta(
    shared: &Arc<Shared>,
    params: ls::SemanticTokensDeltaParams,
) -> Result<Option<ls::SemanticTokensFullDeltaResult>, Failure> {
    let uri = params.text_document.uri;
    let Some(tokens) = compute(shared, &uri, None).await? else {
        return Ok(None);
    };
    let (id, before) = shared
        .tokens
        .replace(uri, &tokens, Some(&params.previous_result_id));
    let Some(before) = before else {
        return Ok(Some(whole(Some(id), &tokens).into()));
    };
    let edits = delta(&before.tokens, &tokens);
    Ok(Some(
        ls::SemanticTokensDelta {
            result_id: Some(id),
            edits: edits.iter().map(edit).collect(),
        }
        .into(),
    ))
}

/// Answers `range`.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn range(
    shared: &Arc<Shared>,
    params: ls::SemanticTokensRangeParams,
) -> Result<Option<ls::SemanticTokensRangeResult>, Failure> {
    let uri = params.text_document.uri;
    let tokens = compute(shared, &uri, Some(params.range)).await?;
    Ok(tokens.map(|tokens| whole(None, &tokens).into()))
}

async fn compute(
    shared: &Arc<Shared>,
    uri: &ls::Uri,
    range: Option<ls::Range>,
) -> Result<Option<Arc<[Encoded]>>, Failure> {
    let Some(snapshot) = shared.snapshot(uri, false).await else {
        return sketches::semantic_tokens(shared, uri, range, encoded).await;
    };
    let encoding = shared.session().encoding;
    background(shared.task_for(What::Answer, uri), move |_| {
        let converter = to_proto::converter(&snapshot, encoding);
        let range = range.map_or(EVERYWHERE, |range| converter.text_range(range));
        Some(encoded(&semantic_tokens(&snapshot, range), &converter))
    })
    .await
}

fn encoded(tokens: &[SemanticToken], converter: &Converter<'_>) -> Arc<[Encoded]> {
    let mut before = ls::Position::default();
    tokens
        .iter()
        .map(|token| {
            let ls::Range { start, end } = converter.range(token.range);
            let line = start.line - before.line;
            let column = if line == 0 {
                start.character - before.character
            } else {
                start.character
            };
            before = start;
            let length = end.character - start.character;
            [
                line,
                column,
                length,
                token.kind as u32,
                token.modifiers.bits(),
            ]
        })
        .collect()
}

fn whole(result_id: Option<String>, tokens: &[Encoded]) -> ls::SemanticTokens {
    ls::SemanticTokens {
        result_id,
        data: tokens.iter().map(token).collect(),
    }
}

fn token([line, column, length, kind, modifiers]: &Encoded) -> ls::SemanticToken {
    ls::SemanticToken {
        delta_line: *line,
        delta_start: *column,
        length: *length,
        token_type: *kind,
        token_modifiers_bitset: *modifiers,
    }
}

/// The protocol counts numbers, not tokens.
fn edit(edit: &TokensEdit<Encoded>) -> ls::SemanticTokensEdit {
    let numbers = |tokens: usize| u32::try_from(tokens * 5).unwrap_or(u32::MAX);
    ls::SemanticTokensEdit {
        start: numbers(edit.start),
        delete_count: numbers(edit.removed),
        data: Some(edit.inserted.iter().map(token).collect()),
    }
}
