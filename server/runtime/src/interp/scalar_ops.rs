//! Infix and prefix operators on the values of a script: which kind of scalar comes out, and text with `+`.
//!
//! Integers stay integers under `+ - * %% %/%` and prefix minus; `/` and `^` always give doubles (SystemDS 3.4). What does not fit
//! into 64 bits is an error, never another number. `&`, `|` and `!` of doubles are doubles.

use sumac_la::{Op, ShapeRule};
use sumac_syntax::ast::{BinaryOp, UnaryOp};

use crate::apply::apply;
use crate::error::OpError;
use crate::kernels::cell;
use crate::matrix::Matrix;
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

/// Whether a cellwise operator takes matrices of these sizes, rows before columns: the second one is repeated where it is a single row
/// or column, the first one never is (SystemDS 3.4). Two more are taken: a single cell, which SystemDS refuses, and a column
/// before a row, which it refuses where it knows the sizes and makes a table of all pairs of elsewhere.
pub(super) fn repeats_second(first: [u64; 2], second: [u64; 2]) -> bool {
    let is_table = first[1] == 1 && second[0] == 1;
    let is_cell = first == [1, 1];
    let mut sides = first.iter().zip(&second);
    is_table || is_cell || sides.all(|(first, second)| first == second || *second == 1)
}

/// Refuses a cellwise operator of two that would have to repeat its first matrix.
fn check_sides(op: Op, args: &[Value]) -> Result<(), OpError> {
    let ([Value::Matrix(a), Value::Matrix(b)], ShapeRule::Cellwise) = (args, op.info().shape)
    else {
        return Ok(());
    };
    let sizes = |m: &Matrix| [m.rows() as u64, m.cols() as u64];
    let (first, second) = (sizes(a), sizes(b));
    if repeats_second(first, second) {
        return Ok(());
    }
    let shown = |[rows, cols]: [u64; 2]| format!("{rows} x {cols}");
    Err(OpError::Shapes {
        op: cell::name(op).to_owned(),
        left: shown(first),
        right: shown(second),
        rule: "shapes must be equal, or the right one a row or a column that fits; the left one is not repeated"
            .to_owned(),
    })
}

/// `op` over these values, as SystemDS takes them in a script: its first matrix is not repeated.
pub(super) fn apply_in_script(op: Op, args: Vec<Value>) -> Result<Value, OpError> {
    check_sides(op, &args)?;
    apply(op, args)
}

/// `a op b`.
pub(super) fn binary(op: BinaryOp, a: Value, b: Value) -> Result<Value, OpError> {
    if let (Value::Str(_), _) | (_, Value::Str(_)) = (&a, &b) {
        return text(op, &a, &b);
    }
    let la_op = la_op(op);
    if let (Value::Int(x), Value::Int(y)) = (&a, &b) {
        if let Some(result) = la_op.eval_integers(&[*x, *y]) {
            return Ok(Value::Int(result));
        }
        if let Some(result) = la_op.compare_integers(*x, *y) {
            return Ok(Value::Bool(result));
        }
        if la_op.info().keeps_integers {
            return Err(beyond_integers(op, *x, *y));
        }
    }
    let keeps_doubles = matches!(op, BinaryOp::And | BinaryOp::Or)
        && [&a, &b].iter().any(|x| matches!(x, Value::Double(_)));
    let result = apply_in_script(la_op, vec![a, b])?;
    Ok(match result {
        Value::Double(x) if la_op.info().truth_valued && !keeps_doubles => Value::Bool(x != 0.0),
        other => other,
    })
}

/// Why two integers have no integer as their result.
fn beyond_integers(op: BinaryOp, a: i64, b: i64) -> OpError {
    let sign = op.sign_and_strength().0;
    if (op, b) == (BinaryOp::IntDiv, 0) {
        return OpError::argument(
            sign,
            "an integer other than 0 to divide by",
            format!("{a} {sign} 0"),
        );
    }
    OpError::argument(
        sign,
        "integers whose result fits into 64 bits (as.double makes a double of one)",
        format!("{a} {sign} {b}"),
    )
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
        (UnaryOp::Neg, Value::Int(i)) => {
            let expected =
                "an integer whose opposite fits into 64 bits (as.double makes a double of it)";
            let negated = Op::Neg.eval_integers(&[i]).map(Value::Int);
            negated.ok_or_else(|| OpError::argument("-", expected, i))
        }
        (UnaryOp::Neg, a) => apply(Op::Neg, vec![a]),
        (UnaryOp::Not, Value::Bool(b)) => Ok(Value::Bool(!b)),
        (UnaryOp::Not, a @ Value::Matrix(_)) => apply(Op::Not, vec![a]),
        (UnaryOp::Not, a) => apply(Op::Not, vec![Value::Double(a.number("!")?)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_operand_is_repeated_and_a_first_one_is_not() {
        for (first, second) in [
            ([3, 4], [3, 4]),
            ([3, 4], [1, 4]),
            ([3, 4], [3, 1]),
            ([3, 4], [1, 1]),
            ([3, 1], [1, 4]),
            ([1, 1], [3, 4]),
            ([1, 4], [1, 1]),
        ] {
            assert!(repeats_second(first, second), "{first:?} {second:?}");
        }
        for (first, second) in [([1, 4], [3, 4]), ([3, 1], [3, 4]), ([1, 4], [3, 1])] {
            assert!(!repeats_second(first, second), "{first:?} {second:?}");
        }
    }

    #[test]
    fn functions_of_two_repeat_no_first_operand_either() {
        let matrix = |rows, cols| Value::from(Matrix::dense(rows, cols, vec![1.0; rows * cols]));
        for op in [Op::Min2, Op::Max2, Op::Mul] {
            let applied = |first, second| apply_in_script(op, vec![first, second]);
            assert!(applied(matrix(3, 4), matrix(1, 4)).is_ok(), "{op:?}");
            assert!(applied(matrix(1, 4), matrix(3, 4)).is_err(), "{op:?}");
        }
    }

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
            (B::IntDiv, int(0), int(0), "0"),
            (B::IntDiv, int(-3), int(0), "-9223372036854775808"),
            (
                B::Gt,
                int(9_007_199_254_740_993),
                int(9_007_199_254_740_992),
                "TRUE",
            ),
            (B::Or, Value::Double(0.5), Value::Bool(false), "1.0"),
            (B::And, Value::Double(0.5), Value::Double(0.0), "0.0"),
            (B::Eq, Value::Double(0.5), Value::Double(0.0), "FALSE"),
        ];
        for (op, a, b, expected) in cases {
            assert_eq!(
                binary(op, a.clone(), b.clone()).unwrap().to_string(),
                expected,
                "{a} {op:?} {b}"
            );
        }
        assert!(binary(B::Sub, Value::text("a"), int(1)).is_err());
        for (op, a, b) in [
            (B::Add, i64::MAX, 1),
            (B::Sub, i64::MIN, 1),
            (B::Mul, 3_037_000_500, 3_037_000_500),
            (B::IntDiv, 3, 0),
        ] {
            let error = binary(op, int(a), int(b)).unwrap_err().to_string();
            assert!(error.contains(&a.to_string()), "{error}");
        }
        assert!(unary(UnaryOp::Neg, int(i64::MIN)).is_err());
        assert_eq!(
            unary(UnaryOp::Not, Value::Double(0.5)).unwrap(),
            Value::Double(0.0)
        );
        assert_eq!(unary(UnaryOp::Neg, int(3)).unwrap(), int(-3));
        assert_eq!(
            unary(UnaryOp::Not, Value::Bool(true)).unwrap(),
            Value::Bool(false)
        );
    }
}
