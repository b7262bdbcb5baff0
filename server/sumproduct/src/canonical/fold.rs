//! Cellwise functions of constants. Must never fold what is not a finite number.

use sumac_la::Op;

/// The value of a cellwise operator over numbers; `None` if it is not finite or not known here.
pub(super) fn fold(op: Op, args: &[f64]) -> Option<f64> {
    let value = match *args {
        [x] => unary(op, x)?,
        [x, y] => binary(op, x, y)?,
        [test, yes, no] if op == Op::IfElse => {
            if test == 0.0 {
                no
            } else {
                yes
            }
        }
        _ => return None,
    };
    value.is_finite().then_some(value)
}

fn unary(op: Op, x: f64) -> Option<f64> {
    Some(match op {
        Op::Not => truth(x == 0.0),
        Op::Exp => x.exp(),
        Op::Log => x.ln(),
        Op::Sqrt => x.sqrt(),
        Op::Abs => x.abs(),
        Op::Sign if x == 0.0 => 0.0,
        Op::Sign => x.signum(),
        Op::Round => (x + 0.5).floor(),
        Op::Floor => x.floor(),
        Op::Ceil => x.ceil(),
        Op::Sigmoid => 1.0 / (1.0 + (-x).exp()),
        Op::Sin => x.sin(),
        Op::Cos => x.cos(),
        Op::Tan => x.tan(),
        Op::Asin => x.asin(),
        Op::Acos => x.acos(),
        Op::Atan => x.atan(),
        Op::Sinh => x.sinh(),
        Op::Cosh => x.cosh(),
        Op::Tanh => x.tanh(),
        _ => return None,
    })
}

#[expect(clippy::float_cmp, reason = "this is what DML compares")]
fn binary(op: Op, x: f64, y: f64) -> Option<f64> {
    Some(match op {
        Op::Pow => x.powf(y),
        Op::Min2 => x.min(y),
        Op::Max2 => x.max(y),
        Op::Mod => x - (x / y).floor() * y,
        Op::IntDiv => (x / y).floor(),
        Op::LogBase => x.ln() / y.ln(),
        Op::Eq => truth(x == y),
        Op::Ne => truth(x != y),
        Op::Lt => truth(x < y),
        Op::Le => truth(x <= y),
        Op::Gt => truth(x > y),
        Op::Ge => truth(x >= y),
        Op::And => truth(x != 0.0 && y != 0.0),
        Op::Or => truth(x != 0.0 || y != 0.0),
        _ => return None,
    })
}

fn truth(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}
