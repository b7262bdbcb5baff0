//! A file cut into units that do not know where they stand: the main program, and each function.
//!
//! A unit's ranges count from its own start. So an edit before it leaves it equal, and whatever was computed of it
//! stays. Only a [`Place`] knows the way back into the file.

use sumac_syntax::ast::{FunctionDef, Ident, Program, Stmt, StmtKind};
use sumac_syntax::ranges::{map_fact, map_stmt};
use sumac_syntax::text::TextRange;

use super::Script;
use crate::sites::Lines;

/// What stands for a function in the text of the main program.
const STUB: &str = ";";
/// Around the offset of a line that a message names: which line it is, is known only in the file.
const HOLE: char = '\u{1}';

/// A part of a file that is understood by itself.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Unit {
    /// Its text.
    pub(crate) text: String,
    /// Its statements and `#@` lines.
    pub(crate) program: Program,
    /// Where it cannot be read.
    pub(crate) errors: Vec<TextRange>,
}

/// Where a unit stands: pieces of it, each by its start in the unit and in the file.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Place(Vec<(usize, usize)>);

impl Place {
    /// A unit in one piece.
    pub(crate) fn at(start: usize) -> Self {
        Place(vec![(0, start)])
    }

    /// From the unit to the file.
    fn outward(&self, offset: usize) -> usize {
        let next = self.0.partition_point(|(start, _)| *start <= offset);
        match self.0[..next].last() {
            Some((start, file)) => file + offset - start,
            None => offset,
        }
    }

    /// From the file to the unit; what lies in a gap goes to its start.
    fn inward(&self, offset: usize) -> usize {
        let next = self.0.partition_point(|(_, file)| *file <= offset);
        let Some((start, file)) = self.0[..next].last() else {
            return 0;
        };
        let gap = self
            .0
            .get(next)
            .map_or(usize::MAX, |(start, _)| start - STUB.len());
        (start + offset - file).min(gap)
    }

    /// A range of the unit in the file.
    pub(crate) fn range(&self, range: TextRange) -> TextRange {
        TextRange {
            start: self.outward(range.start),
            end: self.outward(range.end),
        }
    }

    /// A text of the unit with the lines that it names.
    pub(crate) fn text(&self, text: &str, lines: &Lines) -> String {
        text.split(HOLE)
            .enumerate()
            .map(|(i, part)| match part.parse() {
                Ok(offset) if i % 2 == 1 => lines.line(self.outward(offset)).to_string(),
                _ => part.to_owned(),
            })
            .collect()
    }
}

/// The number of the line at `offset` of the unit, to be filled in by [`Place::text`].
pub(crate) fn line_at(offset: usize) -> String {
    format!("{HOLE}{offset}{HOLE}")
}

/// Whether [`Place::text`] has something to fill in.
pub(crate) fn names_lines(text: &str) -> bool {
    text.contains(HOLE)
}

/// A file's functions in source order.
pub(crate) fn functions(program: &Program) -> impl Iterator<Item = (&Stmt, &FunctionDef)> {
    let mut end = 0;
    program
        .statements
        .iter()
        .filter_map(move |stmt| match &stmt.kind {
            StmtKind::Function(def) if stmt.range.start >= end => {
                end = stmt.range.end;
                Some((stmt, def))
            }
            _ => None,
        })
}

impl Unit {
    /// The body, where the unit is a function that has one.
    pub(crate) fn function_body(&self) -> Option<&sumac_syntax::ast::Block> {
        match &self.program.statements.first()?.kind {
            StmtKind::Function(def) => def.body.as_ref(),
            _ => None,
        }
    }

    /// A function by itself.
    pub(crate) fn function(script: &Script, stmt: &Stmt) -> Unit {
        let around = stmt.range;
        let place = Place::at(around.start);
        let inward = |range: &mut TextRange| into(&place, range);
        let mut stmt = stmt.clone();
        map_stmt(&mut stmt, &inward);
        let facts = script.program.facts.iter();
        let facts = facts
            .filter(|fact| around.contains(fact.range))
            .map(|fact| {
                let mut fact = fact.clone();
                map_fact(&mut fact, &inward);
                fact
            });
        let errors = script.errors.iter().map(|error| error.range);
        let errors = errors
            .filter(|range| around.touches(range.start))
            .map(|mut range| {
                range.end = range.end.min(around.end);
                inward(&mut range);
                range
            });
        Unit {
            text: script
                .text
                .get(around.start..around.end)
                .unwrap_or_default()
                .to_owned(),
            program: Program {
                facts: facts.collect(),
                statements: vec![stmt],
            },
            errors: errors.collect(),
        }
    }

    /// The main program, and where it stands. Each function in it is an empty stub.
    pub(crate) fn main(script: &Script) -> (Unit, Place) {
        let gaps: Vec<TextRange> = functions(&script.program).map(|(s, _)| s.range).collect();
        let mut text = String::new();
        let mut pieces = vec![(0, 0)];
        let mut from = 0;
        for gap in &gaps {
            text.push_str(script.text.get(from..gap.start).unwrap_or_default());
            text.push_str(STUB);
            from = gap.end;
            pieces.push((text.len(), from));
        }
        text.push_str(script.text.get(from..).unwrap_or_default());
        let place = Place(pieces);
        let inward = |range: &mut TextRange| into(&place, range);
        let is_inside = |range: TextRange| gaps.iter().any(|gap| gap.contains(range));
        let statements = script.program.statements.iter().map(|stmt| {
            let mut stmt = match &stmt.kind {
                StmtKind::Function(def) if gaps.binary_search(&stmt.range).is_ok() => Stmt {
                    range: stmt.range,
                    kind: StmtKind::Function(stub(&def.name)),
                },
                _ => stmt.clone(),
            };
            map_stmt(&mut stmt, &inward);
            stmt
        });
        let facts = script.program.facts.iter();
        let facts = facts.filter(|fact| !is_inside(fact.range)).map(|fact| {
            let mut fact = fact.clone();
            map_fact(&mut fact, &inward);
            fact
        });
        let errors = script.errors.iter().map(|error| error.range);
        let errors = errors
            .filter(|range| !gaps.iter().any(|gap| gap.touches(range.start)))
            .map(|mut range| {
                inward(&mut range);
                range
            });
        let unit = Unit {
            program: Program {
                statements: statements.collect(),
                facts: facts.collect(),
            },
            errors: errors.collect(),
            text,
        };
        (unit, place)
    }
}

fn into(place: &Place, range: &mut TextRange) {
    range.start = place.inward(range.start);
    range.end = place.inward(range.end).max(range.start);
}

fn stub(name: &Ident) -> FunctionDef {
    FunctionDef {
        name: name.clone(),
        params: Vec::new(),
        results: Vec::new(),
        body: None,
        options: Vec::new(),
    }
}
