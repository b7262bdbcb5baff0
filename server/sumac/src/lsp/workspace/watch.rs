//! Files that change behind the editor's back: scripts, headers of data, settings.

use std::path::PathBuf;
use std::sync::Arc;

use tower_lsp::ls_types as ls;

use super::known::key;
use super::scan::is_script;
use super::{now, outline_of, read};
use crate::lsp::state::Shared;
use crate::lsp::{convert, pipeline, sketches};

/// What decides how an open script is understood.
const WATCHED: [&str; 5] = [
    "**/*.dml",
    "**/*.sketch",
    "**/*.mtd",
    "**/*.mtx",
    "**/sumac.toml",
];

/// Asks the client to tell of changed files, where it can.
pub async fn register(shared: &Shared) {
    if !shared.session().watches_files {
        return;
    }
    let watchers = WATCHED.map(|pattern| ls::FileSystemWatcher {
        glob_pattern: ls::GlobPattern::String(pattern.to_owned()),
        kind: None,
    });
    let options = ls::DidChangeWatchedFilesRegistrationOptions {
        watchers: watchers.to_vec(),
    };
    let registration = ls::Registration {
        id: "sumac/files".to_owned(),
        method: "workspace/didChangeWatchedFiles".to_owned(),
        register_options: serde_json::to_value(options).ok(),
    };
    if let Err(error) = shared.client.register_capability(vec![registration]).await {
        tracing::warn!("the client does not watch files: {error}");
    }
}

/// `workspace/didChangeWatchedFiles`: takes scripts in or out, and has the open documents analysed again that source
/// one of them. Other files may tell sizes to any document.
pub fn changed(shared: &Arc<Shared>, changes: &[ls::FileEvent]) {
    shared.disk_moved_on();
    let mut is_sketch = false;
    let (scripts, others): (Vec<_>, Vec<_>) = changes
        .iter()
        .map(|change| (key(&change.uri), change.typ))
        .filter(|(path, _)| {
            let taken = sketches::changed_on_disk(shared, path);
            is_sketch |= taken;
            !taken
        })
        .partition(|(path, _)| is_script(path));
    if is_sketch {
        sketches::publish(shared);
        sketches::repin(shared);
    }
    for (path, change) in &scripts {
        let is_gone = *change == ls::FileChangeType::DELETED;
        let text = (!is_gone).then(|| read(path)).flatten();
        let outline = text.as_deref().map(outline_of);
        let is_unread = !is_gone && outline.is_none() && path.is_file();
        let mut known = shared.workspace();
        known.on_disk(path, outline);
        if is_unread {
            known.unread.insert(path.to_path_buf());
        }
    }
    if !others.is_empty() {
        pipeline::invalidate(shared);
        return;
    }
    let (index, open) = now(shared);
    pipeline::invalidate_some(shared, |uri| {
        let mut closed = scripts.iter().filter(|(path, _)| !open.contains_key(path));
        closed.any(|(path, _)| index.depends(&key(uri), path))
    });
}

/// The folders of the workspace at `initialize`.
#[must_use]
pub fn roots(params: &ls::InitializeParams) -> Vec<PathBuf> {
    match &params.workspace_folders {
        Some(folders) => folders.iter().filter_map(root).collect(),
        None => {
            #[expect(deprecated, reason = "clients without folders send nothing else")]
            let single = params.root_uri.as_ref();
            single.and_then(convert::file_path).into_iter().collect()
        }
    }
}

/// `workspace/didChangeWorkspaceFolders`.
pub fn folders_changed(shared: &Arc<Shared>, event: &ls::WorkspaceFoldersChangeEvent) {
    let removed: Vec<PathBuf> = event.removed.iter().filter_map(root).collect();
    let mut roots = shared.workspace().disk.roots().to_vec();
    roots.retain(|root| !removed.contains(root));
    for added in event.added.iter().filter_map(root) {
        if !roots.contains(&added) {
            roots.push(added);
        }
    }
    super::start(shared, roots);
}

fn root(folder: &ls::WorkspaceFolder) -> Option<PathBuf> {
    convert::file_path(&folder.uri)
}
