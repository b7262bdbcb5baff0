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
pub mod store;
pub mod writing;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use sumac_ide::Snapshot;
use sumac_ide::sketch::{Library, Pins, has_sketches, inline_text, vocabulary};
use sumac_syntax::Parse;
use sumac_text::LineIndex;
use tower_lsp::ls_types::Uri;

use super::convert;
use super::state::Shared;
use super::workspace::known::key;

pub use answers::{
    completion, definition, diagnostics, document_symbols, folding_ranges, formatting, highlights,
    hover, semantic_tokens,
};
pub use documents::{change, close, open, publish, repin};
pub use files::{changed_on_disk, leave, look_again};
pub use mentions::{prepare_rename, references, rename};
pub use store::Known;
use store::{File, Open, Text};

/// The language of sketch files, as clients name it.
pub const LANGUAGE: &str = "sumac-sketch";

/// Whether a document is a sketch file, by its name or by what the client calls its language.
#[must_use]
pub fn is_sketch(uri: &Uri, language: &str) -> bool {
    language == LANGUAGE || crate::sketches::is_sketch(&key(uri))
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

fn is_in(known: &Known, open: &Open) -> bool {
    let mut files = known.library.files().iter();
    files.any(|file| Arc::ptr_eq(&file.text, &open.text))
}
