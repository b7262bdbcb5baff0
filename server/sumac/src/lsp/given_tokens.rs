//! The tokens that clients were given last, by document: what the next delta is computed against.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tower_lsp::ls_types as ls;

/// The numbers of one token as they are sent: line and column after the token before, length, kind, modifiers.
pub(crate) type Encoded = [u32; 5];

/// The tokens that clients were given last, by document: what the next delta is computed against.
#[derive(Debug, Default)]
pub struct Given(Mutex<(u64, BTreeMap<ls::Uri, Answer>)>);

#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) id: String,
    pub(crate) tokens: Arc<[Encoded]>,
}

impl Given {
    /// Forgets a closed document.
    pub fn forget(&self, uri: &ls::Uri) {
        self.lock().1.remove(uri);
    }

    /// What the tokens take.
    pub fn bytes(&self) -> usize {
        let tokens = |answer: &Answer| size_of_val(&*answer.tokens);
        self.lock().1.values().map(tokens).sum()
    }

    /// Remembers an answer: its id, and what was given before if it had the id `previous`.
    pub(crate) fn replace(
        &self,
        uri: ls::Uri,
        tokens: &Arc<[Encoded]>,
        previous: Option<&str>,
    ) -> (String, Option<Answer>) {
        let mut given = self.lock();
        given.0 += 1;
        let id = given.0.to_string();
        let answer = Answer {
            id: id.clone(),
            tokens: Arc::clone(tokens),
        };
        let before = given.1.insert(uri, answer);
        (
            id,
            before.filter(|before| Some(before.id.as_str()) == previous),
        )
    }

    pub(crate) fn lock(&self) -> std::sync::MutexGuard<'_, (u64, BTreeMap<ls::Uri, Answer>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
