//! What the server's process costs: processor time and memory, as Linux tells it under `/proc`.
//!
//! No other system is asked: there every figure is an error that says so.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// More processor time than this between two looks is work; less is a timer, or a message being read.
const IDLE: Duration = Duration::from_micros(200);
/// Between two looks at a process.
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// A process, and what its threads had computed when they were last looked at.
pub(crate) struct Process {
    folder: PathBuf,
    threads: BTreeMap<String, Duration>,
}

/// When a process fell silent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quiet {
    /// The last moment at which it was seen to compute, counted from the call.
    pub(crate) after: Duration,
    /// What it had computed in all by then.
    pub(crate) total: Duration,
}

impl Process {
    /// The process with this number.
    pub(crate) fn new(pid: u32) -> Self {
        Process {
            folder: PathBuf::from(format!("/proc/{pid}")),
            threads: BTreeMap::new(),
        }
    }

    /// The processor time of all threads so far. What a thread did between the last look and its end is lost.
    ///
    /// # Errors
    /// This is not Linux, or the process has ended.
    pub(crate) fn computed(&mut self) -> Result<Duration> {
        for name in self.thread_names()? {
            // It may have ended meanwhile.
            let Ok(text) =
                fs::read_to_string(self.folder.join("task").join(&name).join("schedstat"))
            else {
                continue;
            };
            self.threads.insert(name, running_time(&text)?);
        }
        Ok(self.threads.values().sum())
    }

    /// Whether a thread runs, or would if a processor were free.
    ///
    /// # Errors
    /// This is not Linux, or the process has ended.
    pub(crate) fn is_running(&self) -> Result<bool> {
        for name in self.thread_names()? {
            let stat = self.folder.join("task").join(name).join("stat");
            if fs::read_to_string(stat).is_ok_and(|text| is_running(&text)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Watches the process until it has not computed for as long as `silence`.
    ///
    /// # Errors
    /// This is not Linux, the process has ended, or it still computes after `patience`.
    pub(crate) fn quiet(&mut self, silence: Duration, patience: Duration) -> Result<Quiet> {
        let began = Instant::now();
        let mut quiet = Quiet {
            after: Duration::ZERO,
            total: self.computed()?,
        };
        let mut seen = quiet.total;
        while began.elapsed() < quiet.after + silence {
            std::thread::sleep(LOOK_EVERY);
            let (now, total) = (began.elapsed(), self.computed()?);
            // A thread that waits for a processor is at work as much as one that has it.
            if total > seen + IDLE || self.is_running()? {
                quiet.after = now;
                seen = total;
            }
            quiet.total = total;
            anyhow::ensure!(
                now < patience,
                "the server still computes after {} s",
                patience.as_secs()
            );
        }
        Ok(quiet)
    }

    /// Bytes of memory that are resident now.
    ///
    /// # Errors
    /// This is not Linux, or the process has ended.
    pub(crate) fn resident(&self) -> Result<u64> {
        self.status("VmRSS")
    }

    /// The most bytes of memory that were ever resident.
    ///
    /// # Errors
    /// This is not Linux, or the process has ended.
    pub(crate) fn most_resident(&self) -> Result<u64> {
        self.status("VmHWM")
    }

    fn status(&self, key: &str) -> Result<u64> {
        let file = self.folder.join("status");
        let text = fs::read_to_string(&file).with_context(|| told_by_linux(&file))?;
        kilobytes(&text, key).with_context(|| format!("{} has no {key}", file.display()))
    }

    fn thread_names(&self) -> Result<Vec<String>> {
        let folder = self.folder.join("task");
        let entries = fs::read_dir(&folder).with_context(|| told_by_linux(&folder))?;
        Ok(entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect())
    }
}

fn told_by_linux(file: &std::path::Path) -> String {
    format!(
        "only Linux tells what a process costs: cannot read {}",
        file.display()
    )
}

/// The first number of `schedstat`: nanoseconds on a processor.
fn running_time(schedstat: &str) -> Result<Duration> {
    let nanoseconds = schedstat.split_whitespace().next();
    let nanoseconds = nanoseconds.context("schedstat is empty")?.parse()?;
    Ok(Duration::from_nanos(nanoseconds))
}

/// The state in `stat`, which stands behind the name in parentheses: the name may hold anything.
fn is_running(stat: &str) -> bool {
    stat.rsplit_once(')')
        .is_some_and(|(_, rest)| rest.trim_start().starts_with('R'))
}

fn kilobytes(status: &str, key: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_proc_are_read() {
        assert_eq!(
            running_time("2472376 17 1\n").unwrap(),
            Duration::from_nanos(2_472_376)
        );
        assert!(running_time("").is_err());
        assert!(is_running("12 (a) S (b) R 1 2"));
        assert!(!is_running("12 (R) S 1 2"));
        let status = "Name:\tx\nVmHWM:\t  900 kB\nVmRSS:\t  812 kB\n";
        assert_eq!(kilobytes(status, "VmRSS"), Some(812 * 1024));
        assert_eq!(kilobytes(status, "VmHWM"), Some(900 * 1024));
        assert_eq!(kilobytes(status, "VmSwap"), None);
    }

    #[test]
    fn a_process_that_is_not_there_is_an_error_that_says_so() {
        let error = Process::new(0).computed().unwrap_err();
        assert!(format!("{error:#}").contains("only Linux"));
    }
}
