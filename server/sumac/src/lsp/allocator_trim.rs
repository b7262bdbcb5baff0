//! Gives memory back to the system that searches have freed: an allocator keeps it, for each thread by itself, and a session that
//! searches for hours would seem to grow. Must never be waited for by whoever answers a person.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Between two times: giving back takes some milliseconds, and new searches ask for the memory again.
const EVERY: Duration = Duration::from_secs(10);

/// When memory was given back last.
#[derive(Debug, Default)]
pub struct AllocatorTrim(Mutex<Option<Instant>>);

impl AllocatorTrim {
    /// A search has ended, on the thread that calls this.
    pub fn searched(&self) {
        if self.is_due(Instant::now()) {
            sumac_runtime::memory::trim();
        }
    }

    /// Whether it is time, at `now`; whoever hears so does it.
    fn is_due(&self, now: Instant) -> bool {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = last.is_none_or(|last| now.duration_since(last) >= EVERY);
        if is_due {
            *last = Some(now);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_given_back_now_and_then() {
        let allocator_trim = AllocatorTrim::default();
        let start = Instant::now();
        assert!(
            allocator_trim.is_due(start),
            "nobody knows what came before"
        );
        assert!(!allocator_trim.is_due(start + EVERY / 2));
        assert!(allocator_trim.is_due(start + EVERY));
        assert!(!allocator_trim.is_due(start + EVERY), "one at a time");
    }
}
