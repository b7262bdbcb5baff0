//! Factors of products that are nearly orthogonal to the other factor, so that all cells of the product together are nearly nothing.
//! Must never set an input that the other factor reads.

use sumac_la::{Dag, Node, NodeId, Op};
use sumac_runtime::{Value, eval};

use super::cancelling::{Near, near};
use super::{From, MOST_PAIRS};
use crate::accuracy::undone::{reads_cells, undo, undone};

/// Powers of ten between a factor and what is left of it along the other.
const EXPONENTS: [i32; 2] = [8, 15];

/// An input and what makes it orthogonal to what it is multiplied by, over all inputs in their order.
struct Factor {
    input: usize,
    formula: Dag,
    name: String,
}

impl<'a> From<'a> {
    /// The cells of a product sum up to nearly nothing, as its factors are nearly orthogonal.
    pub(super) fn orthogonal(self) -> impl Iterator<Item = (Vec<Value>, String)> + 'a {
        self.factors().into_iter().flat_map(move |factor| {
            EXPONENTS.into_iter().filter_map(move |exponent| {
                let target = eval(&factor.formula, self.start).ok()?.pop()?;
                let noise = Near {
                    gap: 10_f64.powi(-exponent),
                    seed: u64::from(exponent.unsigned_abs()),
                };
                let value = near(&self.start[factor.input], &target, noise)?;
                Some((self.with(factor.input, value), factor.name.clone()))
            })
        })
    }

    fn factors(self) -> Vec<Factor> {
        let mut all = Vec::new();
        for id in self.dag.reachable(self.dag.roots()) {
            if let Node::Op(Op::MatMul, args) = self.dag.node(id) {
                all.extend(self.orthogonal_to(args[0], args[1], Op::RowSums));
                all.extend(self.orthogonal_to(args[1], args[0], Op::ColSums));
            }
        }
        all.truncate(MOST_PAIRS);
        all
    }

    /// The input in `side` without what lies along the sums of `other`: `A - (A %*% v) %*% t(v) / sum(v^2)` for a column `v` of
    /// sums, and the like for a row.
    fn orthogonal_to(self, side: NodeId, other: NodeId, sums: Op) -> Option<Factor> {
        let dag = self.dag;
        let (input, steps) = undone(dag, side)?;
        if !self.is_free(input) || reads_cells(dag, other, input) {
            return None;
        }
        let text = (self.say)(dag, other);
        let mut formula = self.over_inputs();
        let (factor, other) = (formula.import(dag, side), formula.import(dag, other));
        let vector = formula.op(sums, [other]).ok()?;
        let transposed = formula.op(Op::Transpose, [vector]).ok()?;
        let along = match sums {
            Op::RowSums => {
                let lengths = formula.op(Op::MatMul, [factor, vector]).ok()?;
                formula.op(Op::MatMul, [lengths, transposed]).ok()?
            }
            _ => {
                let lengths = formula.op(Op::MatMul, [vector, factor]).ok()?;
                formula.op(Op::MatMul, [transposed, lengths]).ok()?
            }
        };
        let squares = formula.op(Op::Mul, [vector, vector]).ok()?;
        let length = formula.op(Op::Sum, [squares]).ok()?;
        let along = formula.op(Op::Div, [along, length]).ok()?;
        let root = formula.op(Op::Sub, [factor, along]).ok()?;
        let root = undo(&mut formula, root, &steps)?;
        formula.push_root(root);
        Some(Factor {
            input,
            formula,
            name: format!("{} is orthogonal to the sums of {text}", self.name(input)),
        })
    }
}
