//! The sketch files of a session: what is open, over what lies in the workspace and beside open documents.
//!
//! A sketch document is none of the scripts: it has no analysis and no runs. Its [`Library`] is made when somebody looks,
//! and kept until a file changes. Locks are held to look up and to swap, and while one small library is made anew.

mod answers;
mod documents;
mod files;
pub mod fits;
mod mentions;
pub mod searching;
pub mod writing;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sumac_ide::Snapshot;
use sumac_ide::sketch::{Library, Pins, has_sketches, inline_text, vocabulary};
use sumac_syntax::{LineIndex, Parse};
use tower_lsp::ls_types::Uri;

use super::convert::{self, Converter};
use super::settings::Encoding;
use super::state::Shared;
use super::sync;
use super::workspace::key;

pub use answers::{
    completion, definition, diagnostics, document_symbols, folding_ranges, formatting, highlights,
    hover, semantic_tokens,
};
pub use documents::{change, close, open, publish};
pub use files::{changed_on_disk, leave, look_again};
pub use mentions::{prepare_rename, references, rename};

/// The language of sketch files, as clients name it.
pub const LANGUAGE: &str = "sumac-sketch";

/// Whether a document is a sketch file, by its name or by what the client calls its language.
#[must_use]
pub fn is_sketch(uri: &Uri, language: &str) -> bool {
    language == LANGUAGE || crate::sketches::is_sketch(&key(uri))
}

/// The sketch files of a session.
#[derive(Debug, Default)]
pub struct Sketches {
    state: Mutex<State>,
    /// Whoever publishes diagnostics holds it, so that none are older than those before.
    publishing: tokio::sync::Mutex<()>,
    /// Where sketches fit.
    fits: fits::Fits,
}

#[derive(Debug, Default)]
struct State {
    open: BTreeMap<Uri, Open>,
    disk: BTreeMap<Arc<Path>, Arc<str>>,
    /// Folders outside of the workspace whose files were read.
    looked: BTreeSet<PathBuf>,
    /// Counts changes of any file.
    change: u64,
    /// Libraries by the folder that they are for, until a file changes.
    libraries: BTreeMap<PathBuf, Arc<Known>>,
}

impl State {
    fn changed(&mut self) {
        self.change += 1;
        self.libraries.clear();
    }
}

/// An open sketch file.
#[derive(Clone, Debug)]
struct Open {
    version: i32,
    text: Arc<str>,
}

/// A file's text, and what the client calls it if it is open there.
type Text = (Arc<str>, Option<(Uri, i32)>);

/// A library with what is needed to speak of its places.
#[derive(Debug)]
pub struct Known {
    /// All sketch files; those beside the folder that it is for come first.
    pub library: Library,
    files: Vec<File>,
}

#[derive(Debug)]
struct File {
    uri: Option<Uri>,
    version: Option<i32>,
    lines: LineIndex,
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
    fn lock(&self) -> MutexGuard<'_, State> {
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

/// All sketch files, as a document sees them. Reads files that were not read before: background work only.
#[must_use]
pub fn library(shared: &Shared, of: &Uri) -> Arc<Known> {
    let path = key(of);
    let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let change = {
        let state = shared.sketches.lock();
        if let Some(known) = state.libraries.get(&folder) {
            return Arc::clone(known);
        }
        state.change
    };
    files::look_beside(shared, &path);
    files::follow_imports(shared);
    let (open, disk) = {
        let state = shared.sketches.lock();
        (state.open.clone(), state.disk.clone())
    };
    let mut texts: BTreeMap<Arc<Path>, Text> = disk
        .into_iter()
        .map(|(path, text)| (path, (text, None)))
        .collect();
    for (uri, Open { version, text }) in open {
        texts.insert(key(&uri), (text, Some((uri, version))));
    }
    let mut texts: Vec<_> = texts.into_iter().collect();
    // Of several sketches with one name that of the nearest file counts.
    texts.sort_by_key(|(path, _)| !crate::sketches::is_beside(path, &folder));
    let names = texts.iter().map(|(path, (text, _))| {
        let name = path.to_string_lossy().replace('\\', "/");
        (Arc::from(name), Arc::clone(text))
    });
    let library = Library::new(names, &vocabulary());
    let files = texts.into_iter().map(|(path, (text, open))| {
        let (uri, version) = match open {
            Some((uri, version)) => (Some(uri), Some(version)),
            None => (convert::file_uri(&path), None),
        };
        File {
            uri,
            version,
            lines: LineIndex::new(text),
        }
    });
    let known = Arc::new(Known {
        files: files.collect(),
        library,
    });
    let mut state = shared.sketches.lock();
    // What was read on the way counts as known; what was typed on the way does not.
    if state.change == change || state.open.values().all(|open| is_in(&known, open)) {
        state.libraries.insert(folder, Arc::clone(&known));
    }
    known
}

/// What the `#@ sketch` lines of a script mean: it sees its own sketches, then those beside it and what they import, as on
/// the command line. Background work only.
#[must_use]
pub fn pins(shared: &Shared, uri: &Uri, parse: &Parse) -> Pins {
    let facts = parse.facts();
    if !has_sketches(parse.text(), facts) {
        return Pins::default();
    }
    let known = library(shared, uri);
    let files = seen_by(&known.library, &key(uri), parse).into_iter();
    let files = files.map(|file| &known.library.files()[file]);
    let files = files.map(|file| (Arc::clone(&file.path), Arc::clone(&file.text)));
    let path = crate::sketches::name(&key(uri));
    Pins::new(&path, facts, inline_text(parse.text(), facts), files)
}

/// The sketch files of a library that a script sees, in their order: those beside it, those that sketches inside of it
/// import, and what these import.
fn seen_by(library: &Library, script: &Path, parse: &Parse) -> Vec<usize> {
    let folder = script.parent().unwrap_or(Path::new(""));
    let imported = crate::sketches::imported(script, parse);
    let files = library.files().iter().enumerate();
    let seen = files.filter(|(_, file)| {
        let path = Path::new(&*file.path);
        crate::sketches::is_sketch(path)
            && (crate::sketches::is_beside(path, folder) || imported.iter().any(|own| own == path))
    });
    with_imports(library, seen.map(|(file, _)| file).collect())
}

/// Some files of a library and all that they import.
fn with_imports(library: &Library, mut seen: Vec<usize>) -> Vec<usize> {
    let mut at = 0;
    while let Some(file) = seen.get(at).copied() {
        let meanings = library.meanings(file).iter();
        let imports = meanings.filter_map(|(_, meaning)| match meaning {
            sumac_ide::sketch::Meaning::File(file) => Some(*file),
            _ => None,
        });
        let new: Vec<usize> = imports.filter(|file| !seen.contains(file)).collect();
        seen.extend(new);
        at += 1;
    }
    seen
}

/// All sketches that could be used in a script, its own first.
#[must_use]
pub fn of_script(shared: &Shared, uri: &Uri, snapshot: &Snapshot) -> Library {
    let known = library(shared, uri);
    crate::sketches::with_inline(&key(uri), &snapshot.parse, &known.library)
}

/// The sketches on arrays that could be used in a script, and those that are always there. Background work only.
#[must_use]
pub fn on_arrays(shared: &Shared, uri: &Uri) -> Library {
    let known = library(shared, uri);
    let files = known.library.files().iter();
    let texts = files.map(|file| (Arc::clone(&file.path), Arc::clone(&file.text)));
    sumac_array::steps::library(texts)
}

/// Has the scripts analysed again that speak of sketches: a sketch file has changed.
pub fn repin(shared: &Arc<Shared>) {
    let pinned: Vec<Uri> = {
        let documents = shared.documents();
        let speaks = documents
            .iter()
            .filter(|(_, document)| has_sketches(document.parse.text(), document.parse.facts()));
        speaks.map(|(uri, _)| uri.clone()).collect()
    };
    sync::invalidate_some(shared, |uri| pinned.contains(uri));
}

fn is_in(known: &Known, open: &Open) -> bool {
    let mut files = known.library.files().iter();
    files.any(|file| Arc::ptr_eq(&file.text, &open.text))
}
