//! A long main program in sections: runs of statements, each cut behind control flow, that are analysed one by one as
//! functions are. A section does not know where it stands, so an edit elsewhere leaves it the very same.
//!
//! Its own places count from its start. Those of other sections are *labelled*: the section's label in the high bits, the place
//! in it in the low ones. Labels ascend through the file and stay with their sections, so an order of labelled places is that
//! of the file, and what one section says of another stays right when both move. Must never look at values.

use std::collections::BTreeMap;
use std::sync::Arc;

use sumac_syntax::ast::{FactKind, Program, Stmt, StmtKind};
use sumac_syntax::ranges::map_stmt;
use sumac_syntax::text::TextRange;
use sumac_syntax::{Parse, Piece, Unit};

use super::inputs::{Import, imports};
use super::outline::{Counts, Outline};
use super::stretch::{self, Ends, Stretch};
use super::unit::SharedUnit;
use crate::liveness::{Reach, is_simple};
use crate::names::{self, Names};
use crate::sites::{self, Lines};

/// Labels begin above this many bytes of a section.
const LABEL_BITS: u32 = 24;
/// Between the labels of a script that is read for the first time: as many sections may come between two later on.
const APART: usize = 1 << 12;

/// A part of a main program.
#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) unit: SharedUnit,
    /// Its place in the order of the file's sections.
    pub(crate) label: usize,
    /// How often it assigns a variable.
    pub(crate) writes: BTreeMap<Arc<str>, usize>,
    pub(crate) outline: Outline,
    /// What ends with it, by its text.
    pub(super) ends: Ends,
    pub(crate) imports: Vec<Import>,
    /// The lengths of the pieces in which it is read.
    lengths: Vec<usize>,
}

/// The sections of a main program, one by one and in stretches: equal ones are the very same.
#[derive(Clone, Debug)]
pub(crate) struct Sections {
    pub(crate) all: Arc<[Arc<Section>]>,
    pub(crate) stretches: Arc<[Stretch]>,
}

impl PartialEq for Sections {
    fn eq(&self, other: &Self) -> bool {
        self.stretches == other.stretches
    }
}

/// A place of a section as the others see it.
pub(crate) fn labelled(label: usize, range: TextRange) -> TextRange {
    let base = label << LABEL_BITS;
    if is_labelled(range.start) || range == TextRange::default() {
        return range;
    }
    TextRange::new(base + range.start, base + range.end)
}

/// Whether a place is one of another section.
pub(crate) fn is_labelled(offset: usize) -> bool {
    offset >> LABEL_BITS > 0
}

/// The label of a place and the place in that section.
pub(crate) fn split(offset: usize) -> (usize, usize) {
    (offset >> LABEL_BITS, offset & ((1 << LABEL_BITS) - 1))
}

/// A section's pieces in a script.
struct Run<'a> {
    text: &'a str,
    pieces: Vec<Piece<'a>>,
}

/// Cuts a main program into sections, keeping those of `old` that are left alone, and says where each starts. `None` where the
/// main program is to be looked at as a whole: what `#@` lines are about, and what a `stop` makes unreachable, does not end
/// with a section.
pub(crate) fn cut(script: &Parse, old: Option<&Sections>) -> Option<(Sections, Vec<usize>)> {
    if script.text().len() >> LABEL_BITS > 0
        || script
            .facts()
            .iter()
            .any(|fact| is_about_a_place(&fact.kind))
    {
        return None;
    }
    let runs = runs(script)?;
    let starts = runs
        .iter()
        .map(|run| run.pieces.first().map_or(0, |piece| piece.start));
    let starts: Vec<usize> = starts.collect();
    let none: &[Arc<Section>] = &[];
    let known = old;
    let old = known.map_or(none, |old| &old.all);
    let is_same = |(run, section): (&Run<'_>, &Arc<Section>)| run.is(section);
    let before = runs
        .iter()
        .zip(old)
        .take_while(|(run, section)| is_same((run, section)))
        .count();
    let (rest, old_rest) = (&runs[before..], &old[before..]);
    let behind = rest.iter().rev().zip(old_rest.iter().rev());
    let behind = behind
        .take_while(|(run, section)| is_same((run, section)))
        .count();
    let new = &rest[..rest.len() - behind];
    let gone = &old_rest[..old_rest.len() - behind];
    let from = before.checked_sub(1).map_or(0, |at| old[at].label);
    let to = old
        .get(old.len() - behind)
        .filter(|_| behind > 0)
        .map(|section| section.label);
    let Some(labels) = labels(new.len(), gone, from, to) else {
        // No label is left there: all are given anew.
        return cut(script, None);
    };
    let made = new
        .iter()
        .zip(labels)
        .map(|(run, label)| Arc::new(run.section(label)));
    let kept = |sections: &[Arc<Section>]| sections.to_vec();
    let mut all = kept(&old[..before]);
    all.extend(made);
    all.extend(kept(&old[old.len() - behind..]));
    let stretches = stretch::over(&all, known.map(|known| &*known.stretches));
    let sections = Sections {
        all: all.into(),
        stretches: stretches.into(),
    };
    Some((sections, starts))
}

/// So many ascending labels between two others. Who takes the place of a section takes its label.
fn labels(
    count: usize,
    gone: &[Arc<Section>],
    from: usize,
    to: Option<usize>,
) -> Option<Vec<usize>> {
    if gone.len() == count {
        return Some(gone.iter().map(|section| section.label).collect());
    }
    let step = match to {
        Some(to) => (to - from) / (count + 1),
        None => APART,
    };
    (step > 0).then(|| (1..=count).map(|number| from + number * step).collect())
}

/// Whether a `#@` line is about a value or a statement; others are about the file.
fn is_about_a_place(fact: &FactKind) -> bool {
    !matches!(
        fact,
        FactKind::Bind { .. }
            | FactKind::Arg { .. }
            | FactKind::Allow { .. }
            | FactKind::SketchLine
    )
}

fn runs(script: &Parse) -> Option<Vec<Run<'_>>> {
    let mut runs = Vec::new();
    let mut pieces = Vec::new();
    for piece in script.pieces() {
        let functions = piece.functions().count();
        if functions > 0 {
            if functions < piece.statements.len() || piece.is_broken {
                return None;
            }
            runs.push(std::mem::take(&mut pieces));
            continue;
        }
        if piece.statements.iter().any(is_stop) {
            return None;
        }
        let ends = piece.statements.last().is_some_and(|stmt| !is_simple(stmt));
        pieces.push(piece);
        if ends {
            runs.push(std::mem::take(&mut pieces));
        }
    }
    runs.push(pieces);
    runs.retain(|pieces| !pieces.is_empty());
    let text = script.text();
    let runs = runs.into_iter().map(|pieces| Run { text, pieces });
    Some(runs.collect())
}

/// Whether the script ends here, or whether a function is in the way of being understood.
fn is_stop(stmt: &Stmt) -> bool {
    crate::checks::is_stop(stmt) || matches!(stmt.kind, StmtKind::Function(_))
}

impl Run<'_> {
    /// Whether a section is this one: how a piece is read follows from its text alone.
    fn is(&self, section: &Section) -> bool {
        self.pieces.len() == section.lengths.len()
            && self
                .pieces
                .iter()
                .zip(&section.lengths)
                .all(|(piece, len)| piece.text.len() == *len)
            && self
                .pieces
                .first()
                .zip(self.pieces.last())
                .is_some_and(|(first, last)| {
                    let end = last.start + last.text.len();
                    self.text.get(first.start..end) == Some(&section.unit.text)
                })
    }

    fn section(&self, label: usize) -> Section {
        let start = self.pieces.first().map_or(0, |piece| piece.start);
        let mut unit = Unit::default();
        for piece in &self.pieces {
            let by = piece.start - start;
            let moved = |range: &mut TextRange| {
                range.start += by;
                range.end += by;
            };
            unit.text.push_str(piece.text);
            unit.program
                .statements
                .extend(piece.statements.iter().map(|stmt| {
                    let mut stmt = stmt.clone();
                    map_stmt(&mut stmt, &moved);
                    stmt
                }));
            unit.errors.extend(piece.errors().map(|mut range| {
                moved(&mut range);
                range
            }));
        }
        let lengths = self.pieces.iter().map(|piece| piece.text.len());
        Section::new(unit, label, lengths.collect())
    }
}

impl Section {
    fn new(unit: Unit, label: usize, lengths: Vec<usize>) -> Self {
        let Program { statements, .. } = &unit.program;
        let errors = unit.errors.iter().copied();
        let unreadable =
            sites::unreadable_words(&unit.program, &unit.text, &Lines::of(&unit.text), errors);
        let mut mentions = Names::new();
        let mut writes: BTreeMap<Arc<str>, usize> = BTreeMap::new();
        let mut stack: Vec<&Stmt> = statements.iter().collect();
        while let Some(stmt) = stack.pop() {
            mentions.extend(names::reads(stmt, &unit.text));
            for ident in names::writes(stmt) {
                mentions.insert(Arc::clone(&ident.name));
                *writes.entry(Arc::clone(&ident.name)).or_default() += 1;
            }
            stack.extend(
                names::bodies(stmt)
                    .into_iter()
                    .flat_map(|body| &body.statements),
            );
        }
        let sets = statements.iter().flat_map(|stmt| match &stmt.kind {
            StmtKind::Assign { target, .. } if target.index.is_none() => vec![&target.name],
            StmtKind::MultiAssign { targets, .. } => {
                targets.iter().map(|target| &target.name).collect()
            }
            _ => Vec::new(),
        });
        let told = Reach::of(&unit.program, &unit.text, false);
        let needs = Reach::of(&unit.program, &unit.text, true);
        Section {
            outline: Outline {
                mentions: mentions.iter().collect(),
                writes: Counts::of(&writes),
                told: told.into(),
                needs: needs.into(),
                unreadable,
                sets: sets.map(|ident| &ident.name).collect(),
            },
            ends: Ends::of(&unit.text),
            imports: imports(&unit.program),
            label,
            writes,
            lengths,
            unit: SharedUnit::new(unit),
        }
    }
}

/// Where the sections of a file stand, by their labels, which ascend.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Starts(Arc<[(usize, usize)]>);

impl Starts {
    pub(crate) fn of(sections: &Sections, starts: &[usize]) -> Self {
        let all = sections.all.iter().zip(starts);
        Starts(
            all.map(|(section, start)| (section.label, *start))
                .collect(),
        )
    }

    /// A labelled place in the file.
    pub(crate) fn outward(&self, offset: usize) -> usize {
        let (label, inside) = split(offset);
        let found = self.0.binary_search_by_key(&label, |(label, _)| *label);
        found.map_or(0, |at| self.0[at].1 + inside)
    }
}
