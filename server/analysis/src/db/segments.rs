//! A long main program in segments: runs of statements, each cut behind control flow, that are analysed one by one as
//! functions are. A segment does not know where it stands, so an edit elsewhere leaves it the very same.
//!
//! Its own places count from its start. Those of other segments are *labelled*: the segment's label in the high bits, the place
//! in it in the low ones. Labels ascend through the file and stay with their segments, so an order of labelled places is that
//! of the file, and what one segment says of another stays right when both move. Must never look at values.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use sumac_syntax::ast::{FactKind, Program, Stmt, StmtKind};
use sumac_syntax::ranges::map_stmt;
use sumac_syntax::{Parse, Piece, Unit};
use sumac_text::TextRange;

use super::imports::{Import, imports};
use super::outline::{Counts, Outline};
use super::segment_tree::{ByPlace, Ends, Levels, SegmentTree};
use super::unit::{Place, SharedUnit};
use crate::lines::Lines;
use crate::liveness::{Reach, is_simple};
use crate::names::{self, Names};
use crate::sites;

/// Labels begin above this many bytes of a segment.
const LABEL_BITS: u32 = 24;
/// Between the labels of a script that is read for the first time: as many segments may come between two later on.
const APART: usize = 1 << 12;

/// A part of a main program.
#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) unit: SharedUnit,
    /// Its place in the order of the file's segments.
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

/// The segments of a main program, one by one and in subtrees: equal ones are the very same.
#[derive(Clone, Debug)]
pub(crate) struct Segments {
    levels: Arc<Levels>,
    /// Where each one stands; which segments there are does not depend on it.
    spans: Arc<[Span]>,
    /// What they bring in, each with the label of its segment.
    imports: Arc<[(usize, Import)]>,
}

/// Where a segment stands in a script.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Span {
    /// The number of its first piece, and of the piece behind its last one.
    pieces: (usize, usize),
    /// Where it starts.
    start: usize,
    /// The segment's label.
    label: usize,
}

impl Segments {
    /// All in few subtrees.
    pub(crate) fn trees(&self) -> &[SegmentTree] {
        self.levels.top()
    }

    /// Each one by itself.
    pub(crate) fn units(&self) -> impl Iterator<Item = &Unit> {
        let segments = self
            .levels
            .segments()
            .iter()
            .filter_map(SegmentTree::segment);
        segments.map(|segment| &*segment.unit)
    }

    /// Where one of them stands.
    pub(crate) fn place(&self, number: usize) -> Option<Place> {
        let all = Starts(Arc::clone(&self.spans));
        let span = self.spans.get(number)?;
        Some(Place::Among(span.start, all))
    }

    /// What they bring in.
    pub(crate) fn imports(&self) -> Vec<Import> {
        let imports = self.imports.iter().map(|(_, import)| import);
        imports.cloned().collect()
    }
}

impl PartialEq for Segments {
    fn eq(&self, other: &Self) -> bool {
        self.trees() == other.trees()
    }
}

/// A place of a segment as the others see it.
pub(crate) fn labelled(label: usize, range: TextRange) -> TextRange {
    let base = label << LABEL_BITS;
    if is_labelled(range.start) || range == TextRange::default() {
        return range;
    }
    TextRange::new(base + range.start, base + range.end)
}

/// Whether a place is one of another segment.
pub(crate) fn is_labelled(offset: usize) -> bool {
    offset >> LABEL_BITS > 0
}

/// The label of a place and the place in that segment.
pub(crate) fn split(offset: usize) -> (usize, usize) {
    (offset >> LABEL_BITS, offset & ((1 << LABEL_BITS) - 1))
}

/// A segment's pieces in a script.
struct Run<'a> {
    text: &'a str,
    span: Span,
    pieces: Vec<Piece<'a>>,
}

/// Cuts a main program into segments, keeping those of an old text and its segments that are left alone. `None` where the
/// main program is to be looked at as a whole: what `#@` lines are about, and what a `stop` makes unreachable, does not end
/// with a segment.
pub(crate) fn cut(script: &Parse, old: Option<(&Parse, &Segments)>) -> Option<Segments> {
    if script.text().len() >> LABEL_BITS > 0
        || script
            .facts()
            .iter()
            .any(|fact| is_about_a_place(&fact.kind))
    {
        return None;
    }
    let kept = Kept::of(script, old);
    let runs = runs(script, kept.between())?;
    let is_same =
        |(run, old): &(&Run<'_>, &SegmentTree)| old.segment().is_some_and(|old| run.is(old));
    let pairs = runs.iter().zip(kept.gone());
    let before = pairs.take_while(is_same).count();
    let (rest, old_rest) = (&runs[before..], &kept.gone()[before..]);
    let pairs = rest.iter().rev().zip(old_rest.iter().rev());
    let behind = pairs.take_while(is_same).count();
    let (same_before, same_behind) = (before, behind);
    let (before, behind) = (kept.before + before, kept.behind + behind);
    let (all, known) = (kept.all, kept.spans);
    let gone = &known[before..known.len() - behind];
    let from = before.checked_sub(1).map(|at| known[at].label);
    let to = known.len() - behind;
    let to = known.get(to).map(|span| span.label);
    let count = runs.len() - same_before - same_behind;
    let Some(labels) = labels(count, gone, from.unwrap_or(0), to) else {
        // No label is left there: all are given anew.
        return cut(script, None);
    };
    let mut runs = runs;
    let spans = known[kept.before..before].iter();
    let behind_it = known[known.len() - behind..known.len() - kept.behind].iter();
    let all_labels = spans
        .map(|span| span.label)
        .chain(labels)
        .chain(behind_it.map(|span| span.label));
    for (run, label) in runs.iter_mut().zip(all_labels) {
        run.span.label = label;
    }
    let made = runs[same_before..same_before + count].iter();
    let made: Vec<Arc<Segment>> = made.map(|run| Arc::new(run.segment())).collect();
    let old_imports = old.map_or(&[][..], |(_, old)| &*old.imports);
    let imports_before = old_imports
        .iter()
        .take_while(|(label, _)| from.is_some_and(|from| *label <= from));
    let imports_behind = old_imports
        .iter()
        .filter(|(label, _)| to.is_some_and(|to| *label >= to));
    let imports = made.iter().flat_map(|segment| {
        let own = segment.imports.iter().cloned();
        own.map(|import| (segment.label, import))
    });
    let imports = imports_before
        .cloned()
        .chain(imports)
        .chain(imports_behind.cloned());
    let imports = imports.collect();
    let mut segments = Vec::with_capacity(before + count + behind);
    segments.extend_from_slice(&all[..before]);
    segments.extend(
        made.into_iter()
            .map(|segment| SegmentTree::One(ByPlace(segment))),
    );
    segments.extend_from_slice(&all[all.len() - behind..]);
    Some(Segments {
        levels: Arc::new(Levels::over(
            segments.into(),
            old.map(|(_, old)| &*old.levels),
        )),
        spans: kept.spans(runs.iter().map(|run| run.span)).into(),
        imports,
    })
}

/// The old segments that stand in pieces that are still there.
struct Kept<'a> {
    all: &'a [SegmentTree],
    spans: &'a [Span],
    /// How many of them from the start, and how many from the end.
    before: usize,
    behind: usize,
    /// How many pieces there are now, and how many there were.
    pieces: (usize, usize),
    /// How long the text is, and how long it was.
    len: (usize, usize),
}

impl<'a> Kept<'a> {
    fn of(script: &Parse, old: Option<(&'a Parse, &'a Segments)>) -> Self {
        let Some((parse, segments)) = old else {
            return Kept {
                all: &[],
                spans: &[],
                before: 0,
                behind: 0,
                pieces: (script.piece_count(), 0),
                len: (script.text().len(), 0),
            };
        };
        let (front, back) = script.kept_of(parse);
        let spans = &*segments.spans;
        // Where a segment ends can depend on the piece behind it, where it starts on the one before it.
        let back = parse.piece_count() - back;
        Kept {
            all: segments.levels.segments(),
            before: spans.partition_point(|span| span.pieces.1 < front),
            behind: spans.len() - spans.partition_point(|span| span.pieces.0 <= back),
            spans,
            pieces: (script.piece_count(), parse.piece_count()),
            len: (script.text().len(), parse.text().len()),
        }
    }

    /// Those that do not.
    fn gone(&self) -> &'a [SegmentTree] {
        &self.all[self.before..self.all.len() - self.behind]
    }

    /// The pieces of the text that do not belong to one of those that do.
    fn between(&self) -> Range<usize> {
        let from = self.before.checked_sub(1).map(|at| self.spans[at].pieces.1);
        let behind = self.spans.len() - self.behind;
        let to = self.spans.get(behind).map(|span| self.moved(span).pieces.0);
        from.unwrap_or(0)..to.unwrap_or(self.pieces.0)
    }

    /// Where one of those at the end stands now.
    fn moved(&self, span: &Span) -> Span {
        let (first, end) = span.pieces;
        let number = |number: usize| number + self.pieces.0 - self.pieces.1;
        Span {
            pieces: (number(first), number(end)),
            start: span.start + self.len.0 - self.len.1,
            label: span.label,
        }
    }

    /// Where all stand, with those that are read anew.
    fn spans(&self, between: impl Iterator<Item = Span>) -> Vec<Span> {
        let mut spans = self.spans[..self.before].to_vec();
        spans.extend(between);
        let behind = self.spans[self.spans.len() - self.behind..].iter();
        spans.extend(behind.map(|span| self.moved(span)));
        spans
    }
}

/// So many ascending labels between two others. Who takes the place of a segment takes its label.
fn labels(count: usize, gone: &[Span], from: usize, to: Option<usize>) -> Option<Vec<usize>> {
    if gone.len() == count {
        return Some(gone.iter().map(|span| span.label).collect());
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

/// The segments in some pieces of a script, between which and others a segment ends.
fn runs(script: &Parse, numbers: Range<usize>) -> Option<Vec<Run<'_>>> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    let mut is_open = false;
    for (number, piece) in numbers.clone().zip(script.pieces_in(numbers)) {
        let functions = piece.functions().count();
        if functions > 0 {
            // What is broken inside of a function is none of the main program's.
            let is_inside = |at: usize| piece.functions().any(|(range, _)| range.touches(at));
            let mut errors = piece.errors();
            if functions < piece.statements.len()
                || errors.any(|error| !is_inside(piece.start + error.start))
            {
                return None;
            }
            is_open = false;
            continue;
        }
        if piece.statements.iter().any(is_stop) {
            return None;
        }
        let ends = piece.statements.last().is_some_and(|stmt| !is_simple(stmt));
        match runs.last_mut().filter(|_| is_open) {
            Some(run) => {
                run.span.pieces.1 = number + 1;
                run.pieces.push(piece);
            }
            None => runs.push(Run {
                text: script.text(),
                span: Span {
                    pieces: (number, number + 1),
                    start: piece.start,
                    label: 0,
                },
                pieces: vec![piece],
            }),
        }
        is_open = !ends;
    }
    Some(runs)
}

/// Whether the script ends here, or whether a function is in the way of being understood.
fn is_stop(stmt: &Stmt) -> bool {
    names::is_stop(stmt) || matches!(stmt.kind, StmtKind::Function(_))
}

impl Run<'_> {
    /// Whether a segment is this one: how a piece is read follows from its text alone.
    fn is(&self, segment: &Segment) -> bool {
        self.pieces.len() == segment.lengths.len()
            && self
                .pieces
                .iter()
                .zip(&segment.lengths)
                .all(|(piece, len)| piece.text.len() == *len)
            && self
                .pieces
                .first()
                .zip(self.pieces.last())
                .is_some_and(|(first, last)| {
                    let end = last.start + last.text.len();
                    self.text.get(first.start..end) == Some(&segment.unit.text)
                })
    }

    fn segment(&self) -> Segment {
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
        Segment::new(unit, self.span.label, lengths.collect())
    }
}

impl Segment {
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
        Segment {
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

/// Where the segments of a file stand, by their labels, which ascend.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Starts(Arc<[Span]>);

impl Starts {
    /// A labelled place in the file.
    pub(crate) fn outward(&self, offset: usize) -> usize {
        let (label, inside) = split(offset);
        let found = self.0.binary_search_by_key(&label, |span| span.label);
        found.map_or(0, |at| self.0[at].start + inside)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sumac_syntax::parse;
    use sumac_text::TextEdit;

    use super::*;
    use crate::db::segment_tree::ByPlace;

    const PIECES: &[&str] = &[
        "x = 1\n",
        "y = x + 1\nif (y > 1) {\n  x = 2\n}\n",
        "for (i in 1:3) {\n  x = x + i\n}\n",
        "# nothing\n",
        "source(\"a.dml\") as a\n",
        "while (x < 9) x = x + 1\n",
        "f = function(Double a) return (Double b) {\n  b = a\n}\n",
        "x = x + (\n",
        "}\n",
    ];

    /// The segments' texts with where they start.
    fn texts(segments: &Segments) -> Vec<(usize, &str)> {
        let all = segments.units().zip(&*segments.spans);
        all.map(|(unit, span)| (span.start, unit.text.as_str()))
            .collect()
    }

    /// The subtrees, as brackets around the labels of their segments' order.
    fn shape(subtree: &SegmentTree, next: &mut usize) -> String {
        match subtree {
            SegmentTree::One(ByPlace(_)) => {
                *next += 1;
                next.to_string()
            }
            SegmentTree::Several(several) => {
                let parts = several.0.parts.iter().map(|part| shape(part, next));
                format!("({})", parts.collect::<Vec<_>>().join(" "))
            }
        }
    }

    fn shapes(segments: &Segments) -> Vec<String> {
        let mut next = 0;
        let all = segments.trees().iter();
        all.map(|subtree| shape(subtree, &mut next)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn after_any_edit_the_segments_are_those_of_a_new_text(
            start in prop::collection::vec(0..6usize, 0..60),
            edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3usize, prop::collection::vec(0..PIECES.len(), 0..3)), 1..6),
        ) {
            let mut pieces: Vec<&str> = start.iter().map(|at| PIECES[*at]).collect();
            let mut script = parse(pieces.concat());
            let mut known = cut(&script, None);
            for (at, removed, new) in edits {
                let at = at.index(pieces.len() + 1);
                let end = (at + removed).min(pieces.len());
                let len = |pieces: &[&str]| pieces.iter().map(|piece| piece.len()).sum::<usize>();
                let range = TextRange::new(len(&pieces[..at]), len(&pieces[..end]));
                let new: Vec<&str> = new.into_iter().map(|piece| PIECES[piece]).collect();
                let edited = script.edit(&[TextEdit { range, new_text: new.concat() }]);
                pieces.splice(at..end, new);
                prop_assert_eq!(edited.text().to_string(), pieces.concat());
                let found = cut(&edited, known.as_ref().map(|known| (&script, known)));
                let fresh = cut(&edited, None);
                prop_assert_eq!(found.as_ref().map(texts), fresh.as_ref().map(texts));
                prop_assert_eq!(found.as_ref().map(shapes), fresh.as_ref().map(shapes));
                if let Some(found) = &found {
                    let labels = || found.spans.iter().map(|span| span.label);
                    prop_assert!(labels().is_sorted_by(|a, b| a < b));
                    let segments = || found.levels.segments().iter().filter_map(SegmentTree::segment);
                    prop_assert!(labels().eq(segments().map(|segment| segment.label)));
                    let imports = segments().flat_map(|segment| segment.imports.iter().cloned());
                    prop_assert_eq!(found.imports(), imports.collect::<Vec<_>>());
                }
                (script, known) = (edited, found);
            }
        }
    }

    #[test]
    fn a_letter_typed_makes_one_segment_and_the_trees_over_it() {
        let loops = |n: usize| format!("x{n} = {n}\nif (x{n} > 1) {{\n  print(x{n})\n}}\n");
        let text: String = (0..400).map(loops).collect();
        let before = parse(text.as_str());
        let old = cut(&before, None).unwrap();
        let at = text.find("x200 = 200").unwrap();
        let after = before.edit(&[TextEdit {
            range: TextRange::new(at + 7, at + 7),
            new_text: "1".to_owned(),
        }]);
        let new = cut(&after, Some((&before, &old))).unwrap();
        let same = new.levels.segments().iter().zip(old.levels.segments());
        assert_eq!(same.filter(|(new, old)| new != old).count(), 1);
        let gone = |segments: &Segments, others: &Segments| {
            let mut count = 0;
            let mut rest: Vec<&SegmentTree> = segments.trees().iter().collect();
            let mut known: Vec<&SegmentTree> = others.trees().iter().collect();
            let mut all = std::collections::HashSet::new();
            while let Some(subtree) = known.pop() {
                all.insert(subtree);
                if let SegmentTree::Several(several) = subtree {
                    known.extend(&several.0.parts);
                }
            }
            while let Some(subtree) = rest.pop() {
                count += usize::from(!all.contains(subtree));
                if let SegmentTree::Several(several) = subtree {
                    rest.extend(&several.0.parts);
                }
            }
            count
        };
        assert!(gone(&new, &old) <= 12, "{}", gone(&new, &old));
    }
}
