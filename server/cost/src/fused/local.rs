//! What our own runtime computes with one kernel: a matrix read once by a chain of two products, and cellwise operators
//! over a product in the cells that a sparse matrix stores.

use smallvec::{SmallVec, smallvec};
use sumac_la::{Dag, Node, NodeId, Op};

use super::pattern::{Fused, Rate, driven, is_full_matrix, only, pair};
use super::products::rate;

/// The largest share of cells that a matrix may store to sample a product: with more, the product is as fast as a whole.
pub const MOST_SAMPLED: f64 = 0.2;

/// FLOPs of a cellwise operator that is no more than an addition, and of any other.
const CHEAP: f64 = 1.0;
const FUNCTION: f64 = 30.0;

/// `t(X) %*% (X %*% v)` and `t(X) %*% (w * (X %*% v))` for one column `v`.
pub(super) fn chain(dag: &Dag, id: NodeId) -> Option<Fused> {
    let (left, right) = pair(dag, id, Op::MatMul)?;
    let data = only(dag, left, Op::Transpose)?;
    let vector = |id: NodeId| {
        let (again, vector) = pair(dag, id, Op::MatMul)?;
        (again == data && dag.ty(vector).cols.is_one()).then_some(vector)
    };
    let mut operands: SmallVec<[NodeId; 4]> = smallvec![data];
    match vector(right) {
        Some(vector) => operands.push(vector),
        None => {
            let (a, b) = pair(dag, right, Op::Mul)?;
            let (weights, vector) = [(a, b), (b, a)]
                .into_iter()
                .find_map(|(weights, product)| Some((weights, vector(product)?)))?;
            operands.extend([weights, vector]);
        }
    }
    Some(Fused {
        name: "chain",
        operands,
        rate: rate(dag, data),
        flops: 4.0 * driven(dag, data)?,
    })
}

/// `W * f(U %*% V)` and `X / f(U %*% V)` for sparse W and X, and the sum of either.
pub(super) fn sampled(dag: &Dag, id: NodeId) -> Option<Fused> {
    let root = only(dag, id, Op::Sum).unwrap_or(id);
    let Node::Op(op @ (Op::Mul | Op::Div), args) = dag.node(root) else {
        return None;
    };
    let sides = [(args[0], args[1]), (args[1], args[0])];
    let sides = if *op == Op::Mul {
        &sides[..]
    } else {
        &sides[..1]
    };
    sides.iter().find_map(|(driver, body)| {
        let is_driver = is_full_matrix(dag, *driver, root)
            && dag
                .ty(*driver)
                .sparsity
                .is_some_and(|share| share <= MOST_SAMPLED);
        // The bare product is sampled as well, but no estimate counts on it: what reads `X * (U %*% V)` mostly has a form
        // that goes through X in order, and that is as fast.
        if !is_driver || (*op == Op::Mul && pair(dag, *body, Op::MatMul).is_some()) {
            return None;
        }
        let mut operands: SmallVec<[NodeId; 4]> = smallvec![*driver];
        let mut inside = Inside::default();
        inside.descend(dag, root, *body, &mut operands)?;
        (inside.row > 0.0).then_some(())?;
        let stored = dag.ty(*driver).nnz()?;
        Some(Fused {
            name: "sampled product",
            operands,
            // Each stored cell reads a row of the right factor.
            rate: Rate::Gathered(8.0 * stored * inside.row),
            flops: stored * (inside.flops + CHEAP),
        })
    })
}

/// What is computed for each stored cell.
#[derive(Default)]
struct Inside {
    /// Cells of the right factors' rows.
    row: f64,
    flops: f64,
}

impl Inside {
    fn descend(
        &mut self,
        dag: &Dag,
        root: NodeId,
        at: NodeId,
        operands: &mut SmallVec<[NodeId; 4]>,
    ) -> Option<()> {
        let cellwise = |op: Op| match op {
            Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Abs => Some(CHEAP),
            Op::Div | Op::Pow | Op::Sqrt | Op::Exp | Op::Log | Op::Sigmoid | Op::Tanh => {
                Some(FUNCTION)
            }
            _ => None,
        };
        match dag.node(at) {
            Node::Op(Op::MatMul, args) if is_full_matrix(dag, at, root) => {
                let right = only(dag, args[1], Op::Transpose).unwrap_or(args[1]);
                let factors = [args[0], right];
                // The runtime gathers rows of dense factors.
                let is_dense = |factor: &NodeId| !dag.ty(*factor).is_stored_sparse();
                factors.iter().all(is_dense).then_some(())?;
                let inner = sumac_la::as_f64(dag.ty(args[0]).cols.estimate()?);
                self.row += inner;
                self.flops += 2.0 * inner;
                operands.extend(factors);
            }
            Node::Op(op, args) if is_full_matrix(dag, at, root) && cellwise(*op).is_some() => {
                self.flops += cellwise(*op)?;
                for arg in args {
                    self.descend(dag, root, *arg, operands)?;
                }
            }
            _ if dag.is_scalar(at) && matches!(dag.node(at), Node::Num(_)) => {}
            _ => operands.push(at),
        }
        Some(())
    }
}
