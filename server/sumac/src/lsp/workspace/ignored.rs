//! Files that a workspace asks to be left alone, by `.gitignore`, `.ignore` and `.git/info/exclude`. These come with a workspace:
//! only regular files of a bounded length are read, and no more is asked of any than its first lines.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use sumac_runtime::io::text_at_most;

/// Bytes that such a file has at most; a longer one says nothing.
const MOST_BYTES: u64 = 256 << 10;
/// Lines of a file that count.
const MOST_LINES: usize = 10_000;
/// Where they stand, the one that counts least first.
const NAMES: [&str; 3] = [".git/info/exclude", ".gitignore", ".ignore"];

/// What folders ask for, each looked at once.
#[derive(Debug)]
pub(super) struct Ignored {
    /// What the person asks for everywhere.
    own: Gitignore,
    folders: Mutex<HashMap<PathBuf, Arc<Gitignore>>>,
}

impl Ignored {
    /// Nothing is looked at yet but what the person asks for.
    pub(super) fn new() -> Ignored {
        Ignored {
            own: Gitignore::global().0,
            folders: Mutex::default(),
        }
    }

    /// Whether a file or folder is to be left alone. Folders above it are taken not to be.
    pub(super) fn is_ignored(&self, path: &Path, is_folder: bool) -> bool {
        for folder in path.ancestors().skip(1) {
            match self.of(folder).matched(path, is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
            if folder.join(".git").exists() {
                break;
            }
        }
        self.own.matched(path, is_folder).is_ignore()
    }

    fn of(&self, folder: &Path) -> Arc<Gitignore> {
        let known = || self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rules) = known().get(folder) {
            return Arc::clone(rules);
        }
        let rules = Arc::new(read(folder));
        known().insert(folder.to_owned(), Arc::clone(&rules));
        rules
    }
}

fn read(folder: &Path) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    for name in NAMES {
        let path = folder.join(name);
        match text_at_most(&path, MOST_BYTES) {
            Ok(text) => {
                for line in text.lines().take(MOST_LINES) {
                    // A line that is no pattern leaves nothing alone.
                    let _ = builder.add_line(Some(path.clone()), line);
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => tracing::warn!("{} is passed over: {error}", path.display()),
        }
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_folder_that_says_something_counts() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        let put = |name: &str, text: &str| {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        put(".gitignore", "*.out\nbuild/\n/top.dml\n");
        put("a/.gitignore", "!kept.out\n");
        put("a/.ignore", "left.dml\n");
        put(".git/info/exclude", "mine.dml\n");
        let ignored = Ignored::new();
        let is = |name: &str| ignored.is_ignored(&root.join(name), false);
        for name in ["x.out", "a/x.out", "top.dml", "a/left.dml", "a/mine.dml"] {
            assert!(is(name), "{name}");
        }
        for name in ["x.dml", "a/kept.out", "a/top.dml", "left.dml"] {
            assert!(!is(name), "{name}");
        }
        assert!(ignored.is_ignored(&root.join("build"), true) && !is("build"));
    }

    #[cfg(unix)]
    #[test]
    fn what_has_no_end_says_nothing() {
        let place = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/dev/zero", place.path().join(".gitignore")).unwrap();
        std::fs::write(place.path().join(".ignore"), "a.dml\n".repeat(1 << 20)).unwrap();
        let ignored = Ignored::new();
        assert!(!ignored.is_ignored(&place.path().join("a.dml"), false));
    }
}
