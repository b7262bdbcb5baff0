//! What the client said it can do. What its user set is read by [`crate::config`].

use std::collections::BTreeSet;

use tower_lsp::ls_types::{ClientCapabilities, InitializeParams, MarkupKind, PositionEncodingKind};

/// How columns are counted on the wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// UTF-16 code units: what every client understands.
    #[default]
    Utf16,
    /// Bytes.
    Utf8,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// Bytes where the client offers them, for that is what texts are here; else what it likes best.
    fn choose(offered: &[PositionEncodingKind]) -> Self {
        let known = |kind: &PositionEncodingKind| match kind.as_str() {
            "utf-8" => Some(Encoding::Utf8),
            "utf-16" => Some(Encoding::Utf16),
            "utf-32" => Some(Encoding::Utf32),
            _ => None,
        };
        if offered.contains(&PositionEncodingKind::UTF8) {
            Encoding::Utf8
        } else {
            offered.iter().find_map(known).unwrap_or_default()
        }
    }
}

/// Fixed for the session at `initialize`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Session {
    /// How columns are counted.
    pub encoding: Encoding,
    /// The client asks for diagnostics, and asks again when told so.
    pub pulls_diagnostics: bool,
    /// The client asks for the edit of a code action when that is chosen.
    pub resolves_edits: bool,
    /// The client renders markdown in hovers.
    pub markdown: bool,
    /// The client asks again for hints when told so.
    pub refreshes_hints: bool,
    /// The client asks again for lenses when told so.
    pub refreshes_lenses: bool,
    /// The client shows work-done progress that the server begins.
    pub shows_progress: bool,
    /// The client opens documents when told so.
    pub shows_documents: bool,
    /// The client answers `workspace/configuration`.
    pub has_configuration: bool,
    /// Edits may carry the version that they are for.
    pub versioned_edits: bool,
    /// The client shows the whole definition behind a name.
    pub links_definitions: bool,
    /// The client shows outlines as trees.
    pub nests_symbols: bool,
    /// The client can be asked to watch files.
    pub watches_files: bool,
    /// The client fills in snippets.
    pub snippets: bool,
    /// The client takes the place of a parameter in a signature's label.
    pub label_offsets: bool,
    /// The client has the command that shows a lens's references.
    pub shows_references: bool,
    /// The client lets the person choose between forms.
    pub picks_alternatives: bool,
    /// The client lets the person choose between sketches of loops.
    pub picks_schedules: bool,
    /// The client shows what the server is doing.
    pub shows_status: bool,
    /// The client wants of this server only what it says of expressions of other languages than DML.
    pub only_expressions: bool,
    /// The workspace is trusted: scripts may be run on request.
    pub trusted: bool,
}

impl Session {
    /// Reads the client's `initialize`.
    #[must_use]
    pub fn new(params: &InitializeParams) -> Self {
        let ClientCapabilities {
            workspace,
            text_document,
            window,
            general,
            experimental,
            ..
        } = &params.capabilities;
        let workspace = workspace.as_ref();
        let window = window.as_ref();
        let encodings = general
            .as_ref()
            .and_then(|g| g.position_encodings.as_deref());
        let text_document = text_document.as_ref();
        let hover = text_document.and_then(|t| t.hover.as_ref());
        // Clients that list no formats came before the list; they all render markdown.
        let formats = hover.and_then(|h| h.content_format.as_deref());
        let options = params.initialization_options.as_ref();
        Session {
            encoding: Encoding::choose(encodings.unwrap_or_default()),
            pulls_diagnostics: text_document.is_some_and(|t| t.diagnostic.is_some())
                && workspace
                    .and_then(|w| w.diagnostics.as_ref()?.refresh_support)
                    .unwrap_or(false),
            resolves_edits: text_document
                .and_then(|t| {
                    let resolved = t.code_action.as_ref()?.resolve_support.as_ref()?;
                    Some(resolved.properties.iter().any(|name| name == "edit"))
                })
                .unwrap_or(false),
            markdown: formats.is_none_or(|all| all.contains(&MarkupKind::Markdown)),
            refreshes_hints: workspace
                .and_then(|w| w.inlay_hint.as_ref()?.refresh_support)
                .unwrap_or(false),
            refreshes_lenses: workspace
                .and_then(|w| w.code_lens.as_ref()?.refresh_support)
                .unwrap_or(false),
            shows_progress: window.and_then(|w| w.work_done_progress).unwrap_or(false),
            shows_documents: window
                .and_then(|w| Some(w.show_document.as_ref()?.support))
                .unwrap_or(false),
            has_configuration: workspace.and_then(|w| w.configuration).unwrap_or(false),
            versioned_edits: workspace
                .and_then(|w| w.workspace_edit.as_ref()?.document_changes)
                .unwrap_or(false),
            links_definitions: text_document
                .and_then(|t| t.definition.as_ref()?.link_support)
                .unwrap_or(false),
            nests_symbols: text_document
                .and_then(|t| {
                    let symbols = t.document_symbol.as_ref()?;
                    symbols.hierarchical_document_symbol_support
                })
                .unwrap_or(false),
            watches_files: workspace
                .and_then(|w| w.did_change_watched_files.as_ref()?.dynamic_registration)
                .unwrap_or(false),
            snippets: text_document
                .as_ref()
                .and_then(|t| {
                    let item = t.completion.as_ref()?.completion_item.as_ref()?;
                    item.snippet_support
                })
                .unwrap_or(false),
            label_offsets: text_document
                .as_ref()
                .and_then(|t| {
                    let signature = t.signature_help.as_ref()?.signature_information.as_ref()?;
                    signature
                        .parameter_information
                        .as_ref()?
                        .label_offset_support
                })
                .unwrap_or(false),
            shows_references: options
                .and_then(|o| o.get("showsReferences")?.as_bool())
                .unwrap_or(false),
            picks_alternatives: options
                .and_then(|o| o.get("picksAlternatives")?.as_bool())
                .unwrap_or(false),
            picks_schedules: options
                .and_then(|o| o.get("picksSchedules")?.as_bool())
                .unwrap_or(false),
            shows_status: experimental
                .as_ref()
                .and_then(|e| e.get("sumacStatus")?.as_bool())
                .unwrap_or(false),
            only_expressions: options.and_then(|o| o.get("only")?.as_str()) == Some("expressions"),
            // A client that knows of trust has a person who was asked; what is not yes is no.
            trusted: options
                .and_then(|o| o.get("trusted"))
                .is_none_or(|trusted| *trusted == serde_json::Value::Bool(true)),
        }
    }
}

/// The methods that the client asks again by itself when it is told that a document changed under them.
#[must_use]
pub fn asks_again(params: &InitializeParams) -> BTreeSet<String> {
    let general = params.capabilities.general.as_ref();
    let stale = general.and_then(|g| g.stale_request_support.as_ref());
    stale.map_or_else(BTreeSet::new, |stale| {
        stale.retry_on_content_modified.iter().cloned().collect()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bytes_are_counted_only_with_clients_that_offer_it() {
        let client = |value| {
            let params = json!({"capabilities": {"general": {"positionEncodings": value}}});
            Session::new(&serde_json::from_value(params).unwrap()).encoding
        };
        assert_eq!(client(json!(["utf-16"])), Encoding::Utf16);
        assert_eq!(client(json!(["utf-16", "utf-8"])), Encoding::Utf8);
        assert_eq!(client(json!(["utf-32", "utf-16"])), Encoding::Utf32);
        assert_eq!(client(json!(["utf-7"])), Encoding::Utf16);
        assert_eq!(client(json!(null)), Encoding::Utf16);
    }
}
