//! The analysis of a whole file, put together from what was recorded of its units. What a keystroke waits for, the
//! findings, is put together alone: most units have none, so it costs little however long the file is.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use sumac_syntax::Unit;
use sumac_text::{Effect, LineIndex, TextRange};

use super::inputs::Reading;
use super::queries::MainRecorded;
use super::recorded::Recorded;
use super::rows::RowRecorded;
use super::unit::{Place, names_lines};
use crate::checks;
use crate::checks::checked::{CheckedFile, Declarations};
use crate::provenance::Origin;
use crate::result::{Analysis, Diagnostic, ParamInfo, Severity, Symbol, codes};
use crate::value::ValueInfo;

/// What is known of a file's units, each by itself and in its own places. It needs no database any more.
pub struct Parts {
    pub(super) reading: Arc<Reading>,
    pub(super) main: Arc<MainRecorded>,
    /// Of all functions.
    pub(super) rows: Vec<Arc<RowRecorded>>,
    pub(super) declarations: Arc<Declarations>,
    /// Made when somebody first asks for a unit.
    pub(super) flat: OnceLock<Flat>,
}

/// The units of a file one by one.
pub(super) struct Flat {
    recorded: Vec<(Arc<Recorded>, Place)>,
    /// How many of them are the main program.
    mains: usize,
    /// For which statements of it `#@ off` asks for silence.
    off: Vec<TextRange>,
}

impl Flat {
    fn of(parts: &Parts) -> Self {
        let reading = &parts.reading;
        let mut recorded = Vec::with_capacity(reading.functions.len());
        parts.main.units.each(|_| true, &mut |number, unit| {
            let place = reading.place(number);
            recorded.extend(place.map(|place| (Arc::clone(unit), place)));
        });
        let mains = recorded.len();
        let off = recorded.iter();
        let off = off.flat_map(|(main, place)| main.off.iter().map(|at| place.range(*at)));
        let off = off.collect();
        let functions = parts.rows.iter().flat_map(|row| &row.functions);
        for (known, placed) in functions.zip(&reading.functions) {
            let place = || Place::At(placed.start);
            recorded.extend(known.as_ref().map(|known| (Arc::clone(known), place())));
        }
        Flat {
            recorded,
            mains,
            off,
        }
    }
}

impl std::fmt::Debug for Parts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parts").finish_non_exhaustive()
    }
}

impl Parts {
    fn flat(&self) -> &Flat {
        self.flat.get_or_init(|| Flat::of(self))
    }

    /// Calls `each` with the units that have findings, and where they stand.
    fn with_findings(&self, mut each: impl FnMut(&Recorded, &Place)) {
        let reading = &self.reading;
        self.main
            .units
            .each(|has| has.findings, &mut |number, unit| {
                if let Some(place) = reading.place(number) {
                    each(unit, &place);
                }
            });
        let mut functions = &reading.functions[..];
        for row in &self.rows {
            let (own, rest) = functions.split_at(row.functions.len().min(functions.len()));
            functions = rest;
            if !row.has.findings {
                continue;
            }
            for (known, placed) in row.functions.iter().zip(own) {
                if let Some(unit) = known.as_ref().filter(|unit| unit.has().findings) {
                    each(unit, &Place::At(placed.start));
                }
            }
        }
    }

    /// What there is to tell of the file and nothing else: diagnostics, what silences them, and asserts.
    #[must_use]
    pub fn findings(&self) -> Analysis {
        let mut out = Analysis::default();
        let syntax = self.reading.script.errors().iter().map(|error| Diagnostic {
            range: error.range,
            severity: match error.effect {
                Effect::Refused => Severity::Error,
                Effect::PassedOver => Severity::Warning,
            },
            code: codes::SYNTAX_ERROR,
            message: error.message.clone(),
            related: Vec::new(),
        });
        out.diagnostics
            .extend(syntax.chain(self.reading.stated.iter().cloned()));
        // A `read` without a size is told once, where something first needs it.
        let mut told = HashSet::new();
        self.with_findings(|unit, place| {
            let moved = Moved {
                place,
                lines: self.reading.script.lines(),
            };
            for assertion in &unit.analysis.assertions {
                let mut assertion = assertion.clone();
                assertion.range = place.range(assertion.range);
                assertion.equation = place.range(assertion.equation);
                out.assertions.push(assertion);
            }
            for found in &unit.analysis.diagnostics {
                let mut moved = moved.diagnostic(found);
                if found.code == codes::UNKNOWN_SIZE && !told.insert(moved.range) {
                    continue;
                }
                if found.code == codes::WRONG_ARITY {
                    moved.related.extend(self.definition(unit, found.range));
                }
                out.diagnostics.push(moved);
            }
        });
        out.assertions.sort_by_key(|assertion| assertion.range);
        let summaries = || {
            let units = self.flat().recorded.iter();
            units.map(|(unit, _)| &unit.summary).collect()
        };
        let checked = CheckedFile::new(&self.reading, &self.declarations, &summaries);
        checks::of_file(&checked, &mut out);
        out.diagnostics.sort_by(|a, b| {
            (a.range, a.severity, a.code, &a.message)
                .cmp(&(b.range, b.severity, b.code, &b.message))
        });
        out.diagnostics.dedup();
        out
    }

    /// The units, the main program or its segments first, then the functions, each in source order.
    pub fn units(&self) -> impl Iterator<Item = PlacedUnit<'_>> {
        (0..self.flat().recorded.len()).filter_map(|number| self.unit(number))
    }

    /// Unit number `number` of [`Parts::units`].
    #[must_use]
    pub fn unit(&self, number: usize) -> Option<PlacedUnit<'_>> {
        let flat = self.flat();
        let (recorded, place) = flat.recorded.get(number)?;
        let whole = place.range(TextRange::new(0, recorded.unit.text.len()));
        // A line before a function is about all of it.
        let mut off = flat.off.iter();
        let is_function = number >= flat.mains;
        Some(PlacedUnit {
            recorded,
            place,
            is_segment: !is_function && flat.mains > 1,
            is_off: is_function && off.any(|off| off.contains(whole)),
        })
    }

    /// Where the function is defined that the call at `range` of a unit means.
    fn definition(&self, unit: &Recorded, range: TextRange) -> Option<(TextRange, String)> {
        let mut links = unit.links.iter().rev();
        let (_, name) = links.find(|(link, _)| *link == range)?;
        // As in a call, the last definition of a name counts.
        let place = self.reading.last(name)?.name_range();
        Some((place, format!("`{name}` is defined here")))
    }

    /// Everything that is known of the file, in the order of places, beside its [`Parts::findings`].
    #[must_use]
    pub fn whole(&self, findings: Analysis) -> Analysis {
        let mut whole = Whole {
            lines: self.reading.script.lines(),
            out: findings,
            off: Vec::new(),
        };
        for (unit, place) in &self.flat().recorded {
            whole.add(unit, place);
        }
        whole.finish()
    }
}

/// What is known of a file: its findings at once, and the rest when somebody first looks at it.
#[derive(Debug)]
pub struct Known {
    parts: Arc<Parts>,
    findings: Analysis,
    whole: OnceLock<Analysis>,
}

impl Known {
    /// What the parts say.
    #[must_use]
    pub fn new(parts: Arc<Parts>) -> Self {
        Known {
            findings: parts.findings(),
            parts,
            whole: OnceLock::new(),
        }
    }

    /// Its units.
    #[must_use]
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// What there is to tell of the file and nothing else, as [`Parts::findings`].
    #[must_use]
    pub fn findings(&self) -> &Analysis {
        &self.findings
    }

    /// Whether somebody has looked at more than that, which costs as much as the file is long.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.whole.get().is_some()
    }
}

/// The whole, put together when it is first looked at: as long as nobody does, an edit costs nothing for it.
impl Deref for Known {
    type Target = Analysis;

    fn deref(&self) -> &Analysis {
        self.whole
            .get_or_init(|| self.parts.whole(self.findings.clone()))
    }
}

/// What is known of a unit, in its own places, and where it stands.
#[derive(Clone, Copy)]
pub struct PlacedUnit<'a> {
    recorded: &'a Arc<Recorded>,
    place: &'a Place,
    is_segment: bool,
    is_off: bool,
}

impl<'a> PlacedUnit<'a> {
    /// Its text and program.
    #[must_use]
    pub fn unit(self) -> &'a Unit {
        &self.recorded.unit
    }

    /// What is known of it, but for what only the whole file can say: which definition a call means, and which line a
    /// message names. Its blocks are in no order.
    #[must_use]
    pub fn analysis(self) -> &'a Analysis {
        &self.recorded.analysis
    }

    /// Whether it is a segment of the main program, which has others.
    #[must_use]
    pub fn is_segment(self) -> bool {
        self.is_segment
    }

    /// The variables that are surely set before it, of those that it mentions.
    #[must_use]
    pub fn set_before(self) -> &'a BTreeSet<Arc<str>> {
        &self.recorded.set_before
    }

    /// Whether a line before it asks for silence.
    #[must_use]
    pub fn is_off(self) -> bool {
        self.is_off
    }

    /// A range of it in the file.
    #[must_use]
    pub fn range(self, range: TextRange) -> TextRange {
        self.place.range(range)
    }

    /// Where it begins in the file, if nothing of another unit stands in between.
    #[must_use]
    pub fn start(self) -> Option<usize> {
        self.place.start()
    }

    /// Whether it is this one.
    #[must_use]
    pub fn is(self, id: &UnitId) -> bool {
        Arc::ptr_eq(self.recorded, &id.0)
    }

    /// What it is, wherever it stands.
    #[must_use]
    pub fn id(self) -> UnitId {
        UnitId(Arc::clone(self.recorded))
    }
}

impl std::fmt::Debug for PlacedUnit<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PlacedUnit")
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}

/// A unit with what is known of it: equal ones are the very same.
#[derive(Clone)]
pub struct UnitId(Arc<Recorded>);

impl PartialEq for UnitId {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for UnitId {}

impl Hash for UnitId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

impl std::fmt::Debug for UnitId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("UnitId").finish_non_exhaustive()
    }
}

/// A file's analysis under construction, in the file's own places.
struct Whole<'a> {
    lines: &'a LineIndex,
    out: Analysis,
    off: Vec<TextRange>,
}

impl Whole<'_> {
    /// Adds a unit that stands at `place`, but for its findings.
    fn add(&mut self, unit: &Recorded, place: &Place) {
        let moved = Moved {
            place,
            lines: self.lines,
        };
        let range = |range: TextRange| place.range(range);
        let from = &unit.analysis;
        let out = &mut self.out;
        out.variables.extend(from.variables.iter().map(|fact| {
            let mut fact = fact.clone();
            fact.range = range(fact.range);
            fact.source = moved.text(&fact.source);
            fact.provenance = fact.provenance.relabelled(|label| moved.text(label));
            fact
        }));
        out.blocks.extend(from.blocks.iter().map(|block| {
            let mut block = block.clone();
            for statement in &mut block.statements {
                statement.range = range(statement.range);
                if let Some(target) = &mut statement.target {
                    target.range = range(target.range);
                }
                for part in &mut statement.parts {
                    part.range = range(part.range);
                }
            }
            block
        }));
        out.functions.extend(from.functions.iter().map(|function| {
            let mut function = function.clone();
            function.range = range(function.range);
            function.full_range = range(function.full_range);
            for ParamInfo {
                range: at, info, ..
            } in function.params.iter_mut().chain(&mut function.results)
            {
                *at = range(*at);
                *info = moved.info(info);
            }
            function
        }));
        out.names.extend(from.names.iter().map(|name| {
            let mut name = name.clone();
            name.range = range(name.range);
            for definition in &mut name.definitions {
                *definition = moved.stated(*definition);
            }
            name.definitions.sort_unstable();
            name
        }));
        let types = from.expr_types.iter();
        out.expr_types
            .extend(types.map(|(at, info)| (range(*at), moved.info(info))));
        self.off.extend(unit.off.iter().map(|at| range(*at)));
    }

    /// The whole, in the order of places.
    fn finish(self) -> Analysis {
        let mut out = self.out;
        // As in a call, the last definition of a name counts.
        let places: HashMap<Arc<str>, TextRange> = out
            .functions
            .iter()
            .map(|function| (function.name.clone(), function.range))
            .collect();
        for name in &mut out.names {
            if name.symbol == Symbol::Function && !name.is_definition {
                name.definitions = places.get(&name.name).copied().into_iter().collect();
            }
        }
        // A line before a function is about all of it.
        for block in &mut out.blocks {
            for statement in &mut block.statements {
                statement.hints_off |= self.off.iter().any(|off| off.contains(statement.range));
            }
        }
        out.variables.sort_by_key(|fact| fact.range);
        out.blocks
            .sort_by_key(|block| block.statements.first().map(|s| s.range));
        out.functions.sort_by_key(|f| f.range);
        out.sort_known();
        out
    }
}

/// From a unit's places to the file's.
struct Moved<'a> {
    place: &'a Place,
    lines: &'a LineIndex,
}

impl Moved<'_> {
    /// A range that is the empty one at the start where the command line is meant.
    fn stated(&self, range: TextRange) -> TextRange {
        if range == TextRange::default() {
            range
        } else {
            self.place.range(range)
        }
    }

    fn diagnostic(&self, found: &Diagnostic) -> Diagnostic {
        let related = found.related.iter();
        Diagnostic {
            range: self.stated(found.range),
            message: self.text(&found.message),
            related: related
                .map(|(at, text)| (self.stated(*at), self.text(text)))
                .collect(),
            ..*found
        }
    }

    fn text(&self, text: &str) -> String {
        if names_lines(text) {
            self.place.text(text, self.lines)
        } else {
            text.to_owned()
        }
    }

    fn info(&self, info: &ValueInfo) -> ValueInfo {
        let mut info = info.clone();
        if let Some(Origin { label, range, .. }) = &mut info.origin {
            *range = self.stated(*range);
            if names_lines(label) {
                *label = self.place.text(label, self.lines).into();
            }
        }
        info.provenance = info.provenance.relabelled(|label| self.text(label));
        info.unsized_read = info.unsized_read.map(|range| self.place.range(range));
        info
    }
}
