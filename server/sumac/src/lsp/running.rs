//! The work that a client may cancel by its progress.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use sumac_ide::CancelToken;
use tower_lsp::ls_types::{ProgressToken, WorkDoneProgressCancelParams};

/// The work that a client may cancel, by progress token.
#[derive(Debug, Default)]
pub struct Running {
    pub(super) next: AtomicU64,
    pub(super) tokens: Mutex<BTreeMap<String, CancelToken>>,
}

impl Running {
    /// The client pressed cancel.
    pub fn cancel(&self, params: &WorkDoneProgressCancelParams) {
        if let ProgressToken::String(name) = &params.token
            && let Some(token) = self.lock().get(name)
        {
            token.cancel();
        }
    }

    pub(super) fn add(&self, token: CancelToken) -> String {
        let name = format!("sumac/{}", self.next.fetch_add(1, Ordering::Relaxed));
        self.lock().insert(name.clone(), token);
        name
    }

    pub(super) fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, CancelToken>> {
        self.tokens
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
