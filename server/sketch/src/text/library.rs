//! Sketch files that know each other: what their names mean, what is wrong with them, and sketches with everything filled
//! in. Files are texts with names here; who reads them from a disk is somebody else.

use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use sumac_text::TextRange;

use super::ast::{Abstraction, Expr, RuleDef, SketchDef, StageKind};
use super::names::{self, Names};
use super::unfold;
use super::{Parse, parse, parse_expression};

/// What sketches may speak of: a language's operators, and a search's rules and costs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Vocabulary {
    /// Operators that are called by name, with the fewest and the most arguments that they take.
    pub operators: Vec<(&'static str, usize, usize)>,
    /// Sets of rules, and what each is for.
    pub rule_sets: Vec<(&'static str, &'static str)>,
    /// Single rules, and the equation of each.
    pub rules: Vec<(&'static str, String)>,
    /// Costs, and what each counts.
    pub costs: Vec<(&'static str, &'static str)>,
    /// What a search may be limited by.
    pub units: Vec<(&'static str, &'static str)>,
    /// The language that these are of; `None` is linear algebra. Of sketches on another one only names of sketches and
    /// abstractions are looked at.
    pub language: Option<&'static str>,
    /// What proves the equations of rules that a file lists.
    pub prover: Prover,
}

/// Proves an equation for all values of all sizes, or says why it is refused.
pub type Prove = fn(&Equation) -> Result<(), String>;

/// What proves equations; `None`: nothing does, and nothing is said of them.
#[derive(Clone, Copy, Default)]
pub struct Prover(pub Option<Prove>);

impl PartialEq for Prover {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_some() == other.0.is_some()
    }
}

impl fmt::Debug for Prover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Prover" } else { "none" })
    }
}

/// A rule that a file lists, with its abstractions filled in: each name stands for any value.
#[derive(Clone, PartialEq, Debug)]
pub struct Equation {
    /// Its name.
    pub name: Arc<str>,
    /// What it is read from.
    pub left: Expr,
    /// What it becomes.
    pub right: Expr,
}

impl fmt::Display for Equation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.left, self.right)
    }
}

/// How serious a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// The sketch can be used, and perhaps not as its author thinks.
    Warning,
    /// The sketch cannot be used.
    Error,
}

/// Something wrong in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Where.
    pub range: TextRange,
    /// How serious.
    pub level: Level,
    /// A short name of the kind of finding.
    pub code: &'static str,
    /// What was expected, what was found, and a way out.
    pub message: String,
}

/// A place in one of a library's files.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Place {
    /// The file's number.
    pub file: usize,
    /// Where in it.
    pub range: TextRange,
}

/// What a name means.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Known {
    /// An abstraction: its file, and its number there.
    Abstraction(usize, usize),
    /// A sketch: its file, and its number there.
    Sketch(usize, usize),
    /// A parameter: where it is defined.
    Parameter(Place),
    /// An operator of the language, or `contains`.
    Operator(Arc<str>),
    /// A variable or a size of the script.
    Variable(Arc<str>),
    /// A set of rules, or a rule that is built in.
    Rule(Arc<str>),
    /// A rule that a file lists: its file, and its number there.
    Equation(usize, usize),
    /// A letter of a rule: where it stands first.
    Letter(Place),
    /// A cost.
    Cost(Arc<str>),
    /// A unit of a limit.
    Unit(Arc<str>),
    /// Another file.
    File(usize),
}

/// A file of a library.
#[derive(Clone, PartialEq, Debug)]
pub struct Source {
    /// How other files may name it, with `/` between folders.
    pub path: Arc<str>,
    /// Its text.
    pub text: Arc<str>,
    /// As it was read.
    pub parse: Parse,
}

/// Sketch files that know each other.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Library {
    files: Vec<Source>,
    names: Vec<Names>,
}

/// A stage with everything filled in.
#[derive(Clone, PartialEq, Debug)]
pub struct FilledStage {
    /// Guide or goal.
    pub kind: StageKind,
    /// Its name, or its kind and number.
    pub label: String,
    /// The pattern: no parameter and no abstraction is left.
    pub pattern: Expr,
    /// Rule sets and rules by name; empty where none are given.
    pub rules: Vec<Arc<str>>,
    /// What those of them say that files list.
    pub equations: Vec<Equation>,
    /// What is minimized.
    pub cost: Option<Arc<str>>,
    /// Limits by unit.
    pub limits: Vec<(usize, Arc<str>)>,
    /// Where it stands.
    pub place: Place,
}

/// A sketch with everything filled in.
#[derive(Clone, PartialEq, Debug)]
pub struct Filled {
    /// As it was called: `one_pass(X)`.
    pub name: String,
    /// Its stages in order; the last is the goal.
    pub stages: Vec<FilledStage>,
    /// What its author says of it.
    pub doc: String,
    /// Where it stands.
    pub place: Place,
}

impl Library {
    /// A library of texts with paths. What a later file of the same path says counts for nothing.
    #[must_use]
    pub fn new(
        texts: impl IntoIterator<Item = (Arc<str>, Arc<str>)>,
        vocabulary: &Vocabulary,
    ) -> Self {
        let mut files: Vec<Source> = Vec::new();
        for (path, text) in texts {
            if files.iter().all(|file| file.path != path) {
                let parse = parse(&text);
                files.push(Source { path, text, parse });
            }
        }
        let names = names::resolve(&files, vocabulary);
        let mut library = Library { files, names };
        if let Some(prove) = vocabulary.prover.0 {
            library.prove(prove);
        }
        library
    }

    /// Says of each rule that is otherwise in order whether it holds.
    fn prove(&mut self, prove: Prove) {
        for file in 0..self.files.len() {
            let mut refused: Vec<Finding> = Vec::new();
            for (number, rule) in self.files[file].parse.file.rules.iter().enumerate() {
                // What is wrong with it already has its own finding.
                let Ok(equation) = unfold::equation(self, file, number) else {
                    continue;
                };
                refused.extend(prove(&equation).err().map(|message| Finding {
                    range: rule.equation(),
                    level: Level::Error,
                    code: "sketch-rule",
                    message,
                }));
            }
            let findings = &mut self.names[file].findings;
            findings.extend(refused);
            findings.sort_by_key(|finding| finding.range);
        }
    }

    /// Its files.
    #[must_use]
    pub fn files(&self) -> &[Source] {
        &self.files
    }

    /// What is wrong with a file, in the order of the places.
    #[must_use]
    pub fn findings(&self, file: usize) -> &[Finding] {
        self.names.get(file).map_or(&[], |names| &names.findings)
    }

    /// What the names of a file mean, in the order of the text.
    #[must_use]
    pub fn meanings(&self, file: usize) -> &[(TextRange, Known)] {
        self.names.get(file).map_or(&[], |names| &names.meanings)
    }

    /// The name at a place of a file, and what it means.
    #[must_use]
    pub fn at(&self, file: usize, offset: usize) -> Option<(TextRange, &Known)> {
        let mut meanings = self.meanings(file).iter();
        let found = meanings.find(|(range, _)| range.touches(offset))?;
        Some((found.0, &found.1))
    }

    /// Where something is defined; the beginning of a file for a file.
    #[must_use]
    pub fn definition(&self, of: &Known) -> Option<Place> {
        match of {
            Known::Abstraction(file, n) => Some(Place {
                file: *file,
                range: self.abstraction(*file, *n)?.name.range,
            }),
            Known::Sketch(file, n) => Some(Place {
                file: *file,
                range: self.sketch_at(*file, *n)?.name.range,
            }),
            Known::Equation(file, n) => Some(Place {
                file: *file,
                range: self.rule(*file, *n)?.name.range,
            }),
            Known::Parameter(place) | Known::Letter(place) => Some(*place),
            Known::File(file) => Some(Place {
                file: *file,
                range: TextRange::default(),
            }),
            _ => None,
        }
    }

    /// Every mention of something in all files, its definition included.
    #[must_use]
    pub fn references(&self, of: &Known) -> Vec<Place> {
        let of_file = |(file, names): (usize, &Names)| {
            let same = names.meanings.iter().filter(|(_, known)| known == of);
            same.map(|(range, _)| Place {
                file,
                range: *range,
            })
            .collect::<Vec<_>>()
        };
        self.names.iter().enumerate().flat_map(of_file).collect()
    }

    /// An abstraction by its numbers.
    #[must_use]
    pub fn abstraction(&self, file: usize, number: usize) -> Option<&Abstraction> {
        self.files.get(file)?.parse.file.abstractions.get(number)
    }

    /// A rule that a file lists, by its numbers.
    #[must_use]
    pub fn rule(&self, file: usize, number: usize) -> Option<&RuleDef> {
        self.files.get(file)?.parse.file.rules.get(number)
    }

    /// The rules that a file sees which files list, its own and imported ones, by name; in no order.
    pub fn visible_rules(&self, file: usize) -> impl Iterator<Item = (&Arc<str>, &RuleDef)> {
        let names = self.names.get(file).into_iter();
        let all = names.flat_map(|names| &names.rules);
        all.filter_map(|(name, (file, number))| Some((name, self.rule(*file, *number)?)))
    }

    /// A sketch by its numbers.
    #[must_use]
    pub fn sketch_at(&self, file: usize, number: usize) -> Option<&SketchDef> {
        self.files.get(file)?.parse.file.sketches.get(number)
    }

    /// The abstractions that a file sees, its own and imported ones, by name; in no order.
    pub fn visible(&self, file: usize) -> impl Iterator<Item = (&Arc<str>, &Abstraction)> {
        let names = self.names.get(file).into_iter();
        let all = names.flat_map(|names| &names.abstractions);
        all.filter_map(|(name, (file, number))| Some((name, self.abstraction(*file, *number)?)))
    }

    /// All sketches, with the number of their file; of several with one name the first.
    pub fn sketches(&self) -> impl Iterator<Item = (usize, &SketchDef)> {
        let mut seen: FxHashMap<&str, ()> = FxHashMap::default();
        let all = self.files.iter().enumerate();
        all.flat_map(|(file, source)| {
            let sketches = source.parse.file.sketches.iter();
            sketches.map(move |sketch| (file, sketch))
        })
        .filter(move |(_, sketch)| seen.insert(&sketch.name.text, ()).is_none())
    }

    /// The sketch that `call` names, `distribute` or `one_pass(X)`, with everything filled in.
    ///
    /// # Errors
    /// There is none, it takes other arguments, or something is wrong with it: text for a person.
    pub fn fill(&self, call: &str) -> Result<Filled, String> {
        self.fill_on(call, None)
    }

    /// As [`fill`](Library::fill), of a sketch on another language, `array`.
    ///
    /// # Errors
    /// As [`fill`](Library::fill), or the sketch is on another language.
    pub fn fill_on(&self, call: &str, language: Option<&str>) -> Result<Filled, String> {
        let expr = parse_expression(call)
            .map_err(|error| format!("`{call}` names no sketch: {}", error.message))?;
        unfold::fill(self, call, &expr, language)
    }

    pub(super) fn names_of(&self, file: usize) -> &Names {
        &self.names[file]
    }
}
