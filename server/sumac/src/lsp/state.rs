//! The state of a session, in one place: open documents, settings, caches, work under way.
//!
//! Locks are held for look-ups and swaps only, never while computing and never across an `.await`.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use sumac_analysis::{Database, DiskFiles, Workspace};
use sumac_ide::schedule::{NestState, Nests, ProductSize};
use sumac_ide::searches::Searches;
use sumac_ide::suggest::Suggestion;
use sumac_ide::{
    Block, CancelToken, SuggestionCache, TimingKey, TimingState, Timings, VerdictCache,
};
use tokio::sync::Notify;
use tower_lsp::Client;
use tower_lsp::ls_types::{InitializeParams, Uri};

use super::activity::{Activity, Task, What};
use super::allocator_trim::AllocatorTrim;
use super::document::Document;
use super::given_tokens::Given;
use super::languages::store::Documents;
use super::message_writer::MessageWriter;
use super::pace::Pace;
use super::priority_semaphore::PrioritySemaphore;
use super::pulled::Pulled;
use super::running::Running;
use super::settings::{self, Session};
use super::sketches::store::Sketches;
use super::workspace::known::Known;
use crate::config::{self, Layer, Limits, Problem};

/// Blocks whose suggestions are remembered: a script of 20,000 lines has ten thousand.
const CACHED_BLOCKS: usize = 1 << 16;
/// Statements whose other forms are remembered.
const CACHED_ALTERNATIVES: usize = 256;
/// Asserts whose verdicts are remembered.
const CACHED_VERDICTS: usize = 4096;
/// What the caches may take unless the configuration says otherwise, in bytes.
const MEMORY: u64 = 1 << 30;
/// Seconds that a request may take unless the configuration says otherwise.
const REQUEST_TIME: f64 = 60.0;
/// What part of that memory suggestions may take.
const SHARE_OF_SUGGESTIONS: usize = 16;
/// The part of searches and their graphs: the texts of a session are asked for again, what stood there while they were typed
/// is not.
const SHARE_OF_SEARCHES: u64 = 16;
/// What part other forms of statements may take.
const SHARE_OF_ALTERNATIVES: usize = 16;
/// What part documents made for the client may take.
const SHARE_OF_TEXTS: u64 = 16;
/// Documents made for the client that are remembered.
const VIRTUAL_DOCUMENTS: usize = 64;

/// What all handlers and tasks share.
#[derive(Debug)]
pub struct Shared {
    /// To speak to the client.
    pub client: Client,
    /// To tell it what is long.
    pub writer: MessageWriter,
    /// Work that the client may cancel by its progress.
    pub running: Running,
    /// The tokens that the client has.
    pub tokens: Given,
    /// What was searched, by content.
    pub searches: Searches,
    /// Who may search now.
    pub searches_at_once: Arc<PrioritySemaphore>,
    touches: AtomicU64,
    /// The diagnostics that the client pulled.
    pub pulled: Pulled,
    /// Whoever publishes diagnostics holds it, so that none are older than those before.
    pub publishing: tokio::sync::Mutex<()>,
    /// The sketch files.
    pub sketches: Sketches,
    /// Documents of a language other than DML.
    pub languages: Documents,
    /// What is being done.
    pub activity: Arc<Activity>,
    /// Whether someone types.
    pub pace: Pace,
    /// When memory was given back.
    pub allocator_trim: AllocatorTrim,
    session: OnceLock<Session>,
    /// Methods that the client asks again by itself when a document changed under them.
    asks_again: OnceLock<BTreeSet<String>>,
    /// Told whenever a document is opened, changed or closed.
    edited: Notify,
    limits: Mutex<Limits>,
    settings: Mutex<Layer>,
    /// Why the machine that costs are for is not the one that was measured.
    machine_note: Mutex<Option<String>>,
    /// The `sumac.toml` files whose problems the client shows.
    wrong_files: Mutex<BTreeMap<PathBuf, Vec<Problem>>>,
    documents: Mutex<BTreeMap<Uri, Document>>,
    suggestions: Mutex<SuggestionCache>,
    alternatives: Mutex<SuggestionCache>,
    verdicts: Mutex<VerdictCache>,
    timings: Mutex<Arc<Timings>>,
    nests: Mutex<Arc<Nests>>,
    database: Mutex<Database>,
    /// Whether files may have changed since the database looked at them.
    disk_moved_on: AtomicBool,
    texts: Mutex<VirtualDocuments>,
    workspace: Mutex<Known>,
}

impl Shared {
    /// The state of a new session.
    #[must_use]
    pub fn new(client: Client, writer: MessageWriter) -> Self {
        Shared {
            client,
            writer,
            running: Running::default(),
            tokens: Given::default(),
            searches: Searches::new(MEMORY / SHARE_OF_SEARCHES),
            searches_at_once: Arc::default(),
            touches: AtomicU64::default(),
            pulled: Pulled::default(),
            publishing: tokio::sync::Mutex::default(),
            sketches: Sketches::default(),
            languages: Documents::default(),
            activity: Arc::default(),
            pace: Pace::default(),
            allocator_trim: AllocatorTrim::default(),
            edited: Notify::new(),
            asks_again: OnceLock::new(),
            limits: Mutex::default(),
            session: OnceLock::new(),
            settings: Mutex::default(),
            machine_note: Mutex::default(),
            wrong_files: Mutex::default(),
            documents: Mutex::default(),
            suggestions: Mutex::new(SuggestionCache::new(CACHED_BLOCKS)),
            alternatives: Mutex::new(SuggestionCache::new(CACHED_ALTERNATIVES)),
            verdicts: Mutex::new(VerdictCache::new(CACHED_VERDICTS)),
            timings: Mutex::default(),
            nests: Mutex::default(),
            database: Mutex::new(Database::new(DiskFiles)),
            disk_moved_on: AtomicBool::new(false),
            texts: Mutex::default(),
            workspace: Mutex::default(),
        }
    }

    /// What the client said at `initialize`.
    #[must_use]
    pub fn session(&self) -> Session {
        self.session.get().copied().unwrap_or_default()
    }

    /// Fixes the session; only the first call counts, as only the first `initialize` does.
    pub fn begin(&self, params: &InitializeParams) -> Session {
        let _ = self.asks_again.set(settings::asks_again(params));
        *self.session.get_or_init(|| Session::new(params))
    }

    /// Whether the client asks this again by itself when it is told that the document has changed.
    #[must_use]
    pub fn asks_again(&self, method: &str) -> bool {
        self.asks_again
            .get()
            .is_some_and(|all| all.contains(method))
    }

    /// A document was opened, changed or closed.
    pub fn edited(&self) {
        self.edited.notify_waiters();
    }

    /// Ends when `has_changed` says so; it is asked again whenever a document was opened, changed or closed.
    pub async fn edited_since(&self, has_changed: impl Fn() -> bool) {
        loop {
            let mut edited = std::pin::pin!(self.edited.notified());
            edited.as_mut().enable();
            if has_changed() {
                return;
            }
            edited.await;
        }
    }

    /// Takes over the limits of the session.
    pub fn limit(&self, limits: Limits) {
        *lock(&self.limits) = limits;
        self.bound();
    }

    /// Tells the caches what they may take.
    fn bound(&self) {
        let limit = usize::try_from(self.memory_limit()).unwrap_or(usize::MAX);
        self.searches.limit(self.memory_limit() / SHARE_OF_SEARCHES);
        self.suggestions().bound(limit / SHARE_OF_SUGGESTIONS);
        self.alternatives().bound(limit / SHARE_OF_ALTERNATIVES);
    }

    /// How long a request may take.
    #[must_use]
    pub fn request_time(&self) -> Duration {
        let stated = lock(&self.limits).request_time;
        let seconds = stated.map_or(REQUEST_TIME, |seconds| seconds.0);
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }

    /// What the client's user has set.
    #[must_use]
    pub fn settings(&self) -> Layer {
        lock(&self.settings).clone()
    }

    /// Takes over changed settings; says whether anything changed.
    pub fn configure(&self, value: &serde_json::Value) -> bool {
        let mut settings = lock(&self.settings);
        let mut updated = settings.clone();
        for problem in config::from_client(&mut updated, value) {
            tracing::warn!("a setting is passed over: {problem}");
        }
        let changed = *settings != updated;
        *settings = updated;
        changed
    }

    /// Takes over why the machine that costs are for is not the one that was measured; says whether that is new.
    pub fn set_machine_note(&self, note: Option<&str>) -> bool {
        let mut known = lock(&self.machine_note);
        let is_new = known.as_deref() != note;
        *known = note.map(str::to_owned);
        is_new
    }

    /// The `sumac.toml` files that were wrong when they were last read.
    #[must_use]
    pub fn wrong_files(&self) -> Vec<PathBuf> {
        lock(&self.wrong_files).keys().cloned().collect()
    }

    /// Records what is wrong with a `sumac.toml`; says whether the client shows something else.
    pub fn set_problems(&self, path: &Path, problems: &[Problem]) -> bool {
        let mut files = lock(&self.wrong_files);
        let shown = files.get(path).map_or(&[][..], Vec::as_slice);
        let changed = shown != problems;
        if problems.is_empty() {
            files.remove(path);
        } else if changed {
            files.insert(path.to_owned(), problems.to_vec());
        }
        changed
    }

    /// The open documents.
    pub fn documents(&self) -> MutexGuard<'_, BTreeMap<Uri, Document>> {
        lock(&self.documents)
    }

    /// The moment at which a document is touched.
    #[must_use]
    pub fn touch(&self) -> u64 {
        self.touches.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The files of the workspace.
    pub fn workspace(&self) -> MutexGuard<'_, Known> {
        lock(&self.workspace)
    }

    /// What is known of the files of the session. Analysing holds the lock, so only background work may take it.
    pub fn database(&self) -> MutexGuard<'_, Database> {
        self.database.lock().unwrap_or_else(|poisoned| {
            // An analysis that panicked may have left anything behind: everything is computed anew.
            self.database.clear_poison();
            let mut database = poisoned.into_inner();
            *database = Database::new(DiskFiles);
            database
        })
    }

    /// Files that are not open may have changed: the next analysis looks at those that it knows again. Between such
    /// calls a keystroke reads no file that was read before.
    pub fn disk_moved_on(&self) {
        self.disk_moved_on.store(true, Ordering::Release);
    }

    /// Looks at the known files again if they may have changed since.
    pub fn catch_up(&self, database: &mut Database) {
        if self.disk_moved_on.swap(false, Ordering::AcqRel) {
            database.refresh();
        }
    }

    /// Where sourced scripts are looked for. In a workspace that is not trusted, a `source` leads nowhere else.
    #[must_use]
    pub fn searched(&self) -> Workspace {
        let trusted = self.session().trusted;
        let mut roots = self.workspace().roots().to_vec();
        if trusted {
            roots.extend(crate::script::installed_scripts());
        }
        Workspace {
            roots,
            may_leave: trusted,
        }
    }

    /// The suggestions by content.
    pub fn suggestions(&self) -> MutexGuard<'_, SuggestionCache> {
        lock(&self.suggestions)
    }

    /// Remembers what the search of a block found. Now and then what no document has any more is forgotten.
    pub fn remember(&self, block: Block, found: Vec<Suggestion>) {
        let mut suggestions = self.suggestions();
        suggestions.insert(block.key, block.place, found);
        if !suggestions.is_crowded() {
            return;
        }
        drop(suggestions);
        // One lock at a time: who holds a document's blocks asks for suggestions.
        let documents = self.documents();
        let blocks: Vec<_> = documents
            .values()
            .map(|at| Arc::clone(&at.blocks))
            .collect();
        drop(documents);
        let mut shown = HashSet::new();
        for blocks in blocks {
            shown.extend(lock(&blocks).keys().iter().copied());
        }
        self.suggestions().keep(&shown);
    }

    /// The other forms of statements by content.
    pub fn alternatives(&self) -> MutexGuard<'_, SuggestionCache> {
        lock(&self.alternatives)
    }

    /// What was decided of asserts, by content.
    pub fn verdicts(&self) -> MutexGuard<'_, VerdictCache> {
        lock(&self.verdicts)
    }

    /// The timings by content.
    #[must_use]
    pub fn timings(&self) -> Arc<Timings> {
        Arc::clone(&lock(&self.timings))
    }

    /// Records what is known of a timing; `None` forgets it.
    pub fn set_timing(&self, key: TimingKey, state: Option<TimingState>) {
        let mut timings = lock(&self.timings);
        let timings = Arc::make_mut(&mut timings);
        match state {
            Some(state) => timings.insert(key, state),
            None => timings.remove(&key),
        };
    }

    /// What became of loop nests, by the product's size and the sketch.
    #[must_use]
    pub fn nests(&self) -> Arc<Nests> {
        Arc::clone(&lock(&self.nests))
    }

    /// Records what became of a nest; `None` forgets it.
    pub fn set_nest(&self, size: ProductSize, sketch: &str, state: Option<NestState>) {
        let mut nests = lock(&self.nests);
        let nests = Arc::make_mut(&mut nests);
        let of_size = nests.entry(size).or_default();
        match state {
            Some(state) => of_size.insert(sketch.to_owned(), state),
            None => of_size.remove(sketch),
        };
        nests.retain(|_, of_size| !of_size.is_empty());
    }

    /// Work of a kind, for no document of its own.
    #[must_use]
    pub fn task(&self, what: What) -> Task {
        Task::new(&self.activity, what, None, CancelToken::default())
    }

    /// Work for a document.
    #[must_use]
    pub fn task_for(&self, what: What, uri: &Uri) -> Task {
        Task::new(&self.activity, what, Some(uri), CancelToken::default())
    }

    /// What the caches may take, in bytes.
    #[must_use]
    pub fn memory_limit(&self) -> u64 {
        let limits = lock(&self.limits);
        limits.memory.as_ref().map_or(MEMORY, |memory| memory.bytes)
    }

    /// What the caches take, in bytes, by estimate.
    #[must_use]
    pub fn cached_bytes(&self) -> u64 {
        let texts: usize = lock(&self.texts).0.iter().map(|(_, text)| text.len()).sum();
        let found = self.suggestions().bytes() + self.alternatives().bytes();
        let texts = texts + self.sketches.bytes();
        let bytes = texts + found + self.verdicts().bytes() + self.tokens.bytes();
        bytes as u64 + self.searches.bytes()
    }

    /// Forgets what can be found again. What documents show stays until they change.
    pub fn clear_caches(&self) {
        self.searches.clear();
        *self.suggestions() = SuggestionCache::new(CACHED_BLOCKS);
        *self.alternatives() = SuggestionCache::new(CACHED_ALTERNATIVES);
        *self.verdicts() = VerdictCache::new(CACHED_VERDICTS);
        self.bound();
    }

    /// Remembers the text of a document that only the server knows.
    pub fn publish_text(&self, uri: String, text: String) {
        let mut texts = lock(&self.texts);
        texts.0.retain(|(known, _)| *known != uri);
        texts.0.push_back((uri, text));
        let share = self.memory_limit() / SHARE_OF_TEXTS;
        let bytes = |texts: &VirtualDocuments| -> usize {
            texts.0.iter().map(|(_, text)| text.len()).sum()
        };
        // The newest is what the person waits for.
        while texts.0.len() > VIRTUAL_DOCUMENTS
            || (texts.0.len() > 1 && bytes(&texts) as u64 > share)
        {
            texts.0.pop_front();
        }
    }

    /// The text of a document that only the server knows.
    #[must_use]
    pub fn text(&self, uri: &str) -> Option<String> {
        let texts = lock(&self.texts);
        texts
            .0
            .iter()
            .find(|(known, _)| known == uri)
            .map(|(_, text)| text.clone())
    }
}

#[derive(Debug, Default)]
struct VirtualDocuments(VecDeque<(String, String)>);

/// A panic while a lock was held leaves plain data behind: it is still good.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
