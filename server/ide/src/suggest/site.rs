//! A block in its script, as the search of one of its groups sees it.

use std::sync::Arc;

use sumac_analysis::{NameUse, PlacedUnit, StatementBlock, ValueKind};
use sumac_cost::Machine;
use sumac_la::{Dag, NodeId};
use sumac_sumproduct::Loop;
use sumac_syntax::ast::{Expr, Stmt};
use sumac_text::TextRange;

use super::before::Before;
use super::enclosing_loops::is_listed;
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

/// The kind that several values have; nothing is known without one.
fn joined(kinds: &[ValueKind]) -> ValueKind {
    let kinds = kinds.iter().copied();
    kinds.reduce(ValueKind::join).unwrap_or(ValueKind::Unknown)
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

    /// The unit's statements.
    pub(super) fn program(self) -> &'a [Stmt] {
        &self.unit.unit().program.statements
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

    /// Whether a syntax error damages a statement of the unit.
    pub(super) fn is_damaged(self, statement: TextRange) -> bool {
        let damage = &self.snapshot.damage;
        !damage.is_empty() && damage.touches(self.in_file(statement))
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

    /// The kind of value of a variable, or of an expression that stands for itself by its text, anywhere in the unit: where it
    /// changes, what all of them are.
    pub(super) fn kind_of(self, name: &str) -> ValueKind {
        joined(&self.kinds_of(name))
    }

    /// Whether a variable is an integer at one place of the unit, and a double at another. How its value is printed, and what `%%`
    /// gives by zero, depends on which of them it is.
    pub(super) fn is_int_or_double(self, name: &str) -> bool {
        let kinds = self.kinds_of(name);
        kinds.contains(&ValueKind::Int)
            && kinds.contains(&ValueKind::Double)
            && kinds.iter().all(|kind| kind.is_numeric_scalar())
    }

    fn kinds_of(self, name: &str) -> Vec<ValueKind> {
        let analysis = self.unit.analysis();
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        if !name.chars().all(is_name) {
            let text = self.text();
            let known = analysis.expr_types.iter();
            let known = known.filter(|(range, _)| text.get(range.start..range.end) == Some(name));
            return known.map(|(_, info)| info.kind).collect();
        }
        let uses = analysis.names.iter().filter(|it| &*it.name == name);
        let read = uses.filter_map(|it| Some(analysis.type_at(it.range)?.kind));
        let facts = analysis.variables.iter().filter(|it| &*it.name == name);
        read.chain(facts.map(|fact| fact.kind)).collect()
    }

    /// The number of rows of an expression of the unit, as far as it is known or assumed.
    pub(super) fn rows_of(self, expr: &Expr) -> Option<f64> {
        let info = self.unit.analysis().type_at(expr.range)?;
        let rows = info.la_type()?.rows.estimate()?;
        Some(sumac_la::as_f64(rows))
    }

    /// What stands before a statement on its line, where other statements can be put before it: it begins its line, and is one
    /// of a list and not the whole body of an `if` or a loop.
    pub(super) fn room_before(self, statement: TextRange) -> Option<&'a str> {
        let text = self.text();
        let line_start = text[..statement.start].rfind('\n').map_or(0, |at| at + 1);
        let indent = &text[line_start..statement.start];
        let program = &self.unit.unit().program;
        let is_listed = is_listed(&program.statements, statement, text);
        (indent.trim().is_empty() && is_listed).then_some(indent)
    }

    /// The inputs of the group's block that have one value in all runs of the innermost loop.
    pub(super) fn loop_invariant(self, group: &Group<'_>) -> Vec<NodeId> {
        let Some(inner) = self.around.loops.first().filter(|inner| inner.has_room()) else {
            return Vec::new();
        };
        let dag = group.block.symbolic();
        let is_loop_invariant = |id: &NodeId| {
            let input = dag.input_of(*id);
            input.is_some_and(|input| inner.is_loop_invariant(&input.name))
        };
        group
            .inputs()
            .into_iter()
            .filter(is_loop_invariant)
            .collect()
    }

    /// The loop that a search of the group needs to know, with what is loop-invariant in it.
    pub(super) fn loop_of(self, loop_invariant: &[NodeId]) -> Option<Loop<'_>> {
        let trip_count = self.around.loops.first()?.trip_count;
        (!loop_invariant.is_empty() && trip_count > 1.0).then_some(Loop {
            loop_invariant,
            trip_count,
        })
    }

    /// What a form, in the script's names, computes before the loop.
    pub(super) fn before(
        self,
        group: &Group<'_>,
        form: &Dag,
        machine: &Machine,
    ) -> Option<Before<'a>> {
        self.around
            .loops
            .first()
            .filter(|inner| inner.trip_count > 1.0)?;
        Before::of(form, self, group, machine)
    }
}
