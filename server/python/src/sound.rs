//! Which steps mean to NumPy's kinds of numbers what they mean to linear algebra.
//!
//! Truth values add up to truth values, whole numbers wrap and divide to floats, `vdot` conjugates. Must never call a step sound of which
//! a kind of number could make something else.

use sumac_la::Op;

use crate::tree::{Step, Tree};
use crate::value::{DType, Value};

/// Whether every step of the tree means what it means to linear algebra.
pub(crate) fn is_sound(tree: &Tree) -> bool {
    tree.nodes().all(is_sound_step)
}

/// Whether the step of a node does.
pub(crate) fn is_sound_step(node: &Tree) -> bool {
    let args: Vec<&Value> = node.args.iter().map(|arg| &arg.value).collect();
    let all = |kind: DType| !args.is_empty() && args.iter().all(|arg| arg.dtype == kind);
    let any = |kind: DType| args.iter().any(|arg| arg.dtype == kind);
    let is_whole = |value: &Value| matches!(value.dtype, DType::Bool | DType::Int);
    if any(DType::Complex) && !keeps_to_sums_and_products(&node.step) {
        return false;
    }
    match &node.step {
        // What is no function of whole numbers to whole numbers, and wraps.
        Step::Cell(Op::Pow) => {
            let is_positive = node.args.get(1).is_some_and(
                |power| matches!(power.step, Step::Number { value, .. } if value >= 0.0),
            );
            // Numbers of Python become complex where a root of less than zero is taken.
            let is_whole_power = node.args.get(1).is_some_and(
                |power| matches!(power.step, Step::Number { value, .. } if value.fract() == 0.0),
            );
            let are_weak = args.iter().all(|arg| arg.is_weak);
            (is_whole_power || !are_weak)
                && !any(DType::Bool)
                && (is_positive || !args.iter().all(|arg| is_whole(arg)))
        }
        Step::Cell(op) if is_comparison(*op) || matches!(op, Op::Mul | Op::Div) => true,
        Step::Cell(_) | Step::MatMul | Step::Outer | Step::Vdot => !all(DType::Bool),
        Step::Map(Op::Neg) | Step::Square => !any(DType::Bool),
        // The sum of squares of whole numbers would wrap, which the norm does not.
        Step::Norm => !args.iter().any(|arg| is_whole(arg)),
        // Half-precision intermediate results apart, numbers and truth values have these.
        Step::Map(_) => !any(DType::Bool),
        Step::Reduce { by, .. } => {
            matches!(by, Op::Sum | Op::Mean) || (!any(DType::Bool) && !any(DType::Complex))
        }
        Step::Number { value, .. } => value.is_finite(),
        _ => true,
    }
}

/// Whether it compares two values.
pub(crate) fn is_comparison(op: Op) -> bool {
    matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge)
}

/// Whether it is made of sums and products of cells, which complex numbers have as others do; nothing is conjugated.
fn keeps_to_sums_and_products(step: &Step) -> bool {
    match step {
        Step::Cell(op) => matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Div),
        Step::Map(op) => *op == Op::Neg,
        Step::Reduce { by, .. } => matches!(by, Op::Sum | Op::Mean),
        Step::Vdot | Step::Norm => false,
        _ => true,
    }
}
