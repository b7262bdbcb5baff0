//! `textDocument/formatting`, `rangeFormatting` and `onTypeFormatting`.
//!
//! Formatting needs the text only, so it never waits for an analysis.

use std::sync::Arc;

use sumac_syntax::Parse;
use sumac_syntax::format::{FormatError, FormatOptions};
use sumac_text::{LineIndex, TextEdit};
use tower_lsp::ls_types as ls;

use crate::lsp::activity::What;
use crate::lsp::background::{Failure, background};
use crate::lsp::configuration;
use crate::lsp::convert::{self, Converter};
use crate::lsp::sketches;
use crate::lsp::state::Shared;

type Edits = Result<Option<Vec<ls::TextEdit>>, Failure>;

/// The signs behind which [`on_type`] is asked.
#[must_use]
pub fn typed() -> ls::DocumentOnTypeFormattingOptions {
    ls::DocumentOnTypeFormattingOptions {
        first_trigger_character: "}".to_owned(),
        more_trigger_character: Some(vec!["\n".to_owned()]),
    }
}

/// Answers `textDocument/formatting`.
///
/// # Errors
/// The request was cancelled or the feature panicked, or the formatter refuses the script.
pub async fn document(shared: &Arc<Shared>, params: ls::DocumentFormattingParams) -> Edits {
    let uri = params.text_document.uri;
    if shared.sketches.is_open(&uri) {
        return sketches::formatting(shared, &uri).await;
    }
    edits(
        shared,
        What::Lookup,
        &uri,
        &params.options,
        |parse, _, options| sumac_ide::format_document(parse, options),
    )
    .await
}

/// Answers `textDocument/rangeFormatting`.
///
/// # Errors
/// As [`document`].
pub async fn range(shared: &Arc<Shared>, params: ls::DocumentRangeFormattingParams) -> Edits {
    let (uri, range) = (params.text_document.uri, params.range);
    edits(
        shared,
        What::Lookup,
        &uri,
        &params.options,
        move |parse, converter, options| {
            sumac_ide::format_range(parse, converter.text_range(range), options)
        },
    )
    .await
}

/// Answers `textDocument/onTypeFormatting`.
///
/// # Errors
/// As [`document`].
pub async fn on_type(shared: &Arc<Shared>, params: ls::DocumentOnTypeFormattingParams) -> Edits {
    let at = params.text_document_position;
    edits(
        shared,
        What::Answer,
        &at.text_document.uri,
        &params.options,
        move |parse, converter, options| {
            let offset = converter.offset(at.position);
            Ok(sumac_ide::format_on_type(
                parse, offset, &params.ch, options,
            ))
        },
    )
    .await
}

async fn edits(
    shared: &Arc<Shared>,
    what: What,
    uri: &ls::Uri,
    asked: &ls::FormattingOptions,
    compute: impl FnOnce(&Parse, &Converter<'_>, &FormatOptions) -> Result<Vec<TextEdit>, FormatError>
    + Send
    + 'static,
) -> Edits {
    let parse = shared
        .documents()
        .get(uri)
        .map(|document| document.parse.clone());
    let Some(parse) = parse else {
        return Ok(None);
    };
    let encoding = shared.session().encoding;
    let path = convert::file_path(uri);
    let tab = asked.tab_size as usize;
    let shared = Arc::clone(shared);
    let edits = background(shared.task_for(what, uri), move |_| {
        let (config, _) = configuration::of_script(&shared, path.as_deref());
        let options = FormatOptions {
            // The editor says how wide a level is where no file and no setting does.
            indent_width: config.format.indent_width.unwrap_or(tab),
            ..config.format_options()
        };
        let lines = LineIndex::new(Arc::clone(parse.text()));
        let converter = Converter::new(&lines, encoding);
        compute(&parse, &converter, &options).map(|edits| converter.edits(&edits))
    })
    .await?;
    edits
        .map(Some)
        .map_err(|error| Failure::Refused(error.to_string()))
}
