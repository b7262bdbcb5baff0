//! The scripts of the workspace: an index of what is on disk, overlaid by what is open.
//!
//! Answers never wait for the scan: until it is done they come from open documents, from what these source, and from
//! what has been seen so far.

mod ignored;
mod scan;
mod view;
pub mod watch;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sumac_ide::CancelToken;
use sumac_ide::workspace::{Index, Outline};
use sumac_runtime::io::read_at_most;
use sumac_syntax::Parse;
use tokio::sync::watch as channel;
use tower_lsp::ls_types::Uri;

use super::convert;
use super::state::Shared;

pub use scan::{complete, start, stop};
pub use view::{View, answer, lookup};

/// A script that is larger is not looked at unless it is open.
const MAX_BYTES: u64 = 8 << 20;

/// What is known of the workspace.
#[derive(Debug, Default)]
pub struct Known {
    /// Stops the scan that is under way.
    scan: CancelToken,
    /// Closed when the scan that is under way ends.
    scanning: Option<channel::Receiver<()>>,
    /// Whether there are more scripts than a session looks at.
    is_partial: bool,
    /// Scripts that are there and could not be read, or are too large.
    unread: BTreeSet<PathBuf>,
    /// Files on disk, as they were when they were last looked at.
    disk: Index,
    /// Open documents by their number of changes.
    open: BTreeMap<Arc<Path>, (u64, Arc<Outline>)>,
    /// Both together, until one of them changes.
    merged: Option<Arc<Index>>,
}

impl Known {
    /// The folders of the workspace.
    #[must_use]
    pub fn roots(&self) -> &[PathBuf] {
        self.disk.roots()
    }

    /// Why what looks at every script cannot be sure that it did; `None` where it can.
    #[must_use]
    pub fn unseen(&self) -> Option<String> {
        if self.is_partial {
            return Some(format!(
                "the workspace has more than {} scripts, and the others are not known here",
                scan::MAX_FILES
            ));
        }
        let is_closed = |path: &&PathBuf| !self.open.contains_key(path.as_path());
        self.unread.iter().find(is_closed).map(|path| {
            format!(
                "{} cannot be read, or is larger than {} MB, so what it says is not known here",
                path.display(),
                MAX_BYTES >> 20
            )
        })
    }

    /// Whether scripts at this place may be looked at without being opened.
    #[must_use]
    pub fn may_look(&self, path: &Path, trusted: bool) -> bool {
        let beside =
            |open: &Arc<Path>| open.parent().is_some_and(|folder| path.starts_with(folder));
        path.is_absolute()
            && (trusted
                || self.disk.roots().iter().any(|root| path.starts_with(root))
                || self.open.keys().any(beside))
    }

    /// The scripts that are known on disk.
    #[must_use]
    pub fn scripts(&self) -> Vec<Arc<Path>> {
        let files = self.disk.files();
        files.map(|(path, _)| Arc::clone(path)).collect()
    }

    fn merged(&mut self) -> Arc<Index> {
        let Known {
            disk, open, merged, ..
        } = self;
        let merge = || {
            let mut index = disk.clone();
            for (path, (_, outline)) in open {
                index.insert(path.clone(), outline.clone());
            }
            Arc::new(index)
        };
        merged.get_or_insert_with(merge).clone()
    }

    /// Takes over what is on disk; `None` if the file is gone or cannot be read.
    fn on_disk(&mut self, path: &Path, outline: Option<Arc<Outline>>) {
        self.unread.remove(path);
        match outline {
            Some(outline) => self.disk.insert(path.into(), outline),
            None => self.disk.remove(path),
        }
        self.merged = None;
    }
}

/// An open document, as features that look beyond one file see it.
#[derive(Clone, Debug)]
pub struct Open {
    /// As the client writes it.
    pub uri: Uri,
    /// The client's version.
    pub version: i32,
    /// Its text.
    pub parse: Parse,
    change: u64,
}

/// The name by which a document is known among files.
#[must_use]
pub fn key(uri: &Uri) -> Arc<Path> {
    match convert::file_path(uri) {
        Some(path) => path.into(),
        None => Path::new(uri.as_str()).into(),
    }
}

/// All known files as of now, and the open documents among them.
fn now(shared: &Shared) -> (Arc<Index>, BTreeMap<Arc<Path>, Open>) {
    let open: BTreeMap<Arc<Path>, Open> = shared
        .documents()
        .iter()
        .map(|(uri, document)| {
            let open = Open {
                uri: uri.clone(),
                version: document.version,
                parse: document.parse.clone(),
                change: document.change,
            };
            (key(uri), open)
        })
        .collect();
    let outdated: Vec<&Arc<Path>> = {
        let mut known = shared.workspace();
        let before = known.open.len();
        known.open.retain(|path, _| open.contains_key(path));
        if known.open.len() < before {
            known.merged = None;
        }
        let is_outdated = |(path, open): &(&Arc<Path>, &Open)| {
            known
                .open
                .get(*path)
                .is_none_or(|(change, _)| *change != open.change)
        };
        open.iter()
            .filter(is_outdated)
            .map(|(path, _)| path)
            .collect()
    };
    for path in outdated {
        let outline = Arc::new(Outline::of(&open[path].parse));
        let mut known = shared.workspace();
        known
            .open
            .insert(path.clone(), (open[path].change, outline));
        known.merged = None;
    }
    follow_sources(shared, open.keys());
    let index = shared.workspace().merged();
    (index, open)
}

/// Looks at the files that open documents source, and at those that these source, where no scan has met them.
fn follow_sources<'a>(shared: &Shared, open: impl Iterator<Item = &'a Arc<Path>>) {
    let trusted = shared.session().trusted;
    let index = shared.workspace().merged();
    let mut seen: BTreeSet<Arc<Path>> = open.cloned().collect();
    let mut todo: Vec<Arc<Path>> = seen.iter().cloned().collect();
    let mut outlines: BTreeMap<Arc<Path>, Arc<Outline>> = BTreeMap::new();
    while let Some(from) = todo.pop() {
        let Some(outline) = outlines.get(&from).or_else(|| index.get(&from)).cloned() else {
            continue;
        };
        for source in &outline.sources {
            let found = match index.sourced(&from, source) {
                Some(path) => Some(path.clone()),
                None => index
                    .candidates(&from, source)
                    .into_iter()
                    .filter(|path| shared.workspace().may_look(path, trusted))
                    .find_map(|path| {
                        let path: Arc<Path> = path.into();
                        let outline = read(&path).map(|text| outline_of(&text))?;
                        shared.workspace().on_disk(&path, Some(outline.clone()));
                        outlines.insert(path.clone(), outline);
                        Some(path)
                    }),
            };
            if let Some(path) = found
                && seen.insert(path.clone())
            {
                todo.push(path);
            }
        }
    }
}

/// The text of a known script on disk.
#[must_use]
pub fn text(path: &Path) -> Option<String> {
    read(path)
}

/// The text of a file on disk: a regular file, not too large. What is not UTF-8 in it is replaced.
fn read(path: &Path) -> Option<String> {
    let bytes = read_at_most(path, MAX_BYTES).ok()?;
    Some(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

fn outline_of(text: &str) -> Arc<Outline> {
    Arc::new(Outline::of(&sumac_syntax::parse(text)))
}
