//! The two sides that run a script: SystemDS in one process for all scripts, and `sumac run`.
//!
//! Neither knows of the other; both only say what was printed, or why the script did not run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::peer::conversation::Conversation;
use crate::peer::systemds::Program;

/// What a script printed, or why it did not run to its end.
pub(super) type Ran = std::result::Result<String, String>;

/// SystemDS as a process that runs one script after another. It ends with the value.
pub(super) struct Theirs(Conversation);

impl Theirs {
    /// Starts it in `folder`, where it may leave what it likes.
    ///
    /// # Errors
    /// Java does not start.
    pub(super) fn start(program: &Program<'_>, folder: &Path) -> Result<Self> {
        Ok(Theirs(Conversation::start(program, folder)?))
    }

    /// Runs one script.
    ///
    /// # Errors
    /// The process has ended, or answered something else.
    pub(super) fn run(
        &mut self,
        script: &Path,
        arguments: &BTreeMap<String, String>,
    ) -> Result<Ran> {
        let answer = self.0.ask(script, arguments)?;
        let text = |key: &str| answer[key].as_str().map(str::to_owned);
        Ok(match text("error") {
            Some(error) => Err(error),
            None => Ok(without_statistics(&text("printed").unwrap_or_default())),
        })
    }
}

/// SystemDS ends what it prints with a paragraph on its run.
fn without_statistics(printed: &str) -> String {
    let end = printed
        .rfind("SystemDS Statistics:")
        .unwrap_or(printed.len());
    // The empty line before the paragraph is its own.
    let text = &printed[..end];
    text.strip_suffix("\n\n").map_or_else(
        || text.trim_end_matches('\n').to_owned(),
        |t| format!("{t}\n"),
    )
}

/// `sumac run`.
pub(super) struct Ours {
    pub(super) program: PathBuf,
}

impl Ours {
    /// Runs one script in `folder`.
    ///
    /// # Errors
    /// The program does not start.
    pub(super) fn run(
        &self,
        script: &Path,
        arguments: &BTreeMap<String, String>,
        folder: &Path,
    ) -> Result<Ran> {
        let mut command = Command::new(&self.program);
        command
            .current_dir(folder)
            .stdin(Stdio::null())
            .args(["run", "--timeout", "60"])
            .arg(script);
        let positions: Option<BTreeMap<usize, &String>> = arguments
            .iter()
            .map(|(name, value)| Some((name.parse().ok()?, value)))
            .collect();
        match positions {
            Some(positions) if !positions.is_empty() => {
                let last = positions.keys().next_back().copied().unwrap_or(0);
                command.arg("-args");
                let unused = "0".to_owned();
                command.args((1..=last).map(|at| positions.get(&at).copied().unwrap_or(&unused)));
            }
            Some(_) => {}
            None => {
                command.arg("-nvargs");
                command.args(
                    arguments
                        .iter()
                        .map(|(name, value)| format!("{name}={value}")),
                );
            }
        }
        let output = command
            .output()
            .with_context(|| format!("cannot start {}", self.program.display()))?;
        Ok(if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paragraph_on_the_run_is_no_part_of_what_is_printed() {
        let tail = "SystemDS Statistics:\nTotal execution time:\t\t0.1 sec.\n\n";
        assert_eq!(without_statistics(&format!("a\n{tail}")), "a");
        assert_eq!(without_statistics(&format!("a\n\n{tail}")), "a\n");
        assert_eq!(without_statistics(tail), "");
    }
}
