//! A file cut into units that do not know where they stand: the main program, and each function.
//!
//! A unit's ranges count from its own start. So an edit before it leaves it equal, and whatever was computed of it
//! stays. Only a [`Place`] knows the way back into the file.

use std::sync::Arc;

use sumac_syntax::ast::{FunctionDef, Ident, Program, Stmt, StmtKind};
use sumac_syntax::ranges::{map_fact, map_stmt};
use sumac_syntax::{Parse, Piece, Unit};
use sumac_text::{LineIndex, TextRange};

use super::segments::{Starts, is_labelled};

/// What stands for a function in the text of the main program.
const STUB: &str = ";";
/// Around the offset of a line that a message names: which line it is, is known only in the file.
const HOLE: char = '\u{1}';

/// A unit that many look at. What comes out equal is the same to all of them, and the very same costs no look inside.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedUnit(Arc<Unit>);

impl SharedUnit {
    pub(crate) fn new(unit: Unit) -> Self {
        SharedUnit(Arc::new(unit))
    }
}

impl PartialEq for SharedUnit {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl std::ops::Deref for SharedUnit {
    type Target = Unit;

    fn deref(&self) -> &Unit {
        &self.0
    }
}

/// Where a unit stands.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Place {
    /// In one piece, from here on.
    At(usize),
    /// In pieces, each by its start in the unit and in the file.
    Pieces(Arc<[(usize, usize)]>),
    /// In one piece, from here on; it speaks of places in other segments, too.
    Among(usize, Starts),
}

impl Place {
    /// From the unit to the file.
    fn outward(&self, offset: usize) -> usize {
        let pieces = match self {
            Place::At(start) => return start + offset,
            Place::Among(_, starts) if is_labelled(offset) => return starts.outward(offset),
            Place::Among(start, _) => return start + offset,
            Place::Pieces(pieces) => pieces,
        };
        let next = pieces.partition_point(|(start, _)| *start <= offset);
        match pieces[..next].last() {
            Some((start, file)) => file + offset - start,
            None => offset,
        }
    }

    /// Where the unit begins, if it stands in the file as it is.
    pub(crate) fn start(&self) -> Option<usize> {
        match self {
            Place::At(start) | Place::Among(start, _) => Some(*start),
            Place::Pieces(_) => None,
        }
    }

    /// A range of the unit in the file.
    pub(crate) fn range(&self, range: TextRange) -> TextRange {
        TextRange {
            start: self.outward(range.start),
            end: self.outward(range.end),
        }
    }

    /// A text of the unit with the lines that it names.
    pub(crate) fn text(&self, text: &str, lines: &LineIndex) -> String {
        text.split(HOLE)
            .enumerate()
            .map(|(i, part)| match part.parse() {
                Ok(offset) if i % 2 == 1 => (lines.line(self.outward(offset)) + 1).to_string(),
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

/// The function that a unit is.
pub(crate) fn definition(unit: &Unit) -> Option<&FunctionDef> {
    match &unit.program.statements.first()?.kind {
        StmtKind::Function(def) => Some(def),
        _ => None,
    }
}

/// The functions in pieces of a script, each with where it starts.
pub(crate) fn functions<'a>(
    pieces: impl Iterator<Item = Piece<'a>>,
) -> impl Iterator<Item = (usize, SharedUnit)> {
    let units = pieces.flat_map(|piece| piece.functions());
    let functions = units.filter(|(_, unit)| definition(unit).is_some());
    functions.map(|(range, unit)| (range.start, SharedUnit(Arc::clone(unit))))
}

/// What stands between the functions, and where. Each function in it is an empty stub.
pub(crate) fn main(script: &Parse) -> (Unit, Place) {
    let gaps = script.pieces().flat_map(|piece| piece.functions());
    let gaps: Vec<TextRange> = gaps.map(|(range, _)| range).collect();
    let mut text = String::new();
    let mut pieces = vec![(0, 0)];
    let mut from = 0;
    for gap in &gaps {
        text.push_str(script.text().get(from..gap.start).unwrap_or_default());
        text.push_str(STUB);
        from = gap.end;
        pieces.push((text.len(), from));
    }
    text.push_str(script.text().get(from..).unwrap_or_default());
    let inward = |range: &mut TextRange| into(&pieces, range);
    // The gap that begins at or before an offset.
    let gap_at = |offset: usize| {
        let next = gaps.partition_point(|gap| gap.start <= offset);
        next.checked_sub(1).map(|at| gaps[at])
    };
    let mut statements = Vec::new();
    for piece in script.pieces() {
        let inward = |range: &mut TextRange| {
            range.start += piece.start;
            range.end += piece.start;
            into(&pieces, range);
        };
        statements.extend(piece.statements.iter().map(|stmt| {
            let start = stmt.range.start + piece.start;
            let mut stmt = match &stmt.kind {
                StmtKind::Function(def) if gap_at(start).is_some_and(|gap| gap.start == start) => {
                    Stmt {
                        range: stmt.range,
                        kind: StmtKind::Function(stub(&def.name)),
                        is_damaged: false,
                    }
                }
                _ => stmt.clone(),
            };
            map_stmt(&mut stmt, &inward);
            stmt
        }));
    }
    let facts = script.facts().iter();
    let facts =
        facts.filter(|fact| !gap_at(fact.range.start).is_some_and(|gap| gap.contains(fact.range)));
    let facts = facts.map(|fact| {
        let mut fact = fact.clone();
        map_fact(&mut fact, &inward);
        fact
    });
    let errors = script.refusals().map(|error| error.range);
    let errors = errors
        .filter(|range| !gap_at(range.start).is_some_and(|gap| gap.touches(range.start)))
        .map(|mut range| {
            inward(&mut range);
            range
        });
    let unit = Unit {
        program: Program {
            statements,
            facts: facts.collect(),
        },
        errors: errors.collect(),
        text,
    };
    (unit, Place::Pieces(pieces.into()))
}

/// From the file to the unit.
fn into(pieces: &[(usize, usize)], range: &mut TextRange) {
    range.start = inward(pieces, range.start);
    range.end = inward(pieces, range.end).max(range.start);
}

/// From the file to the unit; what lies in a gap goes to its start.
fn inward(pieces: &[(usize, usize)], offset: usize) -> usize {
    let next = pieces.partition_point(|(_, file)| *file <= offset);
    let Some((start, file)) = next.checked_sub(1).map(|at| pieces[at]) else {
        return 0;
    };
    let gap = pieces
        .get(next)
        .map_or(usize::MAX, |(start, _)| start - STUB.len());
    (start + offset - file).min(gap)
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
