//! `t(X) %*% (X %*% v)`, with or without weights on the inner product: X is read once.

use sumac_la::{Dag, Node, NodeId, Op};

use super::Done;
use crate::kernels::matmul;
use crate::value::Value;

/// `t(X) %*% (X %*% v)`, or `t(X) %*% (w * (X %*% v))` with `w` on either side of `*`.
pub(super) struct Chain {
    x: NodeId,
    v: NodeId,
    w: Option<NodeId>,
    /// The product, and the weighted product.
    pub(super) inner: Vec<NodeId>,
}

impl Chain {
    pub(super) fn of(dag: &Dag, id: NodeId, lazy: &[bool]) -> Option<Chain> {
        let Node::Op(Op::MatMul, args) = dag.node(id) else {
            return None;
        };
        let (turned, rest) = (args[0], args[1]);
        if !lazy[turned.index()] {
            return None;
        }
        let x = dag.args(turned)[0];
        let product = |id: NodeId| match dag.node(id) {
            Node::Op(Op::MatMul, args) if args[0] == x && !lazy[args[1].index()] => Some(args[1]),
            _ => None,
        };
        if let Some(v) = product(rest) {
            return Some(Chain {
                x,
                v,
                w: None,
                inner: vec![rest],
            });
        }
        let Node::Op(Op::Mul, args) = dag.node(rest) else {
            return None;
        };
        let (a, b) = (args[0], args[1]);
        [(a, b), (b, a)].into_iter().find_map(|(w, by)| {
            Some(Chain {
                x,
                v: product(by)?,
                w: Some(w),
                inner: vec![by, rest],
            })
        })
    }

    pub(super) fn compute<'a>(&self, value: impl Fn(NodeId) -> Option<&'a Value>) -> Option<Done> {
        let cells = |id: NodeId| value(id)?.as_matrix();
        let (x, v) = (cells(self.x)?, cells(self.v)?);
        let w = match self.w {
            Some(w) => Some(cells(w)?),
            None => None,
        };
        let fits = v.shape() == (x.cols(), 1) && w.is_none_or(|w| w.shape() == (x.rows(), 1));
        fits.then(|| {
            let product = matmul::chain(x, v, w).map(Value::from);
            ("t(X) %*% (X %*% v)", product)
        })
    }
}
