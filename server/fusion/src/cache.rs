//! What was made of kernels, kept by what they compute: equal kernels are made once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use quick_cache::sync;
use serde::Serialize;

use crate::kernel::Kernel;

/// How often a cache had what was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Statistics {
    /// Questions.
    pub lookups: u64,
    /// Questions that found it there.
    pub hits: u64,
    /// What is kept.
    pub kept: usize,
}

/// By kernel, what somebody made of it; what is asked for least goes first.
#[derive(Debug)]
pub struct Cache<T> {
    made: sync::Cache<Arc<Kernel>, Arc<T>>,
    lookups: AtomicU64,
    hits: AtomicU64,
}

impl<T> Default for Cache<T> {
    fn default() -> Self {
        Cache::new(1024)
    }
}

impl<T> Cache<T> {
    /// Of at most so many.
    #[must_use]
    pub fn new(most: usize) -> Cache<T> {
        Cache {
            made: sync::Cache::new(most.max(1)),
            lookups: AtomicU64::new(0),
            hits: AtomicU64::new(0),
        }
    }

    /// What is made of a kernel: kept, or made now.
    pub fn get(&self, kernel: &Arc<Kernel>, make: impl FnOnce() -> T) -> Arc<T> {
        self.lookups.fetch_add(1, Ordering::Relaxed);
        if let Some(made) = self.made.get(kernel) {
            self.hits.fetch_add(1, Ordering::Relaxed);
            return made;
        }
        let made = Arc::new(make());
        self.made.insert(kernel.clone(), made.clone());
        made
    }

    /// How often it had what was asked for.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        Statistics {
            lookups: self.lookups.load(Ordering::Relaxed),
            hits: self.hits.load(Ordering::Relaxed),
            kept: self.made.len(),
        }
    }
}
