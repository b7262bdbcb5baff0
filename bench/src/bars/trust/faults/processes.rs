//! Processes by a mark in their environment, whoever their parent is by now, and signals to them. Only Linux shows environments.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

/// The variable that holds the mark.
pub(super) const MARK: &str = "SUMAC_FAULT_MARK";
/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// A process that bears a mark.
#[derive(Clone, Debug)]
pub(super) struct Marked {
    pub(super) pid: u32,
    /// Its command line.
    pub(super) line: String,
}

impl Marked {
    /// Whether it does a job for another process of the program.
    pub(super) fn is_worker(&self) -> bool {
        self.line.ends_with(" worker")
    }
}

/// The processes that bear a mark and have not ended.
pub(super) fn marked(mark: &str) -> Vec<Marked> {
    let wanted = format!("{MARK}={mark}");
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    all.filter_map(|entry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        // Empty where the process has ended and only waits for its parent.
        let environment = fs::read(entry.path().join("environ")).ok()?;
        let bears = |variable: &[u8]| variable == wanted.as_bytes();
        if !environment.split(|byte| *byte == 0).any(bears) {
            return None;
        }
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        let line = line.trim_end().to_owned();
        Some(Marked { pid, line })
    })
    .collect()
}

/// The workers among them, as soon as there is one; none where none came in time.
pub(super) fn workers(mark: &str, within: Duration) -> Vec<Marked> {
    let deadline = Instant::now() + within;
    loop {
        let mut found = marked(mark);
        found.retain(Marked::is_worker);
        if !found.is_empty() || Instant::now() > deadline {
            return found;
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// Those that are still there after so long.
pub(super) fn left(mark: &str, within: Duration) -> Vec<Marked> {
    let deadline = Instant::now() + within;
    loop {
        let found = marked(mark);
        if found.is_empty() || Instant::now() > deadline {
            return found;
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// A signal by its name. A process that has ended meanwhile is no error.
///
/// # Errors
/// There is no `kill`.
pub(super) fn signal(pid: u32, name: &str) -> Result<()> {
    let mut command = Command::new("kill");
    command.args(["-s", name, &pid.to_string()]);
    command.output().context("there is no `kill`")?;
    Ok(())
}

/// Ends all that bear a mark.
pub(super) fn end_all(mark: &str) {
    for process in marked(mark) {
        // It may have ended by itself.
        let _ = signal(process.pid, "KILL");
    }
}

/// # Errors
/// This system does not show environments: no orphan could be found.
pub(super) fn check() -> Result<()> {
    let own = fs::read("/proc/self/environ");
    ensure!(own.is_ok(), "only Linux shows the environment of processes");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_found_by_its_mark_until_it_has_ended() {
        let mark = format!("test-{}", std::process::id());
        let mut child = Command::new("sleep")
            .arg("60")
            .env(MARK, &mark)
            .spawn()
            .unwrap();
        // Its environment is there as soon as it has become `sleep`.
        while marked(&mark).is_empty() {
            assert!(child.try_wait().unwrap().is_none());
        }
        assert!(!left(&mark, Duration::ZERO).is_empty());
        assert!(marked(&format!("{mark}0")).is_empty());
        end_all(&mark);
        child.wait().unwrap();
        assert!(left(&mark, Duration::from_secs(5)).is_empty());
    }
}
