//! Statements: assignments, branches, loops.

use sumac_syntax::ast::{
    AssignOp, BinaryOp, Block, Call, Expr, ExprKind, LoopRange, Stmt, StmtKind, Target,
};

use super::parfor::ParFor;
use super::{Fail, Interpreter, RunError, Scope, Unit, place, scalar_ops};
use crate::value::Value;

/// What a loop counts through.
pub(super) struct Steps {
    first: i64,
    by: i64,
    pub(super) count: usize,
}

impl Steps {
    /// The value at the place `at`, from 0.
    pub(super) fn value(&self, at: usize) -> Value {
        Value::Int(self.first.saturating_add(self.by.saturating_mul(at as i64)))
    }
}

impl Interpreter<'_> {
    pub(super) fn statements(
        &mut self,
        statements: &[Stmt],
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<(), RunError> {
        let mut rest = statements;
        while !rest.is_empty() {
            let done = self.together(rest, scope, unit)?;
            let (here, behind) = rest.split_at(done.max(1));
            if done == 0 {
                self.one_by_one(here, scope, unit)?;
            }
            rest = behind;
        }
        Ok(())
    }

    /// Statements, each by itself.
    pub(super) fn one_by_one(
        &mut self,
        statements: &[Stmt],
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<(), RunError> {
        statements.iter().try_for_each(|statement| {
            self.poll()
                .and_then(|()| self.statement(statement, scope, unit))
                .map_err(|fail| place(fail, unit, statement))
        })
    }

    /// Stops where the run is cancelled.
    pub(super) fn poll(&self) -> Result<(), Fail> {
        if self.options.cancel.is_cancelled() {
            return Err(Fail::cancelled());
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Stmt, scope: &mut Scope, unit: &Unit) -> Result<(), Fail> {
        match &statement.kind {
            StmtKind::Assign { target, op, value } => {
                if let (AssignOp::Set, None, ExprKind::Call(call)) =
                    (op, &target.index, &value.kind)
                    && self.algebraic(call, unit).is_none()
                {
                    // A function without a result is called for its effect, as in SystemDS.
                    self.returned.clear();
                    let results = self.multiple(value, scope, unit)?;
                    let returned = std::mem::take(&mut self.returned).into_iter().next();
                    if let Some(value) = results.into_iter().next() {
                        self.assign(target, value, scope, unit)?;
                        if let Some(Some(value)) = returned {
                            self.passed.insert(target.name.name.clone(), value);
                        }
                    }
                    return Ok(());
                }
                let passed = match (op, &target.index) {
                    (AssignOp::Set, None) => self.as_passed(value),
                    _ => None,
                };
                let mut value = self.expr(value, scope, unit)?;
                if *op == AssignOp::Accumulate {
                    let mut old = self.variable(&target.name, scope)?;
                    if let Some(index) = &target.index {
                        let part = self.indexed(old, index, scope, unit);
                        old = part.map_err(|fail| fail.naming(&target.name.name))?;
                    } else {
                        // The sum may take the place of the old value.
                        scope.remove(&target.name.name);
                    }
                    value = scalar_ops::binary(BinaryOp::Add, old, value)?;
                }
                self.assign(target, value, scope, unit)?;
                if let Some(passed) = passed {
                    self.passed.insert(target.name.name.clone(), passed);
                }
                Ok(())
            }
            StmtKind::MultiAssign { targets, value } => {
                let values = self.multiple(value, scope, unit)?;
                if values.len() < targets.len() {
                    return Err(Fail::new(format!(
                        "{} results are asked for, {} are given",
                        targets.len(),
                        values.len()
                    )));
                }
                targets
                    .iter()
                    .zip(values)
                    .try_for_each(|(target, value)| self.assign(target, value, scope, unit))
            }
            StmtKind::Expr(value) => self.effect(value, scope, unit),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                let block = if self.condition(cond, scope, unit)? {
                    Some(then)
                } else {
                    otherwise.as_ref()
                };
                block.map_or(Ok(()), |block| self.block(block, scope, unit))
            }
            StmtKind::While { cond, body } => {
                self.loop_begins(None);
                let done = self.repeat(cond, body, scope, unit);
                self.loop_ends();
                done
            }
            StmtKind::For {
                parallel,
                var,
                range,
                options,
                body,
            } => {
                let steps = self.steps(range, scope, unit)?;
                if *parallel {
                    let head = ParFor {
                        var,
                        steps,
                        options,
                        body,
                    };
                    return self.parfor(&head, scope, unit);
                }
                self.loop_begins(Some(steps.count));
                let done = (0..steps.count).try_for_each(|at| {
                    self.poll()?;
                    self.next_iteration(scope);
                    self.passed.remove(&var.name);
                    scope.insert(var.name.clone(), steps.value(at));
                    self.block(body, scope, unit)
                });
                self.loop_ends();
                done
            }
            StmtKind::SetWd { path } => {
                if let Some(path) = path {
                    self.base = self.base.join(&*path.value);
                }
                Ok(())
            }
            // Both were looked at before the run.
            StmtKind::Function(_) | StmtKind::Source { path: Some(_), .. } => Ok(()),
            StmtKind::Source { path: None, .. } => {
                Err(Fail::new("`source` expects a path, found none"))
            }
            StmtKind::Error => Err(Fail::new("expected a statement, found text that is none")),
        }
    }

    pub(super) fn block(
        &mut self,
        block: &Block,
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<(), Fail> {
        Ok(self.statements(&block.statements, scope, unit)?)
    }

    fn repeat(
        &mut self,
        cond: &Expr,
        body: &Block,
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<(), Fail> {
        while self.condition(cond, scope, unit)? {
            self.poll()?;
            self.next_iteration(scope);
            self.block(body, scope, unit)?;
        }
        Ok(())
    }

    fn condition(&mut self, cond: &Expr, scope: &mut Scope, unit: &Unit) -> Result<bool, Fail> {
        let value = self.expr(cond, scope, unit)?;
        match &value {
            Value::Bool(b) => Ok(*b),
            other => Ok(other.number("if")? != 0.0),
        }
    }

    /// Loops count in whole numbers, as in SystemDS: what else stands in their heads is cut off.
    fn steps(&mut self, range: &LoopRange, scope: &mut Scope, unit: &Unit) -> Result<Steps, Fail> {
        // A loop from or to no number, or to infinity, has no iteration.
        let mut is_empty = false;
        let mut whole = |expr: &Expr| -> Result<i64, Fail> {
            let x = self.expr(expr, scope, unit)?.number("for")?;
            is_empty |= !x.is_finite();
            if x.is_finite() && x.abs() >= 1e15 {
                return Err(Fail::new(format!(
                    "a loop counts in whole numbers, found {x}"
                )));
            }
            Ok(x as i64)
        };
        let (from, to, by) = match range {
            LoopRange::FromTo(from, to) => (whole(from)?, whole(to)?, None),
            LoopRange::Over(values) => {
                let Some([from, to, by]) = sequence(values) else {
                    return Err(Fail::new(
                        "a loop runs over from:to or seq(from, to, step), found another expression",
                    ));
                };
                let by = by.map(&mut whole).transpose()?;
                (whole_or(from, &mut whole)?, whole_or(to, &mut whole)?, by)
            }
        };
        let by = by.unwrap_or(if to >= from { 1 } else { -1 });
        let count = match by {
            _ if is_empty => 0,
            0 => 0,
            by if (to - from).signum() * by.signum() < 0 => 0,
            by => (to - from) / by + 1,
        };
        Ok(Steps {
            first: from,
            by,
            count: count as usize,
        })
    }

    pub(super) fn assign(
        &mut self,
        target: &Target,
        value: Value,
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<(), Fail> {
        let Some(index) = &target.index else {
            let value = self.kept(&target.name.name, value);
            self.passed.remove(&target.name.name);
            scope.insert(target.name.name.clone(), value);
            return Ok(());
        };
        let old = self.variable(&target.name, scope)?;
        let named = |fail: Fail| fail.naming(&target.name.name);
        let place = self.index_place(&old, index, scope, unit).map_err(named)?;
        // The scope lets go of the value, so that its last owner is changed in place.
        scope.remove(&target.name.name);
        let new = self.indexed_assign(old, value, &place).map_err(named)?;
        scope.insert(target.name.name.clone(), new);
        Ok(())
    }
}

fn whole_or(
    expr: Option<&Expr>,
    whole: &mut impl FnMut(&Expr) -> Result<i64, Fail>,
) -> Result<i64, Fail> {
    match expr {
        Some(expr) => whole(expr),
        None => Err(Fail::new(
            "`seq` in the head of a loop needs `from` and `to`",
        )),
    }
}

/// The arguments of a call of `seq`: from, to, step. In the head of a loop they have no names.
fn sequence(expr: &Expr) -> Option<[Option<&Expr>; 3]> {
    match &expr.kind {
        ExprKind::Paren(inner) => sequence(inner),
        ExprKind::Call(call) if is_seq(call) => {
            let mut args = call.args.iter().map(|arg| &arg.value);
            Some([args.next(), args.next(), args.next()])
        }
        _ => None,
    }
}

fn is_seq(call: &Call) -> bool {
    &*call.name.name == "seq" && call.namespace.is_none()
}
