//! Expressions of statements that wait: algebra over matrices and numbers, without effects, that surely can be evaluated.
//!
//! Whatever is not certain to be so is no piece: text, empty matrices, calls of functions, comparisons of numbers that are
//! not computed yet. Nothing is computed here but numbers of numbers, and no variable changes.

use std::time::{Duration, Instant};

use sumac_la::{Op, ShapeRule};
use sumac_syntax::ast::{BinaryOp, Call, Expr, ExprKind, Ident, Index, Span, UnaryOp};

use super::algebra::Piece;
use super::blocks::Waiting;
use super::idioms::{is_log_of_non_zero, turned_round};
use super::stats::Stats;
use super::{Interpreter, Scope, Unit, operators, scalar_ops};
use crate::kernels::cell;
use crate::value::Value;

impl Interpreter<'_> {
    /// What an expression is; `None` where it must be evaluated as it stands.
    pub(super) fn algebra_of(
        &mut self,
        expr: &Expr,
        into: &mut Waiting,
        stats: &mut Stats,
        scope: &Scope,
        unit: &Unit,
    ) -> Option<Piece> {
        let found = self.deeper(|this| {
            Ok(match &expr.kind {
                ExprKind::Paren(inner) => this.algebra_of(inner, into, stats, scope, unit),
                ExprKind::Int(i) => Some(Piece::Value(Value::Int(*i))),
                ExprKind::Double(x) => Some(Piece::Value(Value::Double(*x))),
                ExprKind::Bool(b) => Some(Piece::Value(Value::Bool(*b))),
                ExprKind::Name(name) => this.known(name, into, scope),
                ExprKind::Arg(name) => {
                    let value = this.options.args.get(&*name.name).cloned();
                    value.filter(is_plain).map(Piece::Value)
                }
                // A comparison that is turned round is computed where it stands.
                _ if turned_round(expr).is_some() => None,
                ExprKind::Unary(op, a) => {
                    let a = this.algebra_of(a, into, stats, scope, unit);
                    a.and_then(|a| signed(*op, a, into))
                }
                ExprKind::Binary(op, a, b) => {
                    this.operation(*op, [a, b], into, stats, (scope, unit))
                }
                ExprKind::Call(call) => this.called(call, into, stats, scope, unit),
                ExprKind::Index(base, index) => {
                    let base = this.algebra_of(base, into, stats, scope, unit);
                    base.and_then(|base| this.columns(base, index, into, stats, (scope, unit)))
                }
                ExprKind::Str(_) | ExprKind::List(_) | ExprKind::Missing => None,
            })
        });
        found.ok().flatten()
    }

    /// `a op b` of two expressions.
    fn operation(
        &mut self,
        op: BinaryOp,
        [a, b]: [&Expr; 2],
        into: &mut Waiting,
        stats: &mut Stats,
        (scope, unit): (&Scope, &Unit),
    ) -> Option<Piece> {
        let is_log = is_log_of_non_zero(op, a, b);
        let a = self.algebra_of(a, into, stats, scope, unit)?;
        let b = self.algebra_of(b, into, stats, scope, unit)?;
        if is_log && is_matrix(&a, into) && is_matrix(&b, into) {
            let pieces = [a, b, Piece::Value(Value::Double(0.0))];
            return into.gathered.op(Op::IfElse, &pieces).map(Piece::Node);
        }
        self.sum_of(op, [a, b], into, stats)
    }

    /// What a variable is after the statements that wait.
    pub(super) fn known(&self, name: &Ident, of: &Waiting, scope: &Scope) -> Option<Piece> {
        let there = || {
            let value = self.variable(name, scope).ok()?;
            is_plain(&value).then_some(Piece::Value(value))
        };
        of.now.get(&name.name).cloned().or_else(there)
    }

    /// `a op b`.
    pub(super) fn sum_of(
        &self,
        op: BinaryOp,
        pieces: [Piece; 2],
        into: &mut Waiting,
        stats: &mut Stats,
    ) -> Option<Piece> {
        match pieces {
            [Piece::Value(a), Piece::Value(b)] if a.is_scalar() && b.is_scalar() => {
                let start = Instant::now();
                let value = scalar_ops::binary(op, a, b).ok()?;
                stats.add(op.sign_and_strength().0, start.elapsed());
                Some(Piece::Value(value))
            }
            pieces => {
                let is_number = pieces.iter().all(|piece| !is_matrix(piece, into));
                // Others give truth values, or integers.
                let gives_double = matches!(
                    op,
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Pow
                );
                if is_number && !gives_double {
                    return None;
                }
                into.gathered
                    .op(scalar_ops::la_op(op), &pieces)
                    .map(Piece::Node)
            }
        }
    }

    /// A call, if it means algebra.
    fn called(
        &mut self,
        call: &Call,
        into: &mut Waiting,
        stats: &mut Stats,
        scope: &Scope,
        unit: &Unit,
    ) -> Option<Piece> {
        let named = call.args.iter().any(|arg| arg.name.is_some());
        if call.namespace.is_some() || named || self.user_function(call, unit).is_some() {
            return None;
        }
        let name = operators::canonical(&call.name.name);
        let count = call.args.len();
        let op = self.algebraic(call, unit).or_else(|| {
            // Builtins that mean more, and of matrices this.
            let known = [
                "min",
                "max",
                "mean",
                "as.scalar",
                "castAsScalar",
                "nrow",
                "ncol",
                "length",
            ];
            let name = if name == "castAsScalar" {
                "as.scalar"
            } else {
                name
            };
            known
                .contains(&name)
                .then(|| Op::by_call_name(name, count))?
        })?;
        let mut pieces = Vec::with_capacity(count);
        for arg in &call.args {
            pieces.push(self.algebra_of(&arg.value, into, stats, scope, unit)?);
        }
        if !pieces.iter().any(|piece| is_matrix(piece, into)) {
            return of_number(op, &pieces, into);
        }
        let shape = |piece: &Piece| match piece {
            Piece::Node(id) => {
                let ty = into.gathered.dag.ty(*id);
                Some((ty.rows.known()?, ty.cols.known()?))
            }
            Piece::Value(Value::Matrix(m)) => Some((m.rows() as u64, m.cols() as u64)),
            Piece::Value(_) => None,
        };
        let first = shape(pieces.first()?);
        let mut whole = |n: u64| {
            stats.add(cell::name(op), Duration::ZERO);
            Some(Piece::Value(Value::Int(i64::try_from(n).ok()?)))
        };
        match op {
            Op::Nrow => whole(first?.0),
            Op::Ncol => whole(first?.1),
            Op::Length => whole(first?.0.checked_mul(first?.1)?),
            Op::AsScalar if first != Some((1, 1)) => None,
            _ if op == Op::AsScalar || is_certain(op) => {
                into.gathered.op(op, &pieces).map(Piece::Node)
            }
            _ => None,
        }
    }

    /// `X[, a:b]`, where it has always been the same columns: plans know them.
    fn columns(
        &mut self,
        base: Piece,
        index: &Index,
        into: &mut Waiting,
        stats: &mut Stats,
        (scope, unit): (&Scope, &Unit),
    ) -> Option<Piece> {
        let (Span::All, Some(Span::Range(Some(low), Some(high)))) = (&index.rows, &index.cols)
        else {
            return None;
        };
        let mut whole = |end: &Expr| match self.algebra_of(end, into, stats, scope, unit)? {
            Piece::Value(Value::Int(i)) => u64::try_from(i).ok(),
            _ => None,
        };
        let range = [whole(low)?, whole(high)?];
        let place = (unit.namespace.clone(), index.range.start);
        let met = self.ranges.entry(place).or_insert(Some(range));
        if *met != Some(range) {
            *met = None;
            return None;
        }
        let (rows, cols) = match &base {
            Piece::Node(id) => {
                let ty = into.gathered.dag.ty(*id);
                (ty.rows.known()?, ty.cols.known()?)
            }
            Piece::Value(value) => {
                let m = value.as_matrix()?;
                (m.rows() as u64, m.cols() as u64)
            }
        };
        let [low, high] = range;
        if low < 1 || high < low || high > cols || !is_matrix(&base, into) {
            return None;
        }
        let number = |n: u64| Piece::Value(Value::Int(n as i64));
        let pieces = [base, number(1), number(rows), number(low), number(high)];
        into.gathered.op(Op::RightIndex, &pieces).map(Piece::Node)
    }
}

/// Matrices with cells, and numbers.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Matrix(m) => !m.is_empty(),
        other => other.as_number().is_some(),
    }
}

fn is_matrix(piece: &Piece, of: &Waiting) -> bool {
    match piece {
        Piece::Node(id) => !of.gathered.dag.is_scalar(*id),
        Piece::Value(value) => value.as_matrix().is_some(),
    }
}

fn signed(op: UnaryOp, a: Piece, into: &mut Waiting) -> Option<Piece> {
    let la_op = match op {
        UnaryOp::Plus => return Some(a),
        UnaryOp::Neg => Op::Neg,
        UnaryOp::Not => Op::Not,
    };
    match a {
        Piece::Value(value) if value.is_scalar() => {
            scalar_ops::unary(op, value).ok().map(Piece::Value)
        }
        a if op == UnaryOp::Neg || is_matrix(&a, into) => {
            into.gathered.op(la_op, &[a]).map(Piece::Node)
        }
        _ => None,
    }
}

/// A function of one number that is yet to be computed: a double again. What is known already is left to who computes it.
fn of_number(op: Op, pieces: &[Piece], into: &mut Waiting) -> Option<Piece> {
    let [Piece::Node(id)] = pieces else {
        return None;
    };
    match op {
        Op::AsScalar => Some(Piece::Node(*id)),
        _ if op.info().shape == ShapeRule::Cellwise && op != Op::Not => {
            into.gathered.op(op, pieces).map(Piece::Node)
        }
        _ => None,
    }
}

/// Whether an operator has a value for all matrices with cells whose shapes fit.
fn is_certain(op: Op) -> bool {
    match op.info().shape {
        ShapeRule::Cellwise => op != Op::IfElse,
        ShapeRule::MatMul
        | ShapeRule::Transpose
        | ShapeRule::FullAgg
        | ShapeRule::RowAgg
        | ShapeRule::ColAgg => true,
        ShapeRule::Same => op == Op::Rev,
        _ => false,
    }
}
