//! The scalar functions behind cellwise operators, for the loops of kernels. What they do stands in `sumac-la`.
//!
//! `with_binary!` and `with_unary!` turn an operator into a closure that the caller's loop is compiled for, so that
//! no loop dispatches per cell.

use sumac_la::Op;

pub(crate) use sumac_la::scalar::{max, min, power, product};
pub(crate) use sumac_la::{with_binary, with_unary};

/// `op` of two numbers; `None` if `op` is no cellwise operator of two arguments.
#[must_use]
pub fn binary(op: Op, a: f64, b: f64) -> Option<f64> {
    op.eval(&[a, b])
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
    op.eval(&[a])
}
