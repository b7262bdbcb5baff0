//! The place of one fault: a folder to work in, a cache, a folder for temporary files, and a mark on all processes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use tempfile::TempDir;

use super::processes::{self, MARK};

/// Files by their names below the folder, each with what it holds.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// The place of one fault.
pub(super) struct Ground {
    program: PathBuf,
    folder: TempDir,
    mark: String,
}

impl Drop for Ground {
    fn drop(&mut self) {
        processes::end_all(&self.mark);
    }
}

impl Ground {
    /// An empty one.
    ///
    /// # Errors
    /// There is no place for it, or no orphan could be found.
    pub(super) fn new(program: &Path) -> Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        processes::check()?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = tempfile::Builder::new().prefix("sumac-fault-").tempdir()?;
        let ground = Ground {
            program: program.to_owned(),
            folder,
            mark: format!("{}-{number}", std::process::id()),
        };
        for folder in [ground.work(), ground.cache(), ground.temporary()] {
            fs::create_dir(folder)?;
        }
        Ok(ground)
    }

    /// Another one for the same program.
    ///
    /// # Errors
    /// As [`Ground::new`].
    pub(super) fn another(&self) -> Result<Self> {
        Ground::new(&self.program)
    }

    /// The folder to work in.
    pub(super) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// The user's cache.
    pub(super) fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    /// Where programs put temporary files.
    pub(super) fn temporary(&self) -> PathBuf {
        self.folder.path().join("tmp")
    }

    /// A file in the folder to work in.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.work().join(name)
    }

    /// What all processes of this fault bear.
    pub(super) fn mark(&self) -> &str {
        &self.mark
    }

    /// The program with arguments, to be started here.
    pub(super) fn command(&self, arguments: &[String]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments);
        self.prepare(&mut command);
        command
    }

    /// A shell that does something first and becomes the program then.
    pub(super) fn by_shell(&self, first: &str, arguments: &[String]) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &format!("{first}; exec \"$0\" \"$@\"")]);
        command.arg(&self.program).args(arguments);
        self.prepare(&mut command);
        command
    }

    fn prepare(&self, command: &mut Command) {
        command
            .current_dir(self.work())
            .env(MARK, &self.mark)
            .env("XDG_CACHE_HOME", self.cache())
            .env("TMPDIR", self.temporary())
            .env("SUMAC_MACHINE", "default")
            .env("NO_COLOR", "1")
            .env_remove("SYSTEMDS_ROOT")
            .env_remove("RUST_BACKTRACE");
    }

    /// Writes files into the folder to work in.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn fill(&self, files: &Files) -> Result<()> {
        for (name, bytes) in files {
            let path = self.file(name);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(&path, bytes).with_context(|| path.display().to_string())?;
        }
        Ok(())
    }

    /// All files of the folder to work in.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn files(&self) -> Result<Files> {
        files_below(&self.work())
    }

    /// The processes that are still there after so long; they are ended then.
    pub(super) fn processes_left(&self, within: Duration) -> Vec<String> {
        let left = processes::left(&self.mark, within);
        processes::end_all(&self.mark);
        left.into_iter().map(|process| process.line).collect()
    }

    /// Copies all to a folder, with a text.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn keep(&self, to: &Path, told: &str) -> Result<()> {
        super::common::copy(self.folder.path(), to)?;
        fs::write(to.join("fault.txt"), told)?;
        Ok(())
    }
}

/// All regular files below a folder; one that goes meanwhile is left out.
///
/// # Errors
/// The folder cannot be read.
pub(super) fn files_below(folder: &Path) -> Result<Files> {
    let mut found = Files::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        let entries = fs::read_dir(&at).with_context(|| at.display().to_string())?;
        for entry in entries.flatten() {
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file()
                && let Ok(bytes) = fs::read(&path)
            {
                let name = path.strip_prefix(folder).unwrap_or(&path);
                found.insert(name.to_string_lossy().into_owned(), bytes);
            }
        }
    }
    Ok(found)
}
