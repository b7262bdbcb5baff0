//! `print`, `stop` and `assert` of an operator between matrices: SystemDS computes an argument that is no variable as a scalar,
//! and its compiler refuses operators whose result is none.

use sumac_syntax::ast::{BinaryOp, Expr, ExprKind, StmtKind, UnaryOp};
use sumac_syntax::walk::{Node, walk};

use super::checked::{Checked, described, diagnostic};
use crate::names::strip;
use crate::result::{Diagnostic, Severity, codes};
use crate::value::{ValueInfo, ValueKind};

const PRINTING: [&str; 3] = ["print", "stop", "assert"];

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    walk(checked.program, &mut |node| {
        let Node::Expr(Expr {
            kind: ExprKind::Call(call),
            ..
        }) = node
        else {
            return;
        };
        let name = &*call.name.name;
        let is_known =
            call.namespace.is_none() && PRINTING.contains(&name) && !checked.is_own(name);
        let Some(arg) = call.args.first().filter(|_| is_known) else {
            return;
        };
        let value = strip(&arg.value);
        let (Some(sign), Some(info)) = (operator(checked, value), checked.info(value)) else {
            return;
        };
        if info.kind != ValueKind::Matrix || checked.never_runs(value.range) {
            return;
        }
        let text = checked.slice(value);
        let way = match (name, info.rows.is_one() && info.cols.is_one()) {
            (_, true) => format!("write `as.scalar({text})`"),
            ("assert", false) => "aggregate it, for example by `sum`".to_owned(),
            (_, false) => format!("write `toString({text})`"),
        };
        let message = format!(
            "`{name}` takes a scalar where its argument is computed by `{sign}`, and this is {}; {way}",
            described(checked, value)
        );
        let mut found = diagnostic(codes::SCALAR_REQUIRED, value.range, message);
        found.severity = Severity::Error;
        acc.push(found);
    });
}

/// The operator, at least one of whose operands is a matrix, that stands there in the compiled program.
fn operator<'a>(checked: &Checked<'_>, expr: &'a Expr) -> Option<&'a str> {
    let is = |expr: &Expr, kind: ValueKind| checked.kind(expr) == Some(kind);
    let is_minus = |expr: &Expr| matches!(strip(expr).kind, ExprKind::Unary(UnaryOp::Neg, _));
    let pair: [&Expr; 2];
    let sign = match &expr.kind {
        ExprKind::Binary(BinaryOp::MatMul | BinaryOp::And | BinaryOp::Or, ..) => return None,
        ExprKind::Binary(op, a, b) => {
            // The compiler turns `-A + 1` around, and what comes out it can print.
            if is_rewritten(checked, *op, a, b) || is_minus(a) || is_minus(b) {
                return None;
            }
            pair = [a, b];
            op.sign_and_strength().0
        }
        ExprKind::Unary(UnaryOp::Neg, inner) => {
            let is_plain = is(inner, ValueKind::Matrix) && !is_made(checked, inner);
            return is_plain.then_some("-");
        }
        ExprKind::Call(call) if call.namespace.is_none() && !checked.is_own(&call.name.name) => {
            let [a, b] = call.args.as_slice() else {
                return None;
            };
            if !matches!(&*call.name.name, "min" | "max") {
                return None;
            }
            pair = [&a.value, &b.value];
            &*call.name.name
        }
        _ => return None,
    };
    let is_matrix = pair.iter().any(|side| is(side, ValueKind::Matrix));
    let is_known = |side: &&Expr| {
        let kind = checked.kind(side);
        kind.is_some_and(|kind| kind == ValueKind::Matrix || kind.is_numeric_scalar())
    };
    (is_matrix && pair.iter().all(is_known)).then_some(sign)
}

/// Whether SystemDS's compiler may put another thing in the place of the operator: an operand alone, or a matrix that is made
/// with other numbers.
fn is_rewritten(checked: &Checked<'_>, op: BinaryOp, a: &Expr, b: &Expr) -> bool {
    let number = |expr: &Expr| checked.info(expr).and_then(ValueInfo::number);
    let among = |expr: &Expr, numbers: &[f64]| number(expr).is_some_and(|n| numbers.contains(&n));
    let is_neutral = match op {
        BinaryOp::Add | BinaryOp::Sub => among(a, &[0.0]) || among(b, &[0.0]),
        BinaryOp::Mul | BinaryOp::Div => among(a, &[0.0, 1.0, -1.0]) || among(b, &[0.0, 1.0, -1.0]),
        _ => return false,
    };
    is_neutral || is_made(checked, a) || is_made(checked, b)
}

/// Whether it may be what `rand` makes, or `matrix` of a number.
fn is_made(checked: &Checked<'_>, expr: &Expr) -> bool {
    let makes = |expr: &Expr| {
        let ExprKind::Call(call) = &strip(expr).kind else {
            return false;
        };
        match &*call.name.name {
            "rand" | "Rand" => true,
            "matrix" => {
                let of = call.args.first().and_then(|arg| checked.kind(&arg.value));
                of.is_none_or(|kind| kind != ValueKind::Matrix && kind != ValueKind::String)
            }
            _ => false,
        }
    };
    let ExprKind::Name(name) = &strip(expr).kind else {
        return makes(expr);
    };
    let mut found = false;
    walk(checked.program, &mut |node| {
        if let Node::Stmt(stmt) = node
            && let StmtKind::Assign { target, value, .. } = &stmt.kind
            && target.name.name == name.name
        {
            // A copy may be one as well.
            found |= makes(value) || matches!(strip(value).kind, ExprKind::Name(_));
        }
    });
    found
}
