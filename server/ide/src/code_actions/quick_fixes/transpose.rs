//! Transpose the operand that would fit then.
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

use super::{Diagnostic, Fix, Snapshot, expr_at, replace};

pub(super) fn fix(snapshot: &Snapshot, found: &Diagnostic) -> Option<Fix> {
    if found.code != codes::SHAPE_MISMATCH {
        return None;
    }
    let expr = expr_at(snapshot, found.range)?;
    // Where both would do, the right one is taken: the shape of the result then begins as the left one does.
    let operand = *fitting(expr, &snapshot.analysis).last()?;
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
        is_preferred: true,
        ..Fix::possible(format!("Transpose `{}`", text(operand)), edits)
    })
}
