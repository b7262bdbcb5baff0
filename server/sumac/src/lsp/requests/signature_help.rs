//! `textDocument/signatureHelp`.

use std::sync::Arc;

use sumac_ide::Signature;
use sumac_text::{LineIndex, TextRange};
use tower_lsp::ls_types as ls;

use crate::lsp::background::Failure;
use crate::lsp::convert::Converter;
use crate::lsp::nearby_files::NearbyFiles;
use crate::lsp::settings::{Encoding, Session};
use crate::lsp::state::Shared;
use crate::lsp::to_proto;
use crate::lsp::workspace::answer;

/// What the server says it can do.
#[must_use]
pub fn capability() -> ls::SignatureHelpOptions {
    let characters = |all: &[&str]| Some(all.iter().map(|c| (*c).to_owned()).collect());
    ls::SignatureHelpOptions {
        trigger_characters: characters(&["(", ","]),
        retrigger_characters: characters(&["=", ")"]),
        ..ls::SignatureHelpOptions::default()
    }
}

/// Answers the request.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn handle(
    shared: &Arc<Shared>,
    params: ls::SignatureHelpParams,
) -> Result<Option<ls::SignatureHelp>, Failure> {
    let at = params.text_document_position_params;
    let uri = at.text_document.uri;
    let Some(snapshot) = shared.snapshot(&uri, false).await else {
        return Ok(None);
    };
    let session = shared.session();
    answer(shared, move |view| {
        let around = NearbyFiles::new(view, &uri);
        let offset = to_proto::converter(&snapshot, session.encoding).offset(at.position);
        let help = sumac_ide::signature_help(&snapshot, offset, &around)?;
        let signatures: Vec<ls::SignatureInformation> =
            help.signatures.iter().map(|s| encode(s, session)).collect();
        let active = signatures.get(help.active)?.active_parameter;
        Some(ls::SignatureHelp {
            active_signature: u32::try_from(help.active).ok(),
            active_parameter: active,
            signatures,
        })
    })
    .await
}

fn encode(signature: &Signature, session: Session) -> ls::SignatureInformation {
    let docs = |text: &str| {
        let is_told = !text.is_empty();
        is_told
            .then(|| ls::Documentation::MarkupContent(to_proto::markup(text.to_owned(), session)))
    };
    // The protocol counts in a label as it counts in a line.
    let lines = LineIndex::new(signature.label.as_str());
    let converter = Converter::new(&lines, Encoding::Utf16);
    let label = |place: TextRange| {
        if session.label_offsets {
            let range = converter.range(place);
            ls::ParameterLabel::LabelOffsets([range.start.character, range.end.character])
        } else {
            ls::ParameterLabel::Simple(signature.label.as_str()[place].to_owned())
        }
    };
    let params = signature
        .params
        .iter()
        .map(|(place, text)| ls::ParameterInformation {
            label: label(*place),
            documentation: docs(text),
        });
    // Behind the last parameter none is marked.
    let active = signature.active.unwrap_or(signature.params.len());
    ls::SignatureInformation {
        label: signature.label.clone(),
        documentation: docs(&signature.docs),
        parameters: Some(params.collect()),
        active_parameter: u32::try_from(active).ok(),
    }
}
