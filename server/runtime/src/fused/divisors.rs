//! Quotients where only the cells that a sparse matrix stores are visited: what is zero elsewhere stays zero when it is divided,
//! unless the divisor is zero or NaN there. Must never decide by the stored cells alone.

use sumac_fusion::{Kernel, Step};
use sumac_la::Op;

use crate::kernels::sampled::Sample;

/// What is divided, and what is known of it.
struct Divisors<'a> {
    kernel: &'a Kernel,
    samples: &'a [Sample<'a>],
    /// Whether products are taken to be zero nowhere.
    trusts_products: bool,
    /// For each step, whether a product is among what it is computed from.
    has_product: Vec<bool>,
}

/// Whether what `driver` makes zero stays zero when it is divided. Where products are trusted, a divisor that is a product, or one
/// scaled, shifted or raised, is taken to be zero nowhere, as SystemDS's operators for these patterns do: to look at its cells would be
/// to form it.
pub(super) fn keep_zeros(
    kernel: &Kernel,
    samples: &[Sample<'_>],
    driver: usize,
    trusts_products: bool,
) -> bool {
    let steps = kernel.steps.len();
    let mut is_driven = vec![false; steps];
    let mut divisors = Divisors {
        kernel,
        samples,
        trusts_products,
        has_product: vec![false; steps],
    };
    for (i, step) in kernel.steps.iter().enumerate() {
        match step {
            Step::Slot(slot) => is_driven[i] = *slot == driver,
            Step::Product(..) => divisors.has_product[i] = true,
            Step::Cell(op, args) => {
                is_driven[i] = args.iter().any(|arg| is_driven[*arg]);
                divisors.has_product[i] = args.iter().any(|arg| divisors.has_product[*arg]);
                if *op == Op::Div && is_driven[args[0]] && !divisors.is_never_zero(args[1]) {
                    return false;
                }
            }
            Step::Number(_) | Step::Times(..) | Step::Slice(..) | Step::Fold(..) => {}
        }
    }
    true
}

impl Divisors<'_> {
    /// Whether no cell of a step is zero or NaN; false where one would have to be computed, and is of no product.
    fn is_never_zero(&self, at: usize) -> bool {
        let is_some = |x: &f64| *x != 0.0 && !x.is_nan();
        match &self.kernel.steps[at] {
            Step::Number(bits) => is_some(&f64::from_bits(*bits)),
            Step::Slot(slot) => match self.samples[*slot] {
                Sample::Dense(cells) | Sample::Column(cells) | Sample::Row(cells) => {
                    cells.iter().all(is_some)
                }
                Sample::Number(x) => is_some(&x),
                Sample::Stored | Sample::Sparse(_) | Sample::Product(_) => false,
            },
            Step::Product(..) => self.trusts_products,
            Step::Cell(op, args) if self.has_product[at] => match op {
                // What a function makes of a product's cells is zero here and there by its nature: a comparison, a rounding, an extreme.
                Op::Mul | Op::Div => args.iter().all(|arg| self.is_never_zero(*arg)),
                Op::Add | Op::Sub => args
                    .iter()
                    .any(|arg| self.has_product[*arg] && self.is_never_zero(*arg)),
                Op::Neg | Op::Abs | Op::Sqrt | Op::Pow => {
                    self.has_product[args[0]] && self.is_never_zero(args[0])
                }
                Op::Exp => self.trusts_products,
                _ => false,
            },
            Step::Cell(..) | Step::Times(..) | Step::Slice(..) | Step::Fold(..) => false,
        }
    }
}
