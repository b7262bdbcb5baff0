//! Quotients where only the cells that a sparse matrix stores are visited: what is zero elsewhere stays zero when it is divided,
//! unless the divisor is zero or NaN there. Must never decide by the stored cells alone.

use sumac_fusion::{Kernel, Step};
use sumac_la::Op;

use crate::kernels::sampled::Sample;

/// Whether what `driver` makes zero stays zero when it is divided. A divisor that is computed from a product is taken to be zero
/// nowhere, as SystemDS's operators for these patterns do: to look at its cells would be to form it.
pub(super) fn keep_zeros(kernel: &Kernel, samples: &[Sample<'_>], driver: usize) -> bool {
    let steps = kernel.steps.len();
    let (mut is_driven, mut has_product) = (vec![false; steps], vec![false; steps]);
    for (i, step) in kernel.steps.iter().enumerate() {
        match step {
            Step::Slot(slot) => is_driven[i] = *slot == driver,
            Step::Product(..) => has_product[i] = true,
            Step::Cell(op, args) => {
                is_driven[i] = args.iter().any(|arg| is_driven[*arg]);
                has_product[i] = args.iter().any(|arg| has_product[*arg]);
                if *op == Op::Div
                    && is_driven[args[0]]
                    && !has_product[args[1]]
                    && !is_never_zero(&kernel.steps[args[1]], samples)
                {
                    return false;
                }
            }
            Step::Number(_) | Step::Times(..) | Step::Slice(..) | Step::Fold(..) => {}
        }
    }
    true
}

/// Whether no cell of a divisor is zero or NaN; false where one would have to be computed.
fn is_never_zero(step: &Step, samples: &[Sample<'_>]) -> bool {
    let is_some = |x: &f64| *x != 0.0 && !x.is_nan();
    match step {
        Step::Number(bits) => is_some(&f64::from_bits(*bits)),
        Step::Slot(slot) => match samples[*slot] {
            Sample::Dense(cells) | Sample::Column(cells) | Sample::Row(cells) => {
                cells.iter().all(is_some)
            }
            Sample::Number(x) => is_some(&x),
            Sample::Stored | Sample::Sparse(_) | Sample::Product(_) => false,
        },
        Step::Cell(..) | Step::Product(..) | Step::Times(..) | Step::Slice(..) | Step::Fold(..) => {
            false
        }
    }
}
