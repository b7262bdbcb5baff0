//! Expressions.

use sumac_syntax::ast::{Expr, ExprKind, Ident};

use super::{Fail, Interpreter, Scope, Unit};
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
        self.deeper(|this| this.expr_inner(expr, scope, unit))
    }

    /// One expression inside another.
    pub(super) fn deeper<T>(
        &mut self,
        f: impl FnOnce(&mut Self) -> Result<T, Fail>,
    ) -> Result<T, Fail> {
        if self.depth >= MOST_NESTED {
            return Err(Fail::new(format!(
                "expressions are nested more than {MOST_NESTED} deep"
            )));
        }
        self.depth += 1;
        let done = f(self);
        self.depth -= 1;
        done
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
            ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Call(_) => {
                self.algebra(expr, scope, unit)
            }
            ExprKind::Index(base, index) => {
                let whole = self.expr(base, scope, unit)?;
                self.reads_cells(&whole);
                let found = self.indexed(whole, index, scope, unit);
                match &base.kind {
                    ExprKind::Name(name) => found.map_err(|fail| fail.naming(&name.name)),
                    _ => found,
                }
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
            .ok_or_else(|| {
                let mut message = format!("`{}` has no value here", name.name);
                if self.lost.contains(&name.name) {
                    message.push_str(
                        ": each iteration of a `parfor` gave it one of its own; let them write cells of a matrix, or use `for`",
                    );
                }
                Fail::new(message)
            })
    }
}
