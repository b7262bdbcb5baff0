//! The configuration of a document: what its client says over the nearest `sumac.toml`. A wrong file is told to the
//! client as diagnostics of that file.

use std::path::Path;
use std::sync::Arc;

use sumac_sumproduct::Options;
use sumac_text::LineIndex;
use tower_lsp::ls_types as ls;
use tower_lsp::ls_types::notification::PublishDiagnostics;

use super::convert::{self, Converter};
use super::state::Shared;
use crate::config::{self, Config, Found};
use crate::machine::{self, Used};

/// The configuration for a script, and the file that had a part in it. Reads the disk.
#[must_use]
pub fn of_script(shared: &Shared, path: Option<&Path>) -> (Config, Option<Found>) {
    let mut found = path.and_then(|path| config::find(path, None));
    if !shared.session().trusted
        && let Some(found) = &mut found
    {
        found.layer.distrust();
    }
    let settings = shared.settings();
    let config = match &found {
        Some(found) => settings.over(&found.layer).config(),
        None => settings.config(),
    };
    (config, found)
}

/// Takes over the limits of the session: what the client says over the `sumac.toml` of the workspace's first folder. The
/// session is one, so no other file has a say in them. Reads the disk.
pub fn limit(shared: &Shared) {
    let first = shared.workspace().roots().first().cloned();
    // The search for a file begins beside a script.
    let found = first.and_then(|root| config::find(&root.join("script.dml"), None));
    let settings = shared.settings();
    let config = match found {
        Some(found) => settings.over(&found.layer).config(),
        None => settings.config(),
    };
    shared.limit(config.limits);
}

/// The options of the search by a configuration, for the machine that it says. Reads the disk.
#[must_use]
pub fn search_options(shared: &Shared, config: &Config) -> Options {
    let used = machine::used(None, &config.search).unwrap_or_else(|wrong| Used {
        note: Some(wrong),
        ..Used::default()
    });
    if shared.set_machine_note(used.note.as_deref())
        && let Some(note) = &used.note
    {
        tracing::warn!("{note}");
    }
    let memory = config.search.memory.as_ref().map(|memory| memory.bytes);
    used.by(config.search_options(), memory).0
}

/// Tells the client what is wrong with a file, where it does not show just that already.
pub async fn publish(shared: &Shared, found: &Found) {
    if !shared.set_problems(&found.path, &found.problems) {
        return;
    }
    let Some(uri) = convert::file_uri(&found.path) else {
        return;
    };
    let lines = LineIndex::new(found.text.as_str());
    let converter = Converter::new(&lines, shared.session().encoding);
    let diagnostics = found.problems.iter().map(|problem| ls::Diagnostic {
        range: converter.range(problem.range),
        severity: Some(ls::DiagnosticSeverity::ERROR),
        source: Some("sumac".to_owned()),
        message: problem.message.clone(),
        ..ls::Diagnostic::default()
    });
    let params = ls::PublishDiagnosticsParams::new(uri, diagnostics.collect(), None);
    shared.writer.notify::<PublishDiagnostics>(&params).await;
}

/// Looks again at the files that were wrong: one may be gone, and then no script leads to it any more.
pub async fn recheck(shared: &Arc<Shared>) {
    for path in shared.wrong_files() {
        let found = if path.is_file() {
            config::load(path)
        } else {
            Found {
                path,
                ..Found::default()
            }
        };
        publish(shared, &found).await;
    }
}
