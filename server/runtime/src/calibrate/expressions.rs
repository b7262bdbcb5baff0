//! Expressions to run, written shortly. Nothing here is about time.

use sumac_la::{Dag, NodeId, Op, Type};

/// A DAG that is being written; its one root is what the last line gives.
#[derive(Default)]
pub(super) struct Writing(Dag);

impl Writing {
    /// An input.
    pub fn input(&mut self, name: &str, ty: Type) -> NodeId {
        self.0.input(name, ty)
    }

    /// A number.
    pub fn number(&mut self, value: f64) -> NodeId {
        self.0.num(value)
    }

    /// An operator over arguments that fit it.
    pub fn op<const N: usize>(&mut self, op: Op, args: [NodeId; N]) -> NodeId {
        self.0.op(op, args).expect("the shapes written here fit")
    }

    /// `t(a) %*% b`.
    pub fn turned_product(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let transposed = self.op(Op::Transpose, [a]);
        self.op(Op::MatMul, [transposed, b])
    }

    /// `a %*% t(b)`.
    pub fn product_turned(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let transposed = self.op(Op::Transpose, [b]);
        self.op(Op::MatMul, [a, transposed])
    }

    /// `sum(a^2)`.
    pub fn sum_of_squares(&mut self, a: NodeId) -> NodeId {
        let two = self.number(2.0);
        let squared = self.op(Op::Pow, [a, two]);
        self.op(Op::Sum, [squared])
    }
}

/// The DAG of what `write` gives.
pub(super) fn dag(write: impl FnOnce(&mut Writing) -> NodeId) -> Dag {
    let mut writing = Writing::default();
    let root = write(&mut writing);
    writing.0.push_root(root);
    writing.0
}
