//! Faults that need no chance: full disks, clients that do not read, files that were cut off, workers that are killed. What chance
//! finds beyond these, `cargo xtask bars trust --only faults` looks for.
#![cfg(target_os = "linux")]

mod disk;
mod files;
mod server;

use std::path::Path;
use std::process::{Command, Output};

/// A folder, and the binary run in it.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn command(&self, args: &[&str]) -> Command {
        self.prepared(Command::new(env!("CARGO_BIN_EXE_sumac")), args)
    }

    /// By a shell that does something first.
    fn by_shell(&self, first: &str, args: &[&str]) -> Command {
        let mut shell = Command::new("/bin/sh");
        let script = format!("{first}; exec \"$0\" \"$@\"");
        shell.args(["-c", &script, env!("CARGO_BIN_EXE_sumac")]);
        self.prepared(shell, args)
    }

    fn prepared(&self, mut command: Command, args: &[&str]) -> Command {
        command
            .args(args)
            .current_dir(self.path())
            .env("NO_COLOR", "1")
            .env("SUMAC_MACHINE", "default")
            .env("XDG_CACHE_HOME", self.path().join("cache"));
        command
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// The names of what lies in the folder.
    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

/// How it ended, and what it said on its error stream. It never fell over.
#[track_caller]
fn told(output: &Output) -> (i32, String) {
    let told = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(!told.contains("panicked"), "{told}");
    let code = output.status.code();
    (
        code.unwrap_or_else(|| panic!("ended by a signal: {told}")),
        told,
    )
}
