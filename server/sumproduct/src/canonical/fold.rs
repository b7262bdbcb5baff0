//! Cellwise functions of constants. Must never fold what is not a finite number.

use sumac_la::Op;

/// The value of a cellwise operator over numbers; `None` if it is not finite.
pub(super) fn fold(op: Op, args: &[f64]) -> Option<f64> {
    op.eval(args).filter(|value| value.is_finite())
}
