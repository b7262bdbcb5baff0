//! The database itself: the files of a session, and what is kept of them. The one place that looks at a disk, through [`Files`].

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use salsa::{Database as _, Durability, Setter as _};
use sumac_syntax::Parse;

use super::api::{Db, FilePrefix, Kept, Prefix, Settings, Workspace};
use super::assemble::{Known, Parts};
use super::inputs::{Function, SourceFile};
use super::{queries, resolve};
use crate::files::Files;
use crate::options::Options;

/// Longer files are no scripts.
const MAX_SCRIPT_BYTES: usize = 8 * 1024 * 1024;

/// The files of a session, and what is known of them.
#[salsa::db]
pub struct Database {
    storage: salsa::Storage<Self>,
    /// Told the name of each query that is computed.
    log: Option<Log>,
    files: Box<dyn Files + Send>,
    sources: Mutex<BTreeMap<PathBuf, SourceFile>>,
    prefixes: Mutex<BTreeMap<(PathBuf, usize), FilePrefix>>,
    /// Files whose text the session gives; for the others the disk counts.
    open: BTreeSet<PathBuf>,
    /// Functions that files had, to be used for those that they will have.
    pub(super) spare: HashMap<SourceFile, Vec<Function>>,
    /// Whether what is being computed is not wanted any more; `None` while nobody would say.
    is_cancelled: Mutex<Option<IsCancelled>>,
    /// What is kept of functions since the beginning.
    kept: Mutex<Keeping>,
    /// After how many bytes of leftovers it begins anew.
    most_left: usize,
}

/// What is kept of units: how much of it was needed when everything was new, and how much came later. Most of the
/// latter is left over from arguments that nothing passes any more, and from files that were closed.
#[derive(Debug, Default)]
struct Keeping {
    /// What is there, by a hash of its key.
    known: HashSet<u64>,
    /// The files that were looked at since the beginning, with the bytes of what the first look needed.
    files: HashMap<SourceFile, usize>,
    /// Bytes of all.
    all: usize,
}

impl Keeping {
    /// Bytes that a database that begins anew would need again.
    fn first(&self) -> usize {
        self.files.values().sum()
    }
}

type IsCancelled = Arc<dyn Fn() -> bool + Send + Sync>;
type Log = Arc<dyn Fn(String) + Send + Sync>;

/// Bytes of leftovers, by estimate, after which a database begins anew, or more if it needs more: to compute everything again
/// never costs more than what led to it. What is really kept is about three times the estimate, and each time that much is
/// freed in small pieces between what stays: with four times as many bytes here a session of a hundred thousand edits swung
/// between 55 and 90 MB of memory in use, and what the system gave it grew by a sixth from its first half to its second.
const MOST_LEFT: usize = 3 << 20;

fn storage(log: Option<&Log>) -> salsa::Storage<Database> {
    let callback = log.cloned().map(|log| {
        let told = move |event: salsa::Event| {
            if let salsa::EventKind::WillExecute { database_key } = event.kind {
                log(format!("{database_key:?}"));
            }
        };
        Box::new(told) as Box<dyn Fn(salsa::Event) + Send + Sync>
    });
    salsa::Storage::new(callback)
}

#[salsa::db]
impl salsa::Database for Database {}

#[salsa::db]
impl Db for Database {
    fn source(&self, path: &Path) -> SourceFile {
        if let Some(file) = lock(&self.sources).get(path) {
            return *file;
        }
        let options = Options {
            base_dir: path.parent().map(Path::to_path_buf),
            ..Options::default()
        };
        let script = self.read_script(path, None).ok().flatten();
        let file = SourceFile::create(self, path, script, Arc::new(options));
        *lock(&self.sources)
            .entry(path.to_path_buf())
            .or_insert(file)
    }

    fn prefix(&self, path: &Path, max_bytes: usize) -> FilePrefix {
        let key = (path.to_path_buf(), max_bytes);
        if let Some(prefix) = lock(&self.prefixes).get(&key) {
            return *prefix;
        }
        let prefix = FilePrefix::builder(read(&*self.files, path, max_bytes));
        let prefix = prefix.durability(Durability::HIGH).new(self);
        *lock(&self.prefixes).entry(key).or_insert(prefix)
    }

    fn keep(&self, what: Kept, key: u64, text: usize) {
        let key = super::key::key((what, key));
        let mut kept = lock(&self.kept);
        if kept.known.insert(key) {
            kept.all += what.bytes(text);
        }
    }

    fn poll(&self) {
        let is_cancelled = lock(&self.is_cancelled).clone();
        if is_cancelled.is_some_and(|is_cancelled| is_cancelled()) {
            self.cancellation_token().cancel();
            self.unwind_if_revision_cancelled();
        }
    }
}

/// Analyses a whole script by itself. See the crate's documentation.
#[must_use]
pub fn analyze(
    parse: &Parse,
    options: &Options,
    files: &(impl Files + Clone + Send + 'static),
) -> Known {
    let path = options.base_dir.clone().unwrap_or_default();
    let path = path.join("script.dml");
    let mut db = Database::new(files.clone());
    db.open(&path, parse);
    db.set_options(&path, options.clone());
    db.known(&path)
}

impl Database {
    /// A database that reads what it was not given from `files`.
    #[must_use]
    pub fn new(files: impl Files + Send + 'static) -> Self {
        Database::with(files, None)
    }

    /// As [`Database::new`]; `log` is told the name of each query that is computed, for tests that count.
    #[must_use]
    pub fn logged(
        files: impl Files + Send + 'static,
        log: impl Fn(String) + Send + Sync + 'static,
    ) -> Self {
        Database::with(files, Some(Arc::new(log)))
    }

    fn with(files: impl Files + Send + 'static, log: Option<Log>) -> Self {
        let db = Database {
            storage: storage(log.as_ref()),
            log,
            files: Box::new(files),
            sources: Mutex::default(),
            prefixes: Mutex::default(),
            open: BTreeSet::new(),
            spare: HashMap::new(),
            is_cancelled: Mutex::default(),
            kept: Mutex::default(),
            most_left: MOST_LEFT,
        };
        db.settle(Workspace::default());
        db
    }

    /// Forgets what was computed after so many bytes of leftovers.
    #[must_use]
    pub fn forgetting_after(mut self, bytes: usize) -> Self {
        self.most_left = bytes;
        self
    }

    fn settle(&self, workspace: Workspace) {
        let settings = Settings::builder(workspace);
        let _ = settings.durability(Durability::HIGH).new(self);
    }

    /// Begins anew if too much was computed. What a durable function gave for arguments that nothing passes any more is
    /// never asked for again, and salsa keeps it; each new number in a call adds some. So now and then everything is
    /// computed again: a keystroke among thousands costs as much as the first.
    fn shed(&mut self) {
        {
            let mut kept = lock(&self.kept);
            let first = kept.first();
            if kept.all.saturating_sub(first) < self.most_left.max(first) {
                return;
            }
            *kept = Keeping::default();
        }
        let workspace = Settings::get(self).workspace(self).clone();
        let sources = std::mem::take(&mut *lock(&self.sources)).into_iter();
        let open = sources.filter(|(path, _)| self.open.contains(path));
        let kept: Vec<_> = open
            .map(|(path, file)| (path, file.script(self), file.options(self)))
            .collect();
        lock(&self.prefixes).clear();
        self.spare.clear();
        self.storage = storage(self.log.as_ref());
        self.settle(workspace);
        for (path, script, options) in kept {
            let file = SourceFile::create(self, &path, script, options);
            lock(&self.sources).insert(path, file);
        }
    }

    /// Changes where scripts are looked for.
    pub fn set_workspace(&mut self, workspace: Workspace) {
        let settings = Settings::get(self);
        if *settings.workspace(self) != workspace {
            let setter = settings.set_workspace(self);
            setter.with_durability(Durability::HIGH).to(workspace);
        }
    }

    /// From now on the file at `path` has this text, whatever the disk says. Says whether it had another one.
    pub fn open(&mut self, path: &Path, parse: &Parse) -> bool {
        self.shed();
        self.open.insert(path.to_path_buf());
        let file = self.source(path);
        let known = file.script(self);
        let is_new = known.is_none_or(|known| known.text() != parse.text());
        if is_new {
            let options = file.options(self);
            file.set(self, Some(parse.clone()), &options);
        }
        is_new
    }

    /// From now on the disk says what stands in the file at `path`.
    pub fn close(&mut self, path: &Path) {
        if self.open.remove(path) {
            lock(&self.kept).files.remove(&self.source(path));
        }
        self.changed(path);
    }

    /// What a caller says beside the script at `path`.
    pub fn set_options(&mut self, path: &Path, options: Options) {
        let file = self.source(path);
        if *file.options(self) != options {
            let script = file.script(self);
            file.set(self, script, &Arc::new(options));
        }
    }

    /// Looks at the file at `path` again: something else may have written, made or removed it.
    pub fn changed(&mut self, path: &Path) {
        self.look_again(|known| known == path);
    }

    /// Looks at every file again that was ever asked for.
    pub fn refresh(&mut self) {
        self.look_again(|_| true);
    }

    fn look_again(&mut self, is_meant: impl Fn(&Path) -> bool) {
        let sources = lock(&self.sources).clone();
        for (path, file) in sources {
            if !is_meant(&path) || self.open.contains(&path) {
                continue;
            }
            let known = file.script(self);
            if let Ok(script) = self.read_script(&path, known.as_ref()) {
                let options = file.options(self);
                file.set(self, script, &options);
            }
        }
        let prefixes = lock(&self.prefixes).clone();
        for ((path, max_bytes), prefix) in prefixes {
            if is_meant(&path) {
                let bytes = read(&*self.files, &path, max_bytes);
                if prefix.bytes(self) != bytes {
                    let setter = prefix.set_bytes(self);
                    let _ = setter.with_durability(Durability::HIGH).to(bytes);
                }
            }
        }
    }

    /// What the disk says of a script; `Err` where it says what is known.
    fn read_script(&self, path: &Path, known: Option<&Parse>) -> Result<Option<Parse>, Same> {
        let text = match self.files.read_prefix(path, MAX_SCRIPT_BYTES + 1) {
            Ok(bytes) if bytes.len() <= MAX_SCRIPT_BYTES => String::from_utf8(bytes).ok(),
            _ => None,
        };
        match (text, known) {
            (None, None) => Err(Same),
            (Some(text), Some(known)) if *text == **known.text() => Err(Same),
            (text, _) => Ok(text.map(sumac_syntax::parse)),
        }
    }

    /// What is known of the units of the script at `path`, each by itself.
    pub fn parts(&self, path: &Path) -> Arc<Parts> {
        let file = self.source(path);
        let before = lock(&self.kept).all;
        let parts = queries::parts(self, file);
        let mut kept = lock(&self.kept);
        let needed = kept.all.saturating_sub(before);
        kept.files.entry(file).or_insert(needed);
        parts
    }

    /// As [`Database::parts`]; `None` if `is_cancelled` says so meanwhile, which it is asked at every statement. What
    /// was computed until then is kept.
    pub fn parts_unless(
        &self,
        path: &Path,
        is_cancelled: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Option<Arc<Parts>> {
        *lock(&self.is_cancelled) = Some(Arc::new(is_cancelled));
        let parts = salsa::Cancelled::catch(AssertUnwindSafe(|| self.parts(path)));
        *lock(&self.is_cancelled) = None;
        parts.ok()
    }

    /// Everything that is known of the script at `path`.
    pub fn known(&self, path: &Path) -> Known {
        Known::new(self.parts(path))
    }

    /// The files that the script at `path` sources, and those that these source: they count for its analysis.
    #[must_use]
    pub fn sources_of(&self, path: &Path) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        let mut stack = vec![self.source(path)];
        while let Some(file) = stack.pop() {
            for sourced in resolve::namespaces(self, file).values() {
                if let Some(file) = sourced.file
                    && found.insert(file.path(self).clone())
                {
                    stack.push(file);
                }
            }
        }
        found
    }
}

/// Nothing new.
struct Same;

fn read(files: &dyn Files, path: &Path, max_bytes: usize) -> Prefix {
    match files.read_prefix(path, max_bytes) {
        Ok(bytes) => Ok(bytes.into()),
        Err(error) => Err((error.kind(), error.to_string())),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database")
            .field("open", &self.open)
            .finish_non_exhaustive()
    }
}
