//! Sketch files on disk, as far as the session may look at them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tower_lsp::ls_types::Uri;

use super::store::State;
use crate::lsp::state::Shared;
use crate::lsp::workspace::known::key;
use crate::sketches::{beside, is_sketch, read, tidied};

/// Sketch files that a session knows at most: more is no library that anyone looks through.
const MAX_FILES: usize = 2000;

impl State {
    /// Takes over what is on disk; `None` if the file is gone.
    fn on_disk(&mut self, path: &Path, text: Option<Arc<str>>) {
        let before = self.disk.get(path);
        if before == text.as_ref() {
            return;
        }
        match text {
            Some(text) if before.is_some() || self.disk.len() < MAX_FILES => {
                self.disk.insert(path.into(), text);
            }
            Some(_) => {
                tracing::warn!(
                    "more than {MAX_FILES} sketch files: {} is left out",
                    path.display()
                );
            }
            None => {
                self.disk.remove(path);
            }
        }
        self.changed();
    }
}

/// A file appeared, changed or went away. Says whether it is a sketch file.
pub fn changed_on_disk(shared: &Shared, path: &Path) -> bool {
    if !is_sketch(path) {
        return false;
    }
    let text = read(path).ok().map(Arc::from);
    shared.sketches.lock().on_disk(path, text);
    true
}

/// Forgets the files that lie in none of the workspace's folders any more.
pub fn leave(shared: &Shared, old: &[PathBuf], new: &[PathBuf]) {
    let inside = |roots: &[PathBuf], path: &Path| roots.iter().any(|root| path.starts_with(root));
    let mut state = shared.sketches.lock();
    state
        .disk
        .retain(|path, _| !inside(old, path) || inside(new, path));
    state.looked.clear();
    state.changed();
}

/// Looks at all known files again: where the client does not tell of changes, a save is the moment.
pub fn look_again(shared: &Shared) {
    let known: Vec<Arc<Path>> = {
        let mut state = shared.sketches.lock();
        state.looked.clear();
        state.changed();
        state.disk.keys().cloned().collect()
    };
    for path in known {
        changed_on_disk(shared, &path);
    }
}

/// Reads the files beside a document that no scan of the workspace meets.
pub(super) fn look_beside(shared: &Shared, document: &Path) {
    let Some(folder) = document.parent().filter(|folder| folder.is_absolute()) else {
        return;
    };
    let is_new = shared.sketches.lock().looked.insert(folder.to_path_buf());
    if is_new {
        for path in beside(document) {
            if shared.sketches.lock().disk.contains_key(&*path) {
                continue;
            }
            changed_on_disk(shared, &path);
        }
    }
}

/// Reads the files that known ones import, and those that these import.
pub(super) fn follow_imports(shared: &Shared) {
    let (mut todo, mut seen) = {
        let state = shared.sketches.lock();
        let open = state.open.iter();
        let open = open.map(|(uri, open)| (key(uri), Arc::clone(&open.text)));
        let disk = state.disk.iter();
        let disk = disk.map(|(path, text)| (Arc::clone(path), Arc::clone(text)));
        let todo: Vec<(Arc<Path>, Arc<str>)> = open.chain(disk).collect();
        let seen: std::collections::BTreeSet<Arc<Path>> =
            todo.iter().map(|(path, _)| Arc::clone(path)).collect();
        (todo, seen)
    };
    while let Some((from, text)) = todo.pop() {
        let folder = from.parent().unwrap_or(Path::new(""));
        for import in sumac_ide::sketch::imports(&text) {
            let path: Arc<Path> = tidied(&folder.join(import)).into();
            if !is_sketch(&path) || !seen.insert(Arc::clone(&path)) || !may_look(shared, &path) {
                continue;
            }
            if let Ok(text) = read(&path) {
                let text: Arc<str> = text.into();
                shared
                    .sketches
                    .lock()
                    .on_disk(&path, Some(Arc::clone(&text)));
                todo.push((path, text));
            }
        }
    }
}

/// Whether a file may be read that a person has not opened: in the workspace, or beside what is open.
fn may_look(shared: &Shared, path: &Path) -> bool {
    let beside = |uri: &Uri| {
        key(uri)
            .parent()
            .is_some_and(|folder| path.starts_with(folder))
    };
    let trusted = shared.session().trusted;
    path.is_absolute()
        && (shared.workspace().may_look(path, trusted)
            || shared.sketches.lock().open.keys().any(beside))
}
