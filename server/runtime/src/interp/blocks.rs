//! Assignments that follow each other, planned and evaluated as one.
//!
//! A statement whose right side is algebra without effects waits: its variable stands for a node of a DAG that the statements
//! share. What follows and needs a value, or the end of the statements, has all of it computed at once, and only what somebody
//! may still read is a result. So operators of several statements run as one, and a matrix that they have in common is
//! read once.
//!
//! Nobody can tell: a statement that does not fit is left to the evaluation one by one, and where the DAG cannot be
//! evaluated, its statements are run so, each by itself, and say what is wrong and where. Nothing here has an effect before that.

use std::collections::BTreeMap;
use std::sync::Arc;

use sumac_fusion::Policy;
use sumac_la::{NodeId, Op};
use sumac_syntax::ast::{AssignOp, BinaryOp, Call, Expr, ExprKind, Stmt, StmtKind};

use super::algebra::{Gathered, Piece};
use super::liveness::Liveness;
use super::stats::Stats;
use super::{
    Compression, Fail, Interpreter, RunError, RunErrorKind, Scope, Unit, builtins, operators, place,
};
use crate::memory;
use crate::value::Value;

/// Nodes that wait at most: a plan of many operators takes long to make.
const MOST_NODES: usize = 160;

/// Values that were overwritten and are still needed may take so much: the share of the memory.
const HELD_SHARE: u64 = 16;

/// So little is never too much.
const HELD_BYTES: u64 = 32 << 20;

/// Statements that wait.
#[derive(Default)]
pub(super) struct Waiting {
    pub(super) gathered: Gathered,
    /// What variables are after them.
    pub(super) now: BTreeMap<Arc<str>, Piece>,
    /// How many statements there are.
    count: usize,
    /// Bytes of what they overwrite, which stays until they are evaluated.
    held: u64,
    /// What was computed of numbers.
    pub(super) stats: Stats,
}

impl Interpreter<'_> {
    /// Evaluates as many statements from the first on as can be one DAG; gives their number, which may be none.
    pub(super) fn together(
        &mut self,
        statements: &[Stmt],
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<usize, RunError> {
        let are_wanted = self.options.blocks
            && self.options.planning.policy != Policy::None
            && self.options.compression != Compression::Always;
        if !are_wanted {
            return Ok(0);
        }
        let mut waiting = Waiting::default();
        for statement in statements {
            if self.waits(statement, &mut waiting, scope, unit).is_none() {
                break;
            }
            waiting.count += 1;
            if waiting.gathered.dag.len() > MOST_NODES || holds_too_much(waiting.held) {
                break;
            }
        }
        let (these, _) = statements.split_at(waiting.count);
        if let Some(last) = these.last() {
            self.settle(waiting, (these, last), scope, unit)?;
        }
        Ok(these.len())
    }

    /// Adds a statement to those that wait, if it can; else nothing has changed.
    fn waits(
        &mut self,
        statement: &Stmt,
        waiting: &mut Waiting,
        scope: &Scope,
        unit: &Unit,
    ) -> Option<()> {
        let StmtKind::Assign { target, op, value } = &statement.kind else {
            return None;
        };
        let name = &target.name.name;
        // Numbers alone are computed as fast where they stand.
        let is_first = waiting.count == 0;
        if target.index.is_some() || (is_first && !reads_matrix(value, scope)) {
            return None;
        }
        let mut stats = Stats::default();
        let mut piece = self.algebra_of(value, waiting, &mut stats, scope, unit)?;
        if *op == AssignOp::Accumulate {
            let old = self.known(&target.name, waiting, scope)?;
            // A sum of what is there takes the place of the old value.
            let takes_place = |piece: &Piece| matches!(piece, Piece::Value(Value::Matrix(_)));
            if takes_place(&old) && takes_place(&piece) {
                return None;
            }
            piece = self.sum_of(BinaryOp::Add, [old, piece], waiting, &mut stats)?;
        }
        if is_first && matches!(piece, Piece::Value(_)) {
            return None;
        }
        waiting.stats.absorb(stats);
        if let (Some(Value::Matrix(old)), None) = (scope.get(name), waiting.now.get(name)) {
            waiting.held += old.bytes();
        }
        waiting.now.insert(name.clone(), piece);
        Some(())
    }

    /// Evaluates what waits, and gives the variables their values.
    fn settle(
        &mut self,
        waiting: Waiting,
        (statements, last): (&[Stmt], &Stmt),
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<(), RunError> {
        let Waiting {
            gathered,
            now,
            mut stats,
            ..
        } = waiting;
        let live = self.live.clone();
        let is_read = |name: &str| live.is_read_behind(last, name);
        let mut results: Vec<NodeId> = now
            .iter()
            .filter_map(|(name, piece)| match piece {
                Piece::Node(id) if is_read(name) => Some(*id),
                _ => None,
            })
            .collect();
        // In the order of the text.
        results.sort_unstable();
        results.dedup();
        let evaluated = self
            .poll()
            .and_then(|()| self.values_of(&results, &gathered, &mut stats));
        let values = match evaluated {
            Ok(values) => values,
            Err(fail @ Fail::Message(RunErrorKind::Cancelled, _)) => {
                return Err(place(fail, unit, last));
            }
            Err(_) => return self.one_by_one(statements, scope, unit),
        };
        drop(gathered);
        self.stats.absorb(stats);
        for (name, piece) in now {
            self.passed.remove(&name);
            let value = match piece {
                Piece::Value(value) => Some(value),
                Piece::Node(id) => {
                    let place = results.binary_search(&id).ok();
                    place.and_then(|place| values.get(place).cloned())
                }
            };
            match value.filter(|_| is_read(&name)) {
                Some(value) => scope.insert(name, value),
                None => scope.remove(&name),
            };
        }
        Ok(())
    }

    /// Who reads what in a body.
    pub(super) fn liveness(
        &self,
        statements: &[Stmt],
        results: Option<&[Arc<str>]>,
        unit: &Unit,
    ) -> Liveness {
        Liveness::of(statements, results, &|call| self.gives_value(call, unit))
    }

    /// Whether a call surely has a result.
    fn gives_value(&self, call: &Call, unit: &Unit) -> bool {
        /// What is called for its effect, and `eval`, which calls anything.
        const OTHERS: [&str; 5] = ["print", "stop", "assert", "write", "eval"];
        if let Some(function) = self.user_function(call, unit) {
            return !function.definition.results.is_empty();
        }
        let name = operators::canonical(&call.name.name);
        call.namespace.is_none()
            && !OTHERS.contains(&name)
            && (operators::find(name).is_some()
                || builtins::find(name).is_some()
                || Op::by_call_name(name, call.args.len()).is_some())
    }
}

/// Whether an expression names a matrix.
fn reads_matrix(expr: &Expr, scope: &Scope) -> bool {
    match &expr.kind {
        ExprKind::Name(name) => matches!(scope.get(&name.name), Some(Value::Matrix(_))),
        ExprKind::Unary(_, inner) | ExprKind::Paren(inner) => reads_matrix(inner, scope),
        ExprKind::Binary(_, a, b) => reads_matrix(b, scope) || reads_matrix(a, scope),
        ExprKind::Call(call) => call.args.iter().any(|arg| reads_matrix(&arg.value, scope)),
        ExprKind::Index(base, _) => reads_matrix(base, scope),
        _ => false,
    }
}

/// Whether so many bytes of old values are more than should stay.
fn holds_too_much(held: u64) -> bool {
    if held <= HELD_BYTES {
        return false;
    }
    let limit = memory::limit_bytes().or_else(memory::total_bytes);
    limit.is_some_and(|limit| held > limit / HELD_SHARE)
}
