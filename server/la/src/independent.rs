//! The same expressions under the other estimate of products: cells that are zero in one factor are not, more often than by
//! chance, zero in the other one.
//!
//! A product of cells is estimated to be as sparse as its sparser factor, which is right where both come of one matrix, as in
//! `(X != 0) * X`, and an upper bound elsewhere: `t(X) * X` of a tenth has a hundredth. What is cheaper under the one estimate
//! may be dearer under the other. Must never decide anything.

use std::collections::BTreeSet;

use crate::dag::{Dag, Node, NodeId};
use crate::table::{Op, ShapeRule};
use crate::types::Type;

impl Dag {
    /// The roots with every product of cells as sparse as two factors that know nothing of each other make it, where they do
    /// not come of one matrix in one place; `None` where that is nowhere.
    #[must_use]
    pub fn independent(&self) -> Option<Dag> {
        let mut out = Dag::default();
        let mut done: Vec<Option<NodeId>> = vec![None; self.len()];
        let mut is_other = false;
        for id in self.reachable(self.roots()) {
            let node = match self.node(id) {
                Node::Input(_) | Node::Num(_) => out.import(self, id),
                Node::Op(op, args) => {
                    let args: Vec<NodeId> =
                        args.iter().filter_map(|arg| done[arg.index()]).collect();
                    let share = self.share(id);
                    is_other |= share.is_some();
                    match share {
                        Some(share) => {
                            let ty = Type {
                                sparsity: Some(share),
                                ..self.ty(id).clone()
                            };
                            out.op_of_type(*op, args, &ty)
                        }
                        None => out.op(*op, args).ok()?,
                    }
                }
            };
            done[id.index()] = Some(node);
        }
        for root in self.roots() {
            out.push_root(done[root.index()]?);
        }
        is_other.then_some(out)
    }

    /// The share of non-zero cells of a product of two sparse matrices that do not come of one.
    fn share(&self, id: NodeId) -> Option<f64> {
        let Node::Op(Op::Mul, args) = self.node(id) else {
            return None;
        };
        let [a, b] = [self.ty(args[0]), self.ty(args[1])];
        let is_cell_by_cell = a.cells()? > 1.0 && a.rows == b.rows && a.cols == b.cols;
        let (x, y) = (a.sparsity?, b.sparsity?);
        let is_sparse = x < 1.0 && y < 1.0 && x > 0.0 && y > 0.0;
        let known = self.ty(id).sparsity?;
        (is_cell_by_cell && is_sparse && self.sources(args[0]).is_disjoint(&self.sources(args[1])))
            .then(|| known.min(x * y))
    }

    /// What the cells of a value come of, each from the cell in its own place.
    fn sources(&self, id: NodeId) -> BTreeSet<NodeId> {
        let mut found = BTreeSet::new();
        let mut open = vec![id];
        let mut seen = BTreeSet::new();
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.node(id) {
                Node::Op(op, args) if op.info().shape == ShapeRule::Cellwise => {
                    open.extend(args.iter().filter(|arg| !self.is_scalar(**arg)));
                }
                _ => {
                    found.insert(id);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_of_one_matrix_stay_as_sparse_as_they_are() {
        let mut dag = Dag::default();
        let x = dag.input("X", Type::sparse(1000, 1000, 0.1));
        let zero = dag.num(0.0);
        let mask = dag.op(Op::Ne, [x, zero]).unwrap();
        let root = dag.op(Op::Mul, [mask, x]).unwrap();
        dag.push_root(root);
        assert!(dag.independent().is_none());
    }

    #[test]
    fn factors_that_know_nothing_of_each_other_meet_by_chance() {
        let mut dag = Dag::default();
        let x = dag.input("X", Type::sparse(1000, 1000, 0.1));
        let transposed = dag.op(Op::Transpose, [x]).unwrap();
        let product = dag.op(Op::Mul, [transposed, x]).unwrap();
        let root = dag.op(Op::MatMul, [product, x]).unwrap();
        dag.push_root(root);
        let other = dag.independent().unwrap();
        let sums = |dag: &Dag| {
            let node = dag.args(dag.roots()[0])[0];
            dag.ty(node).density()
        };
        assert!((sums(&dag) - 0.1).abs() < 1e-12);
        assert!((sums(&other) - 0.01).abs() < 1e-12, "{}", sums(&other));
        assert_eq!(other.print(other.roots()[0]), dag.print(root));
    }
}
