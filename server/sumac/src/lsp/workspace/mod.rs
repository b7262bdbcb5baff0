//! The scripts of the workspace: an index of what is on disk, overlaid by what is open.
//!
//! Answers never wait for the scan: until it is done they come from open documents, from what these source, and from
//! what has been seen so far.

mod ignored;
pub mod known;
mod scan;
mod view;
pub mod watch;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use sumac_ide::workspace::{Index, Outline};
use sumac_runtime::io::read_at_most;

use super::state::Shared;

pub use known::key;
use known::{MAX_BYTES, Open};
pub use scan::{complete, start, stop};
pub use view::{View, answer, lookup};

/// All known files as of now, and the open documents among them.
fn now(shared: &Shared) -> (Arc<Index>, BTreeMap<Arc<Path>, Open>) {
    let open: BTreeMap<Arc<Path>, Open> = shared
        .documents()
        .iter()
        .map(|(uri, document)| {
            let open = Open {
                uri: uri.clone(),
                version: document.version,
                parse: document.parse.clone(),
                change: document.change,
            };
            (key(uri), open)
        })
        .collect();
    let outdated: Vec<&Arc<Path>> = {
        let mut known = shared.workspace();
        let before = known.open.len();
        known.open.retain(|path, _| open.contains_key(path));
        if known.open.len() < before {
            known.merged = None;
        }
        let is_outdated = |(path, open): &(&Arc<Path>, &Open)| {
            known
                .open
                .get(*path)
                .is_none_or(|(change, _)| *change != open.change)
        };
        open.iter()
            .filter(is_outdated)
            .map(|(path, _)| path)
            .collect()
    };
    for path in outdated {
        let outline = Arc::new(Outline::of(&open[path].parse));
        let mut known = shared.workspace();
        known
            .open
            .insert(path.clone(), (open[path].change, outline));
        known.merged = None;
    }
    follow_sources(shared, open.keys());
    let index = shared.workspace().merged();
    (index, open)
}

/// Looks at the files that open documents source, and at those that these source, where no scan has met them.
fn follow_sources<'a>(shared: &Shared, open: impl Iterator<Item = &'a Arc<Path>>) {
    let trusted = shared.session().trusted;
    let index = shared.workspace().merged();
    let mut seen: BTreeSet<Arc<Path>> = open.cloned().collect();
    let mut todo: Vec<Arc<Path>> = seen.iter().cloned().collect();
    let mut outlines: BTreeMap<Arc<Path>, Arc<Outline>> = BTreeMap::new();
    while let Some(from) = todo.pop() {
        let Some(outline) = outlines.get(&from).or_else(|| index.get(&from)).cloned() else {
            continue;
        };
        for source in &outline.sources {
            let found = match index.sourced(&from, source) {
                Some(path) => Some(path.clone()),
                None => index
                    .candidates(&from, source)
                    .into_iter()
                    .filter(|path| shared.workspace().may_look(path, trusted))
                    .find_map(|path| {
                        let path: Arc<Path> = path.into();
                        let outline = read(&path).map(|text| outline_of(&text))?;
                        shared.workspace().on_disk(&path, Some(outline.clone()));
                        outlines.insert(path.clone(), outline);
                        Some(path)
                    }),
            };
            if let Some(path) = found
                && seen.insert(path.clone())
            {
                todo.push(path);
            }
        }
    }
}

/// The text of a known script on disk.
#[must_use]
pub fn text(path: &Path) -> Option<String> {
    read(path)
}

/// The text of a file on disk: a regular file, not too large. What is not UTF-8 in it is replaced.
fn read(path: &Path) -> Option<String> {
    let bytes = read_at_most(path, MAX_BYTES).ok()?;
    Some(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

fn outline_of(text: &str) -> Arc<Outline> {
    Arc::new(Outline::of(&sumac_syntax::parse(text)))
}
