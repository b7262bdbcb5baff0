//! What is known of the workspace's scripts: those on disk, under those that are open. Must look at no file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sumac_ide::CancelToken;
use sumac_ide::workspace::{Index, Outline};
use sumac_syntax::Parse;
use tokio::sync::watch as channel;
use tower_lsp::ls_types::Uri;

use crate::lsp::convert;

/// A workspace with more scripts is read up to here: someone has opened a whole disk.
pub(super) const MAX_FILES: usize = 20_000;

/// A script that is larger is not looked at unless it is open.
pub(crate) const MAX_BYTES: u64 = 8 << 20;

/// What is known of the workspace.
#[derive(Debug, Default)]
pub struct Known {
    /// Stops the scan that is under way.
    pub(crate) scan: CancelToken,
    /// Closed when the scan that is under way ends.
    pub(crate) scanning: Option<channel::Receiver<()>>,
    /// Whether there are more scripts than a session looks at.
    pub(crate) is_partial: bool,
    /// Scripts that are there and could not be read, or are too large.
    pub(crate) unread: BTreeSet<PathBuf>,
    /// Files on disk, as they were when they were last looked at.
    pub(crate) disk: Index,
    /// Open documents by their number of changes.
    pub(crate) open: BTreeMap<Arc<Path>, (u64, Arc<Outline>)>,
    /// Both together, until one of them changes.
    pub(crate) merged: Option<Arc<Index>>,
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
                "the workspace has more than {MAX_FILES} scripts, and the others are not known here"
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

    pub(crate) fn merged(&mut self) -> Arc<Index> {
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
    pub(crate) fn on_disk(&mut self, path: &Path, outline: Option<Arc<Outline>>) {
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
    pub(crate) change: u64,
}

/// The name by which a document is known among files.
#[must_use]
pub fn key(uri: &Uri) -> Arc<Path> {
    match convert::file_path(uri) {
        Some(path) => path.into(),
        None => Path::new(uri.as_str()).into(),
    }
}
