//! `sumac/document`: the text of a read-only document that only the server knows, such as a proof.
//!
//! Parameters `{uri}`; result `{text, languageId}`. Editors open such documents by `window/showDocument` and ask
//! for their text here.

use serde::{Deserialize, Serialize};

use crate::lsp::background::Failure;
use crate::lsp::state::Shared;

/// The method's name.
pub const METHOD: &str = "sumac/document";

/// Which document.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct DocumentParams {
    /// Its uri, of scheme `sumac`.
    pub uri: String,
}

/// A document.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentResult {
    /// Its text.
    pub text: String,
    /// Its language.
    pub language_id: String,
}

/// Answers the request.
///
/// # Errors
/// The document is not known (any more).
pub fn handle(shared: &Shared, params: &DocumentParams) -> Result<DocumentResult, Failure> {
    let unknown = || {
        Failure::Refused(format!(
            "{} is no longer known; do again what opened it",
            params.uri
        ))
    };
    let text = shared.text(&params.uri).ok_or_else(unknown)?;
    Ok(DocumentResult {
        text,
        language_id: "markdown".to_owned(),
    })
}
