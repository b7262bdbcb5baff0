//! What a request sees of the workspace: one state of it from beginning to end.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use sumac_ide::CancelToken;
use sumac_ide::workspace::{Index, Location, Texts, Workspace, hash};
use sumac_syntax::{Parse, parse};
use sumac_text::{LineIndex, TextRange};
use tower_lsp::ls_types::{self as ls, Uri};

use super::known::{Open, key};
use super::{now, outline_of, read};
use crate::lsp::activity::What;
use crate::lsp::background::{Failure, background};
use crate::lsp::convert::{self, Converter};
use crate::lsp::settings::Session;
use crate::lsp::state::Shared;

/// Files that change on disk while a request looks at them are looked at again, this many times.
const TRIES: usize = 3;

/// The workspace at one moment.
pub struct View {
    /// All known files.
    pub index: Arc<Index>,
    /// What the client said at `initialize`.
    pub session: Session,
    shared: Arc<Shared>,
    /// Cancelled when nobody wants the answer any more: no file is read from then on.
    token: CancelToken,
    open: BTreeMap<Arc<Path>, Open>,
    texts: RefCell<BTreeMap<Arc<Path>, Option<Arc<str>>>>,
    lines: RefCell<BTreeMap<Arc<Path>, Option<Arc<LineIndex>>>>,
    stale: RefCell<BTreeSet<Arc<Path>>>,
}

/// Runs `work` on a view of the workspace, in the background. If it meets files that are not what the index took
/// them for, these are read again and `work` is run anew.
///
/// # Errors
/// As [`background`].
pub async fn answer<T: Send + 'static>(
    shared: &Arc<Shared>,
    work: impl Fn(&View) -> T + Send + 'static,
) -> Result<T, Failure> {
    view(shared, What::Answer, work).await
}

/// As [`answer`], for what looks through the whole workspace: it takes turns with others of its kind.
///
/// # Errors
/// As [`background`].
pub async fn lookup<T: Send + 'static>(
    shared: &Arc<Shared>,
    work: impl Fn(&View) -> T + Send + 'static,
) -> Result<T, Failure> {
    view(shared, What::Lookup, work).await
}

async fn view<T: Send + 'static>(
    shared: &Arc<Shared>,
    what: What,
    work: impl Fn(&View) -> T + Send + 'static,
) -> Result<T, Failure> {
    let shared = Arc::clone(shared);
    background(shared.task(what), move |token| {
        for attempt in 1.. {
            let view = View::new(&shared, token);
            let result = work(&view);
            // Work that was cancelled has seen some of the files at most.
            if token.is_cancelled() {
                break;
            }
            if attempt == TRIES || !view.learn() {
                return Ok(result);
            }
        }
        Err(Failure::Cancelled)
    })
    .await?
}

impl View {
    fn new(shared: &Arc<Shared>, token: &CancelToken) -> Self {
        let (index, open) = now(shared);
        View {
            index,
            token: token.clone(),
            session: shared.session(),
            shared: Arc::clone(shared),
            open,
            texts: RefCell::default(),
            lines: RefCell::default(),
            stale: RefCell::default(),
        }
    }

    /// Why what looks at every script cannot be sure that it did; `None` where it can.
    #[must_use]
    pub fn unseen(&self) -> Option<String> {
        self.shared.workspace().unseen()
    }

    /// What features look at.
    #[must_use]
    pub fn workspace(&self) -> Workspace<'_> {
        Workspace {
            index: &self.index,
            texts: self,
        }
    }

    /// Whether the names in a folder may be shown: it lies in the workspace or beside an open script.
    #[must_use]
    pub fn may_list(&self, folder: &Path) -> bool {
        // Where a link leads counts, not where it lies; trust is for running, not for looking around.
        let may_look = |path: &Path| self.shared.workspace().may_look(path, false);
        may_look(folder) && folder.canonicalize().is_ok_and(|real| may_look(&real))
    }

    /// An open document.
    #[must_use]
    pub fn document(&self, uri: &Uri) -> Option<(Arc<Path>, Parse)> {
        let (file, open) = self.open.get_key_value(&key(uri))?;
        Some((file.clone(), open.parse.clone()))
    }

    /// A file as the client calls it.
    #[must_use]
    pub fn uri(&self, file: &Path) -> Option<Uri> {
        match self.open.get(file) {
            Some(open) => Some(open.uri.clone()),
            None => convert::file_uri(file),
        }
    }

    /// The client's version of a file, if it is open.
    #[must_use]
    pub fn version(&self, file: &Path) -> Option<i32> {
        self.open.get(file).map(|open| open.version)
    }

    /// A place in a file.
    #[must_use]
    pub fn location(&self, location: &Location) -> Option<ls::Location> {
        Some(ls::Location {
            uri: self.uri(&location.file)?,
            range: self.range(&location.file, location.range)?,
        })
    }

    /// A range in a file.
    #[must_use]
    pub fn range(&self, file: &Path, range: TextRange) -> Option<ls::Range> {
        self.converted(file, |converter| converter.range(range))
    }

    /// The byte offset of a position in a file.
    #[must_use]
    pub fn offset(&self, file: &Path, position: ls::Position) -> Option<usize> {
        self.converted(file, |converter| converter.offset(position))
    }

    /// The document and the byte offset in it that a request is about.
    #[must_use]
    pub fn place(&self, at: &ls::TextDocumentPositionParams) -> Option<(Arc<Path>, Parse, usize)> {
        let (file, parse) = self.document(&at.text_document.uri)?;
        let offset = self.offset(&file, at.position)?;
        Some((file, parse, offset))
    }

    fn converted<T>(&self, file: &Path, with: impl FnOnce(&Converter<'_>) -> T) -> Option<T> {
        let known = self.lines.borrow().get(file).cloned();
        let lines = match known {
            Some(lines) => lines?,
            None => {
                let lines = self.text(file).map(|text| Arc::new(LineIndex::new(text)));
                self.lines.borrow_mut().insert(file.into(), lines.clone());
                lines?
            }
        };
        Some(with(&Converter::new(&lines, self.session.encoding)))
    }

    fn text(&self, file: &Path) -> Option<Arc<str>> {
        if let Some(open) = self.open.get(file) {
            return Some(open.parse.text().clone());
        }
        if let Some(known) = self.texts.borrow().get(file) {
            return known.clone();
        }
        if self.token.is_cancelled() {
            return None;
        }
        let may_look = self.index.get(file).is_some() && file.is_absolute();
        let text: Option<Arc<str>> = may_look.then(|| read(file)).flatten().map(Into::into);
        let expected = self.index.get(file).map(|outline| outline.hash);
        if expected != text.as_deref().map(hash) {
            self.stale.borrow_mut().insert(file.into());
        }
        self.texts.borrow_mut().insert(file.into(), text.clone());
        text
    }

    /// Takes over files that are not what the index took them for; says whether there were any.
    fn learn(&self) -> bool {
        let stale = self.stale.borrow();
        for file in &*stale {
            let text = self.texts.borrow().get(file).cloned().flatten();
            let outline = text.as_deref().map(outline_of);
            self.shared.workspace().on_disk(file, outline);
        }
        !stale.is_empty()
    }
}

impl Texts for View {
    fn parse(&self, file: &Path) -> Option<Parse> {
        match self.open.get(file) {
            Some(open) => Some(open.parse.clone()),
            None => self.text(file).map(parse),
        }
    }

    fn exists(&self, file: &Path) -> bool {
        self.shared.workspace().may_look(file, self.session.trusted) && file.is_file()
    }
}
