//! `inv(A) %*% B`, where `solve(A, B)` gives the same from a factorization: in less time, and with fewer digits lost
//! (Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd edition, section 14.1).

use std::collections::BTreeSet;

use sumac_syntax::ast::{BinaryOp, Expr, ExprKind};
use sumac_syntax::walk::{Node, walk};
use sumac_text::TextRange;

use super::checked::{Checked, diagnostic};
use crate::names::strip;
use crate::result::{Diagnostic, codes};

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    if checked.is_own("inv") || checked.is_own("solve") {
        return;
    }
    let (mut products, mut inside) = (Vec::new(), BTreeSet::new());
    walk(checked.program, &mut |node| {
        let Node::Expr(expr) = node else { return };
        if let Some((left, _)) = product(expr) {
            inside.insert(left.range);
        }
        products.extend(Solved::at(expr).map(|solved| (expr.range, solved)));
    });
    // Of a chain the whole of it is told.
    for (range, solved) in products
        .into_iter()
        .filter(|(range, _)| !inside.contains(range))
    {
        let matrix = checked.text.get(solved.matrix.start..solved.matrix.end);
        let message = format!(
            "the whole inverse is computed for a product; `solve({}, …)` gives the product in less time, and loses fewer digits",
            matrix.unwrap_or("A")
        );
        acc.push(diagnostic(codes::EXPLICIT_INVERSE, range, message));
    }
}

/// A chain of products that begins with an inverse: the solution of a system of equations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Solved {
    /// The matrix whose inverse is written.
    pub matrix: TextRange,
    /// All that the inverse is multiplied by.
    pub by: TextRange,
}

impl Solved {
    /// `None` where the expression is no such chain.
    #[must_use]
    pub fn at(expr: &Expr) -> Option<Solved> {
        let (mut left, mut right) = product(expr)?;
        while let Some((first, second)) = product(left) {
            (left, right) = (first, second);
        }
        let ExprKind::Call(call) = &strip(left).kind else {
            return None;
        };
        let is_inverse = call.namespace.is_none() && &*call.name.name == "inv";
        let [matrix] = call.args.as_slice() else {
            return None;
        };
        (is_inverse && matrix.name.is_none()).then_some(Solved {
            matrix: matrix.value.range,
            by: TextRange::new(right.range.start, expr.range.end),
        })
    }
}

fn product(expr: &Expr) -> Option<(&Expr, &Expr)> {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::MatMul, left, right) => Some((left, right)),
        _ => None,
    }
}
