//! An open document: its text, how far the work on it has come, and what is known of it now. Who asks waits for the text as it was
//! when it asked. Nothing is computed here.

use std::sync::{Arc, Mutex};

use sumac_ide::{CancelToken, Snapshot, UnitBlocks};
use sumac_sumproduct::Options;
use sumac_syntax::Parse;
use sumac_syntax::text::{TextEdit, TextRange};
use tokio::sync::watch;
use tower_lsp::ls_types::Uri;

use super::state::Shared;
use crate::config::Config;

/// How far the work on a document has come: the version whose analysis, and whose suggestions, are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reached {
    /// Changes whose diagnostics are known.
    pub diagnosed: u64,
    /// Changes whose analysis is known.
    pub analyzed: u64,
    /// Changes whose suggestions are known.
    pub settled: u64,
}

/// An open document.
#[derive(Debug)]
pub struct Document {
    /// The client's version.
    pub version: i32,
    /// Counts changes since the document was opened, and re-opened: never runs backwards in a session.
    pub change: u64,
    /// The text of this version, parsed.
    pub parse: Parse,
    /// The text as it was saved or opened last.
    pub saved: Arc<str>,
    /// Cancelled when this version is superseded.
    pub token: CancelToken,
    /// The last analysed version, possibly an older one.
    pub snapshot: Option<Versioned>,
    /// What the last diagnostics were made from.
    pub diagnosed: Option<Snapshot>,
    /// The changes since [`Document::snapshot`], each in the text that the one before it left.
    pub since: Vec<TextEdit>,
    /// Where it was edited last.
    pub edited: Option<usize>,
    /// What the client asked hints for last: what is on the screen, or all of it.
    pub seen: Option<TextRange>,
    /// When it was edited, opened or looked at last; more is later.
    pub touched: u64,
    /// What its blocks are, unit by unit.
    pub blocks: Arc<Mutex<UnitBlocks>>,
    /// Tells waiting requests how far the work has come.
    pub reached: watch::Sender<Reached>,
}

/// A snapshot with the client's version of its text.
#[derive(Clone, Debug)]
pub struct Versioned {
    /// The version.
    pub version: i32,
    /// What is known of it.
    pub snapshot: Snapshot,
    /// The configuration that it was analysed with.
    pub config: Arc<Config>,
    /// The options of its searches.
    pub options: Options,
}

impl Shared {
    /// The text of a document as it is now, parsed. `None`: the document is not open.
    #[must_use]
    pub fn parse(&self, uri: &Uri) -> Option<Parse> {
        Some(self.documents().get(uri)?.parse.clone())
    }

    /// The version of a document as it is now. `None`: the document is not open.
    #[must_use]
    pub fn version(&self, uri: &Uri) -> Option<i32> {
        Some(self.documents().get(uri)?.version)
    }

    /// Ends when the document has another version, as soon as that is analysed, or is closed.
    pub async fn superseded(&self, uri: &Uri, version: i32) {
        let reached = |document: &Document| document.reached.subscribe();
        let Some(mut reached) = self.documents().get(uri).map(reached) else {
            return;
        };
        while self.version(uri) == Some(version) && reached.changed().await.is_ok() {}
    }

    /// The newest analysed snapshot of a document, with the timings known now. Waits for the analysis of the text
    /// as it is at the call; `settled` waits for its suggestions too. `None`: the document is not open.
    pub async fn snapshot(&self, uri: &Uri, settled: bool) -> Option<Snapshot> {
        Some(self.versioned(uri, settled).await?.snapshot)
    }

    /// What a document's diagnostics are made from, as soon as there is all that they need: suggestions may be missing in it.
    pub async fn diagnosed(&self, uri: &Uri) -> Option<Snapshot> {
        let (change, mut reached) = {
            let documents = self.documents();
            let document = documents.get(uri)?;
            (document.change, document.reached.subscribe())
        };
        let far_enough = |reached: &Reached| reached.diagnosed >= change;
        reached.wait_for(far_enough).await.ok()?;
        self.documents().get(uri)?.diagnosed.clone()
    }

    /// As [`Shared::snapshot`], with the client's version.
    pub async fn versioned(&self, uri: &Uri, settled: bool) -> Option<Versioned> {
        let (change, mut reached) = {
            let documents = self.documents();
            let document = documents.get(uri)?;
            (document.change, document.reached.subscribe())
        };
        let far_enough = |reached: &Reached| {
            (if settled {
                reached.settled
            } else {
                reached.analyzed
            }) >= change
        };
        // An error: the document was closed meanwhile.
        reached.wait_for(far_enough).await.ok()?;
        let mut versioned = self.documents().get(uri)?.snapshot.clone()?;
        // What is not the document's own is as of now.
        versioned.snapshot.timings = self.timings();
        versioned.snapshot.nests = self.nests();
        Some(versioned)
    }
}
