//! Results of searches that outlive a session: one small file each in the user's own cache folder, called by the hash of what was
//! asked. A workspace asks for it by `search.keep`.
//!
//! Files are written whole and then renamed, so any number of servers may share the folder. What is read counts only if it
//! answers the very same question; and what is suggested of it is proved and checked like any other form. Another build
//! of the program has another folder. Nothing here may fail: what cannot be read or written is not there.

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use sumac_ide::searches::{Found, Store};
use sumac_ide::sketch::GuideStore;
use sumac_runtime::io::{keep_private, read_at_most};

use crate::config::Config;
use crate::learned_guides;
use crate::machine::cache_folder;

/// Bytes that the results of all builds may take.
const MOST_BYTES: u64 = 64 << 20;

/// A folder with results, and the one with ways beside it.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    ways: learned_guides::Folder,
}

/// A file.
#[derive(Serialize, Deserialize)]
struct Kept<T, F> {
    problem: T,
    found: F,
}

/// The user's folder for this build; `None` where the system has no place for it. The first call forgets the oldest results
/// if there are too many.
pub fn of_user() -> Option<&'static Folder> {
    static FOLDER: LazyLock<Option<Folder>> = LazyLock::new(|| {
        let folder = cache_folder()?;
        let all = folder.join("searches");
        shrink(&all, MOST_BYTES);
        Some(Folder::new(all.join(build()?), &folder.join("guides")))
    });
    FOLDER.as_ref()
}

/// The user's folder, where the configuration wants what was found to be kept.
pub fn wanted(config: &Config) -> Option<&'static dyn Store> {
    let keeps = config.search.keep == Some(true);
    let folder = keeps.then(of_user).flatten()?;
    Some(folder)
}

impl Folder {
    /// Folders for results and for ways, which may not be there yet.
    #[must_use]
    pub fn new(path: PathBuf, ways: &Path) -> Self {
        Folder {
            path,
            ways: learned_guides::Folder::below(ways),
        }
    }

    fn file(&self, problem: &str) -> PathBuf {
        let half = |salt: u8| {
            let mut hash = DefaultHasher::new();
            hash.write_u8(salt);
            hash.write(problem.as_bytes());
            hash.finish()
        };
        self.path
            .join(format!("{:016x}{:016x}.json", half(0), half(1)))
    }

    fn write(&self, problem: &str, found: &Found) -> std::io::Result<()> {
        fs::create_dir_all(&self.path)?;
        let text = serde_json::to_vec(&Kept { problem, found })?;
        keep_private(&self.file(problem), &text)
    }
}

impl GuideStore for Folder {
    fn all(&self) -> Vec<String> {
        self.ways.all()
    }

    fn keep(&self, way: &str) {
        self.ways.keep(way);
    }
}

impl Store for Folder {
    fn get(&self, problem: &str) -> Option<Found> {
        let text = read_at_most(&self.file(problem), MOST_BYTES).ok()?;
        let kept: Kept<String, Found> = serde_json::from_slice(&text).ok()?;
        (kept.problem == problem).then_some(kept.found)
    }

    fn put(&self, problem: &str, found: &Found) {
        if let Err(error) = self.write(problem, found) {
            tracing::warn!("cannot keep a result in {}: {error}", self.path.display());
        }
    }
}

/// What tells this build from others: another one may find other forms.
fn build() -> Option<String> {
    let program = fs::metadata(std::env::current_exe().ok()?).ok()?;
    let made = program
        .modified()
        .ok()?
        .duration_since(SystemTime::UNIX_EPOCH)
        .ok()?;
    Some(format!(
        "{}-{:x}-{:x}",
        env!("CARGO_PKG_VERSION"),
        program.len(),
        made.as_nanos()
    ))
}

/// Removes the results that were written first, until the rest takes at most so many bytes.
fn shrink(folder: &Path, most: u64) {
    let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    for build in fs::read_dir(folder).into_iter().flatten().flatten() {
        for file in fs::read_dir(build.path()).into_iter().flatten().flatten() {
            if let Ok(about) = file.metadata()
                && let Ok(written) = about.modified()
            {
                files.push((written, about.len(), file.path()));
            }
        }
    }
    files.sort();
    let mut total: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
    for (_, bytes, path) in files {
        if total <= most {
            break;
        }
        // Another server may have been faster.
        let _ = fs::remove_file(&path);
        total -= bytes;
        if let Some(build) = path.parent() {
            // Fails unless it is empty, which is all that is wanted.
            let _ = fs::remove_dir(build);
        }
    }
}

#[cfg(test)]
mod tests {
    use sumac_sumproduct::NoOutcome;

    use super::*;

    const FOUND: Found = Err(NoOutcome::OutOfReach);

    fn folder(path: PathBuf) -> Folder {
        Folder::new(path, Path::new("none"))
    }

    #[test]
    fn what_was_put_is_there_for_the_same_question_only() {
        let place = tempfile::tempdir().unwrap();
        let folder = folder(place.path().join("new/build"));
        assert_eq!(folder.get("a"), None);
        folder.put("a", &FOUND);
        assert_eq!(folder.get("a"), Some(FOUND));
        assert_eq!(folder.get("b"), None);
        // A file in the place of another question.
        fs::rename(folder.file("a"), folder.file("b")).unwrap();
        assert_eq!(folder.get("b"), None);
        fs::write(folder.file("b"), "{").unwrap();
        assert_eq!(folder.get("b"), None, "half a file is none");
    }

    #[test]
    fn several_servers_may_write_the_same() {
        let place = tempfile::tempdir().unwrap();
        let folder = folder(place.path().to_owned());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for number in 0..50 {
                        let problem = format!("problem {}", number % 5);
                        folder.put(&problem, &FOUND);
                        assert_eq!(folder.get(&problem), Some(FOUND));
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 5);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_no_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let folder = folder(file.path().join("below a file"));
        folder.put("a", &FOUND);
        assert_eq!(folder.get("a"), None);
    }

    #[test]
    fn the_oldest_results_go_first() {
        let place = tempfile::tempdir().unwrap();
        let old = folder(place.path().join("old"));
        let new = folder(place.path().join("new"));
        old.put("a", &FOUND);
        new.put("b", &FOUND);
        let long_ago = SystemTime::UNIX_EPOCH;
        let file = fs::File::options().write(true).open(old.file("a")).unwrap();
        file.set_modified(long_ago).unwrap();
        let bytes = fs::metadata(new.file("b")).unwrap().len();
        shrink(place.path(), bytes);
        assert_eq!((old.get("a"), new.get("b")), (None, Some(FOUND)));
        assert!(!place.path().join("old").exists());
        shrink(place.path(), 0);
        assert_eq!(new.get("b"), None);
    }
}
