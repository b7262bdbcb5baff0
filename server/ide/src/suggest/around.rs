//! The loops around blocks, and what has one value in all of their runs: what is made of that may be computed before
//! the loop. Asks the syntax and the names only; must never look at costs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sumac_analysis::{Analysis, PlacedUnit, StatementBlock, Symbol};
use sumac_syntax::ast::{Block, LoopRange, Stmt, StmtKind};
use sumac_syntax::text::TextRange;

/// How often a loop is taken to run where the script does not say.
const GUESSED_RUNS: f64 = 10.0;

/// A loop around a block.
#[derive(Clone, PartialEq, Debug)]
pub struct Around {
    /// Where the loop's statement begins.
    pub start: usize,
    /// What stands before it on its line; a line can be put there if that is nothing but space.
    pub indent: String,
    /// The variables that are set on every way to the loop, and that nothing in the loop sets.
    pub steady: BTreeSet<Arc<str>>,
    /// How often it runs.
    pub runs: f64,
    /// Whether the script says so.
    pub is_counted: bool,
}

impl Around {
    /// Whether the name, or the argument of the script, has one value in all runs.
    pub fn is_steady(&self, name: &str) -> bool {
        let is_argument = |rest: &str| rest.chars().all(|c| c.is_alphanumeric() || c == '_');
        name.strip_prefix('$').is_some_and(is_argument) || self.steady.contains(name)
    }

    /// Whether a statement can be written in front of the loop.
    pub fn has_room(&self) -> bool {
        self.indent.trim().is_empty()
    }
}

/// For each block of a unit the loops around it, the innermost first.
pub(super) fn around(placed: PlacedUnit<'_>) -> Vec<Vec<Arc<Around>>> {
    let (unit, analysis) = (placed.unit(), placed.analysis());
    let starts = |block: &StatementBlock| block.statements.first().map(|s| s.range.start);
    let mut walk = Walk {
        text: &unit.text,
        analysis,
        loops: Vec::new(),
        of_block: vec![Vec::new(); analysis.blocks.len()],
        blocks: (0..analysis.blocks.len())
            .filter_map(|index| Some((starts(&analysis.blocks[index])?, index)))
            .collect(),
    };
    walk.statements(&unit.program.statements, placed.set_before().clone());
    walk.of_block
}

struct Walk<'a> {
    text: &'a str,
    analysis: &'a Analysis,
    /// Those around the place of the walk, the outermost first.
    loops: Vec<Arc<Around>>,
    of_block: Vec<Vec<Arc<Around>>>,
    /// Blocks by where they begin.
    blocks: BTreeMap<usize, usize>,
}

impl Walk<'_> {
    /// Walks through statements; `set` are the variables that are set on every way to them.
    fn statements(&mut self, statements: &[Stmt], mut set: BTreeSet<Arc<str>>) {
        for statement in statements {
            self.statement(statement, &set);
            match &statement.kind {
                StmtKind::Assign { target, .. } if target.index.is_none() => {
                    set.insert(target.name.name.clone());
                }
                StmtKind::MultiAssign { targets, .. } => {
                    set.extend(targets.iter().map(|target| target.name.name.clone()));
                }
                _ => {}
            }
        }
    }

    fn statement(&mut self, statement: &Stmt, set: &BTreeSet<Arc<str>>) {
        match &statement.kind {
            StmtKind::If {
                then, otherwise, ..
            } => {
                for branch in std::iter::once(then).chain(otherwise) {
                    self.statements(&branch.statements, set.clone());
                }
            }
            // The condition is computed in each run.
            StmtKind::While { cond, body } => {
                let around = self.a_loop(statement, set, None);
                self.inside(around, cond.range, body, set);
            }
            StmtKind::For { range, body, .. } => {
                let around = self.a_loop(statement, set, self.length(range));
                self.inside(around, body.range, body, set);
            }
            StmtKind::Function(function) => {
                if let Some(body) = &function.body {
                    let params = function.params.iter();
                    let set = params.map(|param| param.name.name.clone()).collect();
                    self.statements(&body.statements, set);
                }
            }
            _ => {}
        }
    }

    /// Notes the loop for the blocks from `first` to the end of its body, and walks through that.
    fn inside(&mut self, around: Around, first: TextRange, body: &Block, set: &BTreeSet<Arc<str>>) {
        self.loops.push(Arc::new(around));
        for index in self
            .blocks
            .range(first.start..body.range.end)
            .map(|(_, index)| *index)
        {
            // Loops inside come later, and have more around them.
            self.of_block[index] = self.loops.iter().rev().cloned().collect();
        }
        self.statements(&body.statements, set.clone());
        self.loops.pop();
    }

    fn a_loop(&self, statement: &Stmt, set: &BTreeSet<Arc<str>>, runs: Option<f64>) -> Around {
        let text = self.text;
        let start = statement.range.start;
        let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let names = &self.analysis.names;
        let first = names.partition_point(|name| name.range.start < start);
        let changed: BTreeSet<&str> = names[first..]
            .iter()
            .take_while(|name| name.range.start < statement.range.end)
            .filter(|name| name.is_definition && name.symbol == Symbol::Variable)
            .map(|name| &*name.name)
            .collect();
        Around {
            start,
            indent: text[line..start].to_owned(),
            steady: set
                .iter()
                .filter(|name| !changed.contains(&***name))
                .cloned()
                .collect(),
            runs: runs.unwrap_or(GUESSED_RUNS),
            is_counted: runs.is_some(),
        }
    }

    /// How often a `for` runs, where its range is known.
    fn length(&self, range: &LoopRange) -> Option<f64> {
        let known = |range: TextRange| self.analysis.type_at(range);
        match range {
            LoopRange::FromTo(from, to) => {
                let (from, to) = (known(from.range)?.number()?, known(to.range)?.number()?);
                Some((to - from).abs().floor() + 1.0)
            }
            LoopRange::Over(vector) => Some(sumac_la::as_f64(known(vector.range)?.rows.known()?)),
        }
    }
}
