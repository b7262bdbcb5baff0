//! The outlines of all known files, and from a call to the function that it means. A value: cheap to clone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sumac_analysis::source_paths;

use super::outline::{CallSite, Function, Outline, Source};

/// The known files of a workspace.
#[derive(Clone, Debug, Default)]
pub struct Index {
    roots: Arc<[PathBuf]>,
    files: BTreeMap<Arc<Path>, Arc<Outline>>,
}

/// A function of a file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FunctionRef {
    /// The file that defines it.
    pub file: Arc<Path>,
    /// Its name.
    pub name: Arc<str>,
}

impl Index {
    /// Without files, in a workspace of these folders.
    #[must_use]
    pub fn new(roots: &[PathBuf]) -> Self {
        Index {
            roots: roots.into(),
            files: BTreeMap::new(),
        }
    }

    /// The workspace's folders.
    #[must_use]
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// The same files in a workspace of these folders.
    pub fn set_roots(&mut self, roots: &[PathBuf]) {
        self.roots = roots.into();
    }

    /// Takes a file in, or its new text.
    pub fn insert(&mut self, file: Arc<Path>, outline: Arc<Outline>) {
        self.files.insert(file, outline);
    }

    /// Forgets a file.
    pub fn remove(&mut self, file: &Path) {
        self.files.remove(file);
    }

    /// The outline of a file.
    #[must_use]
    pub fn get(&self, file: &Path) -> Option<&Arc<Outline>> {
        self.files.get(file)
    }

    /// All files, sorted by path.
    pub fn files(&self) -> impl Iterator<Item = (&Arc<Path>, &Arc<Outline>)> {
        self.files.iter()
    }

    /// Number of files.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether no file is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The files that a `source` statement of `from` may mean, the likeliest first.
    #[must_use]
    pub fn candidates(&self, from: &Path, source: &Source) -> Vec<PathBuf> {
        source_paths(
            from,
            source.work_dir.as_deref(),
            &source.path.name,
            &self.roots,
        )
    }

    /// The known file that a `source` statement of `from` means.
    #[must_use]
    pub fn sourced(&self, from: &Path, source: &Source) -> Option<&Arc<Path>> {
        self.candidates(from, source)
            .iter()
            .find_map(|path| self.files.get_key_value(path.as_path()))
            .map(|(path, _)| path)
    }

    /// The file behind a namespace of `from`; without a namespace, `from` itself.
    #[must_use]
    pub fn behind(&self, from: &Path, namespace: Option<&str>) -> Option<&Arc<Path>> {
        match namespace {
            None => self.files.get_key_value(from).map(|(path, _)| path),
            Some(alias) => {
                let source = self.get(from)?.source(alias)?;
                self.sourced(from, source)
            }
        }
    }

    /// The function that `namespace::name` means in `from`.
    #[must_use]
    pub fn called(&self, from: &Path, namespace: Option<&str>, name: &str) -> Option<FunctionRef> {
        let file = self.behind(from, namespace)?;
        let (_, function) = self.get(file)?.function(name)?;
        Some(FunctionRef {
            file: file.clone(),
            name: function.name.name.clone(),
        })
    }

    /// The definition of a function and its number in its file.
    #[must_use]
    pub fn function(&self, wanted: &FunctionRef) -> Option<(usize, &Function)> {
        self.get(&wanted.file)?.function(&wanted.name)
    }

    /// Every call of a function, sorted by file and place.
    pub fn calls<'a>(
        &'a self,
        wanted: &'a FunctionRef,
    ) -> impl Iterator<Item = (&'a Arc<Path>, &'a CallSite)> {
        let sites = self.files.iter().flat_map(|(file, outline)| {
            let by_name = |call: &&CallSite| call.name.name == wanted.name;
            outline
                .calls
                .iter()
                .filter(by_name)
                .map(move |call| (file, call))
        });
        sites.filter(|(file, call)| {
            self.behind(file, call.namespace.as_deref())
                .is_some_and(|file| *file == wanted.file)
        })
    }

    /// Whether `from` sources `file`, or would if it were there, itself or through others.
    #[must_use]
    pub fn depends(&self, from: &Path, file: &Path) -> bool {
        let mut seen = BTreeSet::from([from]);
        let mut todo = vec![from];
        while let Some(from) = todo.pop() {
            let sources = self
                .get(from)
                .into_iter()
                .flat_map(|outline| &outline.sources);
            for source in sources {
                if self
                    .candidates(from, source)
                    .iter()
                    .any(|path| path == file)
                {
                    return true;
                }
                if let Some(next) = self.sourced(from, source)
                    && seen.insert(next)
                {
                    todo.push(next);
                }
            }
        }
        false
    }

    /// The files with a `source` statement that leads to `file`, sorted.
    pub fn sourcing<'a>(&'a self, file: &'a Path) -> impl Iterator<Item = &'a Arc<Path>> {
        self.files
            .iter()
            .filter(move |(from, outline)| {
                let leads = |source: &Source| {
                    self.sourced(from, source)
                        .is_some_and(|target| **target == *file)
                };
                outline.sources.iter().any(leads)
            })
            .map(|(from, _)| from)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::workspace::fixture::Files;

    #[test]
    fn a_file_depends_on_what_it_sources_through_others_and_on_what_is_missing() {
        let files = Files::new(
            "//- a.dml\nsource(\"b.dml\") as b\nsource(\"gone.dml\") as g\n//- b.dml\nsource(\"c.dml\") as c\nsource(\"a.dml\") as a\n\
             //- c.dml\nx = 1\n",
        );
        let index = files.workspace().index;
        let depends = |from: &str, file: &str| {
            let path = |name: &str| Path::new("/w").join(name);
            index.depends(&path(from), &path(file))
        };
        assert!(depends("a.dml", "c.dml") && depends("a.dml", "gone.dml"));
        assert!(depends("b.dml", "gone.dml"), "a circle ends");
        assert!(!depends("c.dml", "a.dml") && !depends("a.dml", "d.dml"));
    }
}
