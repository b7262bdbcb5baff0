//! What could be written at the cursor.
//!
//! ```text
//! Y = X %*% as.$0
//! ```
//! offers `as.scalar`, `as.matrix`, …; accepting one replaces `as.`. What is offered depends on the place alone: the
//! client filters by what is typed. Half-typed code is the normal case, so places are found by tokens.

mod arguments;
mod facts;
pub(crate) mod item;
mod names;
mod paths;
mod place;
mod scope;
mod words;

pub use crate::callable::builtin_documentation;
use crate::callable::{self, Callable};
use crate::files::{self, Files};
use crate::snapshot::Snapshot;
use crate::tokens::{Cursor, Inside};
use item::Ask;
pub use item::{CompletionItem, CompletionKind, Rank, Topic};
use place::Place;

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
