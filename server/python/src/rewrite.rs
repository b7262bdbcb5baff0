//! Other ways to spell an expression that cost something else.
//!
//! Must never change what is computed, only by which call.

use sumac_la::Op;

use crate::make;
use crate::tree::{Step, Tree};
use crate::value::DType;

/// The expression, and where there is one the spelling by `np.vdot` and `v @ v`.
pub(crate) fn spellings(tree: Tree, functions: bool) -> Vec<Tree> {
    let other = by_products(&tree, functions);
    let mut found = vec![tree];
    if let Some(other) = other.filter(|other| *other != found[0]) {
        found.push(other);
    }
    found
}

/// Sums of products of cells as one call.
fn by_products(tree: &Tree, functions: bool) -> Option<Tree> {
    let args: Option<Vec<Tree>> = tree
        .args
        .iter()
        .map(|arg| by_products(arg, functions))
        .collect();
    let same = Tree {
        step: tree.step.clone(),
        args: args?,
        value: tree.value.clone(),
    };
    let is_sum = Step::Reduce {
        by: Op::Sum,
        axis: None,
        keepdims: false,
    };
    if same.step != is_sum {
        return Some(same);
    }
    let product = &same.args[0];
    let pair = match (&product.step, product.args.as_slice()) {
        (Step::Cell(Op::Mul), [a, b]) if a.value.shape == b.value.shape => Some((a, b)),
        // What is computed is computed once.
        (Step::Square, [a]) if is_name(a) => Some((a, a)),
        _ => None,
    };
    let Some((a, b)) = pair else {
        return Some(same);
    };
    let is_real = |tree: &Tree| {
        matches!(
            tree.value.dtype,
            DType::Float32 | DType::Float64 | DType::Assumed
        )
    };
    let step = match a.value.rank() {
        1 => Step::MatMul,
        2 if functions => Step::Vdot,
        _ => return Some(same),
    };
    if !is_real(a) || !is_real(b) {
        return Some(same);
    }
    make::step(step, vec![a.clone(), b.clone()]).or(Some(same))
}

/// Whether it is a variable or a part of one.
fn is_name(tree: &Tree) -> bool {
    match &tree.step {
        Step::Atom(atom) => atom.is_pure,
        Step::Transpose => tree.args.iter().all(is_name),
        _ => false,
    }
}
