//! Positions as sums, in the forms that SystemDS reads. Must know no loop.

use std::sync::Arc;

use sumac_syntax::ast::{BinaryOp, Expr, ExprKind};

use crate::names::strip;

/// A position as a sum: a constant, and whole multiples of variables.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Linear {
    pub(super) constant: i64,
    /// Factors, each with the variable that it multiplies.
    pub(super) terms: Vec<(i64, Arc<str>)>,
}

pub(super) fn same_places(f: &Linear, g: &Linear) -> bool {
    let sorted = |place: &Linear| {
        let mut terms = place.terms.clone();
        terms.retain(|(by, _)| *by != 0);
        terms.sort_by(|a, b| a.1.cmp(&b.1));
        terms
    };
    f.constant == g.constant && sorted(f) == sorted(g)
}

pub(super) fn divisor_of(f: &Linear, g: &Linear) -> i64 {
    let factors = f.terms.iter().chain(&g.terms).map(|(by, _)| by.abs());
    factors.fold(0, greatest_common_divisor)
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 {
        a
    } else {
        greatest_common_divisor(b, a % b)
    }
}

/// A position as a sum of a constant and a multiple of one variable, in the forms that SystemDS reads.
pub(super) fn linear(expr: &Expr) -> Option<Linear> {
    let expr = strip(expr);
    if let Some(constant) = whole(expr) {
        return Some(Linear {
            constant,
            terms: Vec::new(),
        });
    }
    match &expr.kind {
        ExprKind::Name(ident) => Some(Linear {
            constant: 0,
            terms: vec![(1, Arc::clone(&ident.name))],
        }),
        // To SystemDS, these are variables that no loop has.
        ExprKind::Call(_) => Some(Linear::default()),
        ExprKind::Index(base, _) => match &strip(base).kind {
            ExprKind::Name(ident) => Some(Linear {
                constant: 0,
                terms: vec![(1, Arc::clone(&ident.name))],
            }),
            _ => None,
        },
        ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
            let sign = if *op == BinaryOp::Add { 1 } else { -1 };
            match (whole(a), whole(b)) {
                (_, Some(b)) => {
                    let mut found = linear(a)?;
                    found.constant = found.constant.saturating_add(b.saturating_mul(sign));
                    Some(found)
                }
                (Some(a), None) => {
                    let mut found = linear(b)?;
                    found.scale(sign);
                    found.constant = found.constant.saturating_add(a);
                    Some(found)
                }
                (None, None) => None,
            }
        }
        ExprKind::Binary(BinaryOp::Mul, a, b) => {
            let (by, other) = match (whole(a), whole(b)) {
                (Some(by), _) => (by, b),
                (None, Some(by)) => (by, a),
                (None, None) => return None,
            };
            let mut found = linear(other)?;
            found.scale(by);
            Some(found)
        }
        _ => None,
    }
}

fn whole(expr: &Expr) -> Option<i64> {
    match &strip(expr).kind {
        ExprKind::Int(n) => Some(*n),
        #[expect(
            clippy::cast_possible_truncation,
            reason = "checked to be whole and small"
        )]
        ExprKind::Double(x) if x.fract() == 0.0 && x.abs() < 1e15 => Some(*x as i64),
        _ => None,
    }
}

impl Linear {
    pub(super) fn scale(&mut self, by: i64) {
        self.constant = self.constant.saturating_mul(by);
        for (factor, _) in &mut self.terms {
            *factor = factor.saturating_mul(by);
        }
    }
}
