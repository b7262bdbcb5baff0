//! Read-only documents that only the server knows: proofs, comparisons. Published here, opened by the client, which
//! asks for their text by `sumac/document`. Must never hold anything that a person could lose.

use tower_lsp::ls_types::{MessageType, ShowDocumentParams, Uri};

use super::commands::Place;
use super::convert;
use super::state::Shared;

/// Remembers a document about a place. `kind` tells documents about the same place apart.
pub fn publish(shared: &Shared, kind: &str, place: &Place, text: String) -> Uri {
    let name = convert::file_name(&place.uri);
    let uri = document_uri(kind, &name, place.line + 1, &text);
    shared.publish_text(uri.as_str().to_owned(), text);
    uri
}

/// Has the client open a document, where it can. That it could not is told to the person, and is no failure: whoever
/// asked has the uri.
pub async fn show(shared: &Shared, uri: &Uri) {
    if !shared.session().shows_documents {
        return;
    }
    let params = ShowDocumentParams {
        uri: uri.clone(),
        external: None,
        take_focus: Some(true),
        selection: None,
    };
    if let Err(error) = shared.client.show_document(params).await {
        let message = format!("the document could not be opened: {error}");
        shared
            .client
            .show_message(MessageType::ERROR, message)
            .await;
    }
}

/// `sumac:explain/1f3a…/als_loss-line-8.md`: other text, other uri, as editors keep what they once showed.
fn document_uri(kind: &str, name: &str, line: u32, text: &str) -> Uri {
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
    format!("sumac:{kind}/{hash:016x}/{safe}-line-{line}.md")
        .parse()
        .expect("only letters, digits and . _ - stand in it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_gives_a_uri_and_other_text_gives_another() {
        let uri = document_uri("explain", "my loss & é.dml", 8, "a");
        assert!(
            uri.as_str().ends_with("/my_loss____-line-8.md"),
            "{}",
            uri.as_str()
        );
        let of = |kind, text| document_uri(kind, "a.dml", 8, text);
        assert_ne!(of("explain", "a"), of("explain", "b"));
        assert_ne!(of("explain", "a"), of("forms", "a"));
        assert_eq!(of("explain", "a"), of("explain", "a"));
    }
}
