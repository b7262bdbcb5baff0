//! Scripts and places as the command line names them. Reads files; never writes.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use sumac_runtime::io::read_at_most;

/// No script is this large; a data file named by mistake is.
const MAX_SCRIPT_BYTES: u64 = 64 << 20;

/// A script that was asked for and cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unreadable {
    /// What was named.
    pub path: PathBuf,
    /// Line and column of the trouble, counted from 1, where it has a place.
    pub place: Option<(usize, usize)>,
    /// What is wrong and what helps.
    pub message: String,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.path.display())?;
        if let Some((line, column)) = self.place {
            write!(f, "{line}:{column}:")?;
        }
        write!(f, " {}", self.message)
    }
}

/// The named scripts, and those in the named folders and their folders, each once. In a folder the order is that of
/// the names; hidden files and folders are left out.
pub fn scripts(paths: &[PathBuf]) -> Vec<Result<PathBuf, Unreadable>> {
    files(paths, &["dml"])
}

/// As [`scripts`], with the sketch files of folders and the files of other languages.
pub fn scripts_and_sketches(paths: &[PathBuf]) -> Vec<Result<PathBuf, Unreadable>> {
    let others = crate::languages::extensions();
    let endings: Vec<&str> = ["dml", crate::sketches::EXTENSION]
        .into_iter()
        .chain(others)
        .collect();
    files(paths, &endings)
}

fn files(paths: &[PathBuf], endings: &[&str]) -> Vec<Result<PathBuf, Unreadable>> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            list((path, path), endings, &mut found);
        } else {
            found.push(Ok(path.clone()));
        }
    }
    let mut seen = BTreeSet::new();
    found.retain(|file| file.as_ref().map_or(true, |path| seen.insert(path.clone())));
    found
}

/// The files of a folder, which lies in the folder `root` that was named. A link that leads out of that is left out: who named
/// the folder did not name what lies elsewhere.
fn list(
    (root, folder): (&Path, &Path),
    endings: &[&str],
    found: &mut Vec<Result<PathBuf, Unreadable>>,
) {
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(error) => {
            let message = format!("cannot be listed: {error}");
            let path = folder.to_owned();
            let place = None;
            found.push(Err(Unreadable {
                path,
                place,
                message,
            }));
            return;
        }
    };
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        // A link to a folder may lead round in a circle.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            list((root, &path), endings, found);
        } else if path.is_file()
            && (!path.is_symlink() || is_inside(&path, root))
            && endings
                .iter()
                .any(|ending| path.extension().is_some_and(|own| own == *ending))
        {
            found.push(Ok(path));
        }
    }
}

/// Whether what a path leads to lies in a folder.
fn is_inside(path: &Path, folder: &Path) -> bool {
    let resolved = |path: &Path| std::fs::canonicalize(path).ok();
    let both = resolved(path).zip(resolved(folder));
    both.is_some_and(|(path, folder)| path.starts_with(folder))
}

/// The text of a script in DML.
///
/// # Errors
/// It is missing, a directory, too large, no UTF-8 text, or a file of another language.
pub fn read_script(path: &Path) -> Result<String, Unreadable> {
    match crate::languages::of(path) {
        Some(language) => Err(Unreadable {
            path: path.to_owned(),
            place: None,
            message: format!(
                "is {}, and this command takes scripts in DML only; `check`, `facts`, `optimize`, `explain`, `parse` and `time` take both",
                language.name()
            ),
        }),
        None => read_text(path),
    }
}

/// The text of a script in any language.
///
/// # Errors
/// It is missing, a directory, too large, or no UTF-8 text.
pub fn read_text(path: &Path) -> Result<String, Unreadable> {
    let refuse = |place, message: String| Unreadable {
        path: path.to_owned(),
        place,
        message,
    };
    let bytes = read_at_most(path, MAX_SCRIPT_BYTES).map_err(|error| {
        refuse(
            None,
            match error.kind() {
                std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
                std::io::ErrorKind::IsADirectory => {
                    "is a directory; name a script in it".to_owned()
                }
                std::io::ErrorKind::FileTooLarge => {
                    format!("is data, not a script: {error}")
                }
                _ => format!("cannot be read: {error}"),
            },
        )
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let line_start = bytes[..at]
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |n| n + 1);
        let line = 1 + bytes[..at].iter().filter(|b| **b == b'\n').count();
        let column = 1 + String::from_utf8_lossy(&bytes[line_start..at])
            .chars()
            .count();
        refuse(
            Some((line, column)),
            format!(
                "byte 0x{:02x} is not UTF-8; a script is UTF-8 text",
                bytes[at]
            ),
        )
    })
}

/// Splits `FILE:LINE`; the line counts from 1.
///
/// # Errors
/// There is no line, or it is not a positive number.
pub fn split_place(place: &str) -> Result<(PathBuf, usize), String> {
    place
        .rsplit_once(':')
        .and_then(|(file, line)| Some((file, line.parse().ok().filter(|n| *n > 0)?)))
        .filter(|(file, _)| !file.is_empty())
        .map(|(file, line)| (PathBuf::from(file), line))
        .ok_or_else(|| {
            format!(
                "`{place}` names no line; write FILE:LINE with a line from 1, such as loss.dml:7"
            )
        })
}

/// Reads `3:8`, `3:`, `:8` or `3` as an inclusive range of lines, counted from 1.
///
/// # Errors
/// It is none of these, or runs backwards.
pub fn line_range(text: &str) -> Result<(usize, usize), String> {
    let number = |part: &str, missing: usize| match part {
        "" => Some(missing),
        part => part.parse().ok().filter(|n| *n > 0),
    };
    let range = match text.split_once(':') {
        Some((a, b)) => number(a, 1).zip(number(b, usize::MAX)),
        None => text.parse().ok().filter(|n| *n > 0).map(|n| (n, n)),
    };
    range.filter(|(a, b)| a <= b).ok_or_else(|| {
        format!("`{text}` is no range of lines; write 3:8, 3:, :8 or 3, counted from 1")
    })
}

/// Splits `k=v` of `--set` and `-nvargs`; a leading `$` of the name is left out.
///
/// # Errors
/// There is no name or no `=`.
pub fn split_setting(text: &str) -> Result<(String, String), String> {
    text.split_once('=')
        .map(|(name, value)| (name.trim().trim_start_matches('$'), value))
        .filter(|(name, _)| !name.is_empty())
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .ok_or_else(|| format!("`{text}` sets nothing; write NAME=VALUE, such as rank=10"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_script_is_refused_with_a_reason() {
        let dir = tempfile::tempdir().unwrap();
        let missing = read_script(&dir.path().join("no.dml")).unwrap_err();
        assert_eq!(missing.message, "there is no such file");
        let folder = read_script(dir.path()).unwrap_err();
        assert!(folder.message.contains("directory"), "{folder}");
        let garbage = dir.path().join("garbage.dml");
        std::fs::write(&garbage, b"x = 1\ny = \xff\xfe").unwrap();
        let refused = read_script(&garbage).unwrap_err();
        assert_eq!(refused.place, Some((2, 5)));
        assert!(refused.message.contains("0xff"), "{refused}");
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_a_named_folder_are_left_out_and_pipes_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let (inside, outside) = (dir.path().join("in"), dir.path().join("out.dml"));
        std::fs::create_dir(&inside).unwrap();
        std::fs::write(&outside, "x = 1").unwrap();
        std::fs::write(inside.join("a.dml"), "x = 1").unwrap();
        std::os::unix::fs::symlink(&outside, inside.join("b.dml")).unwrap();
        std::os::unix::fs::symlink(inside.join("a.dml"), inside.join("c.dml")).unwrap();
        let found: Vec<PathBuf> = scripts(std::slice::from_ref(&inside))
            .into_iter()
            .map(Result::unwrap)
            .collect();
        assert_eq!(found, [inside.join("a.dml"), inside.join("c.dml")]);
        let refused = read_script(Path::new("/dev/zero")).unwrap_err();
        assert!(refused.message.contains("no regular file"), "{refused}");
    }

    #[test]
    fn places_and_ranges_are_read_or_refused() {
        assert_eq!(split_place("a.dml:7"), Ok((PathBuf::from("a.dml"), 7)));
        assert_eq!(
            split_place("c:/a.dml:7"),
            Ok((PathBuf::from("c:/a.dml"), 7))
        );
        assert!(split_place("a.dml").is_err() && split_place("a.dml:0").is_err());
        assert!(split_place(":3").is_err());
        let ranges = ["3:8", "3:", ":8", "3"].map(|text| line_range(text).unwrap());
        assert_eq!(ranges, [(3, 8), (3, usize::MAX), (1, 8), (3, 3)]);
        for bad in ["8:3", "0", "a:b", ""] {
            assert!(line_range(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn settings_need_a_name() {
        assert_eq!(split_setting("$k=a=b"), Ok(("k".into(), "a=b".into())));
        assert_eq!(split_setting("k="), Ok(("k".into(), String::new())));
        assert!(split_setting("=1").is_err() && split_setting("k").is_err());
    }
}
