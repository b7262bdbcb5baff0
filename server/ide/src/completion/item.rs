//! Something that could be written, as a value, and what the makers of such items look at.

use sumac_text::TextRange;

use crate::files::Files;
use crate::snapshot::Snapshot;
use crate::tokens::Cursor;

/// Something that could be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompletionItem {
    /// How it is shown, and what is compared with what is typed.
    pub label: String,
    /// What it is.
    pub kind: CompletionKind,
    /// What is known of it, in a few words.
    pub detail: Option<String>,
    /// What it replaces: the whole word at the cursor.
    pub replaces: TextRange,
    /// What is written.
    pub text: String,
    /// What is written by clients that know snippets: `$0` is where the cursor goes.
    pub snippet: Option<String>,
    /// How far up it stands; within a rank, by label.
    pub rank: Rank,
    /// What to look up for its documentation.
    pub topic: Option<Topic>,
    /// It works, but something else should be used.
    pub is_deprecated: bool,
}

/// What an item is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "named by what they are")]
pub enum CompletionKind {
    Variable,
    Parameter,
    Function,
    Namespace,
    NamedArgument,
    Value,
    ScriptArgument,
    Keyword,
    Snippet,
    Type,
    Folder,
    File,
    Code,
}

/// How far up an item stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "named by what they are")]
pub enum Rank {
    Value,
    Local,
    Parameter,
    Function,
    Builtin,
    Keyword,
    ScriptArgument,
}

/// Something that has documentation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Topic {
    /// A builtin.
    Builtin(String),
    /// A function of the script.
    Function(String),
    /// A function of another script, by namespace and name.
    Member(String, String),
}

impl CompletionItem {
    pub(crate) fn new(
        label: impl Into<String>,
        kind: CompletionKind,
        rank: Rank,
        replaces: TextRange,
    ) -> Self {
        let label = label.into();
        CompletionItem {
            text: label.clone(),
            label,
            kind,
            detail: None,
            replaces,
            snippet: None,
            rank,
            topic: None,
            is_deprecated: false,
        }
    }

    pub(crate) fn detailed(mut self, detail: Option<String>) -> Self {
        self.detail = detail.filter(|detail| !detail.is_empty());
        self
    }

    /// The same as a call: the cursor goes between the parentheses, or behind them if nothing stands there.
    pub(super) fn called(mut self, has_params: bool, cursor: &Cursor<'_>) -> Self {
        if !cursor.behind().starts_with('(') {
            let inside = if has_params { "($0)" } else { "()$0" };
            self.snippet = Some(format!("{}{inside}", self.text));
        }
        self
    }

    /// The text by which clients sort.
    #[must_use]
    pub fn sort_text(&self) -> String {
        format!("{}{}", self.rank as u8, self.label.to_lowercase())
    }
}

/// What the makers of items look at.
pub(super) struct Ask<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) cursor: &'a Cursor<'a>,
    pub(super) files: &'a dyn Files,
}
