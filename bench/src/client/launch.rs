//! How a server's process is started. What is said to it stands elsewhere.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result};

use super::profile::Profile;

/// How a server is started.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    /// The program.
    pub(crate) program: PathBuf,
    /// What follows `lsp` on its command line.
    pub(crate) arguments: Vec<OsString>,
    /// The client that it is to meet.
    pub(crate) profile: Profile,
    /// The folder of the workspace.
    pub(crate) root: Option<PathBuf>,
}

impl Launch {
    /// The program with a client that refreshes, and no workspace.
    pub(crate) fn new(program: &Path) -> Self {
        Launch {
            program: program.to_owned(),
            arguments: Vec::new(),
            profile: Profile::refreshing(),
            root: None,
        }
    }

    /// In a workspace.
    pub(crate) fn in_folder(mut self, root: &Path) -> Self {
        self.root = Some(root.to_owned());
        self
    }

    /// Starts the process.
    ///
    /// # Errors
    /// There is no such program.
    pub(super) fn start(&self) -> Result<Started> {
        let mut child = Command::new(&self.program)
            .arg("lsp")
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", self.program.display()))?;
        let input = child.stdin.take().context("the server has no input")?;
        let output = child.stdout.take().context("the server has no output")?;
        Ok(Started {
            child,
            input,
            output,
        })
    }
}

/// A process and its ends.
pub(super) struct Started {
    pub(super) child: Child,
    pub(super) input: ChildStdin,
    pub(super) output: ChildStdout,
}
