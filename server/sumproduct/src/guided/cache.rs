//! What stages found, by all that they depend on: whoever edits the third guide runs the third guide only.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use quick_cache::sync;

use super::past::Past;
use super::stage::StageEnd;

/// Results that are kept. Each is a few expressions and some numbers.
const MOST: usize = 512;

/// Results of stages. Cheap to share between threads.
pub struct Cache {
    known: sync::Cache<String, Arc<StageEnd>>,
    searches: AtomicUsize,
    /// Guides that led to goals.
    pub(super) past: Past,
}

impl Default for Cache {
    fn default() -> Self {
        Cache {
            known: sync::Cache::new(MOST),
            searches: AtomicUsize::new(0),
            past: Past::default(),
        }
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cache({} of {MOST} stages)", self.known.len())
    }
}

impl Cache {
    /// How many stages were really searched.
    #[must_use]
    pub fn searches(&self) -> usize {
        self.searches.load(Ordering::Relaxed)
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.known.clear();
        self.past.clear();
    }

    /// The result under a key, and whether it was there; `search` makes it otherwise. `None` if that was cancelled.
    pub(super) fn get(
        &self,
        key: String,
        search: impl FnOnce() -> Option<StageEnd>,
    ) -> Option<(Arc<StageEnd>, bool)> {
        if let Some(found) = self.known.get(&key) {
            return Some((found, true));
        }
        self.searches.fetch_add(1, Ordering::Relaxed);
        let made = Arc::new(search()?);
        self.known.insert(key, Arc::clone(&made));
        Some((made, false))
    }
}
