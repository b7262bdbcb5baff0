//! The loops around blocks, and what has one value in all of their runs: what is made of that may be computed before
//! the loop. Asks the syntax and the names only; must never look at costs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sumac_analysis::{Analysis, PlacedUnit, StatementBlock, Symbol};
use sumac_syntax::ast::{Arg, Block, Expr, ExprKind, LoopRange, Stmt, StmtKind};
use sumac_text::TextRange;

/// How often a loop is taken to run where the script does not say.
const ASSUMED_TRIP_COUNT: f64 = 10.0;

/// Functions of a matrix that look at its size alone.
const SIZES: [&str; 3] = ["nrow", "ncol", "length"];

/// A loop around a block.
#[derive(Clone, PartialEq, Debug)]
pub struct EnclosingLoop {
    /// Where the loop's statement begins.
    pub start: usize,
    /// What stands before it on its line; a line can be put there if that is nothing but space, and the loop `is_listed`.
    pub indent: String,
    /// Whether it is one of a list of statements, and not the whole body of an `if` or of another loop.
    pub is_listed: bool,
    /// The variables that are set on every way to the loop, and that nothing in the loop sets.
    pub loop_invariant: BTreeSet<Arc<str>>,
    /// How often it runs.
    pub trip_count: f64,
    /// Whether the script says so.
    pub is_counted: bool,
    /// When its body runs at all.
    pub first: First,
    /// Whether each of its runs comes to what it is listed for: a block, or the loop before it in the list. No condition
    /// stands between.
    pub is_direct: bool,
}

/// Whether the body of a loop runs at least once. What is computed before the loop may fail, and must not where the body would
/// never have run.
#[derive(Clone, PartialEq, Debug)]
pub enum First {
    /// It does.
    Always,
    /// It does where this condition, which only looks, holds before the loop.
    If(String),
    /// That is not known.
    Unknown,
}

impl EnclosingLoop {
    /// Whether the name, or the argument of the script, has one value in all runs.
    pub fn is_loop_invariant(&self, name: &str) -> bool {
        let is_argument = |rest: &str| rest.chars().all(|c| c.is_alphanumeric() || c == '_');
        name.strip_prefix('$').is_some_and(is_argument) || self.loop_invariant.contains(name)
    }

    /// Whether what the loop is listed for can be computed in front of it.
    pub fn has_room(&self) -> bool {
        self.indent.trim().is_empty()
            && self.is_listed
            && self.is_direct
            && self.first != First::Unknown
    }
}

/// For each block of a unit the loops around it, the innermost first.
pub(super) fn enclosing_loops(placed: PlacedUnit<'_>) -> Vec<Vec<Arc<EnclosingLoop>>> {
    let (unit, analysis) = (placed.unit(), placed.analysis());
    let starts = |block: &StatementBlock| block.statements.first().map(|s| s.range.start);
    let mut walk = Walk {
        text: &unit.text,
        program: &unit.program.statements,
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

/// Whether it is a sequence whose ends stand in the script: its length is assumed of no argument and of no data.
fn is_written_out(vector: &Expr) -> bool {
    let ExprKind::Call(call) = &vector.kind else {
        return false;
    };
    let is_number = |arg: &Arg| {
        let value = match &arg.value.kind {
            ExprKind::Unary(_, inner) => &inner.kind,
            kind => kind,
        };
        matches!(value, ExprKind::Int(_) | ExprKind::Double(_))
    };
    &*call.name.name == "seq" && call.namespace.is_none() && call.args.iter().all(is_number)
}

/// Whether a statement stands in a list of statements, of the unit or between braces.
pub(crate) fn is_listed(statements: &[Stmt], wanted: TextRange, text: &str) -> bool {
    let in_body = |body: &Block| {
        let holds = body.range.contains(wanted);
        let has_braces = text[body.range].starts_with('{');
        let is_here = |it: &Stmt| it.range == wanted;
        holds
            && (has_braces || !body.statements.iter().any(is_here))
            && is_listed(&body.statements, wanted, text)
    };
    statements.iter().any(|statement| {
        statement.range == wanted
            || match &statement.kind {
                StmtKind::If {
                    then, otherwise, ..
                } => in_body(then) || otherwise.as_ref().is_some_and(in_body),
                StmtKind::While { body, .. } | StmtKind::For { body, .. } => in_body(body),
                StmtKind::Function(function) => function.body.as_ref().is_some_and(in_body),
                _ => false,
            }
    })
}

struct Walk<'a> {
    text: &'a str,
    program: &'a [Stmt],
    analysis: &'a Analysis,
    /// Those around the place of the walk, the outermost first.
    loops: Vec<Arc<EnclosingLoop>>,
    of_block: Vec<Vec<Arc<EnclosingLoop>>>,
    /// Blocks by where they begin.
    blocks: BTreeMap<usize, usize>,
}

impl Walk<'_> {
    /// Whether a condition can be looked at once more before the loop and is surely the same there: it changes and prints nothing,
    /// and is made of scalars, so that it costs nothing and no suggestion writes the loop's own one in another way.
    fn only_looks(&self, expr: &Expr) -> bool {
        let is_scalar = |range| {
            let info = self.analysis.type_at(range);
            info.is_some_and(|info| info.kind.is_scalar())
        };
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Double(_) | ExprKind::Bool(_) | ExprKind::Str(_) => true,
            ExprKind::Arg(_) => true,
            ExprKind::Name(_) => is_scalar(expr.range),
            ExprKind::Paren(inner) | ExprKind::Unary(_, inner) => self.only_looks(inner),
            ExprKind::Binary(_, left, right) => self.only_looks(left) && self.only_looks(right),
            ExprKind::Call(call) => {
                let row = sumac_builtins::find(&call.name.name);
                let is_pure = row.is_some_and(|row| row.pure) && call.namespace.is_none();
                let is_size = SIZES.contains(&&*call.name.name)
                    && matches!(call.args.as_slice(), [Arg { value, .. }] if matches!(value.kind, ExprKind::Name(_)));
                is_pure && (is_size || call.args.iter().all(|arg| self.only_looks(&arg.value)))
            }
            _ => false,
        }
    }

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
                    self.branch(branch, set);
                }
            }
            // The condition is computed in each run.
            StmtKind::While { cond, body } => {
                let first = if self.only_looks(cond) {
                    First::If(self.text[cond.range.start..cond.range.end].to_owned())
                } else {
                    First::Unknown
                };
                // The condition itself is computed whether the body runs or not.
                let around = self.a_loop(statement, set, None, First::Always);
                self.loops.push(Arc::new(around.clone()));
                self.note(cond.range.start..body.range.start);
                self.loops.pop();
                self.inside(EnclosingLoop { first, ..around }, body, set);
            }
            StmtKind::For { range, body, .. } => {
                let trip_count = self.length(range);
                // From one number to another, a loop runs in either direction.
                let first = match range {
                    LoopRange::FromTo(..) => First::Always,
                    LoopRange::Over(vector) if is_written_out(vector) => First::Always,
                    LoopRange::Over(_) => First::Unknown,
                };
                let around = self.a_loop(statement, set, trip_count, first);
                self.inside(around, body, set);
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

    /// Walks through a branch, which the innermost loop comes to in some of its runs only.
    fn branch(&mut self, branch: &Block, set: &BTreeSet<Arc<str>>) {
        let Some(inner) = self.loops.pop() else {
            self.statements(&branch.statements, set.clone());
            return;
        };
        self.loops.push(Arc::new(EnclosingLoop {
            is_direct: false,
            ..(*inner).clone()
        }));
        self.note(branch.range.start..branch.range.end);
        self.statements(&branch.statements, set.clone());
        self.loops.pop();
        self.loops.push(inner);
    }

    /// Notes the loops around for the blocks that begin in a range. Loops and branches inside come later, and note theirs.
    fn note(&mut self, range: std::ops::Range<usize>) {
        for index in self.blocks.range(range).map(|(_, index)| *index) {
            self.of_block[index] = self.loops.iter().rev().cloned().collect();
        }
    }

    /// Notes the loop for the blocks of its body, and walks through that.
    fn inside(&mut self, around: EnclosingLoop, body: &Block, set: &BTreeSet<Arc<str>>) {
        self.loops.push(Arc::new(around));
        self.note(body.range.start..body.range.end);
        self.statements(&body.statements, set.clone());
        self.loops.pop();
    }

    fn a_loop(
        &self,
        statement: &Stmt,
        set: &BTreeSet<Arc<str>>,
        trip_count: Option<f64>,
        first: First,
    ) -> EnclosingLoop {
        let text = self.text;
        let start = statement.range.start;
        let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let names = &self.analysis.names;
        let from = names.partition_point(|name| name.range.start < start);
        let changed: BTreeSet<&str> = names[from..]
            .iter()
            .take_while(|name| name.range.start < statement.range.end)
            .filter(|name| name.is_definition && name.symbol == Symbol::Variable)
            .map(|name| &*name.name)
            .collect();
        EnclosingLoop {
            start,
            indent: text[line..start].to_owned(),
            is_listed: is_listed(self.program, statement.range, text),
            loop_invariant: set
                .iter()
                .filter(|name| !changed.contains(&***name))
                .cloned()
                .collect(),
            trip_count: trip_count.unwrap_or(ASSUMED_TRIP_COUNT),
            is_counted: trip_count.is_some(),
            first,
            is_direct: true,
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
