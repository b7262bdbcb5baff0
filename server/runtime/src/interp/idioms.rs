//! Expressions that SystemDS computes by one operator, which gives something else than their operators one by one would: where a
//! cell is NaN, or where zero meets the logarithm of zero. Scripts rely on both.
//!
//! They are known by their text, so that a statement means the same wherever it stands and however it is evaluated.

use sumac_syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};

/// A comparison that is turned round, as `!(a < b)` or `(a < b) == 0`: SystemDS computes `a >= b`, which is another thing for NaN.
/// Gives the comparison, and the one that takes its place.
pub(super) fn turned_round(expr: &Expr) -> Option<(&Expr, BinaryOp, [&Expr; 2])> {
    let inner = match &expr.kind {
        ExprKind::Unary(UnaryOp::Not, inner) => inner,
        ExprKind::Binary(BinaryOp::Eq, inner, zero) if zero.kind == ExprKind::Int(0) => inner,
        _ => return None,
    };
    let inner = bare(inner);
    let ExprKind::Binary(op, a, b) = &inner.kind else {
        return None;
    };
    let other = match op {
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Le => BinaryOp::Gt,
        BinaryOp::Gt => BinaryOp::Le,
        BinaryOp::Ge => BinaryOp::Lt,
        BinaryOp::Eq => BinaryOp::Ne,
        BinaryOp::Ne => BinaryOp::Eq,
        _ => return None,
    };
    Some((inner, other, [a, b]))
}

/// Whether `a op b` is `(X != 0) * log(X)`: the logarithms of what is not zero, and zero elsewhere.
pub(super) fn is_log_of_non_zero(op: BinaryOp, a: &Expr, b: &Expr) -> bool {
    let (ExprKind::Binary(BinaryOp::Ne, x, y), ExprKind::Call(call)) =
        (&bare(a).kind, &bare(b).kind)
    else {
        return false;
    };
    let Some(of) = call.args.first() else {
        return false;
    };
    let is_log = &*call.name.name == "log" && call.namespace.is_none() && of.name.is_none();
    let is_same = match (&bare(x).kind, &bare(&of.value).kind) {
        (ExprKind::Name(tested), ExprKind::Name(taken)) => tested.name == taken.name,
        _ => false,
    };
    op == BinaryOp::Mul && is_zero(y) && is_log && is_same
}

fn bare(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Paren(inner) => bare(inner),
        _ => expr,
    }
}

fn is_zero(expr: &Expr) -> bool {
    match bare(expr).kind {
        ExprKind::Int(i) => i == 0,
        ExprKind::Double(x) => x == 0.0,
        _ => false,
    }
}
