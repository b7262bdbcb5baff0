//! Expressions.

use std::time::Instant;

use sumac_syntax::ast::{BinaryOp, Expr, ExprKind, Ident};

use super::{Fail, Interpreter, Scope, Unit, scalar_ops};
use crate::kernels::matmul::{Factor, matmul};
use crate::value::{List, Value};

/// Expressions inside each other at most, function calls included.
const MOST_NESTED: usize = 20_000;

/// Names that stand for a number where no variable has them.
const CONSTANTS: [(&str, f64); 3] = [
    ("NaN", f64::NAN),
    ("Inf", f64::INFINITY),
    ("pi", std::f64::consts::PI),
];

impl Interpreter<'_> {
    pub(super) fn expr(
        &mut self,
        expr: &Expr,
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<Value, Fail> {
        if self.depth >= MOST_NESTED {
            return Err(Fail::new(format!(
                "expressions are nested more than {MOST_NESTED} deep"
            )));
        }
        self.depth += 1;
        let value = self.expr_inner(expr, scope, unit);
        self.depth -= 1;
        value
    }

    fn expr_inner(&mut self, expr: &Expr, scope: &mut Scope, unit: &Unit) -> Result<Value, Fail> {
        match &expr.kind {
            ExprKind::Missing => Err(Fail::new("expected an expression, found none")),
            ExprKind::Int(i) => Ok(Value::Int(*i)),
            ExprKind::Double(x) => Ok(Value::Double(*x)),
            ExprKind::Bool(b) => Ok(Value::Bool(*b)),
            ExprKind::Str(text) => Ok(Value::Str(text.value.clone())),
            ExprKind::Name(name) => self.variable(name, scope),
            ExprKind::Arg(name) => self.options.args.get(&*name.name).cloned().ok_or_else(|| {
                let name = &name.name;
                Fail::new(format!("`${name}` has no value: give one on the command line, or use ifdef(${name}, default)"))
            }),
            ExprKind::Unary(op, a) => {
                let a = self.expr(a, scope, unit)?;
                Ok(scalar_ops::unary(*op, a)?)
            }
            ExprKind::Binary(BinaryOp::MatMul, a, b) => self.product(a, b, scope, unit),
            ExprKind::Binary(op, a, b) => {
                let a = self.expr(a, scope, unit)?;
                let b = self.expr(b, scope, unit)?;
                let start = Instant::now();
                let value = scalar_ops::binary(*op, a, b)?;
                self.stats.add(op.sign_and_strength().0, start.elapsed());
                Ok(value)
            }
            ExprKind::Call(call) => self.call(call, scope, unit),
            ExprKind::Index(base, index) => {
                let base = self.expr(base, scope, unit)?;
                self.indexed(base, index, scope, unit)
            }
            ExprKind::Paren(inner) => self.expr(inner, scope, unit),
            ExprKind::List(items) => {
                let values: Result<Vec<Value>, Fail> =
                    items.iter().map(|item| self.expr(item, scope, unit)).collect();
                Ok(List::new(values?).into())
            }
        }
    }

    pub(super) fn variable(&self, name: &Ident, scope: &Scope) -> Result<Value, Fail> {
        let constant = || {
            let row = CONSTANTS.iter().find(|(known, _)| *known == &*name.name)?;
            Some(Value::Double(row.1))
        };
        scope
            .get(&name.name)
            .cloned()
            .or_else(constant)
            .ok_or_else(|| Fail::new(format!("`{}` has no value here", name.name)))
    }

    /// `a %*% b`, where `t(x)` on either side is read in place.
    fn product(
        &mut self,
        a: &Expr,
        b: &Expr,
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<Value, Fail> {
        let (left, left_turned) = self.factor(a, scope, unit)?;
        let (right, right_turned) = self.factor(b, scope, unit)?;
        let start = Instant::now();
        let value = matmul(
            Factor {
                matrix: left.matrix("%*%")?,
                transposed: left_turned,
            },
            Factor {
                matrix: right.matrix("%*%")?,
                transposed: right_turned,
            },
        )?;
        self.stats.add("%*%", start.elapsed());
        Ok(value.into())
    }

    fn factor(
        &mut self,
        expr: &Expr,
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<(Value, bool), Fail> {
        match &expr.kind {
            ExprKind::Paren(inner) => self.factor(inner, scope, unit),
            ExprKind::Call(call)
                if &*call.name.name == "t"
                    && call.namespace.is_none()
                    && call.args.len() == 1
                    && self.user_function(call, unit).is_none() =>
            {
                let value = self.expr(&call.args[0].value, scope, unit)?;
                value.matrix("t")?;
                Ok((value, true))
            }
            _ => Ok((self.expr(expr, scope, unit)?, false)),
        }
    }
}
