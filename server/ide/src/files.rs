//! What features may see of other files. The server gives it; here nothing is read.

use std::collections::BTreeMap;

use sumac_syntax::Parse;
use sumac_syntax::ast::{Program, StmtKind};

use crate::snapshot::Snapshot;

/// The files around a script, as the script names them.
pub trait Files {
    /// The script of that path, parsed. `None`: there is none, or it may not be looked at.
    fn script(&self, path: &str) -> Option<Parse>;

    /// The names in a folder, sorted; empty where nothing may be listed. An empty path is the script's own folder.
    fn list(&self, folder: &str) -> Vec<Entry>;
}

/// A name in a folder.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Entry {
    /// The name.
    pub name: String,
    /// Whether it is a folder itself.
    pub is_folder: bool,
}

/// The namespaces of a script and the paths of their files; of two of one name the last one counts.
pub(crate) fn namespaces(program: &Program) -> BTreeMap<&str, &str> {
    let mut found = BTreeMap::new();
    for stmt in &program.statements {
        if let StmtKind::Source {
            path: Some(path),
            alias: Some(alias),
        } = &stmt.kind
        {
            found.insert(&*alias.name, &*path.value);
        }
    }
    found
}

/// The script behind a namespace.
pub(crate) fn namespace(snapshot: &Snapshot, name: &str, files: &dyn Files) -> Option<Parse> {
    let paths = namespaces(snapshot.parse.program());
    files.script(paths.get(name)?)
}

#[cfg(test)]
pub(crate) mod fixture {
    use super::*;

    /// Scripts by path.
    pub(crate) struct Scripts(pub(crate) &'static [(&'static str, &'static str)]);

    impl Files for Scripts {
        fn script(&self, path: &str) -> Option<Parse> {
            let found = self.0.iter().find(|(name, _)| *name == path);
            found.map(|(_, text)| sumac_syntax::parse(*text))
        }

        fn list(&self, folder: &str) -> Vec<Entry> {
            let prefix = if folder.is_empty() {
                String::new()
            } else {
                format!("{}/", folder.trim_end_matches('/'))
            };
            let inside = self
                .0
                .iter()
                .filter_map(|(path, _)| path.strip_prefix(&prefix));
            let mut entries: Vec<Entry> = inside
                .map(|rest| Entry {
                    name: rest.split('/').next().unwrap_or_default().to_owned(),
                    is_folder: rest.contains('/'),
                })
                .collect();
            entries.sort();
            entries.dedup();
            entries
        }
    }
}
