//! What queries ask the database for, and the inputs that no file's text is. Must never look at a disk.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::inputs::SourceFile;

/// The beginning of a file, or why it cannot be read.
pub(super) type Prefix = Result<Arc<[u8]>, (io::ErrorKind, String)>;

/// The beginning of a data or metadata file.
#[salsa::input]
pub(crate) struct FilePrefix {
    #[returns(clone)]
    pub(crate) bytes: Prefix,
}

/// What holds for all files.
#[salsa::input(singleton)]
pub(crate) struct Settings {
    #[returns(ref)]
    pub(crate) workspace: Workspace,
}

/// Where scripts are looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Workspace {
    /// The folders that are open.
    pub roots: Vec<PathBuf>,
    /// Whether a `source` may lead out of them.
    pub may_leave: bool,
}

impl Default for Workspace {
    fn default() -> Self {
        Workspace {
            roots: Vec::new(),
            may_leave: true,
        }
    }
}

/// What queries ask the database for. Asking makes an input where there is none yet.
#[salsa::db]
pub(crate) trait Db: salsa::Database {
    /// The file at a path, whether it exists or not.
    fn source(&self, path: &Path) -> SourceFile;
    /// The first bytes of a file.
    fn prefix(&self, path: &Path, max_bytes: usize) -> FilePrefix;
    /// Does not come back if nobody wants what is being computed any more.
    fn poll(&self);
    /// Something is computed of a unit with a text of so many bytes, for what its key says, and kept whether anybody asks for
    /// it again or not.
    fn keep(&self, what: Kept, key: u64, text: usize);
}

/// What is kept of a unit.
#[derive(Clone, Copy, Hash, Debug)]
pub(crate) enum Kept {
    /// What a call gives.
    Walk,
    /// All that is recorded.
    Record,
    /// What comes out of segments in a row.
    SegmentTree,
}

impl Kept {
    /// Bytes of memory, by estimate, for a unit with a text of so many bytes: a record has an entry for each expression.
    pub(super) fn bytes(self, text: usize) -> usize {
        match self {
            Kept::Walk | Kept::SegmentTree => 2048,
            Kept::Record => 4096 + 100 * text,
        }
    }
}
