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
        // Other data may have another size.
        return ValueInfo {
            size,
            ..ValueInfo::of(ValueKind::Int)
        }
        .with_constant(constant)
        .as_assumed();
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
    let all_int = kinds.iter().all(|kind| *kind == ValueKind::Int);
    let info = op.info();
    let kind = match op {
        _ if info.truth_valued => ValueKind::Bool,
        Op::AsMatrix | Op::Fill | Op::Seq => ValueKind::Matrix,
        _ if info.keeps_integers && all_int => ValueKind::Int,
        // What is not known of a part is not known of the whole.
        _ if info.keeps_integers
            && kinds.contains(&ValueKind::Scalar)
            && !kinds.contains(&ValueKind::Double) =>
        {
            ValueKind::Scalar
        }
        Op::IfElse => match kinds[..] {
            [_, yes, no] => yes.join(no),
            _ => ValueKind::Scalar,
        },
        _ => ValueKind::Double,
    };
    if kind == ValueKind::Matrix {
        return ValueInfo::of(kind);
    }
    let numbers: Option<Vec<f64>> = args.iter().map(|info| info.number()).collect();
    let constant = numbers
        .and_then(|numbers| value(op, &numbers, kind))
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
        is_assumed: args.iter().any(|info| info.is_assumed),
        ..ValueInfo::of(kind)
    }
    .with_constant(constant)
}

/// The value of `op` over numbers; over integers, if `kind` says that it gives one.
fn value(op: Op, args: &[f64], kind: ValueKind) -> Option<f64> {
    /// Up to here every integer is a double of its own.
    const MOST: f64 = 9_007_199_254_740_992.0;
    if kind == ValueKind::Bool && args.iter().any(|x| x.abs() > MOST) {
        return None;
    }
    if kind != ValueKind::Int {
        return op.eval(args);
    }
    let is_integer = |x: &f64| x.fract() == 0.0 && x.abs() <= MOST;
    if !args.iter().all(is_integer) {
        return None;
    }
    let integers: Vec<i64> = args.iter().map(|x| *x as i64).collect();
    let value = op.eval_integers(&integers)? as f64;
    (value.abs() <= MOST).then_some(value)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn known(kind: ValueKind, x: f64) -> ValueInfo {
        ValueInfo::of(kind).with_constant(Some(Constant::Number(x)))
    }

    fn folded(op: Op, kind: ValueKind, args: &[f64]) -> (ValueKind, Option<f64>) {
        let args: Vec<ValueInfo> = args.iter().map(|x| known(kind, *x)).collect();
        let args: Vec<&ValueInfo> = args.iter().collect();
        let result = scalar_result(op, &args);
        (result.kind, result.number())
    }

    #[test]
    fn constants_of_doubles_are_what_the_operator_gives() {
        for op in Op::ALL {
            for args in [
                [-7.0, 2.0],
                [7.0, -2.0],
                [-2.5, 3.0],
                [0.0, 0.0],
                [5.0, 0.0],
            ] {
                let args = match op.info().arity.accepts(2) {
                    true => &args[..],
                    false => &args[..1],
                };
                let Some(expected) = op.eval(args) else {
                    continue;
                };
                let (kind, found) = folded(*op, ValueKind::Double, args);
                let is_same =
                    found == Some(expected) || expected.is_nan() && found.is_some_and(f64::is_nan);
                assert!(is_same, "{op:?} of {args:?}: {found:?}, not {expected}");
                let is_truth = op.info().truth_valued;
                assert_eq!(kind == ValueKind::Bool, is_truth, "{op:?}");
            }
        }
    }

    #[test]
    fn constants_of_integers_are_what_scripts_compute_of_integers() {
        use ValueKind::{Double, Int};
        for (op, args, expected) in [
            (Op::IntDiv, &[-7.0, 2.0][..], (Int, Some(-3.0))),
            (Op::IntDiv, &[5.0, 0.0], (Int, None)),
            (Op::Mod, &[-7.0, 2.0], (Int, Some(-1.0))),
            (Op::Mod, &[5.0, 0.0], (Int, Some(0.0))),
            (Op::Div, &[1.0, 2.0], (Double, Some(0.5))),
            (Op::Pow, &[2.0, 3.0], (Double, Some(8.0))),
            (Op::Mul, &[9e15, 9e15], (Int, None)),
            (Op::Neg, &[3.0], (Int, Some(-3.0))),
        ] {
            assert_eq!(folded(op, Int, args), expected, "{op:?} of {args:?}");
        }
    }
}
