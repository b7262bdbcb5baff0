//! Memory from the operating system's point of view: cell buffers with huge pages, and this process's limits.
//!
//! All `unsafe` calls into libc of this crate live here. Nothing here knows what the cells mean.

#![allow(
    unsafe_code,
    reason = "madvise, setrlimit, getrlimit and sysconf have no safe form; each call says why it is sound"
)]

mod limits;

use std::sync::{Mutex, PoisonError};

pub use limits::{Stack, available_bytes, limit, limit_bytes, limit_seconds, total_bytes};

/// Buffers from this many bytes on ask for huge pages: 10 to 20 % of streaming bandwidth.
const HUGE_PAGES_FROM: usize = 4 << 20;

/// `len` cells, all `0.0`.
#[must_use]
pub fn zeroed(len: usize) -> Vec<f64> {
    if len >= LOOKED_FOR_FROM {
        POOL.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .make_room(len);
    }
    let cells = vec![0.0_f64; len];
    advise_huge_pages(&cells);
    cells
}

/// `len` cells of any value, for who writes all of them: those of a buffer that was given back where one fits.
#[must_use]
pub fn for_overwriting(len: usize) -> Vec<f64> {
    // The pool is locked for the look into it only: making zeros locks it again.
    let kept = POOL
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take(len);
    kept.unwrap_or_else(|| zeroed(len))
}

/// Takes back the cells of a value that nobody needs any more. They serve the next [`for_overwriting`] while buffers are
/// kept, and are freed otherwise.
pub fn recycle(cells: Vec<f64>) {
    if cells.capacity() >= KEPT_FROM {
        POOL.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .give(cells);
    }
}

/// While this lives, large buffers that were given back are kept for later ones of about their size. A fresh buffer
/// costs a pass over its memory before the first cell is written. What is kept is bounded, and freed with the last
/// of these.
#[derive(Debug)]
pub struct BufferPool(());

impl BufferPool {
    /// From now on.
    #[must_use]
    pub fn start() -> BufferPool {
        POOL.lock().unwrap_or_else(PoisonError::into_inner).keepers += 1;
        BufferPool(())
    }
}

impl Drop for BufferPool {
    fn drop(&mut self) {
        let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
        pool.keepers -= 1;
        if pool.keepers == 0 {
            pool.buffers.clear();
        }
    }
}

/// Cells from which a buffer is worth keeping: what is smaller is in the nearest cache once it holds zeros.
const KEPT_FROM: usize = 1 << 13;

/// Cells from which room is looked for before a buffer is made.
const LOOKED_FOR_FROM: usize = 1 << 17;

/// Buffers that are kept at most: all of them are looked at.
const KEPT: usize = 128;

/// Bytes that are kept at most.
const KEPT_BYTES: usize = 2 << 30;

/// Buffers that were given back, the latest last.
struct Pool {
    buffers: Vec<Vec<f64>>,
    /// How many want them kept.
    keepers: usize,
}

static POOL: Mutex<Pool> = Mutex::new(Pool {
    buffers: Vec::new(),
    keepers: 0,
});

impl Pool {
    /// The latest buffer that is large enough, and not much larger.
    fn take(&mut self, len: usize) -> Option<Vec<f64>> {
        if len < KEPT_FROM {
            return None;
        }
        let fits = |buffer: &Vec<f64>| buffer.len() >= len && buffer.len() <= len + len / 4;
        let place = self.buffers.iter().rposition(fits)?;
        let mut cells = self.buffers.remove(place);
        cells.truncate(len);
        Some(cells)
    }

    /// Lets go of all buffers where what is left under the process's limit has no room for so many cells.
    fn make_room(&mut self, len: usize) {
        if self.buffers.is_empty() {
            return;
        }
        let mut probe = Vec::<f64>::new();
        let is_full = probe.try_reserve_exact(len).is_err();
        // Memory that nobody looks at is not even asked for by an optimized build.
        std::hint::black_box(&mut probe);
        if is_full {
            self.buffers.clear();
        }
    }

    fn give(&mut self, cells: Vec<f64>) {
        if self.keepers == 0 {
            return;
        }
        let bytes = |cells: &Vec<f64>| cells.capacity() * size_of::<f64>();
        let most = Self::most();
        if bytes(&cells) > most {
            return;
        }
        let mut all = bytes(&cells) + self.buffers.iter().map(bytes).sum::<usize>();
        self.buffers.push(cells);
        while all > most || self.buffers.len() > KEPT {
            all -= bytes(&self.buffers.remove(0));
        }
    }

    /// Bytes that are kept at most: an eighth of what this process may have, where that is less.
    fn most() -> usize {
        let limit = limit_bytes().map_or(usize::MAX, |bytes| {
            usize::try_from(bytes).unwrap_or(usize::MAX)
        });
        KEPT_BYTES.min(limit / 8)
    }
}

/// `len` cells, all `value`.
#[must_use]
pub fn filled(len: usize, value: f64) -> Vec<f64> {
    if value.to_bits() == 0 {
        return zeroed(len);
    }
    let mut cells = for_overwriting(len);
    cells.fill(value);
    cells
}

/// The same cells in memory of their own.
pub(crate) fn copied(cells: &[f64]) -> Vec<f64> {
    let mut copy = for_overwriting(cells.len());
    copy.copy_from_slice(cells);
    copy
}

/// Tells the kernel that a large buffer is worth huge pages. It only advises: contents and validity of the memory
/// do not change, and a refusal is of no consequence.
fn advise_huge_pages(cells: &[f64]) {
    advise(cells.as_ptr().addr(), size_of_val(cells));
}

/// An empty vector with room for `len` values, in huge pages where that is much.
pub(crate) fn with_room<T>(len: usize) -> Vec<T> {
    let values = Vec::<T>::with_capacity(len);
    advise(values.as_ptr().addr(), values.capacity() * size_of::<T>());
    values
}

/// `len` zeros or other values that the allocator gives for nothing, in huge pages where that is much.
pub(crate) fn defaults<T: Clone + Default>(len: usize) -> Vec<T> {
    let mut values = with_room(len);
    values.resize(len, T::default());
    values
}

/// As [`advise_huge_pages`], for memory that its caller owns.
fn advise(start: usize, bytes: usize) {
    const PAGE: usize = 4096;
    if bytes < HUGE_PAGES_FROM {
        return;
    }
    #[cfg(target_os = "linux")]
    {
        let end = (start + bytes) & !(PAGE - 1);
        let start = start.next_multiple_of(PAGE);
        // SAFETY: MADV_HUGEPAGE never changes what memory contains, whoever owns it; the whole pages between `start`
        // and `end` are the caller's.
        unsafe {
            libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (PAGE, start);
}

/// Gives the memory that was freed and lies between what is in use back to the system, where the allocator can do that. Takes
/// some milliseconds.
pub fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the allocator takes its own locks, and touches nothing that is in use.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Whether so many bytes more could be had now, under the limit of this process.
pub(crate) fn is_room_for(bytes: usize) -> bool {
    let mut probe = Vec::<u8>::new();
    let is_room = probe.try_reserve_exact(bytes).is_ok();
    // Memory that nobody looks at is not even asked for by an optimized build.
    std::hint::black_box(&mut probe);
    is_room
}

/// From now on the threads of this process share one heap for each two cores, where the allocator can be told: by itself glibc makes
/// up to eight for each core. What one thread leaves free in its own heap no other takes, so a session whose work wanders from
/// thread to thread would seem to grow for hours. Says whether the allocator agreed.
pub fn share_heaps() -> bool {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let heaps = libc::c_int::try_from(cores.div_ceil(2)).unwrap_or(libc::c_int::MAX);
        // SAFETY: mallopt takes two numbers, and the allocator's own locks; nothing that is in use changes its place.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, heaps) == 1 }
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    false
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_share_heaps_still_get_memory_of_their_own() {
        assert_eq!(
            share_heaps(),
            cfg!(all(target_os = "linux", target_env = "gnu"))
        );
        let filled = |n: usize| vec![n; 10_000];
        let threads: Vec<_> = (0..16)
            .map(|n| std::thread::spawn(move || filled(n)))
            .collect();
        for (n, thread) in threads.into_iter().enumerate() {
            assert!(thread.join().unwrap().iter().all(|&own| own == n));
        }
    }

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
    fn a_buffer_is_kept_only_while_somebody_asks_for_it() {
        // Lengths that no other test asks for, for the pool is the process's.
        let len = KEPT_FROM + 4321;
        let address = |cells: &Vec<f64>| cells.as_ptr().addr();
        {
            let _pool = BufferPool::start();
            let cells = filled(len, 3.0);
            let place = address(&cells);
            recycle(cells);
            assert_eq!(address(&for_overwriting(len - 7)), place);
            recycle(filled(len, 3.0));
            let shorter = for_overwriting(len - 7);
            assert_eq!(shorter.len(), len - 7);
            assert_ne!(
                for_overwriting(len / 2).len(),
                len,
                "not one that is much larger"
            );
            assert!(zeroed(len).iter().all(|x| *x == 0.0), "zeros are zeros");
        }
        let mut pool = Pool {
            buffers: Vec::new(),
            keepers: 0,
        };
        pool.give(vec![1.0; KEPT_FROM]);
        assert!(pool.buffers.is_empty(), "nobody asked");
        pool.keepers = 1;
        let large = Pool::most() / size_of::<f64>() / 2 - 1;
        for _ in 0..3 {
            pool.give(vec![0.0; large]);
        }
        assert_eq!(pool.buffers.len(), 2, "the oldest gave way");
        assert!(pool.take(KEPT_FROM - 1).is_none());
        for _ in 0..KEPT + 3 {
            pool.give(vec![0.0; KEPT_FROM]);
        }
        assert_eq!(pool.buffers.len(), KEPT, "not more than are looked at");
        pool.buffers.truncate(2);
        pool.make_room(KEPT_FROM);
        assert_eq!(pool.buffers.len(), 2, "there is room");
        pool.make_room(usize::MAX / 32);
        assert!(
            pool.buffers.is_empty(),
            "what is kept never costs a run its memory"
        );
    }

    #[test]
    fn there_is_room_for_a_little_and_not_for_everything() {
        assert!(is_room_for(0) && is_room_for(1 << 20));
        assert!(!is_room_for(usize::MAX / 2));
    }

    #[test]
    fn what_is_available_is_a_part_of_the_total() {
        if let (Some(available), Some(total)) = (available_bytes(), limits::physical_bytes()) {
            assert!(available <= total, "{available} of {total}");
            assert!(total_bytes().is_some_and(|bytes| bytes <= total));
        }
    }

    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[test]
    fn freed_memory_goes_back_to_the_system() {
        let resident = || {
            let text = std::fs::read_to_string("/proc/self/statm").unwrap();
            let pages: usize = text.split_whitespace().nth(1).unwrap().parse().unwrap();
            pages * 4096
        };
        // Blocks in between stay, so that nothing at the end of the heap can go by itself.
        let mut blocks: Vec<Option<Box<[u8; 1024]>>> = vec![const { None }; 1 << 17];
        for block in &mut blocks {
            *block = Some(Box::new([1; 1024]));
        }
        let kept: Vec<_> = blocks.iter_mut().step_by(64).map(Option::take).collect();
        drop(blocks);
        let before = resident();
        trim();
        let after = resident();
        assert!(after + (64 << 20) < before, "{before} bytes, then {after}");
        assert!(kept.iter().flatten().all(|block| block[0] == 1));
    }
}
