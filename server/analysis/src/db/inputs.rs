//! What a file's text becomes in the database: an input for each function, and some for what functions ask of their
//! file. A new text sets only those that it changes.
//!
//! Inputs differ in how durable they are. The text as a whole and the main program change with every keystroke. A
//! function, the names of functions and what `#@` lines say everywhere mostly do not: what was computed from durable
//! inputs alone is good without a look at what it read, so an edit costs nothing for the functions that it leaves alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use salsa::Durability;
use sumac_syntax::{Parse, Unit};
use sumac_text::TextRange;

use super::api::Db;
use super::imports::{Import, imports};
use super::row::{Row, rows};
use super::segments::{self, Segments};
use super::unit::{self, Place, SharedUnit, definition};
use crate::globals::Globals;
use crate::options::Options;
use crate::result::Diagnostic;

/// A file that may hold a script.
#[salsa::input(debug)]
pub(crate) struct SourceFile {
    #[returns(ref)]
    pub(crate) path: PathBuf,
    #[returns(clone)]
    pub(crate) options: Arc<Options>,
    #[returns(copy)]
    pub(crate) exists: bool,
    #[returns(clone)]
    pub(crate) functions: Arc<FunctionNames>,
    /// The same, in source order.
    #[returns(clone)]
    pub(crate) rows: Arc<[Row]>,
    #[returns(clone)]
    pub(crate) globals: Arc<Globals>,
    #[returns(clone)]
    pub(crate) imports: Arc<[Import]>,
    #[returns(clone)]
    pub(crate) main: Main,
    #[returns(clone)]
    pub(crate) reading: Arc<Reading>,
}

/// A function of some file.
#[salsa::input(debug)]
pub(crate) struct Function {
    #[returns(ref)]
    pub(crate) path: PathBuf,
    #[returns(clone)]
    pub(crate) name: Arc<str>,
    /// `None` where there is no such function any more.
    #[returns(clone)]
    pub(crate) unit: Option<SharedUnit>,
}

/// The functions of a file by name; those of one name in source order.
pub(crate) type FunctionNames = BTreeMap<Arc<str>, Vec<Function>>;

/// A main program as it is analysed.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Main {
    /// At once.
    Whole(SharedUnit),
    /// One segment after the other.
    Cut(Segments),
}

/// One text of a file, with the places of all that is in it. Where there is no file it is empty.
pub(crate) struct Reading {
    pub(crate) script: Parse,
    pub(super) main: Main,
    /// Where the main program stands, if it is analysed at once.
    pub(super) whole: Option<Place>,
    /// In source order.
    pub(crate) functions: Vec<PlacedFunction>,
    pub(crate) imports: Arc<[Import]>,
    /// What is wrong with `#@` lines about the whole file.
    pub(crate) stated: Vec<Diagnostic>,
}

/// A function in its place.
#[derive(Clone)]
pub(crate) struct PlacedFunction {
    pub(crate) function: Function,
    /// Where it starts.
    pub(crate) start: usize,
    pub(super) unit: SharedUnit,
}

/// All that a text says.
pub(super) struct Contents {
    pub(super) main: Main,
    pub(super) whole: Option<Place>,
    pub(super) functions: Functions,
    pub(super) globals: Globals,
    pub(super) stated: Vec<Diagnostic>,
    pub(super) imports: Vec<Import>,
    pub(super) script: Parse,
}

/// The functions of a text, by what an edit left of those of the text before.
#[derive(Default)]
pub(super) struct Functions {
    /// So many at the start are the same.
    front: usize,
    /// Those behind them, each with where it starts.
    pub(super) new: Vec<(usize, SharedUnit)>,
    /// So many at the end are the same but for where they start: where the new text ends, and where the old one did.
    pub(super) back: usize,
    ends: (usize, usize),
}

impl Functions {
    fn of(script: &Parse, old: Option<&Reading>) -> Self {
        let (front, back) = old.map_or((0, 0), |old| script.kept_of(&old.script));
        let new = script.pieces_in(front..script.piece_count() - back);
        let before = |old: &Reading, piece: usize| {
            let start = old.script.piece_start(piece);
            old.functions.partition_point(|placed| placed.start < start)
        };
        Functions {
            front: old.map_or(0, |old| before(old, front)),
            new: unit::functions(new).collect(),
            back: old.map_or(0, |old| {
                old.functions.len() - before(old, old.script.piece_count() - back)
            }),
            ends: (
                script.text().len(),
                old.map_or(0, |old| old.script.text().len()),
            ),
        }
    }

    /// The old functions that are the same at the start, those that are not, and those that are the same at the end.
    pub(super) fn split<'a>(
        &self,
        old: &'a [PlacedFunction],
    ) -> (
        &'a [PlacedFunction],
        &'a [PlacedFunction],
        impl Iterator<Item = PlacedFunction> + use<'a>,
    ) {
        let (rest, tail) = old.split_at(old.len() - self.back);
        let (head, gone) = rest.split_at(self.front);
        let (now, before) = self.ends;
        let moved = tail.iter().map(move |placed| PlacedFunction {
            start: placed.start + now - before,
            ..placed.clone()
        });
        (head, gone, moved)
    }
}

impl Contents {
    /// Keeps those segments of a main program that an old text was cut into and that are the same.
    pub(super) fn of(script: Parse, options: &Options, old: Option<&Reading>) -> Self {
        let functions = Functions::of(&script, old);
        let (globals, stated) = Globals::of(&options.facts, script.facts(), script.text());
        let old = old.and_then(|old| match &old.main {
            Main::Cut(segments) => Some((&old.script, segments)),
            Main::Whole(_) => None,
        });
        let segments = segments::cut(&script, old).filter(|_| options.facts.is_empty());
        let (main, whole, imports) = match segments {
            Some(segments) => {
                let imports = segments.imports();
                (Main::Cut(segments), None, imports)
            }
            None => {
                let (main, place) = unit::main(&script);
                let imports = imports(&main.program);
                (Main::Whole(SharedUnit::new(main)), Some(place), imports)
            }
        };
        Contents {
            imports,
            main,
            whole,
            functions,
            globals,
            stated,
            script,
        }
    }
}

pub(super) fn by_name(functions: &[PlacedFunction]) -> FunctionNames {
    let mut names = FunctionNames::new();
    for placed in functions {
        names
            .entry(placed.name().into())
            .or_default()
            .push(placed.function);
    }
    names
}

pub(super) fn in_rows(functions: &[PlacedFunction], old: &[Row]) -> Arc<[Row]> {
    let functions: Vec<Function> = functions.iter().map(|placed| placed.function).collect();
    rows(&functions, old)
}

impl Reading {
    /// The main program, or its segments in source order.
    pub(crate) fn mains(&self) -> impl Iterator<Item = &Unit> {
        let (whole, segments) = match &self.main {
            Main::Whole(unit) => (Some(&**unit), None),
            Main::Cut(segments) => (None, Some(segments.units())),
        };
        whole.into_iter().chain(segments.into_iter().flatten())
    }

    /// Where one of them stands.
    pub(crate) fn place(&self, number: usize) -> Option<Place> {
        match &self.main {
            Main::Whole(_) => self.whole.clone().filter(|_| number == 0),
            Main::Cut(segments) => segments.place(number),
        }
    }

    /// The function that a call of `name` means: the last one of that name.
    pub(crate) fn last(&self, name: &str) -> Option<&PlacedFunction> {
        self.functions.iter().rfind(|placed| placed.name() == name)
    }
}

impl std::fmt::Debug for Reading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reading").finish_non_exhaustive()
    }
}

impl SourceFile {
    /// The input for a file that there is none for yet.
    pub(crate) fn create(
        db: &dyn Db,
        path: &Path,
        script: Option<Parse>,
        options: Arc<Options>,
    ) -> Self {
        let exists = script.is_some();
        let contents = Contents::of(script.unwrap_or_else(nothing), &options, None);
        let functions = contents.functions.new.into_iter();
        let functions = functions.map(|new| PlacedFunction::create(db, path, new));
        let reading = Reading {
            functions: functions.collect(),
            script: contents.script,
            main: contents.main.clone(),
            whole: contents.whole,
            imports: contents.imports.into(),
            stated: contents.stated,
        };
        SourceFile::builder(
            path.to_path_buf(),
            options,
            exists,
            Arc::new(by_name(&reading.functions)),
            in_rows(&reading.functions, &[]),
            Arc::new(contents.globals),
            Arc::clone(&reading.imports),
            contents.main,
            Arc::new(reading),
        )
        .durability(Durability::HIGH)
        .main_durability(Durability::LOW)
        .reading_durability(Durability::LOW)
        .new(db)
    }

    /// Its text; `None` where there is no such file.
    pub(crate) fn script(self, db: &dyn Db) -> Option<Parse> {
        self.exists(db).then(|| self.reading(db).script.clone())
    }
}

/// The name of a function.
pub(super) fn name(unit: &Unit) -> &str {
    definition(unit).map_or("", |def| &def.name.name)
}

impl PlacedFunction {
    pub(super) fn create(db: &dyn Db, path: &Path, (start, unit): (usize, SharedUnit)) -> Self {
        let function =
            Function::builder(path.to_path_buf(), name(&unit).into(), Some(unit.clone()));
        PlacedFunction {
            function: function.durability(Durability::HIGH).new(db),
            start,
            unit,
        }
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        name(&self.unit)
    }

    /// Where its name stands in the file.
    pub(crate) fn name_range(&self) -> TextRange {
        let name = definition(&self.unit).map(|def| def.name.range);
        Place::At(self.start).range(name.unwrap_or_default())
    }
}

impl Function {
    /// The file that it stands in.
    pub(crate) fn file(self, db: &dyn Db) -> SourceFile {
        db.source(self.path(db))
    }
}

pub(super) fn nothing() -> Parse {
    sumac_syntax::parse("")
}
