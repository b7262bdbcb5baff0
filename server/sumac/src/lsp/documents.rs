//! What a session knows of its open documents, as soon as it is known. Nothing is computed here.

use sumac_ide::Snapshot;
use sumac_syntax::Parse;
use tower_lsp::ls_types::Uri;

use super::document::{Document, Reached, Versioned};
use super::state::Shared;

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
