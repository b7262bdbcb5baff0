//! A block in its script, as the search of one of its groups sees it.

use sumac_analysis::{Analysis, StatementBlock};
use sumac_la::{Dag, Machine, NodeId};
use sumac_sumproduct::Loop;
use sumac_syntax::Parse;

use super::before::Before;
use super::group::Group;
use super::surroundings::Surrounding;
use crate::snapshot::Snapshot;

/// A block's script and surrounding.
#[derive(Clone, Copy)]
pub(super) struct Site<'a> {
    pub(super) parse: &'a Parse,
    pub(super) analysis: &'a Analysis,
    pub(super) block: &'a StatementBlock,
    pub(super) around: &'a Surrounding,
}

impl<'a> Site<'a> {
    /// Block number `index`, if there is such a one.
    pub(super) fn of(snapshot: &'a Snapshot, index: usize) -> Option<Self> {
        Some(Site {
            parse: &snapshot.parse,
            analysis: &snapshot.analysis,
            block: snapshot.analysis.blocks.get(index)?,
            around: snapshot.surroundings().blocks.get(index)?,
        })
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
