//! An action as a value, and what a request for actions asks for. Must know no action.

use sumac_text::{TextEdit, TextRange};

use crate::diagnostic::Diagnostic;
use crate::snapshot::Snapshot;

/// The kinds of actions, as editors group them. Dotted: a request for `refactor` asks for `refactor.rewrite` too.
pub mod kinds {
    /// Rewrites that keep the meaning.
    pub const REWRITE: &str = "refactor.rewrite";
    /// Shows something and changes nothing.
    pub const EXPLAIN: &str = "refactor.explain";
    /// All suggestions of the file at once. No `source.fixAll`: editors apply that when a file is saved.
    pub const APPLY_ALL: &str = "refactor.rewrite.sumac.all";
    /// Puts a diagnostic right.
    pub const QUICK_FIX: &str = "quickfix";
    /// All kinds.
    pub const ALL: [&str; 4] = [QUICK_FIX, REWRITE, APPLY_ALL, EXPLAIN];
}

/// What choosing an action does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Changes the document.
    Edit(Vec<TextEdit>),
    /// Changes the document by all suggestions, once the person has seen what that changes.
    ApplyAll,
    /// Shows the proof of the suggestion for the statement at this offset.
    Explain(usize),
    /// Says why the statement at this offset has no suggestion.
    WhyNone(usize),
    /// Shows how the operators of the block around this offset are fused.
    Fusion(usize),
    /// Searches other forms of the statement at this offset, and lets the person choose one.
    Compare(usize),
    /// Lets the person choose a sketch for the loops of the product at this offset.
    Schedule(usize),
}

impl Effect {
    /// A place in the statement that it is about; `None`: it is about the file.
    pub(super) fn place(&self) -> Option<usize> {
        match self {
            // What is put before a loop comes first.
            Effect::Edit(edits) => edits.last().map(|edit| edit.range.start),
            Effect::ApplyAll => None,
            Effect::Explain(at)
            | Effect::WhyNone(at)
            | Effect::Fusion(at)
            | Effect::Compare(at)
            | Effect::Schedule(at) => Some(*at),
        }
    }
}

/// An action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Action {
    /// Its text in the menu.
    pub title: String,
    /// One of [`kinds`].
    pub kind: &'static str,
    /// What it does.
    pub effect: Effect,
    /// The diagnostics that it puts right.
    pub fixes: Vec<Diagnostic>,
    /// Whether it is what most people want of its kind at this place.
    pub is_preferred: bool,
}

impl Action {
    pub(crate) fn new(title: impl Into<String>, kind: &'static str, effect: Effect) -> Self {
        Action {
            title: title.into(),
            kind,
            effect,
            fixes: Vec::new(),
            is_preferred: false,
        }
    }
}

/// The place and the wish behind a request.
#[derive(Clone, Copy, Debug)]
pub struct ActionContext<'a> {
    /// The document.
    pub snapshot: &'a Snapshot,
    /// The cursor or selection.
    pub range: TextRange,
    /// Only these kinds; `None`: those that fit the place.
    pub only: Option<&'a [String]>,
}

impl ActionContext<'_> {
    /// Whether the request names the kind, or a kind above it.
    pub(super) fn asks_for(&self, kind: &str) -> bool {
        self.only.is_some_and(|only| {
            let covers = |asked: &String| {
                asked.is_empty()
                    || kind
                        .strip_prefix(asked.as_str())
                        .is_some_and(starts_new_part)
            };
            only.iter().any(covers)
        })
    }
}

impl ActionContext<'_> {
    /// Whether the request names the very kind.
    pub(super) fn names(&self, kind: &str) -> bool {
        self.only
            .is_some_and(|only| only.iter().any(|asked| asked == kind))
    }
}

pub(super) fn starts_new_part(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with('.')
}
