//! Cellwise functions of numbers, for constant folding only: values of matrices never come here.

use sumac_la::Op;

/// `op` of numbers, if it is a cellwise function that gives a finite number.
pub fn cellwise(op: Op, v: &[f64]) -> Option<f64> {
    op.eval(v).filter(|value| value.is_finite())
}
