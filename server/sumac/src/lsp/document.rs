//! An open document: its text, how far the work on it has come, and what is known of it now. Who asks waits for the text as it was
//! when it asked. Nothing is computed here.

use std::sync::{Arc, Mutex};

use sumac_ide::{CancelToken, Snapshot, UnitBlocks};
use sumac_sumproduct::Options;
use sumac_syntax::Parse;
use sumac_text::{TextEdit, TextRange};
use tokio::sync::watch;

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
