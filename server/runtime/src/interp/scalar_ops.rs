//! Infix and prefix operators on the values of a script: which kind of scalar comes out, and text with `+`.
//!
//! Integers stay integers under `+ - * %% %/%` and prefix minus; `/` and `^` always give doubles (SystemDS 3.4).

use sumac_la::Op;
use sumac_syntax::ast::{BinaryOp, UnaryOp};

use crate::apply::apply;
use crate::error::OpError;
use crate::value::Value;

/// The algebraic operator behind an infix sign.
pub(super) fn la_op(op: BinaryOp) -> Op {
    match op {
        BinaryOp::Pow => Op::Pow,
        BinaryOp::MatMul => Op::MatMul,
        BinaryOp::Mod => Op::Mod,
        BinaryOp::IntDiv => Op::IntDiv,
        BinaryOp::Mul => Op::Mul,
        BinaryOp::Div => Op::Div,
        BinaryOp::Add => Op::Add,
        BinaryOp::Sub => Op::Sub,
        BinaryOp::Lt => Op::Lt,
        BinaryOp::Le => Op::Le,
        BinaryOp::Gt => Op::Gt,
        BinaryOp::Ge => Op::Ge,
        BinaryOp::Eq => Op::Eq,
        BinaryOp::Ne => Op::Ne,
        BinaryOp::And => Op::And,
        BinaryOp::Or => Op::Or,
    }
}

/// `a op b`.
pub(super) fn binary(op: BinaryOp, a: Value, b: Value) -> Result<Value, OpError> {
    if let (Value::Str(_), _) | (_, Value::Str(_)) = (&a, &b) {
        return text(op, &a, &b);
    }
    if let (BinaryOp::IntDiv, Value::Int(_), Value::Int(0)) = (op, &a, &b) {
        return Err(OpError::argument(
            "%/%",
            "an integer other than 0 to divide by",
            "0",
        ));
    }
    if let (Value::Int(x), Value::Int(y)) = (&a, &b)
        && let Some(result) = la_op(op).eval_integers(&[*x, *y])
    {
        return Ok(Value::Int(result));
    }
    let result = apply(la_op(op), vec![a, b])?;
    Ok(match result {
        Value::Double(x) if la_op(op).info().truth_valued => Value::Bool(x != 0.0),
        other => other,
    })
}

fn text(op: BinaryOp, a: &Value, b: &Value) -> Result<Value, OpError> {
    let sign = op.sign_and_strength().0;
    if !a.is_scalar() || !b.is_scalar() {
        let found = if a.is_scalar() { b } else { a }.describe();
        return Err(OpError::argument(
            sign,
            "text or scalars beside text (toString makes text of anything else)",
            found,
        ));
    }
    let (x, y) = (a.to_string(), b.to_string());
    Ok(match op {
        BinaryOp::Add => Value::text(x + &y),
        BinaryOp::Eq => Value::Bool(x == y),
        BinaryOp::Ne => Value::Bool(x != y),
        BinaryOp::Lt => Value::Bool(x < y),
        BinaryOp::Le => Value::Bool(x <= y),
        BinaryOp::Gt => Value::Bool(x > y),
        BinaryOp::Ge => Value::Bool(x >= y),
        _ => {
            let found = if matches!(a, Value::Str(_)) { a } else { b }.describe();
            return Err(OpError::argument(sign, "numbers", found));
        }
    })
}

/// `op a`.
pub(super) fn unary(op: UnaryOp, a: Value) -> Result<Value, OpError> {
    match (op, a) {
        (UnaryOp::Neg | UnaryOp::Plus, Value::Str(s)) => {
            Err(OpError::argument("-", "a number", format!("\"{s}\"")))
        }
        (UnaryOp::Plus, a) => Ok(a),
        (UnaryOp::Neg, Value::Int(i)) => Ok(Op::Neg
            .eval_integers(&[i])
            .map_or(Value::Double(-(i as f64)), Value::Int)),
        (UnaryOp::Neg, a) => apply(Op::Neg, vec![a]),
        (UnaryOp::Not, Value::Bool(b)) => Ok(Value::Bool(!b)),
        (UnaryOp::Not, a @ Value::Matrix(_)) => apply(Op::Not, vec![a]),
        (UnaryOp::Not, a) => Ok(Value::Bool(a.number("!")? == 0.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_results_are_those_of_systemds() {
        use BinaryOp as B;
        let int = Value::Int;
        let cases = [
            (B::Pow, int(2), int(3), "8.0"),
            (B::Div, int(5), int(5), "1.0"),
            (B::Mod, int(-7), int(3), "-1"),
            (B::IntDiv, int(-7), int(3), "-2"),
            (B::Mod, int(5), int(0), "0"),
            (B::Mul, int(2), Value::Double(3.0), "6.0"),
            (B::Gt, int(3), int(2), "TRUE"),
            (B::Eq, int(3), Value::Double(3.0), "TRUE"),
            (B::And, Value::Bool(true), Value::Bool(false), "FALSE"),
            (B::Add, Value::text("a"), Value::Bool(true), "aTRUE"),
            (B::Add, Value::text("a"), Value::Double(2.0), "a2.0"),
            (B::Eq, Value::text("a"), Value::text("a"), "TRUE"),
            (B::Add, int(i64::MAX), int(1), "9.223372036854776E18"),
        ];
        for (op, a, b, expected) in cases {
            assert_eq!(
                binary(op, a.clone(), b.clone()).unwrap().to_string(),
                expected,
                "{a} {op:?} {b}"
            );
        }
        assert!(binary(B::Sub, Value::text("a"), int(1)).is_err());
        assert_eq!(unary(UnaryOp::Neg, int(3)).unwrap(), int(-3));
        assert_eq!(
            unary(UnaryOp::Not, Value::Bool(true)).unwrap(),
            Value::Bool(false)
        );
    }
}
