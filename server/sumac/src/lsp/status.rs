//! `sumac/status` and what belongs to it: what is running, what was counted, how much memory is used.
//!
//! - `sumac/status`, without parameters; the result is a [`Status`].
//! - `sumac/statusChanged`, a notification with a [`Status`], for clients whose experimental capabilities say
//!   `sumacStatus`: when work begins or ends, a few times a second at most.
//! - `sumac/cancel` calls off the work of a kind for a document; `sumac/clearCaches` forgets what can be found again.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sumac_ide::searches::Counts;
use tower_lsp::ls_types::Uri;
use tower_lsp::ls_types::notification::Notification;

use super::activity::What;
use super::state::Shared;

/// The request's name.
pub const METHOD: &str = "sumac/status";
/// The name of the request that calls work off.
pub const CANCEL: &str = "sumac/cancel";
/// The name of the request that empties the caches.
pub const CLEAR: &str = "sumac/clearCaches";

/// Between two notifications.
const TELL_EVERY: Duration = Duration::from_millis(250);

/// The state of the server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Status {
    /// Graphs grown since the session began.
    pub saturations: u64,
    /// Blocks that needed no search, as they had been searched before.
    pub remembered: u64,
    /// Blocks that needed no search, as an earlier run of the server had searched them.
    pub restored: u64,
    /// The work under way, the oldest first.
    pub running: Vec<Running>,
    /// How much work waits for its turn.
    pub waiting: usize,
    /// Open documents.
    pub documents: usize,
    /// The memory in use.
    pub memory: Memory,
}

/// Work under way.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Running {
    /// Its kind: `analysis`, `search`, `timing`, …
    pub what: What,
    /// The document that it is for.
    pub uri: Option<Uri>,
    /// How long it has been going on.
    pub milliseconds: u64,
}

/// Memory, in bytes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Memory {
    /// Of the whole process; `None` where the system does not tell.
    pub resident: Option<u64>,
    /// Of the caches, estimated.
    pub cached: u64,
    /// What the caches may take.
    pub limit: u64,
}

/// The notification of a changed state.
#[derive(Debug)]
pub enum StatusChanged {}

impl Notification for StatusChanged {
    type Params = Status;
    const METHOD: &'static str = "sumac/statusChanged";
}

/// Which work is cancelled.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct CancelParams {
    /// Its kind.
    pub what: What,
    /// The document that it is for.
    pub uri: Option<Uri>,
}

/// The state of the server now.
#[must_use]
pub fn status(shared: &Shared) -> Status {
    let Counts {
        saturations,
        remembered,
        restored,
    } = shared.searches.counts();
    let (running, waiting) = shared.activity.tasks();
    let running = running.into_iter().map(|task| Running {
        what: task.what,
        uri: task.uri,
        milliseconds: task.milliseconds,
    });
    Status {
        saturations,
        remembered: remembered + shared.activity.count_of_remembered(),
        restored,
        running: running.collect(),
        waiting: waiting + shared.searches_at_once.waiting(),
        documents: shared.documents().len(),
        memory: Memory {
            resident: resident(),
            cached: shared.cached_bytes(),
            limit: shared.memory_limit(),
        },
    }
}

/// Tells the client of every change that is worth telling, until the session ends.
pub async fn tell(shared: Arc<Shared>) {
    let mut told = None;
    loop {
        shared.activity.changed().await;
        let now = notable(&shared);
        if told.as_ref() != Some(&now) {
            told = Some(now);
            let status = status(&shared);
            shared
                .client
                .send_notification::<StatusChanged>(status)
                .await;
            // What changes meanwhile is told at the next turn.
            tokio::time::sleep(TELL_EVERY).await;
        }
    }
}

/// What of the activity is worth telling: answers are there before anyone could read of them.
fn notable(shared: &Shared) -> (u64, Vec<(What, Option<Uri>)>) {
    let saturations = shared.searches.counts().saturations;
    let (running, _) = shared.activity.tasks();
    let running = running.into_iter().filter(|task| task.what.is_notable());
    (
        saturations,
        running.map(|task| (task.what, task.uri)).collect(),
    )
}

/// Calls off work; the result is how much that was.
#[must_use]
pub fn cancel(shared: &Shared, params: &CancelParams) -> usize {
    shared.activity.cancel(params.what, params.uri.as_ref())
}

/// The memory that the process holds.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    Some(kilobytes << 10)
}
