//! What was made of kernels, kept by what they compute: equal kernels are made once.

use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;
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

/// By kernel, what somebody made of it; the one that was not asked for longest goes first.
#[derive(Debug)]
pub struct Cache<T> {
    most: usize,
    state: Mutex<State<T>>,
}

#[derive(Debug)]
struct State<T> {
    made: FxHashMap<Arc<Kernel>, (Arc<T>, u64)>,
    lookups: u64,
    hits: u64,
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
            most: most.max(1),
            state: Mutex::new(State {
                made: FxHashMap::default(),
                lookups: 0,
                hits: 0,
            }),
        }
    }

    /// What is made of a kernel: kept, or made now.
    pub fn get(&self, kernel: &Arc<Kernel>, make: impl FnOnce() -> T) -> Arc<T> {
        let mut state = self
            .state
            .lock()
            .unwrap_or_else(|broken| broken.into_inner());
        state.lookups += 1;
        let now = state.lookups;
        if let Some((made, asked)) = state.made.get_mut(kernel) {
            *asked = now;
            let made = made.clone();
            state.hits += 1;
            return made;
        }
        let made = Arc::new(make());
        if state.made.len() >= self.most {
            let oldest = state
                .made
                .iter()
                .min_by_key(|(_, (_, asked))| *asked)
                .map(|(kernel, _)| kernel.clone());
            if let Some(oldest) = oldest {
                state.made.remove(&oldest);
            }
        }
        state.made.insert(kernel.clone(), (made.clone(), now));
        made
    }

    /// How often it had what was asked for.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let state = self
            .state
            .lock()
            .unwrap_or_else(|broken| broken.into_inner());
        Statistics {
            lookups: state.lookups,
            hits: state.hits,
            kept: state.made.len(),
        }
    }
}
