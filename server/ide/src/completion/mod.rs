//! What could be written at the cursor.
//!
//! ```text
//! Y = X %*% as.$0
//! ```
//! offers `as.scalar`, `as.matrix`, …; accepting one replaces `as.`. What is offered depends on the place alone: the
//! client filters by what is typed. Half-typed code is the normal case, so places are found by tokens.

mod arguments;
mod facts;
mod names;
mod paths;
mod place;
mod scope;
mod words;

use sumac_syntax::text::TextRange;

use crate::callable::{self, Callable};
use crate::files::{self, Files};
use crate::snapshot::Snapshot;
use crate::tokens::{Cursor, Inside};
use place::Place;

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
    fn called(mut self, has_params: bool, cursor: &Cursor<'_>) -> Self {
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

/// What could be written at `offset`. `typed` is the character that made the client ask, if one did.
#[must_use]
pub fn completion(
    snapshot: &Snapshot,
    offset: usize,
    typed: Option<char>,
    files: &dyn Files,
) -> Vec<CompletionItem> {
    let cursor = Cursor::new(&snapshot.parse, offset);
    let ask = Ask {
        snapshot,
        cursor: &cursor,
        files,
    };
    let mut items = match cursor.inside {
        Inside::Comment | Inside::Number => Vec::new(),
        Inside::Fact(line) => facts::items(&ask, line),
        Inside::Text(content) => {
            let mut items = paths::items(&ask, content);
            items.extend(arguments::values_in_quotes(&ask, content));
            items
        }
        // A single colon is no namespace's: `1:n`.
        Inside::Code if typed == Some(':') && cursor.back(1) != Some("::") => Vec::new(),
        Inside::Code => code(&ask, &Place::of(&cursor)),
    };
    items.sort_by_cached_key(CompletionItem::sort_text);
    items.dedup_by(|a, b| a.label == b.label && a.kind == b.kind);
    items
}

/// The documentation of a topic, as markdown.
#[must_use]
pub fn documentation(snapshot: &Snapshot, topic: &Topic, files: &dyn Files) -> Option<String> {
    match topic {
        Topic::Builtin(name) => builtin_documentation(name),
        Topic::Function(name) => {
            let def = callable::definition(snapshot.parse.program(), name)?;
            let mut infos = snapshot.analysis.functions.iter();
            let known = infos.find(|info| *info.name == **name);
            Some(Callable::of_function(&snapshot.parse, def, known).markdown())
        }
        Topic::Member(namespace, name) => {
            let script = files::namespace(snapshot, namespace, files)?;
            let def = callable::definition(script.program(), name)?;
            let callable = Callable::of_function(&script, def, None);
            Some(callable.in_namespace(namespace).markdown())
        }
    }
}

/// The documentation of a builtin: the same for every script.
#[must_use]
pub fn builtin_documentation(name: &str) -> Option<String> {
    let builtin = sumac_builtins::find(name)?;
    Some(Callable::of_builtin(builtin).markdown())
}

/// What the makers of items look at.
struct Ask<'a> {
    snapshot: &'a Snapshot,
    cursor: &'a Cursor<'a>,
    files: &'a dyn Files,
}

fn code(ask: &Ask<'_>, place: &Place<'_>) -> Vec<CompletionItem> {
    match place {
        Place::Nothing => Vec::new(),
        Place::ScriptArgument => names::script_arguments(ask, ask.cursor.word),
        Place::Member(namespace) => names::members(ask, namespace),
        Place::Type => words::types(ask),
        Place::Words(list) => words::listed(ask, list),
        Place::Option { begins: true } => words::loop_options(ask),
        Place::Option { begins: false } => expression(ask),
        Place::Argument(call) => {
            let mut items = arguments::items(ask, call);
            items.extend(expression(ask));
            items
        }
        Place::Expression { is_value } => {
            let mut items = expression(ask);
            if *is_value {
                items.extend(words::after_equals(ask));
            }
            items
        }
        Place::Statement => {
            let mut items = names::everything(ask);
            items.extend(words::statements(ask));
            items
        }
    }
}

fn expression(ask: &Ask<'_>) -> Vec<CompletionItem> {
    let mut items = names::everything(ask);
    items.extend(words::constants(ask));
    items.extend(names::script_arguments(ask, ask.cursor.word));
    items
}

#[cfg(test)]
mod tests;
