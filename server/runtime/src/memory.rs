//! Memory from the operating system's point of view: cell buffers with huge pages, and this process's limits.
//!
//! All `unsafe` calls into libc of this crate live here. Nothing here knows what the cells mean.

#![allow(
    unsafe_code,
    reason = "madvise, setrlimit, getrlimit and sysconf have no safe form; each call says why it is sound"
)]

/// Buffers from this many bytes on ask for huge pages: 10 to 20 % of streaming bandwidth.
const HUGE_PAGES_FROM: usize = 4 << 20;

/// `len` cells, all `0.0`.
#[must_use]
pub fn zeroed(len: usize) -> Vec<f64> {
    let cells = vec![0.0_f64; len];
    advise_huge_pages(&cells);
    cells
}

/// `len` cells, all `value`.
#[must_use]
pub fn filled(len: usize, value: f64) -> Vec<f64> {
    if value.to_bits() == 0 {
        return zeroed(len);
    }
    let mut cells = zeroed(len);
    cells.fill(value);
    cells
}

/// Tells the kernel that a large buffer is worth huge pages. It only advises: contents and validity of the memory
/// do not change, and a refusal is of no consequence.
fn advise_huge_pages(cells: &[f64]) {
    const PAGE: usize = 4096;
    let bytes = size_of_val(cells);
    if bytes < HUGE_PAGES_FROM {
        return;
    }
    #[cfg(target_os = "linux")]
    {
        let start = (cells.as_ptr() as usize).next_multiple_of(PAGE);
        let end = (cells.as_ptr() as usize + bytes) & !(PAGE - 1);
        // SAFETY: the whole pages between `start` and `end` lie inside `cells`, which we hold borrowed;
        // MADV_HUGEPAGE never changes what memory contains.
        unsafe {
            libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = PAGE;
}

/// Limits this process's address space to `bytes` from now on; an allocation beyond it fails and ends the process.
///
/// # Errors
/// What the operating system says when it refuses, for example above a hard limit set by an administrator.
pub fn limit_address_space(bytes: u64) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        let limit = libc::rlimit {
            rlim_cur: bytes as libc::rlim_t,
            rlim_max: bytes as libc::rlim_t,
        };
        // SAFETY: `limit` is a valid rlimit that outlives the call; the call touches nothing else of ours.
        if unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) } != 0 {
            return Err(std::io::Error::last_os_error());
        }
        Ok(())
    }
    #[cfg(not(unix))]
    {
        let _ = bytes;
        Err(std::io::Error::new(
            std::io::ErrorKind::Unsupported,
            "memory limits need a Unix system",
        ))
    }
}

/// The address-space limit of this process in bytes, where there is one.
#[must_use]
pub fn address_space_limit() -> Option<u64> {
    #[cfg(unix)]
    {
        let mut limit = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        // SAFETY: `limit` is a valid rlimit to be written to.
        let ok = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) } == 0;
        (ok && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
    }
    #[cfg(not(unix))]
    None
}

/// Asks the system to end this process when the one that started it ends, so that no run is left behind. Where the
/// system has no such thing, nothing happens.
pub fn end_with_parent() {
    #[cfg(target_os = "linux")]
    // SAFETY: PR_SET_PDEATHSIG takes one number and only sets an attribute of this process.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
}

/// Bytes of memory that programs could still get without swapping, where the system tells.
#[must_use]
pub fn available_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find(|line| line.starts_with("MemAvailable:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

/// Bytes of memory that this process could have at most: the machine's, or its container's where that is less.
/// `None` where the system does not tell.
#[must_use]
pub fn total_bytes() -> Option<u64> {
    let machine = physical_bytes()?;
    let container = std::fs::read_to_string("/sys/fs/cgroup/memory.max")
        .ok()
        .and_then(|text| text.trim().parse::<u64>().ok());
    Some(container.map_or(machine, |limit| limit.min(machine)))
}

fn physical_bytes() -> Option<u64> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_and_small_buffers_hold_what_they_were_filled_with() {
        for len in [0, 1, 511, 1 << 20] {
            assert!(zeroed(len).iter().all(|&x| x == 0.0));
            assert!(filled(len, 2.5).iter().all(|&x| x == 2.5));
            assert_eq!(filled(len, -0.0).len(), len);
        }
        assert!(filled(1, -0.0)[0].is_sign_negative());
    }

    #[test]
    fn what_is_available_is_a_part_of_the_total() {
        if let (Some(available), Some(total)) = (available_bytes(), physical_bytes()) {
            assert!(available <= total, "{available} of {total}");
            assert!(total_bytes().is_some_and(|bytes| bytes <= total));
        }
    }

    #[test]
    fn a_limit_that_is_already_in_force_can_be_stated_again() {
        // Stating the present limit (or none) must succeed and leave the limit as it was.
        let before = address_space_limit();
        #[cfg(unix)]
        limit_address_space(before.unwrap_or(libc::RLIM_INFINITY))
            .expect("the present limit is allowed");
        assert_eq!(before, address_space_limit());
    }
}
