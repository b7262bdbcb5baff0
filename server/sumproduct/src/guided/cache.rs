//! What stages found, by all that they depend on: whoever edits the third guide runs the third guide only.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxBuildHasher;

use super::stage::StageEnd;

/// Results that are kept. Each is a few expressions and some numbers.
const MOST: usize = 512;

/// Results of stages. Cheap to share between threads.
#[derive(Debug, Default)]
pub struct Cache {
    known: Mutex<Known>,
    searches: AtomicUsize,
}

#[derive(Debug, Default)]
struct Known {
    results: HashMap<String, (u64, Arc<StageEnd>), FxBuildHasher>,
    clock: u64,
}

impl Cache {
    /// How many stages were really searched.
    #[must_use]
    pub fn searches(&self) -> usize {
        self.searches.load(Ordering::Relaxed)
    }

    /// The result under a key, and whether it was there; `search` makes it otherwise. `None` if that was cancelled.
    pub(super) fn get(
        &self,
        key: String,
        search: impl FnOnce() -> Option<StageEnd>,
    ) -> Option<(Arc<StageEnd>, bool)> {
        if let Some(found) = self.look(&key) {
            return Some((found, true));
        }
        self.searches.fetch_add(1, Ordering::Relaxed);
        let made = Arc::new(search()?);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.clock += 1;
        let now = known.clock;
        known.results.insert(key, (now, Arc::clone(&made)));
        if known.results.len() > MOST {
            let oldest = known.results.iter().min_by_key(|(_, (used, _))| *used);
            if let Some(key) = oldest.map(|(key, _)| key.clone()) {
                known.results.remove(&key);
            }
        }
        Some((made, false))
    }

    fn look(&self, key: &str) -> Option<Arc<StageEnd>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.clock += 1;
        let now = known.clock;
        let (used, found) = known.results.get_mut(key)?;
        *used = now;
        Some(Arc::clone(found))
    }
}
