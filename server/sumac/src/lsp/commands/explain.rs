//! `sumac.explain`: opens the proof of a line's suggestion as a read-only document.

use std::sync::Arc;

use serde_json::{Value, json};
use sumac_ide::CancelToken;
use tower_lsp::ls_types::{MessageType, ShowDocumentParams, Uri};

use super::Place;
use crate::lsp::background::{Failure, background};
use crate::lsp::convert;
use crate::lsp::state::Shared;

/// Runs the command; the result is `{uri}`, whose text `sumac/document` gives.
///
/// # Errors
/// There is no suggestion.
pub async fn run(shared: &Arc<Shared>, place: Place) -> Result<Value, Failure> {
    let (_, suggestion) = place.suggestion(shared).await?;
    let name = convert::file_name(&place.uri);
    let title = format!("{name}:{}", place.line + 1);
    let text = background(CancelToken::default(), move |_| {
        sumac_ide::explain(&suggestion, &title)
    })
    .await?;
    let uri = document_uri(&name, place.line + 1, &text);
    shared.publish_text(uri.as_str().to_owned(), text);
    let session = shared.session();
    if session.shows_documents {
        let params = ShowDocumentParams {
            uri: uri.clone(),
            external: None,
            take_focus: Some(true),
            selection: None,
        };
        if let Err(error) = shared.client.show_document(params).await {
            let message = format!("the explanation could not be opened: {error}");
            shared
                .client
                .show_message(MessageType::ERROR, message)
                .await;
        }
    }
    Ok(json!({ "uri": uri.as_str() }))
}

/// `sumac:explain/1f3a…/als_loss-line-8.md`: other text, other uri, as editors keep what they once showed.
fn document_uri(name: &str, line: u32, text: &str) -> Uri {
    let stem = name.strip_suffix(".dml").unwrap_or(name);
    let safe: String = stem
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "._-".contains(c) {
                c
            } else {
                '_'
            }
        })
        .collect();
    let hash = {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        hasher.finish()
    };
    format!("sumac:explain/{hash:016x}/{safe}-line-{line}.md")
        .parse()
        .expect("only letters, digits and . _ - stand in it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_gives_a_uri_and_other_text_gives_another() {
        let uri = document_uri("my loss & é.dml", 8, "a");
        assert!(
            uri.as_str().ends_with("/my_loss____-line-8.md"),
            "{}",
            uri.as_str()
        );
        assert_ne!(document_uri("a.dml", 8, "a"), document_uri("a.dml", 8, "b"));
        assert_eq!(document_uri("a.dml", 8, "a"), document_uri("a.dml", 8, "a"));
    }
}
