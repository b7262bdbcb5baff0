//! A block in its script, as the search of one of its groups sees it.

use std::sync::Arc;

use sumac_analysis::{NameUse, PlacedUnit, StatementBlock};
use sumac_la::{Dag, Machine, NodeId};
use sumac_sumproduct::Loop;
use sumac_syntax::text::TextRange;

use super::before::Before;
use super::group::Group;
use super::surroundings::{Beside, Surrounding, of_unit};
use crate::cache::Block;
use crate::snapshot::Snapshot;

/// A block's unit and surrounding, in the unit's places: what stands elsewhere in the script is not looked at.
#[derive(Clone, Copy)]
pub(super) struct Site<'a> {
    snapshot: &'a Snapshot,
    unit: PlacedUnit<'a>,
    pub(super) block: &'a StatementBlock,
    pub(super) around: &'a Surrounding,
}

/// The blocks of a unit with their surroundings.
pub(super) struct Sites<'a> {
    snapshot: &'a Snapshot,
    unit: PlacedUnit<'a>,
    around: Vec<Arc<Surrounding>>,
}

impl<'a> Sites<'a> {
    /// Those of a unit.
    pub(super) fn of(snapshot: &'a Snapshot, unit: PlacedUnit<'a>, beside: &Beside) -> Self {
        Sites {
            snapshot,
            unit,
            around: of_unit(unit, beside),
        }
    }

    /// Each block's.
    pub(super) fn iter(&self) -> impl Iterator<Item = Site<'_>> {
        let blocks = self.unit.analysis().blocks.iter();
        blocks.zip(&self.around).map(|(block, around)| Site {
            snapshot: self.snapshot,
            unit: self.unit,
            block,
            around,
        })
    }
}

impl<'a> Site<'a> {
    /// A block's.
    pub(super) fn of(snapshot: &'a Snapshot, block: &'a Block) -> Option<Self> {
        let unit = snapshot.analysis.parts().unit(block.unit)?;
        Some(Site {
            snapshot,
            unit,
            block: unit.analysis().blocks.get(block.own)?,
            around: &block.around,
        })
    }

    /// The script.
    pub(super) fn snapshot(self) -> &'a Snapshot {
        self.snapshot
    }

    /// The unit's text.
    pub(super) fn text(self) -> &'a str {
        &self.unit.unit().text
    }

    /// The names in a range of the unit.
    pub(super) fn names_in(self, range: TextRange) -> impl Iterator<Item = &'a NameUse> {
        let names = &self.unit.analysis().names;
        let first = names.partition_point(|name| name.range.start < range.start);
        let from = names[first..].iter();
        from.take_while(move |name| name.range.start < range.end)
            .filter(move |name| range.contains(name.range))
    }

    /// Whether a comment stands in a range of the unit.
    pub(super) fn has_comment(self, range: TextRange) -> bool {
        let place = self.in_file(range);
        !self.snapshot.parse.comments_in(place).is_empty()
    }

    /// A range of the unit in the file.
    pub(super) fn in_file(self, range: TextRange) -> TextRange {
        self.unit.range(range)
    }

    /// Whether a line before the unit asks for silence.
    pub(super) fn is_off(self) -> bool {
        self.unit.is_off()
    }

    /// Whether whole lines can be written over: what a unit's text shows of a line that it shares with a function is not
    /// what stands there.
    pub(super) fn owns(self, lines: TextRange) -> bool {
        let place = self.in_file(lines);
        self.snapshot.text().get(place.start..place.end) == self.text().get(lines.start..lines.end)
    }

    /// The inputs of the group's block that have one value in all runs of the innermost loop.
    pub(super) fn steady(self, group: &Group<'_>) -> Vec<NodeId> {
        let Some(inner) = self.around.loops.first().filter(|inner| inner.has_room()) else {
            return Vec::new();
        };
        let dag = &group.block.dag;
        let is_steady = |id: &NodeId| {
            let input = dag.input_of(*id);
            input.is_some_and(|input| inner.is_steady(&input.name))
        };
        dag.reachable(&group.roots())
            .into_iter()
            .filter(is_steady)
            .collect()
    }

    /// The loop that a search of the group needs to know, with what is steady in it.
    pub(super) fn loop_of(self, steady: &[NodeId]) -> Option<Loop<'_>> {
        let runs = self.around.loops.first()?.runs;
        (!steady.is_empty() && runs > 1.0).then_some(Loop { steady, runs })
    }

    /// What a form, in the script's names, computes before the loop.
    pub(super) fn before(
        self,
        group: &Group<'_>,
        form: &Dag,
        machine: &Machine,
    ) -> Option<Before<'a>> {
        self.around.loops.first().filter(|inner| inner.runs > 1.0)?;
        Before::of(form, self, group, machine)
    }
}
