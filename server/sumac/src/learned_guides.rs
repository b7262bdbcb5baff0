//! Guides that led to goals, for later sessions: one small sketch file each in the user's own cache folder, called by the hash of
//! what it says. A workspace asks for it by `search.keep`.
//!
//! Files are written whole and then renamed, so any number of servers may share the folder. What is read is only ever tried: a
//! form that comes of it is proved and checked like any other. Nothing here may fail: what cannot be read or written is not
//! there.

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sumac_ide::sketch::GuideStore;
use sumac_runtime::io::{keep_private, text_at_most};

/// Ways that are kept; the ones that were of no use for the longest time go first.
const MOST: usize = 200;
/// No way is this long.
const MOST_BYTES: u64 = 16 << 10;
/// What the files of this layout stand in. Another layout has another folder.
const VERSION: &str = "1";

/// A folder with ways.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Below a folder, which may not be there yet.
    #[must_use]
    pub fn below(folder: &Path) -> Self {
        Folder {
            path: folder.join(VERSION),
        }
    }

    fn file(&self, way: &str) -> PathBuf {
        let mut hash = DefaultHasher::new();
        hash.write(way.as_bytes());
        self.path.join(format!("{:016x}.sketch", hash.finish()))
    }

    /// The files, the one that was written last first.
    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let mut files: Vec<(SystemTime, PathBuf)> = entries
            .filter_map(|entry| {
                let about = entry.metadata().ok()?;
                let path = entry.path();
                let is_way = about.is_file()
                    && about.len() <= MOST_BYTES
                    && path.extension().is_some_and(|it| it == "sketch");
                is_way.then_some((about.modified().ok()?, path))
            })
            .collect();
        files.sort_by(|(a, x), (b, y)| b.cmp(a).then_with(|| x.cmp(y)));
        files.into_iter().map(|(_, path)| path).collect()
    }

    fn write(&self, way: &str) -> std::io::Result<()> {
        fs::create_dir_all(&self.path)?;
        keep_private(&self.file(way), way.as_bytes())?;
        for old in self.files().iter().skip(MOST) {
            // Another server may have been faster.
            let _ = fs::remove_file(old);
        }
        Ok(())
    }
}

impl GuideStore for Folder {
    fn all(&self) -> Vec<String> {
        let files = self.files().into_iter().take(MOST);
        files
            .filter_map(|file| text_at_most(&file, MOST_BYTES).ok())
            .collect()
    }

    fn keep(&self, way: &str) {
        if let Err(error) = self.write(way) {
            tracing::warn!("cannot keep guides in {}: {error}", self.path.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(number: usize) -> String {
        format!("sketch way {{\n  guide v0 * {number}\n  goal ?\n}}\n")
    }

    #[test]
    fn what_was_kept_last_comes_first() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::below(&place.path().join("new"));
        assert_eq!(folder.all(), Vec::<String>::new());
        for number in 0..3 {
            folder.keep(&way(number));
            let written = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(number as u64);
            let mut open = fs::File::options();
            let file = open.write(true).open(folder.file(&way(number)));
            file.unwrap().set_modified(written).unwrap();
        }
        assert_eq!(folder.all(), [way(2), way(1), way(0)]);
        // What is of use again is new again, and what is too long or no sketch is none.
        folder.keep(&way(0));
        fs::write(folder.path.join("notes.txt"), "").unwrap();
        let long = " ".repeat(1 + usize::try_from(MOST_BYTES).unwrap());
        fs::write(folder.path.join("long.sketch"), long).unwrap();
        assert_eq!(folder.all(), [way(0), way(2), way(1)]);
    }

    #[test]
    fn several_servers_may_keep_ways_and_the_oldest_go() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::below(place.path());
        std::thread::scope(|scope| {
            for server in 0..4 {
                let folder = &folder;
                scope.spawn(move || {
                    for number in 0..MOST / 2 {
                        folder.keep(&way(server * MOST / 4 + number));
                        for text in folder.all() {
                            assert!(text.starts_with("sketch way {") && text.ends_with("}\n"));
                        }
                    }
                });
            }
        });
        // The clock of a file system may tell no two of them apart.
        for file in folder.files() {
            let open = fs::File::options().write(true).open(file).unwrap();
            open.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        }
        folder.keep(&way(0));
        assert_eq!(folder.all().len(), MOST);
        assert_eq!(folder.all()[0], way(0));
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_no_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let folder = Folder::below(file.path());
        folder.keep(&way(0));
        assert_eq!(folder.all(), Vec::<String>::new());
    }
}
