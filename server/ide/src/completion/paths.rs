//! Paths between quotes: in `source`, `setwd`, `read` and `write`. Folders are listed by the server, names only.

use sumac_text::TextRange;

use super::item::{Ask, CompletionItem, CompletionKind, Rank};
use crate::files::Entry;

/// The names that could stand at the cursor between these quotes.
pub(super) fn items(ask: &Ask<'_>, content: TextRange) -> Vec<CompletionItem> {
    let Some(wanted) = wanted(ask) else {
        return Vec::new();
    };
    let text = ask.snapshot.text();
    let offset = ask.cursor.offset.clamp(content.start, content.end);
    let before = &text[content.start..offset];
    let (folder, start) = match before.rfind('/') {
        Some(slash) => (&before[..=slash], content.start + slash + 1),
        None => ("", content.start),
    };
    // The rest of this part of the path is replaced, what stands behind the next slash stays.
    let rest = &text[offset..content.end];
    let end = offset + rest.find(['/', '\n']).unwrap_or(rest.len());
    let has_slash = rest[end - offset..].starts_with('/');
    let replaces = TextRange::new(start, end);
    let entries = ask.files.list(folder).into_iter();
    entries
        .filter(|entry| entry.is_folder || wanted.takes(&entry.name))
        .map(|entry| item(&entry, replaces, has_slash))
        .collect()
}

fn item(entry: &Entry, replaces: TextRange, has_slash: bool) -> CompletionItem {
    let kind = if entry.is_folder {
        CompletionKind::Folder
    } else {
        CompletionKind::File
    };
    let mut item = CompletionItem::new(&*entry.name, kind, Rank::Local, replaces);
    if entry.is_folder && !has_slash {
        item.text.push('/');
    }
    item
}

/// What a path may name.
enum Wanted {
    Folders,
    Scripts,
    Data,
}

impl Wanted {
    fn takes(&self, name: &str) -> bool {
        match self {
            Wanted::Folders => false,
            Wanted::Scripts => name.ends_with(".dml"),
            // The metadata of a file is read with it.
            Wanted::Data => !name.ends_with(".mtd") && !name.ends_with(".dml"),
        }
    }
}

/// What the text at the cursor names, if it is a path.
fn wanted(ask: &Ask<'_>) -> Option<Wanted> {
    let (bracket, head) = ask.cursor.bracket()?;
    if bracket != "(" {
        return None;
    }
    match head? {
        "source" => Some(Wanted::Scripts),
        "setwd" => Some(Wanted::Folders),
        "read" => is_argument(ask, 0, "iofilename").then_some(Wanted::Data),
        "write" => is_argument(ask, 1, "iofilename").then_some(Wanted::Data),
        _ => None,
    }
}

fn is_argument(ask: &Ask<'_>, place: usize, name: &str) -> bool {
    let call = ask.cursor.call();
    call.is_some_and(
        |call| match call.args.get(call.active).and_then(|arg| arg.name) {
            Some(given) => given == name,
            None => call.active == place,
        },
    )
}
