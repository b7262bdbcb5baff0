//! How much memory there is, how much of it this process may take, and how long it may compute: the system sees to it.

use std::sync::{Mutex, PoisonError};

/// Bytes that this process may take beside values once it is limited: what allocators keep in reserve.
const RESERVE: u64 = 16 << 20;

/// What a limited process may have.
#[derive(Debug)]
struct Limited {
    /// Bytes for values.
    values: u64,
    /// What it had when it was limited, and the reserve.
    before: u64,
    /// Stacks of threads that were started since.
    stacks: u64,
}

static LIMITED: Mutex<Option<Limited>> = Mutex::new(None);

/// From now on this process may take `bytes` more for values: the system refuses more, which ends the process. Threads
/// that are started later say so by [`Stack`]. On Linux what counts is private memory that can be written (`RLIMIT_DATA`),
/// elsewhere on Unix the address space.
///
/// # Errors
/// What the operating system says when it refuses, for example above a hard limit set by an administrator.
pub fn limit(bytes: u64) -> std::io::Result<()> {
    let limited = Limited {
        values: bytes,
        before: taken().saturating_add(RESERVE),
        stacks: 0,
    };
    apply(&limited)?;
    *LIMITED.lock().unwrap_or_else(PoisonError::into_inner) = Some(limited);
    Ok(())
}

/// Bytes that values of this process may take, where that is limited.
#[must_use]
pub fn limit_bytes() -> Option<u64> {
    let limited = LIMITED.lock().unwrap_or_else(PoisonError::into_inner);
    limited.as_ref().map(|limited| limited.values)
}

/// Room for the stack of a thread beside the values of a limited process, from before it is started until it has ended.
/// Most of a stack is never touched, so it takes no memory, but the system counts all of it.
#[derive(Debug)]
pub struct Stack(u64);

impl Stack {
    /// Of so many bytes.
    #[must_use]
    pub fn of(bytes: usize) -> Stack {
        let bytes = bytes as u64;
        change_stacks(|stacks| stacks.saturating_add(bytes));
        Stack(bytes)
    }

    /// Of a thread that never ends.
    pub fn forever(self) {
        std::mem::forget(self);
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        change_stacks(|stacks| stacks.saturating_sub(self.0));
    }
}

fn change_stacks(change: impl FnOnce(u64) -> u64) {
    let mut limited = LIMITED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(limited) = limited.as_mut() {
        limited.stacks = change(limited.stacks);
        // Where the system refuses, the thread is not started, which is told there.
        let _ = apply(limited);
    }
}

/// Private memory that can be written, as the system counts it for this process.
fn taken() -> u64 {
    let told = || {
        let text = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = text.lines().find(|line| line.starts_with("VmData:"))?;
        let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kib * 1024)
    };
    told().unwrap_or(0)
}

/// Address space beside values where nothing better is counted: code, stacks, reserves.
#[cfg(all(unix, not(target_os = "linux")))]
const ADDRESSES: u64 = 768 << 20;

#[cfg(unix)]
fn apply(limited: &Limited) -> std::io::Result<()> {
    #[cfg(target_os = "linux")]
    let (what, beside) = (libc::RLIMIT_DATA, 0);
    #[cfg(not(target_os = "linux"))]
    let (what, beside) = (libc::RLIMIT_AS, ADDRESSES);
    let parts = [limited.values, limited.before, limited.stacks, beside];
    let bytes = parts.into_iter().fold(0, u64::saturating_add);
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `limit` is a valid rlimit to be written to.
    if unsafe { libc::getrlimit(what, &raw mut limit) } != 0 {
        return Err(std::io::Error::last_os_error());
    }
    // The hard limit stays: stacks that come later raise this one.
    limit.rlim_cur = (bytes as libc::rlim_t).min(limit.rlim_max);
    // SAFETY: `limit` is a valid rlimit that outlives the call; the call touches nothing else of ours.
    if unsafe { libc::setrlimit(what, &raw const limit) } != 0 {
        return Err(std::io::Error::last_os_error());
    }
    Ok(())
}

#[cfg(not(unix))]
fn apply(_: &Limited) -> std::io::Result<()> {
    Err(std::io::Error::new(
        std::io::ErrorKind::Unsupported,
        "memory limits need a Unix system",
    ))
}

/// From now on this process and those that it starts may compute for so many seconds, all threads together, each; and none
/// leaves its memory behind in a file when it ends badly. Where the system has no such limit, nothing happens.
///
/// # Errors
/// What the operating system says when it refuses.
pub fn limit_seconds(seconds: u64) -> std::io::Result<()> {
    #[cfg(unix)]
    for (what, value) in [(libc::RLIMIT_CPU, seconds), (libc::RLIMIT_CORE, 0)] {
        let mut limit = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        // SAFETY: `limit` is a valid rlimit to be written to.
        if unsafe { libc::getrlimit(what, &raw mut limit) } != 0 {
            return Err(std::io::Error::last_os_error());
        }
        limit.rlim_max = limit.rlim_max.min(value as libc::rlim_t);
        limit.rlim_cur = limit.rlim_max;
        // SAFETY: `limit` is a valid rlimit that outlives the call; the call touches nothing else of ours.
        if unsafe { libc::setrlimit(what, &raw const limit) } != 0 {
            return Err(std::io::Error::last_os_error());
        }
    }
    #[cfg(not(unix))]
    let _ = seconds;
    Ok(())
}

/// Bytes of memory that programs could still get without swapping, where the system tells: the machine's, or its
/// container's where that is less.
#[must_use]
pub fn available_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find(|line| line.starts_with("MemAvailable:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    let machine = kib * 1024;
    let container = container_bytes().map(|(limit, used)| limit.saturating_sub(used));
    Some(container.map_or(machine, |left| left.min(machine)))
}

/// Bytes of memory that this process could have at most: the machine's, or its container's where that is less.
/// `None` where the system does not tell.
#[must_use]
pub fn total_bytes() -> Option<u64> {
    let machine = physical_bytes()?;
    let container = container_bytes().map(|(limit, _)| limit);
    Some(container.map_or(machine, |limit| limit.min(machine)))
}

/// The limit of this process's container, where it has one, and what is used of it: in the layout of now, or the former.
fn container_bytes() -> Option<(u64, u64)> {
    const FILES: [[&str; 2]; 2] = [
        ["memory.max", "memory.current"],
        [
            "memory/memory.limit_in_bytes",
            "memory/memory.usage_in_bytes",
        ],
    ];
    let number = |name: &str| -> Option<u64> {
        let text = std::fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?;
        text.trim().parse().ok()
    };
    FILES
        .iter()
        .find_map(|[limit, used]| Some((number(limit)?, number(used).unwrap_or(0))))
}

pub(super) fn physical_bytes() -> Option<u64> {
    #[cfg(unix)]
    {
        // SAFETY: sysconf takes one number and only answers.
        let (pages, size) = unsafe {
            (
                libc::sysconf(libc::_SC_PHYS_PAGES),
                libc::sysconf(libc::_SC_PAGESIZE),
            )
        };
        let bytes = u64::try_from(pages).ok()? * u64::try_from(size).ok()?;
        (bytes > 0).then_some(bytes)
    }
    #[cfg(not(unix))]
    None
}
