//! `textDocument/completion` and `completionItem/resolve`.

use std::sync::Arc;

use serde_json::{Value, json};
use sumac_ide::completion::{self, CompletionKind, Topic};
use tower_lsp::ls_types as ls;

use crate::lsp::background::Failure;
use crate::lsp::convert::Converter;
use crate::lsp::nearby_files::NearbyFiles;
use crate::lsp::settings::Session;
use crate::lsp::sketches;
use crate::lsp::state::Shared;
use crate::lsp::to_proto;
use crate::lsp::workspace::answer;

/// What the server says it can do.
#[must_use]
pub fn capability() -> ls::CompletionOptions {
    let triggers = [".", ":", "$", "\"", "'", "/", "@"];
    ls::CompletionOptions {
        resolve_provider: Some(true),
        trigger_characters: Some(triggers.map(str::to_owned).to_vec()),
        ..ls::CompletionOptions::default()
    }
}

/// Answers `completion`.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn handle(
    shared: &Arc<Shared>,
    params: ls::CompletionParams,
) -> Result<Option<ls::CompletionResponse>, Failure> {
    let at = params.text_document_position;
    let uri = at.text_document.uri;
    let Some(snapshot) = shared.snapshot(&uri, false).await else {
        return sketches::completion(shared, &uri, at.position).await;
    };
    let session = shared.session();
    let typed = params.context.and_then(|context| context.trigger_character);
    let typed = typed.and_then(|text| text.chars().next());
    answer(shared, move |view| {
        let around = NearbyFiles::new(view, &uri);
        let converter = to_proto::converter(&snapshot, session.encoding);
        let offset = converter.offset(at.position);
        let items = completion::completion(&snapshot, offset, typed, &around);
        let items = items
            .iter()
            .map(|item| encode(&converter, &uri, item, session));
        Some(ls::CompletionResponse::Array(items.collect()))
    })
    .await
}

/// Answers `resolve`: adds the documentation. An item that is not ours, or of a closed document, stays as it is.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn resolve(
    shared: &Arc<Shared>,
    mut item: ls::CompletionItem,
) -> Result<ls::CompletionItem, Failure> {
    let Some((uri, topic)) = item.data.as_ref().and_then(topic) else {
        return Ok(item);
    };
    let found = match &topic {
        Topic::Builtin(name) => completion::builtin_documentation(name),
        _ => match shared.snapshot(&uri, false).await {
            Some(snapshot) => {
                answer(shared, move |view| {
                    completion::documentation(&snapshot, &topic, &NearbyFiles::new(view, &uri))
                })
                .await?
            }
            None => None,
        },
    };
    let session = shared.session();
    item.documentation =
        found.map(|text| ls::Documentation::MarkupContent(to_proto::markup(text, session)));
    Ok(item)
}

/// An item.
#[must_use]
pub fn encode(
    converter: &Converter<'_>,
    uri: &ls::Uri,
    item: &completion::CompletionItem,
    session: Session,
) -> ls::CompletionItem {
    let snippet = item.snippet.as_ref().filter(|_| session.snippets);
    let edit = ls::TextEdit {
        range: converter.range(item.replaces),
        new_text: snippet.unwrap_or(&item.text).clone(),
    };
    ls::CompletionItem {
        label: item.label.clone(),
        kind: Some(kind(item.kind)),
        detail: item.detail.clone(),
        sort_text: Some(item.sort_text()),
        insert_text_format: snippet.map(|_| ls::InsertTextFormat::SNIPPET),
        text_edit: Some(ls::CompletionTextEdit::Edit(edit)),
        tags: item
            .is_deprecated
            .then(|| vec![ls::CompletionItemTag::DEPRECATED]),
        data: item.topic.as_ref().map(|topic| data(uri, topic)),
        ..ls::CompletionItem::default()
    }
}

/// What comes back with `resolve`.
fn data(uri: &ls::Uri, topic: &Topic) -> Value {
    let topic = match topic {
        Topic::Builtin(name) => json!({"builtin": name}),
        Topic::Function(name) => json!({"function": name}),
        Topic::Member(namespace, name) => json!({"function": name, "namespace": namespace}),
    };
    json!({"uri": uri.as_str(), "topic": topic})
}

fn topic(data: &Value) -> Option<(ls::Uri, Topic)> {
    let uri = data.get("uri")?.as_str()?.parse().ok()?;
    let topic = data.get("topic")?;
    let text = |key: &str| Some(topic.get(key)?.as_str()?.to_owned());
    let topic = match (text("builtin"), text("namespace"), text("function")) {
        (Some(name), _, _) => Topic::Builtin(name),
        (None, Some(namespace), Some(name)) => Topic::Member(namespace, name),
        (None, None, Some(name)) => Topic::Function(name),
        _ => return None,
    };
    Some((uri, topic))
}

fn kind(kind: CompletionKind) -> ls::CompletionItemKind {
    match kind {
        CompletionKind::Variable | CompletionKind::Parameter => ls::CompletionItemKind::VARIABLE,
        CompletionKind::Function => ls::CompletionItemKind::FUNCTION,
        CompletionKind::Namespace => ls::CompletionItemKind::MODULE,
        CompletionKind::NamedArgument => ls::CompletionItemKind::PROPERTY,
        CompletionKind::Value => ls::CompletionItemKind::ENUM_MEMBER,
        CompletionKind::ScriptArgument => ls::CompletionItemKind::CONSTANT,
        CompletionKind::Keyword => ls::CompletionItemKind::KEYWORD,
        CompletionKind::Snippet => ls::CompletionItemKind::SNIPPET,
        CompletionKind::Type => ls::CompletionItemKind::CLASS,
        CompletionKind::Folder => ls::CompletionItemKind::FOLDER,
        CompletionKind::File => ls::CompletionItemKind::FILE,
        CompletionKind::Code => ls::CompletionItemKind::EVENT,
    }
}
