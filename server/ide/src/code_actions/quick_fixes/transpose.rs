//! Transpose an operand that would fit then.
//!
//! ```text
//! C = A $0%*% B
//! ```
//! ->
//! ```text
//! C = A %*% t(B)
//! ```

use sumac_analysis::{codes, fitting};
use sumac_syntax::ast::{Expr, ExprKind};

use super::fix::{Fix, expr_at, replace};
use super::{Diagnostic, Snapshot};

/// How the titles begin.
pub(super) const TITLE: &str = "Transpose ";

/// The right operand: the shape of the result then begins as the left one does.
pub(super) fn right(snapshot: &Snapshot, found: &Diagnostic) -> Option<Fix> {
    let operands = operands(snapshot, found)?;
    let side = if are_alike(snapshot, &operands) {
        "the right "
    } else {
        ""
    };
    fix(snapshot, operands.last()?, side, true)
}

/// The left operand, where either would do.
pub(super) fn left(snapshot: &Snapshot, found: &Diagnostic) -> Option<Fix> {
    let operands = operands(snapshot, found)?;
    let [left, _] = operands.as_slice() else {
        return None;
    };
    let side = if are_alike(snapshot, &operands) {
        "the left "
    } else {
        ""
    };
    fix(snapshot, left, side, false)
}

fn operands<'a>(snapshot: &'a Snapshot, found: &Diagnostic) -> Option<Vec<&'a Expr>> {
    if found.code != codes::SHAPE_MISMATCH {
        return None;
    }
    Some(fitting(expr_at(snapshot, found.range)?, &snapshot.analysis))
}

/// Whether there are two, which are written in the same way.
fn are_alike(snapshot: &Snapshot, operands: &[&Expr]) -> bool {
    let [left, right] = operands else {
        return false;
    };
    snapshot.text()[left.range] == snapshot.text()[right.range]
}

fn fix(snapshot: &Snapshot, operand: &Expr, side: &str, is_preferred: bool) -> Option<Fix> {
    let mut inner = operand;
    while let ExprKind::Paren(wrapped) = &inner.kind {
        inner = wrapped;
    }
    let text = |expr: &Expr| snapshot.text()[expr.range].to_owned();
    let new = match &inner.kind {
        ExprKind::Call(call) if call.namespace.is_none() && &*call.name.name == "t" => {
            text(&call.args.first()?.value)
        }
        _ => format!("t({})", text(inner)),
    };
    let edits = vec![replace(operand.range, new)];
    Some(Fix {
        is_preferred,
        ..Fix::possible(format!("{TITLE}{side}`{}`", text(operand)), edits)
    })
}
