//! What each scalar operator does, as SystemDS 3.4 does it: the one place that says so.
//!
//! [`Op::eval`] is its meaning over numbers, [`Op::eval_integers`] over integers. The kernels of matrices are compiled from the
//! same functions, by [`with_unary`](crate::with_unary) and [`with_binary`](crate::with_binary), which turn an operator into a
//! function that the caller's loop is compiled for. Whoever folds constants, compares canonical forms or interprets scripts calls
//! these; no other place may say what `%/%` does.

use crate::table::Op;

/// Evaluates `$body` with `$f` bound to the operator's function of two numbers; `None` for other operators.
#[macro_export]
macro_rules! with_binary {
    ($op:expr, $f:ident => $body:expr) => {{
        use $crate::Op;
        use $crate::scalar::{int_div, max, min, modulus, power, truth};
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
#[macro_export]
macro_rules! with_unary {
    ($op:expr, $f:ident => $body:expr) => {{
        use $crate::Op;
        use $crate::scalar::{round, sigmoid, sign, truth};
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

impl Op {
    /// The value of a scalar operator over numbers; `None` for other operators, and for another number of arguments.
    #[must_use]
    pub fn eval(self, args: &[f64]) -> Option<f64> {
        match *args {
            [a] => with_unary!(self, f => f(a)),
            [a, b] => with_binary!(self, f => f(a, b)),
            [test, yes, no] if self == Op::IfElse => Some(if test == 0.0 { no } else { yes }),
            _ => None,
        }
    }

    /// The integer that a scalar operator gives for integers; `None` where it gives a double instead. Where a result does not fit
    /// into 64 bits, as that of a positive integer divided by 0, it is `None`, too: an error (see [`Op::info`]'s `keeps_integers`).
    #[must_use]
    pub fn eval_integers(self, args: &[i64]) -> Option<i64> {
        if !self.info().keeps_integers {
            return None;
        }
        match (self, args) {
            (Op::Add, [a, b]) => a.checked_add(*b),
            (Op::Sub, [a, b]) => a.checked_sub(*b),
            (Op::Mul, [a, b]) => a.checked_mul(*b),
            (Op::Mod, [a, b]) => Some(a.checked_rem(*b).unwrap_or(0)),
            // As Java turns the infinite quotient, or the one that is no number, into an integer.
            (Op::IntDiv, [0, 0]) => Some(0),
            (Op::IntDiv, [a, 0]) => (*a < 0).then_some(i64::MIN),
            (Op::IntDiv, [a, b]) => a.checked_div(*b),
            (Op::Min2, [a, b]) => Some(*a.min(b)),
            (Op::Max2, [a, b]) => Some(*a.max(b)),
            (Op::Neg, [a]) => a.checked_neg(),
            _ => None,
        }
    }

    /// How two integers compare, exactly: beyond 2^53 they are more than there are doubles. `None` for other operators.
    #[must_use]
    pub fn compare_integers(self, a: i64, b: i64) -> Option<bool> {
        Some(match self {
            Op::Eq => a == b,
            Op::Ne => a != b,
            Op::Lt => a < b,
            Op::Le => a <= b,
            Op::Gt => a > b,
            Op::Ge => a >= b,
            _ => return None,
        })
    }
}

/// 1 or 0.
#[inline(always)]
#[must_use]
pub fn truth(yes: bool) -> f64 {
    f64::from(u8::from(yes))
}

/// The smaller; NaN if either is. Of zeros the negative one is the smaller.
#[inline(always)]
#[must_use]
pub fn min(a: f64, b: f64) -> f64 {
    let least = if a < b || a.is_nan() { a } else { b };
    let of_equals = f64::from_bits(a.to_bits() | b.to_bits());
    if a == b { of_equals } else { least }
}

/// The larger; NaN if either is. Of zeros the positive one is the larger.
#[inline(always)]
#[must_use]
pub fn max(a: f64, b: f64) -> f64 {
    let largest = if a > b || a.is_nan() { a } else { b };
    let of_equals = f64::from_bits(a.to_bits() & b.to_bits());
    if a == b { of_equals } else { largest }
}

/// A product that goes on: once a factor is zero it is zero, whatever else is multiplied, and that zero has no sign.
#[inline(always)]
#[must_use]
pub fn product(a: f64, b: f64) -> f64 {
    // A sum with zero has no negative zero.
    let both = a * b + 0.0;
    if a == 0.0 || b == 0.0 { 0.0 } else { both }
}

/// `a^b` as Java's `Math.pow`: an exponent of 0 gives 1, even of NaN; an exponent that is NaN, and an infinite one of 1 or -1, give
/// NaN.
#[inline(always)]
#[must_use]
pub fn power(a: f64, b: f64) -> f64 {
    if b == 2.0 {
        a * a
    } else if b.is_nan() || (b.is_infinite() && a.abs() == 1.0) {
        f64::NAN
    } else {
        a.powf(b)
    }
}

/// The quotient without its fraction, as a 64-bit integer: toward zero, where what rounding left a hair below a whole number counts
/// as that number, and what is beyond 64 bits is the last integer there. Infinite and NaN where the quotient is.
#[inline(always)]
#[must_use]
pub fn int_div(a: f64, b: f64) -> f64 {
    const HAIR: f64 = f64::EPSILON / 2.0;
    /// 2^63, the double next to the largest 64-bit integer.
    const MOST: f64 = 9_223_372_036_854_775_808.0;
    let quotient = a / b;
    let whole = (quotient.abs() + HAIR).floor().min(MOST);
    // A sum with zero has no negative zero.
    let signed = whole.copysign(quotient) + 0.0;
    if quotient.is_finite() {
        signed
    } else {
        quotient
    }
}

/// What is left of `a` after whole multiples of `b`, with the sign of `a`. It is computed from the quotient: NaN for `b = 0` and
/// for infinite `b`.
#[inline(always)]
#[must_use]
pub fn modulus(a: f64, b: f64) -> f64 {
    a - int_div(a, b) * b
}

/// 1, -1, or what it is: zero or NaN.
#[inline(always)]
#[must_use]
pub fn sign(a: f64) -> f64 {
    if a > 0.0 {
        1.0
    } else if a < 0.0 {
        -1.0
    } else {
        a
    }
}

/// The nearest integer, halves up. As Java's `Math.round`: NaN gives 0, and what is beyond 64 bits gives the nearest 64-bit
/// integer.
#[inline(always)]
#[must_use]
pub fn round(a: f64) -> f64 {
    let down = a.floor();
    let nearest = if a - down >= 0.5 { down + 1.0 } else { down };
    nearest as i64 as f64
}

/// `1 / (1 + exp(-a))`.
#[inline(always)]
#[must_use]
pub fn sigmoid(a: f64) -> f64 {
    1.0 / (1.0 + (-a).exp())
}

#[cfg(test)]
mod tests;
