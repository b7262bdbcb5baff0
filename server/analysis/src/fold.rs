//! Arithmetic over what is known of scalars: kinds, values, sizes by name. Matrices are the DAG's business.

use std::sync::Arc;

use sumac_la::{Dim, Op, as_f64};

use crate::value::{Constant, ValueInfo, ValueKind};

/// What is known of `op` over scalars; for matrices the kind only, where it is clear.
pub(crate) fn scalar_result(op: Op, args: &[&ValueInfo]) -> ValueInfo {
    let kinds: Vec<ValueKind> = args.iter().map(|info| info.kind).collect();
    if matches!(op, Op::Nrow | Op::Ncol | Op::Length) {
        let size = match (op, args.first()) {
            (Op::Nrow, Some(info)) => info.rows.clone(),
            (Op::Ncol, Some(info)) => info.cols.clone(),
            _ => Dim::Unknown,
        };
        let constant = size.known().map(|n| Constant::Number(as_f64(n)));
        return ValueInfo {
            size,
            ..ValueInfo::of(ValueKind::Int)
        }
        .with_constant(constant);
    }
    if !kinds.iter().all(|kind| kind.is_numeric_scalar()) {
        let matrix = kinds.contains(&ValueKind::Matrix) && !kinds.contains(&ValueKind::Frame);
        let aggregate = matches!(
            op,
            Op::Sum | Op::Mean | Op::Min | Op::Max | Op::Prod | Op::Trace | Op::AsScalar
        );
        return ValueInfo::of(match (aggregate, matrix) {
            (true, _) => ValueKind::Double,
            (false, true) => ValueKind::Matrix,
            (false, false) => ValueKind::Unknown,
        });
    }
    let all_int = kinds
        .iter()
        .all(|kind| matches!(kind, ValueKind::Int | ValueKind::Bool));
    let kind = match op {
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::And | Op::Or | Op::Not => {
            ValueKind::Bool
        }
        Op::AsMatrix | Op::Fill | Op::Seq => ValueKind::Matrix,
        Op::Add
        | Op::Sub
        | Op::Mul
        | Op::Mod
        | Op::IntDiv
        | Op::Min2
        | Op::Max2
        | Op::Neg
        | Op::Abs
            if all_int =>
        {
            ValueKind::Int
        }
        _ => ValueKind::Double,
    };
    if kind == ValueKind::Matrix {
        return ValueInfo::of(kind);
    }
    let numbers: Option<Vec<f64>> = args.iter().map(|info| info.number()).collect();
    let constant = numbers
        .and_then(|numbers| value(op, &numbers))
        .map(|n| match kind {
            ValueKind::Bool => Constant::Bool(n != 0.0),
            _ => Constant::Number(n),
        });
    let size = match args {
        [a, b] => size(op, &a.size, &b.size),
        _ => Dim::Unknown,
    };
    ValueInfo {
        size,
        ..ValueInfo::of(kind)
    }
    .with_constant(constant)
}

/// The value of `op` over numbers, as SystemDS computes it.
fn value(op: Op, args: &[f64]) -> Option<f64> {
    let truth = |b: bool| f64::from(u8::from(b));
    Some(match (op, args) {
        (Op::Add, [a, b]) => a + b,
        (Op::Sub, [a, b]) => a - b,
        (Op::Mul, [a, b]) => a * b,
        (Op::Div, [a, b]) => a / b,
        (Op::Pow, [a, b]) => a.powf(*b),
        (Op::IntDiv, [a, b]) => (a / b).floor(),
        (Op::Mod, [a, b]) if *b != 0.0 => a - (a / b).floor() * b,
        (Op::Min2, [a, b]) => a.min(*b),
        (Op::Max2, [a, b]) => a.max(*b),
        #[expect(clippy::float_cmp, reason = "that is what DML's `==` asks")]
        (Op::Eq, [a, b]) => truth(a == b),
        #[expect(clippy::float_cmp, reason = "that is what DML's `!=` asks")]
        (Op::Ne, [a, b]) => truth(a != b),
        (Op::Lt, [a, b]) => truth(a < b),
        (Op::Le, [a, b]) => truth(a <= b),
        (Op::Gt, [a, b]) => truth(a > b),
        (Op::Ge, [a, b]) => truth(a >= b),
        (Op::And, [a, b]) => truth(*a != 0.0 && *b != 0.0),
        (Op::Or, [a, b]) => truth(*a != 0.0 || *b != 0.0),
        (Op::Neg, [a]) => -a,
        (Op::Not, [a]) => truth(*a == 0.0),
        (Op::Abs, [a]) => a.abs(),
        (Op::Sqrt, [a]) => a.sqrt(),
        (Op::Exp, [a]) => a.exp(),
        (Op::Log, [a]) => a.ln(),
        (Op::Floor, [a]) => a.floor(),
        (Op::Ceil, [a]) => a.ceil(),
        (Op::Round, [a]) => (a + 0.5).floor(),
        _ => return None,
    })
}

/// A size by name, such as `nrow(X) + 1`.
fn size(op: Op, a: &Dim, b: &Dim) -> Dim {
    match op {
        Op::Add => a.plus(b),
        Op::Sub => a.minus(b),
        Op::Mul => a.times(b),
        _ => Dim::Unknown,
    }
}

/// `"a" + 1` as text, where both are known.
pub(crate) fn concat(a: &ValueInfo, b: &ValueInfo) -> Option<Arc<str>> {
    let text = |info: &ValueInfo| match info.constant.as_ref()? {
        Constant::Text(text) => Some(text.to_string()),
        Constant::Number(n) if info.kind == ValueKind::Int => Some(format!("{n:.0}")),
        Constant::Bool(b) => Some(b.to_string().to_uppercase()),
        Constant::Number(_) => None,
    };
    let joined = text(a)? + &text(b)?;
    (joined.len() <= 4096).then(|| joined.into())
}
