//! What the client said it can do, and what its user set. Unknown or ill-typed values are ignored, not errors:
//! clients send whole configuration trees.

use serde_json::Value;
use tower_lsp::ls_types::{ClientCapabilities, InitializeParams, MarkupKind, PositionEncodingKind};

/// How columns are counted on the wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// UTF-16 code units: what every client understands.
    #[default]
    Utf16,
    /// Bytes.
    Utf8,
}

/// Fixed for the session at `initialize`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Session {
    /// How columns are counted.
    pub encoding: Encoding,
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
            ..
        } = &params.capabilities;
        let workspace = workspace.as_ref();
        let window = window.as_ref();
        let encodings = general
            .as_ref()
            .and_then(|g| g.position_encodings.as_deref());
        let is_utf8 = encodings.is_some_and(|all| all.contains(&PositionEncodingKind::UTF8));
        let text_document = text_document.as_ref();
        let hover = text_document.and_then(|t| t.hover.as_ref());
        // Clients that list no formats came before the list; they all render markdown.
        let formats = hover.and_then(|h| h.content_format.as_deref());
        let options = params.initialization_options.as_ref();
        Session {
            encoding: if is_utf8 {
                Encoding::Utf8
            } else {
                Encoding::Utf16
            },
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
            trusted: options
                .and_then(|o| o.get("trusted")?.as_bool())
                .unwrap_or(true),
        }
    }
}

/// What the user may set while the server runs.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// `sumac.inlayHints.enabled`: show suggestions behind statements.
    pub hints: bool,
    /// `sumac.lens.enabled`: show lenses above statements.
    pub lenses: bool,
    /// `sumac.minSpeedup`: suggestions that are estimated to gain less are not shown.
    pub min_speedup: f64,
    /// `sumac.run.memoryMegabytes`: most memory a run may take.
    pub run_memory: Option<u64>,
    /// `sumac.run.timeoutSeconds`: a run is stopped after this time.
    pub run_seconds: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            hints: true,
            lenses: true,
            min_speedup: 1.2,
            run_memory: None,
            run_seconds: 300.0,
        }
    }
}

impl Settings {
    /// Takes over what `value` sets; it may be the `sumac` section itself or a tree that holds it, with nested
    /// objects or dotted keys. What it leaves out keeps its value.
    #[must_use]
    pub fn updated(&self, value: &Value) -> Self {
        let section = value.get("sumac").unwrap_or(value);
        let get = |path: &str| lookup(section, path).or_else(|| value.get(format!("sumac.{path}")));
        let flag = |path: &str, old: bool| get(path).and_then(Value::as_bool).unwrap_or(old);
        let positive = |path: &str| get(path).and_then(Value::as_f64).filter(|n| *n > 0.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a positive number of megabytes; the cast saturates"
        )]
        let memory = positive("run.memoryMegabytes").map(|mb| (mb * 1e6) as u64);
        Settings {
            hints: flag("inlayHints.enabled", self.hints),
            lenses: flag("lens.enabled", self.lenses),
            min_speedup: positive("minSpeedup").unwrap_or(self.min_speedup),
            run_memory: memory.or(self.run_memory),
            run_seconds: positive("run.timeoutSeconds").unwrap_or(self.run_seconds),
        }
    }
}

fn lookup<'a>(section: &'a Value, path: &str) -> Option<&'a Value> {
    let nested = path
        .split('.')
        .try_fold(section, |value, key| value.get(key));
    nested.or_else(|| section.get(path))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_come_nested_dotted_or_wrapped() {
        let off = Settings {
            hints: false,
            ..Settings::default()
        };
        for value in [
            json!({"inlayHints": {"enabled": false}}),
            json!({"inlayHints.enabled": false}),
            json!({"sumac": {"inlayHints": {"enabled": false}}}),
            json!({"sumac.inlayHints.enabled": false}),
        ] {
            assert_eq!(Settings::default().updated(&value), off, "{value}");
        }
    }

    #[test]
    fn ill_typed_values_change_nothing() {
        let value = json!({"lens": {"enabled": "yes"}, "minSpeedup": -3, "run": null});
        assert_eq!(Settings::default().updated(&value), Settings::default());
        assert_eq!(
            Settings::default().updated(&json!(null)),
            Settings::default()
        );
    }

    #[test]
    fn bytes_are_counted_only_with_clients_that_offer_it() {
        let client = |value| {
            let params = json!({"capabilities": {"general": {"positionEncodings": value}}});
            Session::new(&serde_json::from_value(params).unwrap()).encoding
        };
        assert_eq!(client(json!(["utf-16"])), Encoding::Utf16);
        assert_eq!(client(json!(["utf-16", "utf-8"])), Encoding::Utf8);
        assert_eq!(client(json!(null)), Encoding::Utf16);
    }
}
