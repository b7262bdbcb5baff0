//! The sketch files that a session knows: what is open, what lies on disk, and where their sketches fit. Must look at no file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sumac_ide::CancelToken;
use sumac_ide::sketch::Library;
use sumac_text::LineIndex;
use tower_lsp::ls_types::{self as ls, Uri};

use crate::lsp::convert::Converter;
use crate::lsp::settings::Encoding;

/// The sketch files of a session.
#[derive(Debug, Default)]
pub struct Sketches {
    pub(crate) state: Mutex<State>,
    /// Whoever publishes diagnostics holds it, so that none are older than those before.
    pub(crate) publishing: tokio::sync::Mutex<()>,
    /// Where sketches fit.
    pub(crate) fits: Fits,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) open: BTreeMap<Uri, Open>,
    pub(crate) disk: BTreeMap<Arc<Path>, Arc<str>>,
    /// Folders outside of the workspace whose files were read.
    pub(crate) looked: BTreeSet<PathBuf>,
    /// Counts changes of any file.
    pub(crate) change: u64,
    /// Libraries by the folder that they are for, until a file changes.
    pub(crate) libraries: BTreeMap<PathBuf, Arc<Known>>,
}

impl State {
    pub(crate) fn changed(&mut self) {
        self.change += 1;
        self.libraries.clear();
    }
}

/// An open sketch file.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    pub(crate) version: i32,
    pub(crate) text: Arc<str>,
}

/// A file's text, and what the client calls it if it is open there.
pub(crate) type Text = (Arc<str>, Option<(Uri, i32)>);

/// A library with what is needed to speak of its places.
#[derive(Debug)]
pub struct Known {
    /// All sketch files; those beside the folder that it is for come first.
    pub library: Library,
    pub(crate) files: Vec<File>,
}

#[derive(Debug)]
pub(crate) struct File {
    pub(crate) uri: Option<Uri>,
    pub(crate) version: Option<i32>,
    pub(crate) lines: LineIndex,
}

impl Known {
    /// The number of a document's file.
    #[must_use]
    pub fn number(&self, uri: &Uri) -> Option<usize> {
        let is_it = |file: &File| file.uri.as_ref() == Some(uri);
        self.files.iter().position(is_it)
    }

    /// A file as the client calls it.
    #[must_use]
    pub fn uri(&self, file: usize) -> Option<&Uri> {
        self.files.get(file)?.uri.as_ref()
    }

    /// The client's version of a file, if it is open.
    #[must_use]
    pub fn version(&self, file: usize) -> Option<i32> {
        self.files.get(file)?.version
    }

    /// Where the lines of a file begin.
    #[must_use]
    pub fn lines(&self, file: usize) -> &LineIndex {
        &self.files[file].lines
    }

    /// The converter of a file's text.
    #[must_use]
    pub fn converter(&self, file: usize, encoding: Encoding) -> Converter<'_> {
        Converter::new(&self.files[file].lines, encoding)
    }
}

impl Sketches {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a document is an open sketch file.
    #[must_use]
    pub fn is_open(&self, uri: &Uri) -> bool {
        self.lock().open.contains_key(uri)
    }

    /// What the sketch files take of memory, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let state = self.lock();
        let open = state.open.values().map(|open| open.text.len());
        let disk = state.disk.values().map(|text| text.len());
        open.chain(disk).sum()
    }
}

/// Where the sketches of a file fit, by their names.
pub(crate) type Places = BTreeMap<Arc<str>, Vec<ls::Location>>;

/// What is known of the open sketch files.
#[derive(Debug, Default)]
pub struct Fits(Mutex<BTreeMap<Uri, Entry>>);

#[derive(Debug, Default)]
pub(crate) struct Entry {
    /// What was counted last, for which moment, and whether that is all there is.
    pub(crate) known: Option<(Moment, Arc<Places>, bool)>,
    /// The count that is under way.
    pub(crate) running: Option<(Moment, CancelToken)>,
}

/// A state of all files that a count depends on.
pub(crate) type Moment = u64;

impl Fits {
    pub(crate) fn lock(&self) -> MutexGuard<'_, BTreeMap<Uri, Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets a closed file.
    pub fn forget(&self, uri: &Uri) {
        let entry = self.lock().remove(uri);
        if let Some((_, token)) = entry.and_then(|entry| entry.running) {
            token.cancel();
        }
    }
}
