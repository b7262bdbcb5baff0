//! Shapes that do not go together, but would if one side were transposed: says so beside the mismatch.

use std::collections::BTreeMap;

use sumac_la::{Dag, Op, Type};
use sumac_syntax::ast::{BinaryOp, Expr, ExprKind};
use sumac_syntax::walk::{Node, walk};
use sumac_text::TextRange;

use super::checked::Checked;
use crate::result::{Analysis, Diagnostic, codes};

pub(super) fn explain(checked: &Checked<'_>, diagnostics: &mut [Diagnostic]) {
    let is_mismatch = |found: &Diagnostic| found.code == codes::SHAPE_MISMATCH;
    if !diagnostics.iter().any(is_mismatch) {
        return;
    }
    let mut binaries: BTreeMap<TextRange, &Expr> = BTreeMap::new();
    walk(checked.program, &mut |node| {
        if let Node::Expr(expr) = node
            && matches!(expr.kind, ExprKind::Binary(..))
        {
            binaries.insert(expr.range, expr);
        }
    });
    for found in diagnostics.iter_mut().filter(|found| is_mismatch(found)) {
        let expr = binaries.get(&found.range);
        for operand in expr.map_or_else(Vec::new, |expr| fitting(expr, checked.analysis)) {
            let text = checked.text.get(operand.range.start..operand.range.end);
            let message = format!("transposed, `{}` would fit", text.unwrap_or("this"));
            found.related.push((operand.range, message));
        }
    }
}

/// The operands of an impossible operation each of which would make it possible if it alone were transposed.
#[must_use]
pub fn fitting<'a>(expr: &'a Expr, analysis: &Analysis) -> Vec<&'a Expr> {
    let ExprKind::Binary(op, left, right) = &expr.kind else {
        return Vec::new();
    };
    let op = match op {
        BinaryOp::MatMul => Op::MatMul,
        // All cellwise operations have one rule of shapes.
        BinaryOp::And | BinaryOp::Or => return Vec::new(),
        _ => Op::Add,
    };
    let ty = |operand: &Expr| {
        let ty = analysis.type_at(operand.range)?.la_type()?;
        (!ty.is_scalar() && ty.is_sized()).then_some(ty)
    };
    let (Some(a), Some(b)) = (ty(left), ty(right)) else {
        return Vec::new();
    };
    let fits = |a: &Type, b: &Type| {
        let mut dag = Dag::default();
        let operands = [dag.input("a", a.clone()), dag.input("b", b.clone())];
        dag.op(op, operands).is_ok()
    };
    if fits(&a, &b) {
        return Vec::new();
    }
    [
        (&**left, fits(&a.transposed(), &b)),
        (&**right, fits(&a, &b.transposed())),
    ]
    .into_iter()
    .filter(|(_, fits)| *fits)
    .map(|(operand, _)| operand)
    .collect()
}
