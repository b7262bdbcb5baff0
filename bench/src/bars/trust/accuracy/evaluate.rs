//! Statements and expressions of DML over values of either kind of number. Computes nothing that jumps, and says what it does not know.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use sumac_syntax::ast::{
    Arg, AssignOp, BinaryOp, Expr, ExprKind, Index, Span, Stmt, StmtKind, UnaryOp,
};

use super::functions;
use super::number::Number;
use super::value::{Known, Value, power};

/// What variables hold while a form is computed.
pub(super) struct Scope<'a, N> {
    values: HashMap<Arc<str>, Value<N>>,
    /// Stated sizes that are others here, with what they are.
    sizes: &'a BTreeMap<u64, usize>,
    /// What was printed or written, in order.
    pub(super) shown: Vec<Value<N>>,
}

impl<'a, N: Number> Scope<'a, N> {
    pub(super) fn new(sizes: &'a BTreeMap<u64, usize>) -> Self {
        Scope {
            values: HashMap::new(),
            sizes,
            shown: Vec::new(),
        }
    }

    pub(super) fn set(&mut self, name: &Arc<str>, value: Value<N>) {
        self.values.insert(Arc::clone(name), value);
    }

    pub(super) fn get(&self, name: &str) -> Known<&Value<N>> {
        self.values
            .get(name)
            .ok_or_else(|| format!("no value of `{name}`"))
    }

    /// # Errors
    /// It is no statement that is computed here.
    pub(super) fn run(&mut self, stmt: &Stmt) -> Known<()> {
        match &stmt.kind {
            StmtKind::Assign { target, op, value } if target.index.is_none() => {
                let mut value = self.eval(value)?;
                if *op == AssignOp::Accumulate {
                    value = self.get(&target.name.name)?.with(&value, |x, y| x + y)?;
                }
                self.set(&target.name.name, value);
                Ok(())
            }
            StmtKind::Expr(Expr {
                kind: ExprKind::Call(call),
                ..
            }) if matches!(&*call.name.name, "print" | "write") => match call.args.first() {
                Some(arg) => self.show(&arg.value),
                None => Ok(()),
            },
            _ => Err("another statement than an assignment or a print".to_owned()),
        }
    }

    /// The numbers in what is printed: of `"rest " + x` that is `x`.
    fn show(&mut self, expr: &Expr) -> Known<()> {
        match &expr.kind {
            ExprKind::Str(_) => Ok(()),
            ExprKind::Paren(inner) => self.show(inner),
            ExprKind::Binary(BinaryOp::Add, left, right) if is_text(left) || is_text(right) => {
                self.show(left)?;
                self.show(right)
            }
            ExprKind::Call(call) if &*call.name.name == "toString" => match call.args.first() {
                Some(arg) => self.show(&arg.value),
                None => Ok(()),
            },
            _ => {
                let value = self.eval(expr)?;
                self.shown.push(value);
                Ok(())
            }
        }
    }

    /// # Errors
    /// There is something in it that is not computed here.
    pub(super) fn eval(&self, expr: &Expr) -> Known<Value<N>> {
        let number = |x: f64| Ok(Value::number(N::of(x)));
        match &expr.kind {
            ExprKind::Int(n) => number(*n as f64),
            ExprKind::Double(x) => number(*x),
            ExprKind::Bool(holds) => Ok(Value::number(N::truth(*holds))),
            ExprKind::Name(name) => self.get(&name.name).cloned(),
            ExprKind::Paren(inner) => self.eval(inner),
            ExprKind::Unary(op, inner) => {
                let value = self.eval(inner)?;
                Ok(match op {
                    UnaryOp::Plus => value,
                    UnaryOp::Neg => value.map(|x| -x),
                    UnaryOp::Not => value.map(|x| N::truth(x.near() == 0.0)),
                })
            }
            ExprKind::Binary(op, left, right) => binary(*op, &self.eval(left)?, &self.eval(right)?),
            ExprKind::Call(call) => functions::call(self, call),
            ExprKind::Index(of, index) => self.indexed(&self.eval(of)?, index),
            ExprKind::Missing | ExprKind::Str(_) | ExprKind::Arg(_) | ExprKind::List(_) => {
                Err("text, lists or arguments".to_owned())
            }
        }
    }

    /// A size: a number that states one is what it is at these sizes.
    pub(super) fn size(&self, expr: &Expr) -> Known<usize> {
        match &expr.kind {
            ExprKind::Int(n) => {
                let stated = u64::try_from(*n).map_err(|_| "a size below zero".to_owned())?;
                let same = || usize::try_from(stated).map_err(|_| "a size of that size".to_owned());
                self.sizes.get(&stated).copied().map_or_else(same, Ok)
            }
            ExprKind::Paren(inner) => self.size(inner),
            _ => self.eval(expr)?.count(),
        }
    }

    fn indexed(&self, of: &Value<N>, index: &Index) -> Known<Value<N>> {
        let span = |span: &Span, all: usize| -> Known<(usize, usize)> {
            let (from, to) = match span {
                Span::All => (1, all),
                Span::At(at) => {
                    let at = self.size(at)?;
                    (at, at)
                }
                Span::Range(from, to) => (
                    from.as_ref().map_or(Ok(1), |from| self.size(from))?,
                    to.as_ref().map_or(Ok(all), |to| self.size(to))?,
                ),
            };
            if from < 1 || from > to || to > all {
                return Err("an index outside at small sizes".to_owned());
            }
            Ok((from - 1, to))
        };
        let cols = index.cols.as_ref().ok_or("an index of a list")?;
        let (top, bottom) = span(&index.rows, of.rows)?;
        let (left, right) = span(cols, of.cols)?;
        Value::matrix(bottom - top, right - left, |i, j| {
            of.cells[(top + i) * of.cols + left + j]
        })
    }

    /// The argument by its name or place.
    pub(super) fn argument<'b>(args: &'b [Arg], name: &str, place: usize) -> Option<&'b Expr> {
        let named = args
            .iter()
            .find(|arg| arg.name.as_ref().is_some_and(|own| &*own.name == name));
        let placed = || args.get(place).filter(|arg| arg.name.is_none());
        named.or_else(placed).map(|arg| &arg.value)
    }
}

/// Whether it is text, as far as its form says.
fn is_text(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Str(_) => true,
        ExprKind::Paren(inner) => is_text(inner),
        ExprKind::Binary(BinaryOp::Add, left, right) => is_text(left) || is_text(right),
        ExprKind::Call(call) => &*call.name.name == "toString",
        _ => false,
    }
}

fn binary<N: Number>(op: BinaryOp, a: &Value<N>, b: &Value<N>) -> Known<Value<N>> {
    let is = |x: N| x.near() != 0.0;
    match op {
        BinaryOp::MatMul => a.times(b),
        BinaryOp::Pow => a.with(b, power),
        BinaryOp::Mul => a.with(b, |x, y| x * y),
        BinaryOp::Div => a.with(b, |x, y| x / y),
        BinaryOp::Add => a.with(b, |x, y| x + y),
        BinaryOp::Sub => a.with(b, |x, y| x - y),
        BinaryOp::Lt => a.with(b, |x, y| N::truth(x < y)),
        BinaryOp::Le => a.with(b, |x, y| N::truth(x <= y)),
        BinaryOp::Gt => a.with(b, |x, y| N::truth(x > y)),
        BinaryOp::Ge => a.with(b, |x, y| N::truth(x >= y)),
        BinaryOp::Eq => a.with(b, |x, y| N::truth(x == y)),
        BinaryOp::Ne => a.with(b, |x, y| N::truth(x != y)),
        BinaryOp::And => a.with(b, |x, y| N::truth(is(x) && is(y))),
        BinaryOp::Or => a.with(b, |x, y| N::truth(is(x) || is(y))),
        BinaryOp::Mod | BinaryOp::IntDiv => Err("an operator that jumps".to_owned()),
    }
}
