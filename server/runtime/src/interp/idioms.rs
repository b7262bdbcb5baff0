//! Expressions that SystemDS computes by one operator, which gives something else than their operators one by one would: where a
//! cell is NaN, or where zero meets the logarithm of zero. Scripts rely on both.
//!
//! They are known by their text, so that a statement means the same wherever it stands and however it is evaluated.

use sumac_syntax::ast::{BinaryOp, Expr, ExprKind};

/// Such an expression.
pub(super) enum Idiom<'e> {
    /// `(a < b) == 0` is the opposite comparison of the same sides, `a >= b`: NaN fits neither.
    Opposite(BinaryOp, [&'e Expr; 2]),
    /// `(X != 0) * log(X)`: the logarithms of what is not zero, and zero elsewhere.
    LogOfNonZero,
}

/// What `a op b` is, where it is more than its operator.
pub(super) fn idiom<'e>(op: BinaryOp, a: &'e Expr, b: &'e Expr) -> Option<Idiom<'e>> {
    let ExprKind::Binary(inner, x, y) = &bare(a).kind else {
        return None;
    };
    match op {
        BinaryOp::Eq if is_zero(b) => Some(Idiom::Opposite(opposite(*inner)?, [x, y])),
        BinaryOp::Mul if *inner == BinaryOp::Ne && is_zero(y) => {
            let ExprKind::Call(call) = &bare(b).kind else {
                return None;
            };
            let of = call.args.first()?;
            let is_log = &*call.name.name == "log" && call.namespace.is_none() && of.name.is_none();
            let is_same = match (&bare(x).kind, &bare(&of.value).kind) {
                (ExprKind::Name(tested), ExprKind::Name(taken)) => tested.name == taken.name,
                _ => false,
            };
            (is_log && is_same).then_some(Idiom::LogOfNonZero)
        }
        _ => None,
    }
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

fn opposite(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Le => BinaryOp::Gt,
        BinaryOp::Gt => BinaryOp::Le,
        BinaryOp::Ge => BinaryOp::Lt,
        BinaryOp::Eq => BinaryOp::Ne,
        BinaryOp::Ne => BinaryOp::Eq,
        _ => return None,
    })
}
