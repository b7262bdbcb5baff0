//! A command line that is started, disturbed and waited for, never for ever.

use std::fs::File;
use std::io::{Read, Seek};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::common::PROMPT;
use super::ground::Ground;
use super::processes;
use super::tally::{Seen, What};
use xtask::shell;

/// Between two looks at a child.
const LOOK_EVERY: Duration = Duration::from_millis(1);
/// No command here takes longer where nothing disturbs it.
const LONGEST: Duration = Duration::from_secs(60);

/// What tells of a program that fell over, in what it says.
const FELL_OVER: [&str; 5] = [
    "panicked",
    "RUST_BACKTRACE",
    "stack backtrace",
    "overflowed its stack",
    "is a defect",
];

/// A command that runs.
pub(super) struct Running {
    child: Child,
    stdout: File,
    stderr: File,
    began: Instant,
}

/// How a command ended.
#[derive(Debug)]
pub(super) struct Ended {
    /// `None` where a signal ended it, or where it did not end by itself.
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) took: Duration,
    /// It did not end in time.
    pub(super) is_hung: bool,
}

/// Starts a command whose output is kept, or goes where it says.
///
/// # Errors
/// There is no such program.
pub(super) fn start(mut command: Command, stdout: Option<Stdio>) -> Result<Running> {
    // Not in the folder for temporary files of the fault: that may be full.
    let (out, err) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let stdout = match stdout {
        Some(stdout) => stdout,
        None => out.try_clone()?.into(),
    };
    command
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(err.try_clone()?);
    let child = command
        .spawn()
        .with_context(|| format!("cannot start `{}`", shell::shown(&command)))?;
    Ok(Running {
        child,
        stdout: out,
        stderr: err,
        began: Instant::now(),
    })
}

impl Running {
    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it reads of a pipe that it writes to.
    pub(super) fn output(&mut self) -> Option<std::process::ChildStdout> {
        self.child.stdout.take()
    }

    /// Waits for the end; one that does not come in time is brought about.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn end_within(mut self, limit: Duration) -> Result<Ended> {
        let asked = Instant::now();
        let mut ended = Ended {
            code: None,
            stdout: String::new(),
            stderr: String::new(),
            took: Duration::ZERO,
            is_hung: false,
        };
        loop {
            if let Some(status) = self.child.try_wait()? {
                ended.code = status.code();
                break;
            }
            if asked.elapsed() > limit {
                ended.is_hung = true;
                self.child.kill()?;
                self.child.wait()?;
                break;
            }
            std::thread::sleep(LOOK_EVERY);
        }
        ended.took = self.began.elapsed();
        ended.stdout = whole(&mut self.stdout)?;
        ended.stderr = whole(&mut self.stderr)?;
        Ok(ended)
    }
}

fn whole(file: &mut File) -> Result<String> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Runs a command to its end.
///
/// # Errors
/// There is no such program, or the system refuses.
pub(super) fn run(command: Command) -> Result<Ended> {
    start(command, None)?.end_within(LONGEST)
}

/// Runs the program where nothing disturbs it.
///
/// # Errors
/// It does not end with 0: then there is nothing to disturb.
pub(super) fn clean(ground: &Ground, arguments: &[String]) -> Result<Ended> {
    let ended = run(ground.command(arguments))?;
    ensure!(
        ended.code == Some(0),
        "undisturbed, `{}` ends with {:?}: {}",
        arguments.join(" "),
        ended.code,
        ended.stderr
    );
    Ok(ended)
}

/// Runs the program to its end, which must come no later than where nothing disturbs it, and a moment.
///
/// # Errors
/// As [`run`].
pub(super) fn disturbed(command: Command, undisturbed: Duration, seen: &mut Seen) -> Result<Ended> {
    let ended = start(command, None)?.end_within(undisturbed + PROMPT * 2)?;
    judge_time(&ended, undisturbed, seen);
    Ok(ended)
}

/// Notes how much longer it took than where nothing disturbs it.
pub(super) fn judge_time(ended: &Ended, undisturbed: Duration, seen: &mut Seen) {
    seen.took("the command", ended.took.saturating_sub(undisturbed));
}

/// Notes a panic, an end that nobody asked for, and a failure whose message names none of these.
pub(super) fn judge_message(ended: &Ended, names: &[&str], seen: &mut Seen) {
    let said = short(&ended.stderr);
    if let Some(sign) = FELL_OVER.iter().find(|sign| ended.stderr.contains(**sign)) {
        seen.wrong(What::Unclear, format!("`{sign}`: {said}"));
    }
    match ended.code {
        Some(0) => {}
        None if ended.is_hung => {}
        None => seen.wrong(What::Unclear, format!("ended by a signal: {said}")),
        Some(code) => {
            let is_named = names.iter().any(|name| ended.stderr.contains(name));
            if !is_named {
                let wanted = names.join("` or `");
                let how = format!("exit code {code} without a word of `{wanted}`: {said}");
                seen.wrong(What::Unclear, how);
            }
        }
    }
}

/// Notes a panic of a command that a signal ended.
pub(super) fn judge_signalled(ended: &Ended, seen: &mut Seen) {
    if let Some(sign) = FELL_OVER.iter().find(|sign| ended.stderr.contains(**sign)) {
        let said = short(&ended.stderr);
        seen.wrong(What::Unclear, format!("`{sign}`: {said}"));
    }
}

/// The beginning of a message, in one line.
pub(super) fn short(text: &str) -> String {
    let text: String = text.trim().chars().take(300).collect();
    text.replace('\n', " / ")
}

/// Ends a command by a signal; gives how it ended, and notes how long that took.
///
/// # Errors
/// The system refuses.
pub(super) fn end_by(running: Running, signal: &str, seen: &mut Seen) -> Result<Ended> {
    processes::signal(running.pid(), signal)?;
    let asked = Instant::now();
    let ended = running.end_within(PROMPT * 2)?;
    seen.took(&format!("the end behind SIG{signal}"), asked.elapsed());
    Ok(ended)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell_says(script: &str, limit: Duration) -> Ended {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        start(command, None).unwrap().end_within(limit).unwrap()
    }

    #[test]
    fn a_failure_must_name_the_place_and_a_panic_is_never_clear() {
        let count = |script: &str| {
            let mut seen = Seen::default();
            judge_message(&shell_says(script, LONGEST), &["a.csv"], &mut seen);
            seen.wrongs().len()
        };
        assert_eq!(count("exit 0"), 0);
        assert_eq!(count("echo 'a.csv: no space' >&2; exit 1"), 0);
        assert_eq!(count("exit 1"), 1);
        assert_eq!(count("echo 'a.csv: panicked' >&2; exit 1"), 1);
        assert_eq!(count("kill -s KILL $$"), 1);
    }

    #[test]
    fn what_does_not_end_is_ended_and_hangs() {
        let ended = shell_says("exec sleep 60", Duration::from_millis(20));
        assert!(ended.is_hung);
        let mut seen = Seen::default();
        judge_message(&ended, &[], &mut seen);
        assert!(seen.is_clean(), "that it hangs is noted elsewhere");
    }
}
