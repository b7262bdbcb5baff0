//! Constants of an expression that are no finite numbers.
//!
//! Algebra moves factors over sums and lets terms vanish, which holds of no infinity: `sum(X) * (1 / 0)` is infinite where
//! `sum(X * (1 / 0))` is NaN, and `0 * exp(1000)` is NaN in every run. So nothing may be proved of such an expression but
//! that it is equal to itself. Must never look at the values of inputs: those are taken to be finite, and that is said.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;
use sumac_la::{Dag, Node, NodeId, Op};

/// The first node whose value is infinite or NaN in every run: a run computes it without any cell, or divides by what is zero without
/// any.
pub(super) fn not_finite(dag: &Dag, root: NodeId) -> Option<NodeId> {
    let mut numbers: HashMap<NodeId, f64, FxBuildHasher> = HashMap::default();
    for id in dag.reachable(&[root]) {
        if let Node::Op(Op::Div, args) = dag.node(id)
            && numbers.get(&args[1]) == Some(&0.0)
        {
            return Some(id);
        }
        let value = match dag.node(id) {
            Node::Num(bits) => Some(f64::from_bits(*bits)),
            // Whole numbers are divided in another way, and which numbers are whole is not known here.
            Node::Input(_) | Node::Op(Op::Mod | Op::IntDiv, _) => None,
            Node::Op(Op::Fill | Op::AsScalar | Op::AsMatrix, args) => {
                numbers.get(&args[0]).copied()
            }
            Node::Op(op, args) => {
                let args: Option<Vec<f64>> =
                    args.iter().map(|arg| numbers.get(arg).copied()).collect();
                args.and_then(|args| op.eval(&args))
            }
        };
        if let Some(value) = value {
            if !value.is_finite() {
                return Some(id);
            }
            numbers.insert(id, value);
        }
    }
    None
}

/// Whether two expressions are written alike, operator by operator.
pub(super) fn is_same_expression(left: (&Dag, NodeId), right: (&Dag, NodeId)) -> bool {
    let mut both = Dag::default();
    both.import(left.0, left.1) == both.import(right.0, right.1)
}
