//! Several files in one text for tests: `//- path` begins a file, `$0` is the cursor. Without a header the text is
//! `main.dml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sumac_syntax::{Parse, parse};
use sumac_text::LineIndex;

use super::{Index, Location, Outline, Texts, Workspace};
use crate::snapshot::Snapshot;

/// The files of a fixture, in the folder `/w`.
pub(crate) struct Files {
    texts: BTreeMap<PathBuf, String>,
    index: Index,
    cursor: Option<(Arc<Path>, usize)>,
}

impl Files {
    /// Reads a fixture. Files that do not end in `.dml` exist, and are no scripts.
    pub(crate) fn new(fixture: &str) -> Self {
        let mut texts: BTreeMap<PathBuf, String> = BTreeMap::new();
        let mut now = Path::new("/w/main.dml").to_path_buf();
        for line in fixture.split_inclusive('\n') {
            if let Some(path) = line.strip_prefix("//- ") {
                now = Path::new("/w").join(path.trim());
                texts.insert(now.clone(), String::new());
            } else {
                texts.entry(now.clone()).or_default().push_str(line);
            }
        }
        let mut cursor = None;
        let mut index = Index::new(&[PathBuf::from("/w")]);
        for (path, text) in &mut texts {
            if let Some(offset) = text.find("$0") {
                text.replace_range(offset..offset + 2, "");
                cursor = Some((Arc::from(path.as_path()), offset));
            }
            if path.extension().is_some_and(|extension| extension == "dml") {
                let outline = Outline::of(&parse(text.as_str()));
                index.insert(Arc::from(path.as_path()), Arc::new(outline));
            }
        }
        Files {
            texts,
            index,
            cursor,
        }
    }

    /// The cursor.
    #[track_caller]
    pub(crate) fn cursor(&self) -> (Arc<Path>, usize) {
        self.cursor.clone().expect("the fixture has a cursor")
    }

    /// What features look at.
    pub(crate) fn workspace(&self) -> Workspace<'_> {
        Workspace {
            index: &self.index,
            texts: self,
        }
    }

    /// A file, analysed.
    pub(crate) fn snapshot(&self, file: &Path) -> Snapshot {
        crate::fixture::snapshot(&self.texts[file])
    }

    /// The text of a file.
    pub(crate) fn text(&self, file: &Path) -> &str {
        &self.texts[file]
    }

    /// One line for each place: file, line, and the line with the place in brackets.
    pub(crate) fn show(&self, places: impl IntoIterator<Item = Location>) -> String {
        let mut out = String::new();
        for Location { file, range } in places {
            let text = self.text(&file);
            let lines = LineIndex::new(text);
            let line = lines.line(range.start);
            let (start, end) = (lines.line_start(line), lines.line_end(line));
            let (before, inside) = (&text[start..range.start], &text[range]);
            let (behind, shown) = (&text[range.end.min(end)..end], name(&file));
            out.push_str(&format!(
                "{shown}:{}: {before}[{inside}]{behind}\n",
                line + 1
            ));
        }
        out
    }
}

/// A file as the fixture names it.
pub(crate) fn name(file: &Path) -> String {
    let inside = file.strip_prefix("/w").unwrap_or(file);
    inside.display().to_string()
}

impl Texts for Files {
    fn parse(&self, file: &Path) -> Option<Parse> {
        Some(parse(self.texts.get(file)?.as_str()))
    }

    fn exists(&self, file: &Path) -> bool {
        self.texts.contains_key(file)
    }
}
