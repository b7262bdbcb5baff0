//! Replace a deprecated builtin by its newer form.
//!
//! ```text
//! x = $0castAsScalar(X)
//! ```
//! ->
//! ```text
//! x = as.scalar(X)
//! ```

use sumac_analysis::{REPLACEMENTS, codes};
use sumac_syntax::ast::{Expr, ExprKind};
use sumac_syntax::walk::{Node, walk};

use super::fix::{Fix, replace};
use super::{Diagnostic, Snapshot};

const COMPARISONS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];

pub(super) fn fix(snapshot: &Snapshot, found: &Diagnostic) -> Option<Fix> {
    if found.code != codes::DEPRECATED_FUNCTION {
        return None;
    }
    let old = &snapshot.text()[found.range];
    if old == "ppred" {
        return operator(snapshot, found);
    }
    let (_, new) = REPLACEMENTS.iter().find(|(name, _)| *name == old)?;
    let edits = vec![replace(found.range, *new)];
    Some(Fix::obvious(format!("Replace `{old}` by `{new}`"), edits))
}

/// `ppred(X, y, ">")` as `(X > y)`.
fn operator(snapshot: &Snapshot, found: &Diagnostic) -> Option<Fix> {
    let mut call = None;
    walk(snapshot.parse.program(), &mut |node| {
        if let Node::Expr(Expr {
            range,
            kind: ExprKind::Call(c),
        }) = node
            && c.name.range == found.range
        {
            call = Some((*range, c));
        }
    });
    let (range, call) = call?;
    let [left, right, sign] = call.args.as_slice() else {
        return None;
    };
    let ExprKind::Str(sign) = &sign.value.kind else {
        return None;
    };
    let sign = COMPARISONS.iter().find(|known| **known == &*sign.value)?;
    let side = |expr: &Expr| {
        let text = &snapshot.text()[expr.range];
        let binds_weaker = matches!(expr.kind, ExprKind::Binary(..) | ExprKind::Unary(..));
        if binds_weaker {
            format!("({text})")
        } else {
            text.to_owned()
        }
    };
    let new = format!("({} {sign} {})", side(&left.value), side(&right.value));
    let edits = vec![replace(range, new)];
    Some(Fix::obvious(format!("Replace `ppred` by `{sign}`"), edits))
}
