//! A folder of scripts in which the binary is run.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::path::Path;
use std::process::{Command, Output};

/// The squared loss of a factorization, at sizes where it pays to rewrite it.
pub const LOSS: &str = "\
#@ X: 20000 x 10000, sparsity 0.001
#@ U: 20000 x 10
#@ V: 10000 x 10
X = read($X)
U = read($U)
V = read($V)
loss = sum((X - U %*% t(V))^2)
print(loss)
";

/// A folder with scripts, and the binary run in it.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn command(&self, args: &[&str]) -> Command {
        self.prepared(Command::new(env!("CARGO_BIN_EXE_sumac")), args)
    }

    pub fn sumac(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// By a shell that does something first.
    pub fn by_shell(&self, first: &str, args: &[&str]) -> Command {
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

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// The names of what lies in the folder.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}
