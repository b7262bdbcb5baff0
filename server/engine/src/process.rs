//! Processes that run jobs: each in a group of its own that ends with the job.
//!
//! Must know nothing of what a process does, and leave none behind.

use std::io::Read;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

/// How often cancel and time limit are looked at while a process is silent.
pub(crate) const POLL: Duration = Duration::from_millis(20);

/// Bytes that are kept of the beginning, where the reason stands, and of the end of a process's error stream, for the
/// report of a crash.
const KEPT_STDERR: usize = 2048;

/// The worker never outlives the job, and neither does what it started, such as a compiler.
pub(crate) struct Worker {
    /// The process.
    pub(crate) child: Child,
    /// Whether its status has been taken.
    is_gone: bool,
}

impl Worker {
    /// Of a process that was started [`in_its_own_group`].
    pub(crate) fn new(child: Child) -> Worker {
        Worker {
            child,
            is_gone: false,
        }
    }

    /// Waits for the end of a worker that has closed its output: it ends by itself.
    pub(crate) fn end(&mut self) -> std::io::Result<ExitStatus> {
        // What it started may still be there; its own status is certain by now.
        end_group(&self.child);
        let status = self.child.wait();
        self.is_gone = true;
        status
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if self.is_gone {
            return;
        }
        end_group(&self.child);
        // A worker that already ended cannot be killed, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What it starts belongs to its group, and ends with it.
#[cfg(unix)]
pub(crate) fn in_its_own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    command.process_group(0);
}

#[cfg(not(unix))]
pub(crate) fn in_its_own_group(_: &mut Command) {}

#[cfg(unix)]
fn end_group(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // Nobody may be left in it.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn end_group(_: &Child) {}

/// Reads to the end and keeps the first and the last bytes.
pub(crate) fn ends(mut stream: impl Read) -> String {
    let (mut first, mut last) = (Vec::new(), Vec::new());
    let mut is_whole = true;
    let mut buffer = [0; 4096];
    while let Ok(n) = stream.read(&mut buffer) {
        if n == 0 {
            break;
        }
        let (begins, rest) = buffer[..n].split_at(n.min(KEPT_STDERR - first.len()));
        first.extend_from_slice(begins);
        last.extend_from_slice(rest);
        let surplus = last.len().saturating_sub(KEPT_STDERR);
        is_whole &= surplus == 0;
        last.drain(..surplus);
    }
    let [first, last] = [&first, &last].map(|bytes| String::from_utf8_lossy(bytes));
    let gap = if is_whole { "" } else { "\n…\n" };
    format!("{first}{gap}{last}").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_and_the_end_of_a_long_complaint_are_kept() {
        let long = format!("reason\n{}the end\n", "frame\n".repeat(10_000));
        let kept = ends(long.as_bytes());
        assert!(kept.starts_with("reason\nframe") && kept.ends_with("frame\nthe end"));
        assert!(kept.contains('…') && kept.len() < 3 * KEPT_STDERR);
        for length in [0, 1, KEPT_STDERR, KEPT_STDERR + 1, 2 * KEPT_STDERR] {
            let text = "x".repeat(length);
            assert_eq!(ends(text.as_bytes()), text);
        }
    }
}
