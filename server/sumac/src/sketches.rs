//! Sketch files on the disk: where they lie, and what they import. Reads files; never writes.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use sumac_ide::sketch::{Library, Pins, has_sketches, inline_text, vocabulary};
use sumac_runtime::io::text_at_most;
use sumac_syntax::Parse;

/// No sketch file is this large.
const MAX_BYTES: u64 = 4 << 20;
/// The folder beside a script whose sketches it sees, next to those in its own folder.
const FOLDER: &str = "sketches";
/// How sketch files end.
pub const EXTENSION: &str = "sketch";

/// Whether a path is that of a sketch file.
#[must_use]
pub fn is_sketch(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == EXTENSION)
}

/// The sketch files in a folder, in the order of their names; none if it cannot be listed.
#[must_use]
pub fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| is_sketch(path) && path.is_file())
        .collect();
    found.sort();
    found
}

/// The sketch files that a script sees without being told: those beside it, and in a folder `sketches` beside it.
#[must_use]
pub fn beside(script: &Path) -> Vec<PathBuf> {
    let folder = script.parent().unwrap_or(Path::new(""));
    let mut found = in_folder(folder);
    found.extend(in_folder(&folder.join(FOLDER)));
    found
}

/// Whether a sketch file is one of those that scripts in a folder see without being told.
#[must_use]
pub fn is_beside(sketch: &Path, folder: &Path) -> bool {
    let own = sketch.parent().unwrap_or(Path::new(""));
    own == folder || own == folder.join(FOLDER)
}

/// A library of these files and of what they import. A file that cannot be read is left out, and said.
#[must_use]
pub fn library(paths: &[PathBuf]) -> (Library, Vec<(PathBuf, String)>) {
    let mut texts: Vec<(Arc<str>, Arc<str>)> = Vec::new();
    let mut problems = Vec::new();
    let mut seen = BTreeSet::new();
    let mut open: Vec<(PathBuf, bool)> = paths.iter().rev().map(|p| (p.clone(), true)).collect();
    while let Some((path, is_named)) = open.pop() {
        let path = tidied(&path);
        if !seen.insert(path.clone()) {
            continue;
        }
        match read(&path) {
            Ok(text) => {
                let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
                for import in &sumac_ide::sketch::imports(&text) {
                    open.push((folder.join(import), false));
                }
                texts.push((name(&path).into(), text.into()));
            }
            // What is imported and missing is a finding at the import.
            Err(message) if is_named => problems.push((path, message)),
            Err(_) => {}
        }
    }
    (Library::new(texts, &vocabulary()), problems)
}

/// A library with the sketches that stand in the script at this path before all others.
#[must_use]
pub fn with_inline(script: &Path, parse: &Parse, library: &Library) -> Library {
    let Some(own) = inline_text(parse.text(), parse.facts()) else {
        return library.clone();
    };
    let files = library.files().iter();
    let files = files.map(|file| (Arc::clone(&file.path), Arc::clone(&file.text)));
    let own = (Arc::from(name(script)), Arc::from(own));
    Library::new(std::iter::once(own).chain(files), &vocabulary())
}

/// What the `#@ sketch` lines of a script mean: it sees its own sketches, then those beside it and what they import.
#[must_use]
pub fn pins(script: &Path, parse: &Parse) -> Pins {
    let facts = parse.facts();
    if !has_sketches(parse.text(), facts) {
        return Pins::default();
    }
    let mut paths = beside(script);
    paths.extend(imported(script, parse));
    let (library, _) = library(&paths);
    let files = library.files().iter();
    let files = files.map(|file| (Arc::clone(&file.path), Arc::clone(&file.text)));
    Pins::new(
        &name(script),
        facts,
        inline_text(parse.text(), facts),
        files,
    )
}

/// The sketch files that the sketches in a script import.
#[must_use]
pub fn imported(script: &Path, parse: &Parse) -> Vec<PathBuf> {
    let own = inline_text(parse.text(), parse.facts()).unwrap_or_default();
    let folder = script.parent().unwrap_or(Path::new(""));
    let paths = sumac_ide::sketch::imports(&own).into_iter();
    let paths = paths.map(|import| tidied(&folder.join(import)));
    paths
        .filter(|path| is_sketch(path) && path.is_file())
        .collect()
}

/// How a library calls a file.
#[must_use]
pub fn name(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// The text of a sketch file.
///
/// # Errors
/// It cannot be read, or is no sketch file by its size: text for a person.
pub fn read(path: &Path) -> Result<String, String> {
    let cannot = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::InvalidData => "is not UTF-8 text".to_owned(),
        std::io::ErrorKind::IsADirectory => "is a directory; name a sketch file in it".to_owned(),
        std::io::ErrorKind::FileTooLarge => format!("is no sketch file: {error}"),
        _ => format!("cannot be read: {error}"),
    };
    text_at_most(path, MAX_BYTES).map_err(cannot)
}

/// A path without `.` and `x/..`, so that one file has one name.
#[must_use]
pub fn tidied(path: &Path) -> PathBuf {
    let mut parts: Vec<Component<'_>> = Vec::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(parts.last(), Some(Component::Normal(_))) => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_read_once_and_missing_files_are_said() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            path
        };
        write(
            "lib/base.sketch",
            "import \"../a.sketch\"\ndef gram(X) = t(X) %*% X",
        );
        let a = write(
            "a.sketch",
            "import \"lib/base.sketch\"\nsketch s { goal contains(gram(?)) }",
        );
        let (library, problems) = library(&[a.clone(), a, dir.path().join("none.sketch")]);
        assert_eq!(library.files().len(), 2);
        assert!(library.fill("s").is_ok());
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].1, "there is no such file");
    }

    #[test]
    fn a_script_sees_the_sketches_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(FOLDER)).unwrap();
        for name in ["b.sketch", "sketches/a.sketch", "x.dml"] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        let found = beside(&dir.path().join("x.dml"));
        let names: Vec<_> = found
            .iter()
            .map(|p| p.strip_prefix(dir.path()).unwrap())
            .collect();
        assert_eq!(
            names,
            [Path::new("b.sketch"), Path::new("sketches/a.sketch")]
        );
    }
}
