//! What stages found, by all that they depend on: whoever edits the third guide runs the third guide only. And the growths of
//! their graphs, which depend on less: whoever edits a pattern or a cost looks through the rounds that are there.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quick_cache::sync;

use super::growth::Growth;
use super::guide_cache::GuideCache;
use super::stage::StageEnd;

/// Results that are kept. Each is a few expressions and some numbers.
const MOST: usize = 512;
/// Bytes that growths may take, where nothing else is said.
const BYTES: usize = 16 << 20;

/// Results of stages, and growths. Cheap to share between threads.
pub struct Cache {
    known: sync::Cache<String, Arc<StageEnd>>,
    growths: Mutex<Growths>,
    searches: AtomicUsize,
    rounds: AtomicUsize,
    /// Guides that led to goals.
    pub(super) guides: GuideCache,
}

/// Growths by what they depend on; what was used last stands first.
struct Growths {
    all: VecDeque<(String, Growth)>,
    most_bytes: usize,
}

impl Growths {
    fn bytes(&self) -> usize {
        self.all
            .iter()
            .map(|(key, growth)| key.len() + growth.bytes())
            .sum()
    }

    /// Takes out what is too much.
    fn surplus(&mut self) -> Vec<(String, Growth)> {
        let mut out = Vec::new();
        while self.bytes() > self.most_bytes {
            out.extend(self.all.pop_back());
        }
        out
    }
}

impl Default for Cache {
    /// For one command, or a test.
    fn default() -> Self {
        Cache::new(BYTES)
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cache({} of {MOST} stages)", self.known.len())
    }
}

impl Cache {
    /// With growths of at most so many bytes, by estimate.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        Cache {
            known: sync::Cache::new(MOST),
            growths: Mutex::new(Growths {
                all: VecDeque::new(),
                most_bytes: bytes,
            }),
            searches: AtomicUsize::new(0),
            rounds: AtomicUsize::new(0),
            guides: GuideCache::default(),
        }
    }

    /// How many stages were really searched.
    #[must_use]
    pub fn searches(&self) -> usize {
        self.searches.load(Ordering::Relaxed)
    }

    /// How many rounds of rules were really applied.
    #[must_use]
    pub fn rounds(&self) -> usize {
        self.rounds.load(Ordering::Relaxed)
    }

    /// Bytes that growths take, by estimate.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.growths().bytes()
    }

    /// Changes how many bytes growths may take; what is too much is forgotten.
    pub fn limit(&self, bytes: usize) {
        let surplus = {
            let mut growths = self.growths();
            growths.most_bytes = bytes;
            growths.surplus()
        };
        drop(surplus);
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.known.clear();
        self.forget_growths();
        self.guides.clear();
    }

    /// Forgets the growths: every stage that is not known is searched from its first round.
    pub fn forget_growths(&self) {
        let all = std::mem::take(&mut self.growths().all);
        drop(all);
    }

    fn growths(&self) -> MutexGuard<'_, Growths> {
        self.growths.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// Uses the growth under a key, which `new` makes where there is none. While it is used, another search makes one of its
    /// own. `None` if one of both gives that; what has grown until then is kept.
    pub(super) fn with_growth<T>(
        &self,
        key: String,
        new: impl FnOnce() -> Option<Growth>,
        use_it: impl FnOnce(&mut Growth, usize) -> Option<T>,
    ) -> Option<T> {
        let (known, most_bytes) = {
            let mut growths = self.growths();
            let place = growths.all.iter().position(|(known, _)| *known == key);
            let known = place.and_then(|place| growths.all.remove(place));
            (known, growths.most_bytes)
        };
        let mut growth = match known {
            Some((_, growth)) => growth,
            None => new()?,
        };
        let before = growth.rounds();
        let found = use_it(&mut growth, most_bytes);
        let grown = growth.rounds() - before;
        self.rounds.fetch_add(grown, Ordering::Relaxed);
        self.keep(key, growth);
        found
    }

    fn keep(&self, key: String, growth: Growth) {
        if !growth.is_whole() {
            return;
        }
        // What is too much is dropped when nobody waits for the lock any more.
        let surplus = {
            let mut growths = self.growths();
            let twin = growths.all.iter().position(|(known, _)| *known == key);
            let twin = twin.and_then(|place| growths.all.remove(place));
            let longer = match twin {
                Some((_, twin)) if twin.rounds() > growth.rounds() => twin,
                _ => growth,
            };
            growths.all.push_front((key, longer));
            growths.surplus()
        };
        drop(surplus);
    }
}
