//! The state of these documents. Must never compute while it is locked.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sumac_ide::CancelToken;
use sumac_ide::expressions::{File, Found};
use sumac_language::Language;
use sumac_text::LineIndex;
use tower_lsp::ls_types::Uri;

/// Expressions whose suggestions are remembered, by their content.
const REMEMBERED: usize = 4096;

/// All of them.
#[derive(Debug)]
pub struct Documents {
    state: Mutex<State>,
    /// What was found, by what an expression's suggestions depend on.
    found: quick_cache::sync::Cache<String, Arc<Found>>,
}

/// What is open.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) open: BTreeMap<Uri, Open>,
}

/// An open document.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) language: &'static dyn Language,
    pub(super) version: i32,
    pub(super) lines: LineIndex,
    /// Cancels the work on this version.
    pub(super) token: CancelToken,
    /// What is known, with the version it is of: this one, or an earlier one while this is being read.
    pub(super) known: Option<(i32, Arc<File>)>,
}

impl Default for Documents {
    fn default() -> Self {
        Documents {
            state: Mutex::default(),
            found: quick_cache::sync::Cache::new(REMEMBERED),
        }
    }
}

impl Documents {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a document is one of these.
    #[must_use]
    pub fn is_open(&self, uri: &Uri) -> bool {
        self.lock().open.contains_key(uri)
    }

    /// What was found for an expression of this content.
    pub(super) fn found(&self, key: &str) -> Option<Arc<Found>> {
        self.found.get(key)
    }

    /// Remembers it.
    pub(super) fn remember(&self, key: String, found: &Arc<Found>) {
        self.found.insert(key, Arc::clone(found));
    }

    /// The present version of a document with what is known of it, if that is of this version.
    pub(super) fn present(&self, uri: &Uri) -> Option<(i32, Arc<File>)> {
        let state = self.lock();
        let open = state.open.get(uri)?;
        let known = open
            .known
            .as_ref()
            .filter(|(version, _)| *version == open.version);
        known.cloned()
    }

    /// Stores what is known of a version, unless another one is there by now; says whether it was stored.
    pub(super) fn store(&self, uri: &Uri, version: i32, file: File) -> bool {
        let mut state = self.lock();
        let open = state
            .open
            .get_mut(uri)
            .filter(|open| open.version == version);
        open.is_some_and(|open| {
            open.known = Some((version, Arc::new(file)));
            true
        })
    }
}
