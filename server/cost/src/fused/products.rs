//! Products that read a matrix once where the text reads it twice: SystemDS's `mmchain` and `tsmm`.

use smallvec::{SmallVec, smallvec};
use sumac_la::{Dag, NodeId, Op};

use super::pattern::{BLOCK, Fused, Rate, SELF_PRODUCT, driven, is_transpose_of, only, pair};

/// `t(X) %*% (X %*% v)`, with weights on the inner product or something taken from it: X is read once.
pub(super) fn product_chain(dag: &Dag, id: NodeId) -> Option<Fused> {
    let (left, right) = pair(dag, id, Op::MatMul)?;
    let data = only(dag, left, Op::Transpose)?;
    let mut operands: SmallVec<[NodeId; 4]> = smallvec![data];
    let inner = match (pair(dag, right, Op::Mul), pair(dag, right, Op::Sub)) {
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
    let (again, vector) = pair(dag, inner, Op::MatMul)?;
    let is_chain =
        again == data && dag.ty(vector).cols.is_one() && dag.ty(data).cols.estimate()? <= BLOCK;
    is_chain.then_some(())?;
    operands.push(vector);
    Some(Fused {
        name: "mmchain",
        operands,
        rate: rate(dag, data),
        flops: 4.0 * driven(dag, data)?,
    })
}

/// `t(X) %*% X` and `X %*% t(X)`: one half of a symmetric result is computed, and X is read once.
pub(super) fn self_product(dag: &Dag, id: NodeId) -> Option<Fused> {
    let (left, right) = pair(dag, id, Op::MatMul)?;
    is_transpose_of(dag, left, right).then_some(())?;
    let (data, inner) = match only(dag, left, Op::Transpose) {
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
        flops: dag.ty(id).cells()? * sumac_la::as_f64(inner) * share,
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
