//! Cellwise functions of numbers, for constant folding only: values of matrices never come here.

use sumac_la::Op;

/// `op` of numbers, if it is a cellwise function that gives a finite number.
pub fn cellwise(op: Op, v: &[f64]) -> Option<f64> {
    let truth = |b: bool| f64::from(u8::from(b));
    let value = match (op, v) {
        (Op::Exp, [x]) => x.exp(),
        (Op::Log, [x]) => x.ln(),
        (Op::Sqrt, [x]) => x.sqrt(),
        (Op::Abs, [x]) => x.abs(),
        (Op::Sign, [x]) => {
            if *x == 0.0 {
                0.0
            } else {
                x.signum()
            }
        }
        (Op::Not, [x]) => truth(*x == 0.0),
        (Op::Round, [x]) => (x + 0.5).floor(),
        (Op::Sin, [x]) => x.sin(),
        (Op::Cos, [x]) => x.cos(),
        (Op::Tan, [x]) => x.tan(),
        (Op::Asin, [x]) => x.asin(),
        (Op::Acos, [x]) => x.acos(),
        (Op::Atan, [x]) => x.atan(),
        (Op::Sinh, [x]) => x.sinh(),
        (Op::Cosh, [x]) => x.cosh(),
        (Op::Tanh, [x]) => x.tanh(),
        (Op::And, [a, b]) => truth(*a != 0.0 && *b != 0.0),
        (Op::Or, [a, b]) => truth(*a != 0.0 || *b != 0.0),
        (Op::Floor, [x]) => x.floor(),
        (Op::Ceil, [x]) => x.ceil(),
        (Op::Sigmoid, [x]) => 1.0 / (1.0 + (-x).exp()),
        (Op::Div, [a, b]) => a / b,
        (Op::Pow, [a, b]) => a.powf(*b),
        (Op::Min2, [a, b]) => a.min(*b),
        (Op::Max2, [a, b]) => a.max(*b),
        (Op::Eq, [a, b]) => truth(a == b),
        (Op::Ne, [a, b]) => truth(a != b),
        (Op::Lt, [a, b]) => truth(a < b),
        (Op::Le, [a, b]) => truth(a <= b),
        (Op::Gt, [a, b]) => truth(a > b),
        (Op::Ge, [a, b]) => truth(a >= b),
        _ => return None,
    };
    value.is_finite().then_some(value)
}
