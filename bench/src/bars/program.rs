//! The program under measurement, run to its end under limits, with what it took of processor and memory.
//!
//! Memory and processor time are asked of Linux while the process runs and when it has ended, never of the program.

use std::fs::{self, File};
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use xtask::shell;

/// Between two looks at a process: at first, and at most.
const LOOK_EVERY: (Duration, Duration) = (Duration::from_micros(500), Duration::from_millis(4));
/// Linux counts processor time in so many parts of a second.
const TICKS: f64 = 100.0;
/// Where nothing else is asked for.
const USUAL: Limits = Limits {
    seconds: 120,
    bytes: 6 << 30,
};

/// When a run is ended by force.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) seconds: u64,
    /// Resident memory of the process and its children.
    pub(super) bytes: u64,
}

/// How a run ended.
#[derive(Debug, Default)]
pub(super) struct Ended {
    /// `None` where it was ended by force or by a signal.
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
    /// Which limit ended it, in words.
    pub(super) stopped: Option<String>,
    /// The most resident memory of the process and of each of its children.
    pub(super) peak_bytes: u64,
    /// Processor time of the process and of its children.
    pub(super) cpu_seconds: f64,
}

impl Ended {
    /// Whether it came to its own end with exit code 0.
    pub(super) fn is_success(&self) -> bool {
        self.code == Some(0)
    }

    /// Whether it fell over: a panic, a signal, a limit.
    pub(super) fn is_crash(&self) -> bool {
        self.code.is_none() || self.stderr.contains("panicked") || self.code == Some(101)
    }

    /// How it ended, for a person.
    pub(super) fn how(&self) -> String {
        let code = self.code.map_or("no exit code".to_owned(), |code| {
            format!("exit code {code}")
        });
        let why = self.stopped.as_deref().unwrap_or_default();
        let said = self.stderr.trim().lines().next().unwrap_or_default();
        [&code, why, said]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// The answer as JSON.
    ///
    /// # Errors
    /// It is none.
    pub(super) fn json(&self) -> Result<Value> {
        serde_json::from_str(&self.stdout).with_context(|| format!("no JSON: {}", self.how()))
    }
}

/// A program and how it is called.
pub(super) struct Program {
    path: PathBuf,
    /// Options of `optimize` with which it shows every form that it finds, also where little is saved: what is wrong is
    /// wrong in small scripts, too.
    pub(super) all_forms: &'static [&'static str],
}

const ALL_FORMS: [&str; 2] = ["--least-saving", "0"];

impl Program {
    /// # Errors
    /// There is no such file, or it cannot be started.
    pub(super) fn at(path: &Path) -> Result<Self> {
        let path = std::path::absolute(path)?;
        ensure!(path.is_file(), "there is no program {}", path.display());
        let mut program = Program {
            path,
            all_forms: &[],
        };
        let help = program.call(Path::new("/"), &["optimize", "--help"])?;
        if help.stdout.contains(ALL_FORMS[0]) {
            program.all_forms = &ALL_FORMS;
        }
        Ok(program)
    }

    /// Where it lies.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The program, for the report.
    pub(super) fn shown(&self) -> String {
        format!("program: {}", self.path.display())
    }

    /// Runs it in `folder` within the usual limits.
    ///
    /// # Errors
    /// It cannot be started.
    pub(super) fn call(&self, folder: &Path, arguments: &[&str]) -> Result<Ended> {
        self.call_within(folder, arguments, &[], USUAL)
    }

    /// Runs it in `folder` within limits, with more environment.
    ///
    /// # Errors
    /// It cannot be started, or this is not Linux.
    pub(super) fn call_within(
        &self,
        folder: &Path,
        arguments: &[&str],
        environment: &[(&str, &Path)],
        limits: Limits,
    ) -> Result<Ended> {
        let (mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
        let mut command = Command::new(&self.path);
        command
            .args(arguments)
            .current_dir(folder)
            // Estimates are for the default machine, whatever was measured on this one.
            .env("SUMAC_MACHINE", "default")
            .env_remove("SYSTEMDS_ROOT")
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(stdout.try_clone()?)
            .stderr(stderr.try_clone()?);
        let child = command
            .spawn()
            .with_context(|| format!("cannot start `{}`", shell::shown(&command)))?;
        let mut ended = watch(child, limits)?;
        ended.stdout = whole(&mut stdout)?;
        ended.stderr = whole(&mut stderr)?;
        Ok(ended)
    }
}

fn whole(file: &mut File) -> Result<String> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Looks at a child until it has ended, or ends it. What it says is not read.
///
/// # Errors
/// This is not Linux.
pub(super) fn watch(mut child: Child, limits: Limits) -> Result<Ended> {
    let began = Instant::now();
    let pid = child.id();
    let mut ended = Ended::default();
    let mut pause = LOOK_EVERY.0;
    loop {
        let stat = Stat::of(pid).context("only Linux tells what a process takes")?;
        ended.cpu_seconds = ended.cpu_seconds.max(stat.seconds);
        if stat.is_over {
            let status = child.wait()?;
            ended.code = status.code();
            return Ok(ended);
        }
        let resident = peak(pid);
        ended.peak_bytes = ended.peak_bytes.max(resident);
        if ended.stopped.is_none() {
            if resident > limits.bytes {
                ended.stopped = Some(format!("ended above {} MB", limits.bytes >> 20));
            } else if began.elapsed().as_secs() >= limits.seconds {
                ended.stopped = Some(format!("ended after {} s", limits.seconds));
            }
            if ended.stopped.is_some() {
                child.kill()?;
            }
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(LOOK_EVERY.1);
    }
}

/// What `/proc/PID/stat` says.
struct Stat {
    /// The process has ended and waits for its parent.
    is_over: bool,
    /// Processor time of its threads and of children that it waited for.
    seconds: f64,
}

impl Stat {
    fn of(pid: u32) -> Option<Self> {
        Stat::read(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// The fields behind the name, which may hold anything and ends with the last parenthesis.
    fn read(text: &str) -> Option<Self> {
        let (_, rest) = text.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        // utime, stime, cutime and cstime are the fields 14 to 17; the state is the third.
        let ticks = fields
            .get(11..15)?
            .iter()
            .map(|ticks| ticks.parse::<f64>().unwrap_or(0.0));
        Some(Stat {
            is_over: matches!(*fields.first()?, "Z" | "X"),
            seconds: ticks.sum::<f64>() / TICKS,
        })
    }
}

/// The most resident memory of a process, and of the largest of its children beside it.
fn peak(pid: u32) -> u64 {
    let own = high_water(pid);
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    let children = children.unwrap_or_default();
    let of_children = children
        .split_whitespace()
        .filter_map(|child| Some(high_water(child.parse().ok()?)))
        .max();
    own + of_children.unwrap_or(0)
}

fn high_water(pid: u32) -> u64 {
    let process = crate::client::process::Process::new(pid);
    process.most_resident().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell_says(script: &str, limits: Limits) -> Ended {
        let program = Program::at(Path::new("/bin/sh")).unwrap();
        program
            .call_within(Path::new("/"), &["-c", script], &[], limits)
            .unwrap()
    }

    #[test]
    fn what_a_process_says_and_takes_is_known() {
        let ended = shell_says("echo out; echo err >&2; exit 3", USUAL);
        assert_eq!(ended.code, Some(3));
        assert_eq!(
            (ended.stdout.as_str(), ended.stderr.as_str()),
            ("out\n", "err\n")
        );
        assert!(!ended.is_success() && !ended.is_crash());
    }

    #[test]
    fn one_that_does_not_end_is_ended_and_counts_as_a_crash() {
        let limits = Limits {
            seconds: 0,
            ..USUAL
        };
        let ended = shell_says("while :; do :; done", limits);
        assert!(ended.is_crash());
        assert!(ended.how().contains("ended after"), "{}", ended.how());
    }

    #[test]
    fn fields_of_stat_are_counted_behind_the_name() {
        let text = "7 (a) b) Z 1 2 3 4 5 6 7 8 9 10 150 50 20 30 0 0";
        let stat = Stat::read(text).unwrap();
        assert!(stat.is_over);
        assert!((stat.seconds - 2.5).abs() < 1e-9);
    }
}
