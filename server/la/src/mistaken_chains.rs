//! Chains of products whose sizes SystemDS 3.4 mistakes, so that it refuses the block. Must change nothing: who writes a form asks here.

use std::collections::BTreeSet;

use crate::dag::{Dag, Node, NodeId};
use crate::table::Op;

impl Dag {
    /// Whether SystemDS 3.4 mistakes the sizes of a chain of products among these statements and refuses them: a factor is a
    /// column that is turned, and the same is the second operand of an operator outside the chain (`M - t(w)` beside
    /// `t(w) %*% A %*% B`).
    #[must_use]
    pub fn mistakes_a_chain(&self) -> bool {
        let nodes = self.reachable(self.roots());
        let inner = |id: &NodeId| {
            let factors = self.factors_in_systemds(*id).into_iter().flatten();
            let plain = factors.filter(|(_, is_transposed)| !is_transposed);
            let products = plain.filter(|(factor, _)| self.factors_in_systemds(*factor).is_some());
            products.map(|(factor, _)| factor).collect::<Vec<_>>()
        };
        let chained: BTreeSet<NodeId> = nodes
            .iter()
            .map(|id| (*id, inner(id)))
            .filter(|(_, inner)| !inner.is_empty())
            .flat_map(|(id, inner)| inner.into_iter().chain([id]))
            .collect();
        let turned_columns: BTreeSet<NodeId> = chained
            .iter()
            .filter_map(|id| self.factors_in_systemds(*id))
            .flatten()
            .filter(|(factor, is_transposed)| *is_transposed && self.is_column(*factor))
            .map(|(column, _)| column)
            .collect();
        let second = |id: &NodeId| match self.node(*id) {
            // It is subtracted from zero.
            Node::Op(Op::Neg, args) => args.first().copied(),
            Node::Op(_, args) => args.get(1).copied(),
            _ => None,
        };
        nodes
            .iter()
            .filter(|id| !chained.contains(id))
            .filter_map(second)
            .any(|second| match self.node(second) {
                Node::Op(Op::Transpose, args) => turned_columns.contains(&args[0]),
                _ => false,
            })
    }

    /// The factors of what SystemDS computes as a product, and whether they are turned: it also sums products of two vectors, and of
    /// a matrix and a vector along its rows or columns, in this way.
    fn factors_in_systemds(&self, id: NodeId) -> Option<[(NodeId, bool); 2]> {
        let as_it_is = |id: NodeId| match self.node(id) {
            Node::Op(Op::Transpose, args) => (args[0], true),
            _ => (id, false),
        };
        let transposed = |id: NodeId| {
            let (factor, is_transposed) = as_it_is(id);
            (factor, !is_transposed)
        };
        let Node::Op(op, args) = self.node(id) else {
            return None;
        };
        if *op == Op::MatMul {
            return Some([as_it_is(args[0]), as_it_is(args[1])]);
        }
        let Node::Op(Op::Mul, factors) = self.node(*args.first()?) else {
            return None;
        };
        let (a, b) = (factors[0], factors[1]);
        let is_row = self.ty(b).rows.is_one() && !self.ty(b).cols.is_one();
        match op {
            Op::Sum if self.is_column(a) && self.is_column(b) => Some([transposed(a), as_it_is(b)]),
            Op::RowSums if is_row => Some([as_it_is(a), transposed(b)]),
            Op::ColSums if self.is_column(b) => Some([transposed(b), as_it_is(a)]),
            _ => None,
        }
    }

    fn is_column(&self, id: NodeId) -> bool {
        self.ty(id).cols.is_one() && !self.ty(id).rows.is_one()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Type;

    #[test]
    fn a_turned_column_of_a_chain_is_mistaken_where_it_is_a_second_operand_too() {
        let mut dag = Dag::default();
        let [w, a, b] = [("w", 9, 1), ("A", 9, 5), ("B", 5, 4)]
            .map(|(n, r, c)| dag.input(n, Type::matrix(r, c)));
        let scalar = dag.input("s", Type::scalar());
        let transposed = dag.op(Op::Transpose, [w]).unwrap();
        let inner = dag.op(Op::MatMul, [a, b]).unwrap();
        let outer = dag.op(Op::MatMul, [transposed, inner]).unwrap();
        let product = dag.op(Op::MatMul, [transposed, a]).unwrap();
        let first = dag.op(Op::Mul, [transposed, scalar]).unwrap();
        let second = dag.op(Op::Mul, [scalar, transposed]).unwrap();
        let minus = dag.op(Op::Neg, [transposed]).unwrap();
        let beside = dag.op(Op::MatMul, [w, transposed]).unwrap();
        // As SystemDS computes it: `t(w) %*% (A %*% B) %*% t(r)`.
        let row = dag.op(Op::ColSums, [b]).unwrap();
        let along = dag.op(Op::Mul, [inner, row]).unwrap();
        let along = dag.op(Op::RowSums, [along]).unwrap();
        let along = dag.op(Op::Mul, [w, along]).unwrap();
        let summed = dag.op(Op::Sum, [along]).unwrap();
        let mistakes = |roots: [NodeId; 2]| {
            let mut dag = dag.clone();
            roots.into_iter().for_each(|root| dag.push_root(root));
            dag.mistakes_a_chain()
        };
        for other in [second, minus, beside] {
            assert!(mistakes([outer, other]), "{}", dag.print(other));
            assert!(mistakes([summed, other]), "{}", dag.print(other));
        }
        assert!(
            !mistakes([outer, first]) && !mistakes([product, second]) && !mistakes([summed, first])
        );
    }
}
