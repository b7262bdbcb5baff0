//! Products that read a matrix once where the text reads it twice: SystemDS's `mmchain` and `tsmm`.

use smallvec::{SmallVec, smallvec};

use super::pattern::{BLOCK, Fused, Rate, SELF_PRODUCT};
use crate::dag::{Dag, NodeId};
use crate::op::Op;

/// `t(X) %*% (X %*% v)`, with weights on the inner product or something taken from it: X is read once.
pub(super) fn product_chain(dag: &Dag, id: NodeId) -> Option<Fused> {
    let (left, right) = dag.pair(id, Op::MatMul)?;
    let data = dag.only(left, Op::Transpose)?;
    let mut operands: SmallVec<[NodeId; 4]> = smallvec![data];
    let inner = match (dag.pair(right, Op::Mul), dag.pair(right, Op::Sub)) {
        (Some((weights, inner)), _) => {
            operands.push(weights);
            inner
        }
        (_, Some((inner, minuend))) => {
            operands.push(minuend);
            inner
        }
        _ => right,
    };
    let (again, vector) = dag.pair(inner, Op::MatMul)?;
    let is_chain =
        again == data && dag.ty(vector).cols.is_one() && dag.ty(data).cols.estimate()? <= BLOCK;
    is_chain.then_some(())?;
    operands.push(vector);
    Some(Fused {
        name: "mmchain",
        operands,
        rate: rate(dag, data),
        flops: 4.0 * dag.driven(data)?,
    })
}

/// `t(X) %*% X` and `X %*% t(X)`: one half of a symmetric result is computed, and X is read once.
pub(super) fn self_product(dag: &Dag, id: NodeId) -> Option<Fused> {
    let (left, right) = dag.pair(id, Op::MatMul)?;
    dag.is_transpose_of(left, right).then_some(())?;
    let (data, inner) = match dag.only(left, Op::Transpose) {
        Some(data) if data == right => (right, dag.ty(right).rows.estimate()?),
        _ => (left, dag.ty(left).cols.estimate()?),
    };
    let rate = rate(dag, data);
    let share = match rate {
        Rate::SparseProduct => dag.ty(data).density().powi(2),
        _ => 1.0,
    };
    Some(Fused {
        name: SELF_PRODUCT,
        operands: smallvec![data],
        flops: dag.ty(id).cells()? * crate::rules::as_f64(inner) * share,
        rate,
    })
}

/// How fast a product runs that reads this matrix.
pub(super) fn rate(dag: &Dag, data: NodeId) -> Rate {
    if dag.ty(data).is_stored_sparse() {
        Rate::SparseProduct
    } else {
        Rate::DenseProduct
    }
}
