//! Sketches inside of scripts: `#@ sketch NAME` pins one to the next statement, and lines between `#@ sketch NAME {` and
//! `#@ }` hold one.
//!
//! ```text
//! #@ sketch together(X) {
//! #@   goal sum(X * ?)
//! #@ }
//! #@ sketch together(X)
//! s = sum(X * Y) + sum(X * Z)
//! ```

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use sumac_sketch::text::ast::SketchDef;
use sumac_sketch::text::{Filled, Library};
use sumac_syntax::ast::{Fact, FactKind, Ident};
use sumac_text::TextRange;

use super::VOCABULARY;

/// What the pins of a script mean.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Pins {
    /// All sketches that the script sees, its own first.
    pub(super) library: Library,
    /// Whether the first file is what stands in the script.
    pub(super) is_inline: bool,
    /// What each pin names, with everything filled in, or why that cannot be.
    pub(super) calls: BTreeMap<Arc<str>, Result<Filled, String>>,
}

/// A pin whose sketch led nowhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missed {
    /// The statement.
    pub statement: TextRange,
    /// Why: text for a person.
    pub message: String,
}

/// Whether a script speaks of sketches at all, half-written lines included.
#[must_use]
pub fn has_sketches(text: &str, facts: &[Fact]) -> bool {
    let speaks = |fact: &Fact| match fact.kind {
        FactKind::Sketch { .. } | FactKind::SketchLine => true,
        FactKind::Invalid { .. } => {
            text.get(fact.range.start..fact.range.end)
                .is_some_and(|line| {
                    let line = line.trim_start_matches("#@").trim_start();
                    line.starts_with("sketch")
                })
        }
        _ => false,
    };
    facts.iter().any(speaks)
}

/// The sketches that stand in a script, as a sketch file whose places are the script's: all else is blank. `None` where
/// there are none.
#[must_use]
pub fn inline_text(text: &str, facts: &[Fact]) -> Option<String> {
    let lines = facts.iter();
    let lines: Vec<TextRange> = lines
        .filter(|fact| fact.kind == FactKind::SketchLine)
        .map(|fact| fact.range)
        .collect();
    // Without a sketch, `#@ rule of thumb` and its like are comments.
    let begins = |line: &TextRange| {
        text.get(line.start..line.end).is_some_and(|line| {
            let line = line.trim_start_matches("#@").trim_start();
            let begins = |word: &str, sign: char| line.starts_with(word) && line.contains(sign);
            line.starts_with("sketch")
                || begins("def ", '=')
                || begins("rule ", ':')
                || begins("import ", '"')
        })
    };
    if !lines.iter().any(begins) {
        return None;
    }
    let blank = |part: &str| -> String {
        let bytes = part.bytes();
        bytes
            .map(|byte| {
                if matches!(byte, b'\n' | b'\r') {
                    char::from(byte)
                } else {
                    ' '
                }
            })
            .collect()
    };
    let mut out = String::with_capacity(text.len());
    for line in lines {
        let (Some(before), Some(own)) = (
            text.get(out.len()..line.start),
            text.get(line.start..line.end),
        ) else {
            continue;
        };
        out.push_str(&blank(before));
        out.push_str("  ");
        out.push_str(own.strip_prefix("#@").unwrap_or(own));
    }
    out.push_str(&blank(text.get(out.len()..).unwrap_or_default()));
    Some(out)
}

impl Pins {
    /// The pins of the script at `path` with these `#@` lines, which sees these sketch files by path and text; `inline` is
    /// what [`inline_text`] gives.
    #[must_use]
    pub fn new(
        path: &str,
        facts: &[Fact],
        inline: Option<String>,
        files: impl IntoIterator<Item = (Arc<str>, Arc<str>)>,
    ) -> Self {
        let own = inline.map(|text| (Arc::from(path), Arc::from(text)));
        let is_inline = own.is_some();
        let library = Library::new(own.into_iter().chain(files), &VOCABULARY);
        let pinned = facts.iter().filter_map(name_of);
        let calls = pinned.map(|name| (Arc::clone(&name.name), library.fill(&name.name)));
        Pins {
            calls: calls.collect(),
            is_inline,
            library,
        }
    }

    /// The sketch that a pin names.
    #[must_use]
    pub fn get(&self, call: &str) -> Option<&Filled> {
        self.calls.get(call)?.as_ref().ok()
    }

    /// All sketches that the script sees.
    #[must_use]
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// The sketch that a pin names, whatever is wrong with its arguments, and the number of its file.
    pub(super) fn sketch(&self, call: &str) -> Option<(usize, &SketchDef)> {
        let name = call.split('(').next().unwrap_or(call).trim();
        let mut sketches = self.library.sketches();
        sketches.find(|(_, sketch)| *sketch.name.text == *name)
    }

    /// What suggestions depend on of this: other content, other text. Empty without pins.
    #[must_use]
    pub fn key(&self) -> String {
        if self.calls.is_empty() {
            return String::new();
        }
        let mut hash = DefaultHasher::new();
        for (call, filled) in &self.calls {
            call.hash(&mut hash);
            let Ok(filled) = filled else { continue };
            for stage in &filled.stages {
                stage.label.hash(&mut hash);
                stage.pattern.to_string().hash(&mut hash);
                stage.rules.hash(&mut hash);
                for equation in &stage.equations {
                    equation.to_string().hash(&mut hash);
                }
                stage.cost.hash(&mut hash);
                format!("{:?}", stage.limits).hash(&mut hash);
            }
        }
        format!(" pins {:016x}", hash.finish())
    }
}

/// What a `#@` line pins.
pub(super) fn name_of(fact: &Fact) -> Option<&Ident> {
    match &fact.kind {
        FactKind::Sketch { name } => Some(name),
        _ => None,
    }
}

/// The names of sketches that a script's `#@` lines pin, each with its place.
pub fn pinned(facts: &[Fact]) -> impl Iterator<Item = (&str, TextRange)> {
    facts.iter().filter_map(name_of).map(|call| {
        let name = call.name.split('(').next().unwrap_or_default().trim_end();
        let end = call.range.start + name.len();
        (name, TextRange::new(call.range.start, end))
    })
}

/// Whether a place of a script belongs to the language of sketches: to the name in a pin, or to a sketch that it holds.
#[must_use]
pub fn is_in_sketch(facts: &[Fact], offset: usize) -> bool {
    let mut lines = facts
        .iter()
        .filter(|fact| fact.kind == FactKind::SketchLine);
    lines.any(|fact| fact.range.touches(offset))
        || pinned(facts).any(|(_, range)| range.touches(offset))
}
