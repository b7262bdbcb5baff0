//! The files around a script, for features that look into other scripts or list names. Nothing outside of the
//! workspace and of the folders of open scripts is listed, whether the workspace is trusted or not.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sumac_analysis::source_paths;
use sumac_ide::workspace::Texts;
use sumac_ide::{Entry, Files};
use sumac_syntax::Parse;
use tower_lsp::ls_types::Uri;

use super::workspace::{View, key};

/// Most names of one folder.
const MAX_NAMES: usize = 1000;

/// What a script can see of other files.
pub struct NearbyFiles<'a> {
    view: &'a View,
    script: Arc<Path>,
}

impl<'a> NearbyFiles<'a> {
    /// Those of a document.
    #[must_use]
    pub fn new(view: &'a View, uri: &Uri) -> Self {
        NearbyFiles {
            view,
            script: key(uri),
        }
    }

    /// Where `folder` may be, the likeliest first.
    fn folders(&self, folder: &str) -> Vec<PathBuf> {
        let folder = if folder.is_empty() { "." } else { folder };
        let mut folders = source_paths(&self.script, None, folder, self.view.index.roots());
        folders.retain(|folder| self.view.may_list(folder));
        folders
    }
}

impl Files for NearbyFiles<'_> {
    fn script(&self, path: &str) -> Option<Parse> {
        let index = &self.view.index;
        let mut sources = index.get(&self.script)?.sources.iter();
        let source = sources.find(|source| *source.path.name == *path)?;
        let file = index.sourced(&self.script, source)?;
        self.view.parse(file)
    }

    fn list(&self, folder: &str) -> Vec<Entry> {
        // What a path means decides its first folder that is there.
        let mut there = self.folders(folder).into_iter();
        let Some(entries) = there.find_map(|folder| std::fs::read_dir(folder).ok()) else {
            return Vec::new();
        };
        let entry = |entry: std::fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            (!name.starts_with('.')).then(|| Entry {
                is_folder: entry.path().is_dir(),
                name,
            })
        };
        let entries = entries.take(MAX_NAMES).filter_map(Result::ok);
        let mut found: Vec<Entry> = entries.filter_map(entry).collect();
        found.sort();
        found
    }
}
