//! Cellwise functions of constants, where their value is exact. Must never round: what is no fraction stays a function.

use std::cmp::Ordering;

use sumac_la::Op;

use super::coefficient::Coefficient;

/// Largest exponent of a constant.
const MAX_EXPONENT: i128 = 400;
/// Whole numbers up to here are exact in every way to divide them.
const MAX_WHOLE: i128 = 1 << 53;

/// The exact value of a cellwise operator over numbers; `None` if it is no fraction, or not the same in all ways in which
/// a script may compute it.
pub(super) fn fold(op: Op, args: &[Coefficient]) -> Option<Coefficient> {
    let value = match *args {
        [x] => unary(op, x)?,
        [x, y] => binary(op, x, y)?,
        [test, yes, no] if op == Op::IfElse && test.is_exact() => {
            if test.is_zero() {
                no
            } else {
                yes
            }
        }
        _ => return None,
    };
    value.is_exact().then_some(value)
}

fn unary(op: Op, x: Coefficient) -> Option<Coefficient> {
    let number = Coefficient::integer;
    Some(match op {
        Op::Not => truth(x.is_zero()),
        Op::Abs => x.abs(),
        Op::Sign => number(x.sign().into()),
        // Beyond 64 bits the last integer there comes out.
        Op::Round => {
            let whole = x.plus(Coefficient::fraction(1, 2)).floor()?;
            whole.whole().filter(|n| n.abs() < MAX_WHOLE)?;
            whole
        }
        Op::Floor => x.floor()?,
        Op::Ceil => x.negative().floor()?.negative(),
        Op::Sqrt => {
            let (over, under) = x.parts()?;
            Coefficient::fraction(root(over)?, root(under)?)
        }
        Op::Exp | Op::Cos | Op::Cosh if x.is_zero() => number(1),
        Op::Log if x.is_one() => number(0),
        Op::Sin | Op::Tan | Op::Asin | Op::Atan | Op::Sinh | Op::Tanh if x.is_zero() => number(0),
        Op::Acos if x.is_one() => number(0),
        Op::Sigmoid if x.is_zero() => Coefficient::fraction(1, 2),
        _ => return None,
    })
}

fn binary(op: Op, x: Coefficient, y: Coefficient) -> Option<Coefficient> {
    let order = x.compare(y)?;
    Some(match op {
        Op::Pow => {
            let exponent = y.whole().filter(|k| k.abs() <= MAX_EXPONENT)?;
            x.power(i32::try_from(exponent).ok()?)
        }
        Op::Min2 if order == Ordering::Greater => y,
        Op::Max2 if order == Ordering::Less => y,
        Op::Min2 | Op::Max2 => x,
        // Division of whole numbers is not the same for integers and for doubles where a sign differs.
        Op::Mod | Op::IntDiv => {
            let whole = |c: Coefficient| c.whole().filter(|n| (0..MAX_WHOLE).contains(n));
            let (x, y) = (whole(x)?, whole(y).filter(|y| *y > 0)?);
            Coefficient::integer(if op == Op::Mod { x % y } else { x / y })
        }
        Op::LogBase if x.is_one() && y.sign() > 0 && !y.is_one() => Coefficient::integer(0),
        Op::Eq => truth(order == Ordering::Equal),
        Op::Ne => truth(order != Ordering::Equal),
        Op::Lt => truth(order == Ordering::Less),
        Op::Le => truth(order != Ordering::Greater),
        Op::Gt => truth(order == Ordering::Greater),
        Op::Ge => truth(order != Ordering::Less),
        Op::And => truth(!x.is_zero() && !y.is_zero()),
        Op::Or => truth(!x.is_zero() || !y.is_zero()),
        _ => return None,
    })
}

fn truth(holds: bool) -> Coefficient {
    Coefficient::integer(i128::from(holds))
}

/// The whole square root of a whole number, if it has one.
pub(super) fn root(n: i128) -> Option<i128> {
    let root = i128::try_from(u128::try_from(n).ok()?.isqrt()).ok()?;
    (root * root == n).then_some(root)
}
