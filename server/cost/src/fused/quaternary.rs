//! Operators over the cells of weights and a product that is never formed: `simplifyWeighted…` of SystemDS's dynamic
//! simplifications. Nothing here may match what its compiler would not.

use smallvec::{SmallVec, smallvec};
use sumac_la::{Dag, NodeId, Op};

use super::pattern::{
    BLOCK, Fused, Rate, driven, is_full_matrix, is_transpose_of, only, pair, squared,
};

/// FLOPs of a logarithm or a sigmoid.
const FUNCTION: f64 = 30.0;

/// A product of two factors that is never formed: each cell is computed where the weights have a non-zero.
struct Factors {
    left: NodeId,
    right: NodeId,
    /// Columns of the left factor.
    inner: f64,
}

fn factors(dag: &Dag, id: NodeId) -> Option<Factors> {
    let (left, right) = pair(dag, id, Op::MatMul)?;
    let inner = dag.ty(left).cols.estimate().filter(|k| *k <= BLOCK)?;
    // A factor is read as it is, or turned for free.
    let right = only(dag, right, Op::Transpose).unwrap_or(right);
    let inner = sumac_la::as_f64(inner);
    Some(Factors { left, right, inner })
}

/// `sum(W * (X - U %*% t(V))^2)`, `sum((X - W * (U %*% t(V)))^2)`, `sum((X - U %*% t(V))^2)`, either way round.
pub(super) fn weighted_squared_loss(dag: &Dag, id: NodeId) -> Option<Fused> {
    let inside = only(dag, id, Op::Sum)?;
    let name = "wsloss";
    let either = |(a, b): (NodeId, NodeId)| [(a, b), (b, a)];
    if let Some((weights, square)) = pair(dag, inside, Op::Mul) {
        let difference = pair(dag, squared(dag, square)?, Op::Sub)?;
        let (data, product) = either(difference)
            .into_iter()
            .find_map(|(x, p)| Some((x, factors(dag, p)?)))?;
        is_full_matrix(dag, weights, data).then_some(())?;
        return Some(Fused {
            name,
            operands: smallvec![weights, data, product.left, product.right],
            rate: Rate::SparseProduct,
            flops: driven(dag, weights)? * (2.0 * product.inner + 4.0),
        });
    }
    let (a, b) = pair(dag, squared(dag, inside)?, Op::Sub)?;
    is_full_matrix(dag, a, b).then_some(())?;
    for (data, other) in either((a, b)) {
        if let Some(product) = factors(dag, other) {
            // Over the non-zeros of X, and the square of the product by the products of its factors.
            let heights = dag.ty(product.left).cells()? + dag.ty(product.right).cells()?;
            let of_factors = 2.0 * product.inner * heights;
            return Some(Fused {
                name,
                operands: smallvec![data, product.left, product.right],
                rate: Rate::SparseAndDense(of_factors),
                flops: driven(dag, data)? * (2.0 * product.inner + 4.0) + of_factors,
            });
        }
        if let Some((weights, product)) = pair(dag, other, Op::Mul)
            && let Some(product) = factors(dag, product)
            && is_full_matrix(dag, weights, data)
        {
            return Some(Fused {
                name,
                operands: smallvec![weights, data, product.left, product.right],
                rate: Rate::SparseProduct,
                flops: (driven(dag, weights)? + driven(dag, data)?) * (2.0 * product.inner + 4.0),
            });
        }
    }
    None
}

/// `sum(X * log(U %*% t(V) + eps))`, with or without the constant.
pub(super) fn weighted_cross_entropy(dag: &Dag, id: NodeId) -> Option<Fused> {
    let (weights, logarithm) = pair(dag, only(dag, id, Op::Sum)?, Op::Mul)?;
    let argument = only(dag, logarithm, Op::Log)?;
    let product = match pair(dag, argument, Op::Add) {
        Some((product, constant)) => {
            dag.node(constant).value()?;
            product
        }
        None => argument,
    };
    is_full_matrix(dag, weights, logarithm).then_some(())?;
    let product = factors(dag, product)?;
    Some(Fused {
        name: "wcemm",
        operands: smallvec![weights, product.left, product.right],
        rate: Rate::SparseProduct,
        flops: driven(dag, weights)? * (2.0 * product.inner + FUNCTION),
    })
}

/// `W * sigmoid(U %*% t(V))`, with a minus inside, a logarithm outside, or both.
pub(super) fn weighted_sigmoid(dag: &Dag, id: NodeId) -> Option<Fused> {
    let (weights, function) = pair(dag, id, Op::Mul)?;
    let sigmoid = only(dag, function, Op::Log).unwrap_or(function);
    let argument = only(dag, sigmoid, Op::Sigmoid)?;
    let product = factors(dag, only(dag, argument, Op::Neg).unwrap_or(argument))?;
    is_full_matrix(dag, weights, function).then_some(())?;
    Some(Fused {
        name: "wsigmoid",
        operands: smallvec![weights, product.left, product.right],
        rate: Rate::SparseProduct,
        flops: driven(dag, weights)? * (2.0 * product.inner + FUNCTION),
    })
}

/// `t(U) %*% (W / (U %*% t(V)))` and `(W / (U %*% t(V))) %*% V`, also with `*`, with a number added to the product, and
/// with `W * (U %*% t(V) - X)`.
pub(super) fn weighted_product(dag: &Dag, id: NodeId) -> Option<Fused> {
    let (left, right) = pair(dag, id, Op::MatMul)?;
    let fused = |weighted: NodeId, matches: &dyn Fn(&Factors, NodeId) -> bool| {
        let (weights, inside) =
            pair(dag, weighted, Op::Mul).or_else(|| pair(dag, weighted, Op::Div))?;
        let is_division = pair(dag, weighted, Op::Div).is_some();
        is_full_matrix(dag, weights, inside).then_some(())?;
        let mut operands: SmallVec<[NodeId; 4]> = smallvec![weights];
        let product = match (pair(dag, inside, Op::Add), pair(dag, inside, Op::Sub)) {
            (Some((product, number)), _) if is_division && dag.is_scalar(number) => product,
            (_, Some((product, minuend)))
                if !is_division && is_full_matrix(dag, weights, minuend) =>
            {
                operands.push(minuend);
                product
            }
            _ => inside,
        };
        let (_, second) = pair(dag, product, Op::MatMul)?;
        let factors = factors(dag, product)?;
        let (m, n) = (
            dag.ty(inside).rows.estimate()?,
            dag.ty(inside).cols.estimate()?,
        );
        let is_outer = m > dag.ty(factors.left).cols.estimate()?
            && n > dag.ty(factors.left).cols.estimate()?;
        (is_outer && matches(&factors, second)).then_some(())?;
        operands.extend([factors.left, factors.right]);
        Some(Fused {
            name: "wdivmm",
            operands,
            rate: Rate::SparseProduct,
            flops: driven(dag, weights)? * (4.0 * factors.inner + 4.0),
        })
    };
    fused(right, &|factors, _| {
        is_transpose_of(dag, left, factors.left)
    })
    .or_else(|| fused(left, &|_, second| is_transpose_of(dag, right, second)))
}
