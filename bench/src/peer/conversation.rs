//! One of our Java programs as a process that answers for one script after another: a line out, a line of JSON back.
//!
//! It never says what an answer means.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use anyhow::{Context, Result};
use serde_json::Value;

use super::systemds::Program;

/// The process. It ends with the value.
pub(super) struct Conversation {
    process: Child,
    jobs: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Conversation {
    /// Starts it in `folder`, where relative paths of scripts begin.
    ///
    /// # Errors
    /// Java does not start.
    pub(super) fn start(program: &Program<'_>, folder: &Path) -> Result<Self> {
        let mut process = program
            .command()
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start java")?;
        let jobs = process.stdin.take().context("no way to ask")?;
        let answers = process.stdout.take().context("no way to hear")?;
        Ok(Conversation {
            process,
            jobs,
            answers: BufReader::new(answers),
        })
    }

    /// Asks for one script.
    ///
    /// # Errors
    /// The process has ended, or answered something else.
    pub(super) fn ask(
        &mut self,
        script: &Path,
        arguments: &BTreeMap<String, String>,
    ) -> Result<Value> {
        let mut job = script.to_string_lossy().into_owned();
        for (name, value) in arguments {
            job.push_str(&format!("\t{name}={value}"));
        }
        writeln!(self.jobs, "{job}")?;
        self.jobs.flush()?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        serde_json::from_str(&line)
            .with_context(|| format!("SystemDS gave no answer for {}", script.display()))
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        // It holds nothing that could be lost.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
