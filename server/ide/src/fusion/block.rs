//! The block around a line as fusion sees it: its DAG, which values must exist, what they are called, and which
//! operators each line adds.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sumac_analysis::{PlacedUnit, StatementBlock};
use sumac_la::{Dag, NodeId};
use sumac_text::TextRange;

use crate::snapshot::Snapshot;

/// A block of statements.
#[derive(Debug)]
pub struct Block<'a> {
    snapshot: &'a Snapshot,
    unit: PlacedUnit<'a>,
    /// In the unit's places.
    block: &'a StatementBlock,
    roots: Vec<NodeId>,
    names: BTreeMap<NodeId, Arc<str>>,
}

/// A line of the block.
#[derive(Debug)]
pub struct Line {
    /// Its number, from 1.
    pub number: usize,
    /// Its text.
    pub text: String,
    /// Operators that stand there first, arguments first.
    pub operators: Vec<NodeId>,
}

/// The block with a statement that touches `wanted`, and its unit: no look at the rest of the file.
fn at(snapshot: &Snapshot, wanted: TextRange) -> Option<(PlacedUnit<'_>, &StatementBlock)> {
    let mut units = snapshot.analysis.parts().units();
    units.find_map(|unit| Some((unit, in_unit(unit, wanted)?)))
}

fn in_unit(unit: PlacedUnit<'_>, wanted: TextRange) -> Option<&StatementBlock> {
    let touches = |range: TextRange| {
        let range = unit.range(range);
        range.start <= wanted.end && wanted.start <= range.end
    };
    let whole = TextRange::new(0, unit.unit().text.len());
    let has_it = |block: &&StatementBlock| {
        let mut statements = block.statements.iter();
        statements.any(|s| touches(s.range) && !s.parts.is_empty())
    };
    let mut blocks = unit.analysis().blocks.iter();
    touches(whole).then(|| blocks.find(has_it)).flatten()
}

/// Whether there is anything to fuse where a statement touches `wanted`: several operators, and a matrix.
#[must_use]
pub fn has_choices(snapshot: &Snapshot, wanted: TextRange) -> bool {
    let Some((_, block)) = at(snapshot, wanted) else {
        return false;
    };
    let parts = block.statements.iter().flat_map(|s| &s.parts);
    let roots: Vec<NodeId> = parts.map(|part| part.root).collect();
    let order = block.dag.reachable(&roots);
    let operators = order.iter().filter(|id| !block.dag.args(**id).is_empty());
    operators.count() > 1 && order.iter().any(|id| !block.dag.is_scalar(*id))
}

impl<'a> Block<'a> {
    /// The block with a statement that touches `wanted`.
    #[must_use]
    pub fn around(snapshot: &'a Snapshot, wanted: TextRange) -> Option<Block<'a>> {
        let (unit, block) = at(snapshot, wanted)?;
        let reads = |statement: usize, node: NodeId| {
            let parts = &block.statements[statement].parts;
            parts
                .iter()
                .any(|part| block.dag.reachable(&[part.root]).contains(&node))
        };
        let mut roots = Vec::new();
        let mut names = BTreeMap::new();
        for statement in &block.statements {
            let target = statement.target.as_ref();
            if let Some(target) = target {
                names
                    .entry(target.version_node)
                    .or_insert_with(|| target.name.clone());
            }
            // What only later statements of the block read, as algebra, need not exist.
            let is_inner = target.is_some_and(|target| {
                !statement.live_after_block
                    && !statement.readers.is_empty()
                    && statement
                        .readers
                        .iter()
                        .all(|reader| reads(*reader, target.version_node))
            });
            if !is_inner {
                roots.extend(statement.parts.iter().map(|part| part.root));
            }
        }
        roots.retain(|root| !block.dag.args(*root).is_empty());
        roots.sort_unstable();
        roots.dedup();
        (!roots.is_empty()).then_some(Block {
            snapshot,
            unit,
            block,
            roots,
            names,
        })
    }

    /// All linear algebra of the block.
    #[must_use]
    pub fn dag(&self) -> &Dag {
        &self.block.dag
    }

    /// The values that must exist behind the block.
    #[must_use]
    pub fn roots(&self) -> &[NodeId] {
        &self.roots
    }

    /// What a value is called: its variable, or its number.
    #[must_use]
    pub fn name(&self, id: NodeId) -> String {
        if let Some(name) = self.names.get(&id) {
            return name.to_string();
        }
        match self.dag().input_of(id) {
            Some(input) => input.name.to_string(),
            None => format!("%{}", id.index()),
        }
    }

    /// The lines of the block's statements.
    #[must_use]
    pub fn lines(&self) -> Vec<Line> {
        let lines = &self.snapshot.lines;
        let text = self.snapshot.text();
        let mut seen: BTreeSet<NodeId> = BTreeSet::new();
        let mut found: Vec<Line> = Vec::new();
        for statement in &self.block.statements {
            let first = lines.line(self.unit.range(statement.range).start);
            let mut operators = Vec::new();
            for part in &statement.parts {
                for id in self.dag().reachable(&[part.root]) {
                    if !self.dag().args(id).is_empty() && seen.insert(id) {
                        operators.push(id);
                    }
                }
            }
            match found.last_mut() {
                Some(line) if line.number == first + 1 => line.operators.extend(operators),
                _ => {
                    let start = lines.line_start(first);
                    let end = self.snapshot.line_end(start);
                    found.push(Line {
                        number: first + 1,
                        text: text[start..end].trim().to_owned(),
                        operators,
                    });
                }
            }
        }
        found
    }
}
