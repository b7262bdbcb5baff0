//! The scalar functions behind cellwise operators, as SystemDS defines them.
//!
//! `with_binary!` and `with_unary!` turn an operator into a closure that the caller's loop is compiled for, so that
//! no loop dispatches per cell.

use sumac_la::Op;

/// Evaluates `$body` with `$f` bound to the operator's function of two numbers; `None` for other operators.
macro_rules! with_binary {
    ($op:expr, $f:ident => $body:expr) => {{
        use sumac_la::Op;
        use $crate::kernels::scalar::{int_div, max, min, modulus, power, truth};
        macro_rules! arm {
            ($g:expr) => {{
                let $f = $g;
                Some($body)
            }};
        }
        match $op {
            Op::Add => arm!(|a: f64, b: f64| a + b),
            Op::Sub => arm!(|a: f64, b: f64| a - b),
            Op::Mul => arm!(|a: f64, b: f64| a * b),
            Op::Div => arm!(|a: f64, b: f64| a / b),
            Op::Pow => arm!(power),
            Op::Min2 => arm!(min),
            Op::Max2 => arm!(max),
            Op::Mod => arm!(modulus),
            Op::IntDiv => arm!(int_div),
            Op::Eq => arm!(|a: f64, b: f64| truth(a == b)),
            Op::Ne => arm!(|a: f64, b: f64| truth(a != b)),
            Op::Lt => arm!(|a: f64, b: f64| truth(a < b)),
            Op::Le => arm!(|a: f64, b: f64| truth(a <= b)),
            Op::Gt => arm!(|a: f64, b: f64| truth(a > b)),
            Op::Ge => arm!(|a: f64, b: f64| truth(a >= b)),
            Op::And => arm!(|a: f64, b: f64| truth(a != 0.0 && b != 0.0)),
            Op::Or => arm!(|a: f64, b: f64| truth(a != 0.0 || b != 0.0)),
            Op::LogBase => arm!(|a: f64, b: f64| a.ln() / b.ln()),
            _ => None,
        }
    }};
}

/// Evaluates `$body` with `$f` bound to the operator's function of one number; `None` for other operators.
macro_rules! with_unary {
    ($op:expr, $f:ident => $body:expr) => {{
        use sumac_la::Op;
        use $crate::kernels::scalar::{round, sigmoid, sign, truth};
        macro_rules! arm {
            ($g:expr) => {{
                let $f = $g;
                Some($body)
            }};
        }
        match $op {
            Op::Neg => arm!(|a: f64| -a),
            Op::Not => arm!(|a: f64| truth(a == 0.0)),
            Op::Exp => arm!(f64::exp),
            Op::Log => arm!(f64::ln),
            Op::Sqrt => arm!(f64::sqrt),
            Op::Abs => arm!(f64::abs),
            Op::Sign => arm!(sign),
            Op::Round => arm!(round),
            Op::Floor => arm!(f64::floor),
            Op::Ceil => arm!(f64::ceil),
            Op::Sigmoid => arm!(sigmoid),
            Op::Sin => arm!(f64::sin),
            Op::Cos => arm!(f64::cos),
            Op::Tan => arm!(f64::tan),
            Op::Asin => arm!(f64::asin),
            Op::Acos => arm!(f64::acos),
            Op::Atan => arm!(f64::atan),
            Op::Sinh => arm!(f64::sinh),
            Op::Cosh => arm!(f64::cosh),
            Op::Tanh => arm!(f64::tanh),
            _ => None,
        }
    }};
}

pub(crate) use {with_binary, with_unary};

/// `op` of two numbers; `None` if `op` is no cellwise operator of two arguments.
#[must_use]
pub fn binary(op: Op, a: f64, b: f64) -> Option<f64> {
    with_binary!(op, f => f(a, b))
}

/// The function of two numbers behind `op`; `None` if `op` is no cellwise operator of two arguments.
pub(crate) fn binary_function(op: Op) -> Option<fn(f64, f64) -> f64> {
    with_binary!(op, f => {
        let f: fn(f64, f64) -> f64 = f;
        f
    })
}

/// `op` of one number; `None` if `op` is no cellwise operator of one argument.
#[must_use]
pub fn unary(op: Op, a: f64) -> Option<f64> {
    with_unary!(op, f => f(a))
}

#[inline(always)]
pub(crate) fn truth(yes: bool) -> f64 {
    f64::from(u8::from(yes))
}

/// The smaller; NaN if either is.
#[inline(always)]
pub(crate) fn min(a: f64, b: f64) -> f64 {
    if a < b || a.is_nan() { a } else { b }
}

/// The larger; NaN if either is.
#[inline(always)]
pub(crate) fn max(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

#[inline(always)]
pub(crate) fn power(a: f64, b: f64) -> f64 {
    if b == 2.0 { a * a } else { a.powf(b) }
}

/// The quotient without its fraction. As in SystemDS 3.4: toward zero, and what rounding left a hair below a whole number
/// counts as that number.
#[inline(always)]
pub(crate) fn int_div(a: f64, b: f64) -> f64 {
    const HAIR: f64 = f64::EPSILON / 2.0;
    let quotient = a / b;
    (quotient.abs() + HAIR).floor().copysign(quotient)
}

/// What is left of `a` after whole multiples of `b`, with the sign of `a`. As in SystemDS 3.4, it is computed from the
/// quotient: NaN for `b = 0` and for infinite `b`.
#[inline(always)]
pub(crate) fn modulus(a: f64, b: f64) -> f64 {
    a - int_div(a, b) * b
}

#[inline(always)]
pub(crate) fn sign(a: f64) -> f64 {
    if a > 0.0 {
        1.0
    } else if a < 0.0 {
        -1.0
    } else {
        a
    }
}

/// The nearest integer, halves up. As Java's `Math.round`, which SystemDS uses: NaN gives 0, and what is beyond 64 bits
/// gives the nearest 64-bit integer.
#[inline(always)]
pub(crate) fn round(a: f64) -> f64 {
    let down = a.floor();
    let nearest = if a - down >= 0.5 { down + 1.0 } else { down };
    nearest as i64 as f64
}

#[inline(always)]
pub(crate) fn sigmoid(a: f64) -> f64 {
    1.0 / (1.0 + (-a).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_round_up_and_special_values_are_those_of_java() {
        for (x, y) in [
            (2.5, 3.0),
            (-2.5, -2.0),
            (0.499_999_999_999_999_94, 0.0),
            (-0.5, 0.0),
            (1e300, i64::MAX as f64),
        ] {
            assert_eq!(round(x), y, "round({x})");
        }
        assert_eq!(round(f64::NAN), 0.0);
        assert_eq!(round(f64::NEG_INFINITY), i64::MIN as f64);
    }

    #[test]
    fn division_truncates_and_the_modulus_has_the_sign_of_the_dividend() {
        for (a, b, r) in [
            (7.0, 2.0, 1.0),
            (-7.0, 3.0, -1.0),
            (5.5, -2.0, 1.5),
            (6.0, 3.0, 0.0),
        ] {
            assert_eq!(modulus(a, b), r, "{a} %% {b}");
        }
        assert!(modulus(5.0, 0.0).is_nan());
        assert!(modulus(3.0, f64::INFINITY).is_nan());
        assert_eq!(modulus(1.8, 0.6), 2.220446049250313e-16);
        assert!(int_div(1.0, 0.0).is_infinite() && int_div(0.0, 0.0).is_nan());
        assert_eq!(int_div(-7.5, 2.0), -3.0);
    }

    #[test]
    fn nan_wins_in_min_and_max() {
        for (a, b) in [(f64::NAN, 1.0), (1.0, f64::NAN)] {
            assert!(min(a, b).is_nan() && max(a, b).is_nan());
        }
        assert_eq!((min(1.0, 2.0), max(1.0, 2.0)), (1.0, 2.0));
    }

    #[test]
    fn each_cellwise_operator_of_the_table_has_a_function() {
        for op in Op::ALL {
            if op.info().shape == sumac_la::ShapeRule::Cellwise && *op != Op::IfElse {
                let has = if op.info().arity.accepts(2) {
                    binary(*op, 1.0, 2.0)
                } else {
                    unary(*op, 0.5)
                };
                assert!(has.is_some(), "{op:?}");
            }
        }
    }
}
