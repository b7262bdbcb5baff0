//! The loops around a block, and what has one value in all of their runs: what is made of that may be computed before
//! the loop. Asks the syntax and the names only; must never look at costs.

use std::collections::BTreeSet;
use std::sync::Arc;

use sumac_analysis::{Analysis, StatementBlock, Symbol};
use sumac_syntax::Parse;
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

/// The loops around a block, the innermost first.
#[must_use]
pub fn around(parse: &Parse, analysis: &Analysis, block: &StatementBlock) -> Vec<Around> {
    if block.loop_depth == 0 {
        return Vec::new();
    }
    let Some(place) = block.statements.first().map(|statement| statement.range) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let search = Search {
        parse,
        analysis,
        place,
    };
    search.statements(&parse.program().statements, BTreeSet::new(), &mut found);
    found.reverse();
    found
}

struct Search<'a> {
    parse: &'a Parse,
    analysis: &'a Analysis,
    place: TextRange,
}

impl Search<'_> {
    /// Descends to the place, with the variables that are set on every way there.
    fn statements(
        &self,
        statements: &[Stmt],
        mut set: BTreeSet<Arc<str>>,
        found: &mut Vec<Around>,
    ) {
        for statement in statements {
            if statement.range.contains(self.place) {
                return self.statement(statement, set, found);
            }
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

    fn statement(&self, statement: &Stmt, set: BTreeSet<Arc<str>>, found: &mut Vec<Around>) {
        let is_in = |block: &Block| block.range.contains(self.place);
        match &statement.kind {
            StmtKind::If {
                then, otherwise, ..
            } => {
                let branch = std::iter::once(then).chain(otherwise).find(|b| is_in(b));
                if let Some(branch) = branch {
                    self.statements(&branch.statements, set, found);
                }
            }
            // The condition is computed in each run.
            StmtKind::While { body, .. } => {
                found.push(self.a_loop(statement, &set, None));
                self.statements(&body.statements, set, found);
            }
            StmtKind::For { range, body, .. } if is_in(body) => {
                found.push(self.a_loop(statement, &set, self.length(range)));
                self.statements(&body.statements, set, found);
            }
            StmtKind::Function(function) => {
                let params = function.params.iter();
                let set = params.map(|param| param.name.name.clone()).collect();
                if let Some(body) = &function.body {
                    self.statements(&body.statements, set, found);
                }
            }
            _ => {}
        }
    }

    fn a_loop(&self, statement: &Stmt, set: &BTreeSet<Arc<str>>, runs: Option<f64>) -> Around {
        let text = self.parse.text();
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
