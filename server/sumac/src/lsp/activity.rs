//! What the server is doing at this moment, and what it has done since the session began.
//!
//! Whatever works in the background is a [`Task`] here, from the moment it is asked for until its thread is done with
//! it, also where nobody waits for the result any more. Nothing here decides what is done or when: it counts.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use sumac_ide::CancelToken;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tower_lsp::ls_types::Uri;

/// Lookups that run side by side: they would take every core from the one that a person waits for.
const LOOKUPS: usize = 2;

/// Kinds of work, by the names that clients know.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// Names, shapes and sparsity of a script.
    Analysis,
    /// Deciding what a script asserts.
    Asserts,
    /// Searching cheaper forms.
    Search,
    /// Searching other forms of a statement.
    Alternatives,
    /// Searching by way of a sketch.
    Sketch,
    /// Running a statement as written and as suggested.
    Timing,
    /// Reading the scripts of the workspace.
    Index,
    /// A request that looks at one place or one document.
    Answer,
    /// A request that looks through the workspace, or writes a document anew.
    Lookup,
}

impl What {
    /// Whether it may go on for minutes: it is cancelled where nobody waits for it.
    #[must_use]
    pub fn is_long(self) -> bool {
        self.is_notable() && !matches!(self, What::Analysis | What::Asserts)
    }

    /// Whether a person would want to know of it: an answer is there before it could be shown.
    #[must_use]
    pub fn is_notable(self) -> bool {
        !matches!(self, What::Answer | What::Lookup)
    }
}

/// All work of a session.
#[derive(Debug)]
pub struct Activity {
    next: AtomicU64,
    tasks: Mutex<BTreeMap<u64, Entry>>,
    changed: Notify,
    lookups: Arc<Semaphore>,
    /// Blocks whose suggestions were remembered.
    remembered: AtomicU64,
    /// Whether the session is over.
    is_closed: AtomicBool,
}

#[derive(Debug)]
struct Entry {
    what: What,
    uri: Option<Uri>,
    token: CancelToken,
    begun: Option<Instant>,
}

/// Work under way, as a moment shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Begun {
    /// What it is.
    pub what: What,
    /// The document that it is for.
    pub uri: Option<Uri>,
    /// How long it has been going on.
    pub milliseconds: u64,
}

impl Default for Activity {
    fn default() -> Self {
        Activity {
            next: AtomicU64::new(0),
            tasks: Mutex::default(),
            changed: Notify::new(),
            lookups: Arc::new(Semaphore::new(LOOKUPS)),
            remembered: AtomicU64::new(0),
            is_closed: AtomicBool::new(false),
        }
    }
}

impl Activity {
    /// Blocks needed no search, as they had been searched before.
    pub fn remembered(&self, blocks: usize) {
        self.remembered.fetch_add(blocks as u64, Ordering::Relaxed);
    }

    /// Blocks that were remembered.
    #[must_use]
    pub fn count_of_remembered(&self) -> u64 {
        self.remembered.load(Ordering::Relaxed)
    }

    /// The work under way, the oldest first, and how much waits for its turn.
    #[must_use]
    pub fn tasks(&self) -> (Vec<Begun>, usize) {
        let tasks = self.lock();
        let begun = |entry: &Entry| {
            let elapsed = entry.begun?.elapsed().as_millis();
            Some(Begun {
                what: entry.what,
                uri: entry.uri.clone(),
                milliseconds: u64::try_from(elapsed).unwrap_or(u64::MAX),
            })
        };
        let running: Vec<Begun> = tasks.values().filter_map(begun).collect();
        let waiting = tasks.len() - running.len();
        (running, waiting)
    }

    /// Calls off the work of a kind for a document; says how much that was.
    pub fn cancel(&self, what: What, uri: Option<&Uri>) -> usize {
        let tasks = self.lock();
        let asked = tasks
            .values()
            .filter(|entry| entry.what == what && entry.uri.as_ref() == uri);
        asked.map(|entry| entry.token.cancel()).count()
    }

    /// Calls off everything that may go on for long, now and from now on: nobody waits for it any more.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
        let tasks = self.lock();
        for entry in tasks.values().filter(|entry| entry.what.is_long()) {
            entry.token.cancel();
        }
    }

    /// Ends when something may have changed since the last call.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Entry>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Work that is asked for.
#[derive(Debug)]
pub struct Task {
    activity: Arc<Activity>,
    id: u64,
    what: What,
    token: CancelToken,
}

impl Task {
    /// Work of a kind. It waits until it [begins](Task::begin).
    #[must_use]
    pub fn new(
        activity: &Arc<Activity>,
        what: What,
        uri: Option<&Uri>,
        token: CancelToken,
    ) -> Self {
        let id = activity.next.fetch_add(1, Ordering::Relaxed);
        let entry = Entry {
            what,
            uri: uri.cloned(),
            token: token.clone(),
            begun: None,
        };
        activity.lock().insert(id, entry);
        if what.is_long() && activity.is_closed.load(Ordering::SeqCst) {
            token.cancel();
        }
        activity.changed.notify_one();
        Task {
            activity: Arc::clone(activity),
            id,
            what,
            token,
        }
    }

    /// What tells the work to stop.
    #[must_use]
    pub fn token(&self) -> &CancelToken {
        &self.token
    }

    /// Waits for the work's turn: lookups take turns, so that many of them never keep a hover waiting. The turn
    /// lasts as long as what this gives.
    pub async fn turn(&self) -> Option<OwnedSemaphorePermit> {
        match self.what {
            What::Lookup => Arc::clone(&self.activity.lookups)
                .acquire_owned()
                .await
                .ok(),
            _ => None,
        }
    }

    /// The work begins now.
    pub fn begin(&self) {
        if let Some(entry) = self.activity.lock().get_mut(&self.id) {
            entry.begun = Some(Instant::now());
        }
        self.activity.changed.notify_one();
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.activity.lock().remove(&self.id);
        self.activity.changed.notify_one();
    }
}
