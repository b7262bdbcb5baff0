//! The names of sketches wherever they stand: in sketch files, in sketches that scripts hold, and in the lines of scripts
//! that pin one. `None`: the place has to do with no sketch.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use sumac_ide::sketch::{
    self, Library, Meaning, Pin, Place, has_sketches, inline_text, is_in_sketch, vocabulary,
};
use sumac_syntax::{Parse, parse};
use sumac_text::LineIndex;
use tower_lsp::ls_types as ls;

use super::{library, seen_by};
use crate::lsp::activity::What;
use crate::lsp::background::{Failure, background};
use crate::lsp::convert::{self, Converter};
use crate::lsp::requests::rename as edits;
use crate::lsp::settings::{Encoding, Session};
use crate::lsp::state::Shared;
use crate::lsp::workspace::{self, key};

/// All sketch files and all scripts that speak of sketches, as one library.
struct Everywhere {
    library: Library,
    pins: Vec<Pin>,
    files: Vec<File>,
    session: Session,
    /// The file that was asked about, and where in it.
    at: (usize, usize),
}

struct File {
    uri: Option<ls::Uri>,
    version: Option<i32>,
    lines: LineIndex,
}

/// A script that speaks of sketches.
struct Script {
    uri: ls::Uri,
    version: Option<i32>,
    path: Arc<Path>,
    parse: Parse,
}

impl Everywhere {
    /// `None`: the document is not known any more.
    fn new(shared: &Shared, of: &ls::Uri, position: ls::Position) -> Option<Self> {
        let known = library(shared, of);
        let mut texts: Vec<(Arc<str>, Arc<str>)> = Vec::new();
        let mut files: Vec<File> = Vec::new();
        for (number, source) in known.library.files().iter().enumerate() {
            texts.push((Arc::clone(&source.path), Arc::clone(&source.text)));
            files.push(File {
                uri: known.uri(number).cloned(),
                version: known.version(number),
                lines: LineIndex::new(Arc::clone(&source.text)),
            });
        }
        let scripts = scripts(shared);
        for script in &scripts {
            let inline = inline_text(script.parse.text(), script.parse.facts());
            let path = crate::sketches::name(&script.path);
            texts.push((path.into(), inline.unwrap_or_default().into()));
            files.push(File {
                uri: Some(script.uri.clone()),
                version: script.version,
                lines: LineIndex::new(Arc::clone(script.parse.text())),
            });
        }
        let count = texts.len();
        let library = Library::new(texts, &vocabulary());
        // Of two files with one path the second counts for nothing, and then no number fits.
        if library.files().len() != count {
            return None;
        }
        let first = count - scripts.len();
        let pins = (first..).zip(&scripts);
        let pins = pins.flat_map(|(file, script)| pins_of(&library, file, script));
        let pins = pins.collect();
        let file = files
            .iter()
            .position(|file| file.uri.as_ref() == Some(of))?;
        let session = shared.session();
        let offset = Converter::new(&files[file].lines, session.encoding).offset(position);
        Some(Everywhere {
            at: (file, offset),
            library,
            pins,
            files,
            session,
        })
    }

    fn location(&self, place: Place) -> Option<ls::Location> {
        let file = &self.files[place.file];
        Some(ls::Location {
            uri: file.uri.clone()?,
            range: Converter::new(&file.lines, self.session.encoding).range(place.range),
        })
    }
}

/// All scripts that speak of sketches, the open ones as they are there.
fn scripts(shared: &Shared) -> Vec<Script> {
    let mut found: Vec<Script> = Vec::new();
    let mut seen: BTreeSet<Arc<Path>> = BTreeSet::new();
    for (uri, document) in shared.documents().iter() {
        let path = key(uri);
        seen.insert(Arc::clone(&path));
        found.push(Script {
            uri: uri.clone(),
            version: Some(document.version),
            path,
            parse: document.parse.clone(),
        });
    }
    let on_disk = shared.workspace().scripts();
    for path in on_disk.into_iter().filter(|path| !seen.contains(path)) {
        // Most scripts have no word of it, and are not worth a look at their trees.
        let text =
            workspace::text(&path).filter(|text| text.contains("#@") && text.contains("sketch"));
        if let Some((text, uri)) = text.zip(convert::file_uri(&path)) {
            found.push(Script {
                uri,
                version: None,
                path,
                parse: parse(text),
            });
        }
    }
    found.retain(|script| has_sketches(script.parse.text(), script.parse.facts()));
    found
}

/// The pins of a script: each means the first sketch of its name that the script sees.
fn pins_of(library: &Library, file: usize, script: &Script) -> Vec<Pin> {
    let mut sees = vec![file];
    sees.extend(seen_by(library, &script.path, &script.parse));
    let named = |name: &str| {
        let mut files = sees.iter();
        files.find_map(|file| {
            let mut sketches = library.files()[*file].parse.file.sketches.iter();
            let number = sketches.position(|one| &*one.name.text == name)?;
            Some(Meaning::Sketch(*file, number))
        })
    };
    sketch::pinned(script.parse.facts())
        .filter_map(|(name, range)| {
            Some(Pin {
                place: Place { file, range },
                sketch: named(name)?,
                sees: sees.clone(),
            })
        })
        .collect()
}

/// Whether a place has to do with sketches: a sketch file, or a line of a script.
fn is_about_sketches(
    shared: &Shared,
    uri: &ls::Uri,
    position: ls::Position,
    encoding: Encoding,
) -> bool {
    if shared.sketches.is_open(uri) {
        return true;
    }
    let parse = shared
        .documents()
        .get(uri)
        .map(|document| document.parse.clone());
    parse.is_some_and(|parse| {
        let facts = parse.facts();
        let lines = LineIndex::new(Arc::clone(parse.text()));
        has_sketches(parse.text(), facts)
            && is_in_sketch(facts, Converter::new(&lines, encoding).offset(position))
    })
}

async fn answer<T: Send + 'static>(
    shared: &Arc<Shared>,
    uri: &ls::Uri,
    position: ls::Position,
    work: impl FnOnce(&Everywhere) -> T + Send + 'static,
) -> Result<Option<T>, Failure> {
    if !is_about_sketches(shared, uri, position, shared.session().encoding) {
        return Ok(None);
    }
    // A pin in a script that is not known yet would be missed.
    workspace::complete(shared).await;
    let (keeper, of) = (Arc::clone(shared), uri.clone());
    background(shared.task_for(What::Lookup, uri), move |_| {
        Some(work(&Everywhere::new(&keeper, &of, position)?))
    })
    .await
}

/// `textDocument/references`.
///
/// # Errors
/// As [`background`], here and below.
pub async fn references(
    shared: &Arc<Shared>,
    uri: &ls::Uri,
    position: ls::Position,
    with_definition: bool,
) -> Result<Option<Vec<ls::Location>>, Failure> {
    answer(shared, uri, position, move |all| {
        let (file, offset) = all.at;
        let found = sketch::references(&all.library, &all.pins, file, offset, with_definition);
        let found = found.into_iter();
        found.filter_map(|place| all.location(place)).collect()
    })
    .await
}

/// `textDocument/prepareRename`.
///
/// # Errors
/// What is there cannot be renamed, or as [`background`].
pub async fn prepare_rename(
    shared: &Arc<Shared>,
    uri: &ls::Uri,
    position: ls::Position,
) -> Result<Option<Option<ls::PrepareRenameResponse>>, Failure> {
    let found = answer(shared, uri, position, move |all| {
        let (file, offset) = all.at;
        let found = sketch::prepare_rename(&all.library, &all.pins, file, offset);
        let found = found.map_err(Failure::Refused)?;
        let converter = Converter::new(&all.files[file].lines, all.session.encoding);
        Ok(found.map(
            |(range, placeholder)| ls::PrepareRenameResponse::RangeWithPlaceholder {
                range: converter.range(range),
                placeholder,
            },
        ))
    });
    found.await?.transpose()
}

/// `textDocument/rename`.
///
/// # Errors
/// Something is in the way, or as [`background`].
pub async fn rename(
    shared: &Arc<Shared>,
    uri: &ls::Uri,
    position: ls::Position,
    new_name: &str,
) -> Result<Option<ls::WorkspaceEdit>, Failure> {
    let new_name = new_name.trim().to_owned();
    let found = answer(shared, uri, position, move |all| {
        let (file, offset) = all.at;
        let found = sketch::rename(&all.library, &all.pins, file, offset, &new_name);
        let found = found.map_err(Failure::Refused)?;
        let mut files = Vec::new();
        for (number, of_file) in found {
            let file = &all.files[number];
            let uri = file.uri.clone().ok_or_else(|| {
                Failure::Refused("a file has no name, so nothing was renamed".to_owned())
            })?;
            let converter = Converter::new(&file.lines, all.session.encoding);
            files.push((uri, file.version, converter.edits(&of_file)));
        }
        Ok(edits::encoded(files, all.session))
    });
    found.await?.transpose()
}
