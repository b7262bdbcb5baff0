//! Finds the scripts of the workspace's folders, in the background.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use ignore::{WalkBuilder, WalkState};
use sumac_ide::CancelToken;
use sumac_syntax::is_other_language;
use tokio::sync::watch;

use super::ignored::Ignored;
use super::known::{Known, MAX_FILES};
use super::{outline_of, read};
use crate::lsp::activity::{Task, What};
use crate::lsp::background::background;
use crate::lsp::sketches;
use crate::lsp::state::Shared;

/// Threads that read files side by side. Few, for the editor works at the same time.
const MAX_THREADS: usize = 4;

/// Makes these the workspace's folders and reads the scripts in them. A scan that is under way ends.
pub fn start(shared: &Arc<Shared>, roots: Vec<PathBuf>) {
    let token = CancelToken::default();
    let before = shared.workspace().roots().to_vec();
    sketches::leave(shared, &before, &roots);
    {
        let mut known = shared.workspace();
        known.scan.cancel();
        known.scan = token.clone();
        known.scanning = None;
        known.is_partial = false;
        known.unread.clear();
        known.leave(&roots);
        known.disk.set_roots(&roots);
        known.merged = None;
    }
    if roots.is_empty() {
        return;
    }
    let (done, scanning) = watch::channel(());
    shared.workspace().scanning = Some(scanning);
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        // Whoever waits for the end of the scan sees that this is dropped.
        let _done = done;
        let task = Task::new(&shared.activity, What::Index, None, token);
        let work = background(task, move |token| {
            let began = Instant::now();
            let files = scan(&shared, &roots, token);
            let seconds = began.elapsed().as_secs_f64();
            tracing::info!(files, seconds, "the scripts of the workspace are known");
        });
        // A panic is logged there; the session goes on without an index of the workspace.
        let _ = work.await;
    });
}

/// Waits until the scripts of the workspace are known.
pub async fn complete(shared: &Shared) {
    let scanning = shared.workspace().scanning.clone();
    if let Some(mut scanning) = scanning {
        while scanning.changed().await.is_ok() {}
    }
}

/// Ends the scan that is under way.
pub fn stop(shared: &Shared) {
    shared.workspace().scan.cancel();
}

impl Known {
    /// Forgets files that lie in none of the folders any more.
    fn leave(&mut self, roots: &[PathBuf]) {
        let gone = |path: &Path| {
            let inside = |root: &PathBuf| path.starts_with(root);
            self.disk.roots().iter().any(inside) && !roots.iter().any(inside)
        };
        let gone: Vec<Arc<Path>> = self
            .disk
            .files()
            .map(|(path, _)| path.clone())
            .filter(|path| gone(path))
            .collect();
        for path in gone {
            self.on_disk(&path, None);
        }
    }
}

/// Reads every script in the folders; says how many there are.
fn scan(shared: &Shared, roots: &[PathBuf], token: &CancelToken) -> usize {
    let count = AtomicUsize::new(0);
    let Some((first, others)) = roots.split_first() else {
        return 0;
    };
    let mut walk = WalkBuilder::new(first);
    for root in others {
        walk.add(root);
    }
    let threads = std::thread::available_parallelism().map_or(1, |cores| cores.get().div_ceil(2));
    let ignored = Ignored::new();
    walk.standard_filters(false)
        .hidden(true)
        .filter_entry(move |entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            let is_known = ["target", "node_modules"]
                .iter()
                .any(|name| entry.file_name() == *name);
            // What the person opened is looked at, whatever lies above it.
            entry.depth() == 0 || !is_known && !ignored.is_ignored(entry.path(), is_folder)
        })
        .threads(threads.min(MAX_THREADS));
    walk.build_parallel().run(|| {
        Box::new(|entry| {
            if token.is_cancelled() {
                return WalkState::Quit;
            }
            let Ok(entry) = entry else {
                return WalkState::Continue;
            };
            shared.pace.give_way(token);
            let path = entry.path();
            if sketches::changed_on_disk(shared, path) {
                return WalkState::Continue;
            }
            if is_script(path) && count.load(Ordering::Relaxed) >= MAX_FILES {
                let mut known = shared.workspace();
                known.is_partial |= !token.is_cancelled();
                return WalkState::Quit;
            }
            if !is_script(path) {
                return WalkState::Continue;
            }
            let text = read(path);
            if text.is_none() && entry.file_type().is_some_and(|kind| kind.is_file()) {
                let mut known = shared.workspace();
                if !token.is_cancelled() {
                    known.unread.insert(path.to_owned());
                }
            }
            if let Some(text) = text.filter(|text| !is_other_language(text)) {
                let outline = outline_of(&text);
                // A scan that was superseded must not bring files of closed folders back.
                let mut known = shared.workspace();
                if !token.is_cancelled() {
                    known.on_disk(path, Some(outline));
                    count.fetch_add(1, Ordering::Relaxed);
                }
            }
            WalkState::Continue
        })
    });
    count.into_inner()
}

/// Whether a file is a script by its name.
#[must_use]
pub fn is_script(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "dml")
}
