//! The diagnostics that clients which pull were given, and whether they show what is not so any more.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tower_lsp::ls_types as ls;

/// What clients that pull were given.
#[derive(Debug, Default)]
pub struct Pulled(Mutex<BTreeMap<ls::Uri, State>>);

/// How a document's diagnostics stand.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// The id of what the client was given last.
    pub(crate) given: Option<String>,
    /// The id of what was found last.
    pub(crate) found: Option<String>,
    /// Pulls under way: what they will give is not old.
    pub(crate) waiting: usize,
}

impl State {
    /// Whether the client shows what is not so any more, and nothing is on its way to it.
    pub(crate) fn is_outdated(&self) -> bool {
        self.waiting == 0
            && self.given.is_some()
            && self.found.is_some()
            && self.given != self.found
    }
}

impl Pulled {
    /// Forgets a closed document.
    pub fn forget(&self, uri: &ls::Uri) {
        self.lock().remove(uri);
    }

    /// Something was found for a document; says whether the client has to pull again.
    pub(crate) fn found(&self, uri: &ls::Uri, id: String) -> bool {
        let mut all = self.lock();
        let state = all.entry(uri.clone()).or_default();
        state.found = Some(id);
        state.is_outdated()
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, BTreeMap<ls::Uri, State>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_pulls_again_only_when_it_shows_what_is_not_so() {
        let pulled = Pulled::default();
        let uri: ls::Uri = "file:///a.dml".parse().unwrap();
        assert!(!pulled.found(&uri, "1".into()), "it has not pulled yet");
        pulled.lock().entry(uri.clone()).or_default().given = Some("1".into());
        assert!(!pulled.found(&uri, "1".into()));
        assert!(pulled.found(&uri, "2".into()));
        pulled.lock().entry(uri.clone()).or_default().waiting = 1;
        assert!(!pulled.found(&uri, "3".into()), "an answer is on its way");
        pulled.forget(&uri);
        assert!(!pulled.found(&uri, "4".into()));
    }
}
