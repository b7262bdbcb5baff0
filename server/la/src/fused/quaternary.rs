//! Operators over the cells of weights and a product that is never formed: `simplifyWeighted…` of SystemDS's dynamic
//! simplifications. Nothing here may match what its compiler would not.

use smallvec::{SmallVec, smallvec};

use super::pattern::{BLOCK, Fused, Rate};
use crate::dag::{Dag, NodeId};
use crate::op::Op;

/// FLOPs of a logarithm or a sigmoid.
const FUNCTION: f64 = 30.0;

/// A product of two factors that is never formed: each cell is computed where the weights have a non-zero.
struct Factors {
    left: NodeId,
    right: NodeId,
    /// Columns of the left factor.
    inner: f64,
}

impl Dag {
    fn factors(&self, id: NodeId) -> Option<Factors> {
        let (left, right) = self.pair(id, Op::MatMul)?;
        let inner = self.ty(left).cols.estimate().filter(|k| *k <= BLOCK)?;
        // A factor is read as it is, or turned for free.
        let right = self.only(right, Op::Transpose).unwrap_or(right);
        let inner = crate::rules::as_f64(inner);
        Some(Factors { left, right, inner })
    }
}

/// `sum(W * (X - U %*% t(V))^2)`, `sum((X - W * (U %*% t(V)))^2)`, `sum((X - U %*% t(V))^2)`, either way round.
pub(super) fn weighted_squared_loss(dag: &Dag, id: NodeId) -> Option<Fused> {
    let inside = dag.only(id, Op::Sum)?;
    let name = "wsloss";
    let either = |(a, b): (NodeId, NodeId)| [(a, b), (b, a)];
    if let Some((weights, square)) = dag.pair(inside, Op::Mul) {
        let difference = dag.pair(dag.squared(square)?, Op::Sub)?;
        let (data, product) = either(difference)
            .into_iter()
            .find_map(|(x, p)| Some((x, dag.factors(p)?)))?;
        dag.is_full_matrix(weights, data).then_some(())?;
        return Some(Fused {
            name,
            operands: smallvec![weights, data, product.left, product.right],
            rate: Rate::SparseProduct,
            flops: dag.driven(weights)? * (2.0 * product.inner + 4.0),
        });
    }
    let (a, b) = dag.pair(dag.squared(inside)?, Op::Sub)?;
    dag.is_full_matrix(a, b).then_some(())?;
    for (data, other) in either((a, b)) {
        if let Some(product) = dag.factors(other) {
            // Over the non-zeros of X, and the square of the product by the products of its factors.
            let heights = dag.ty(product.left).cells()? + dag.ty(product.right).cells()?;
            return Some(Fused {
                name,
                operands: smallvec![data, product.left, product.right],
                rate: Rate::SparseProduct,
                flops: dag.driven(data)? * (2.0 * product.inner + 4.0)
                    + 2.0 * product.inner * heights,
            });
        }
        if let Some((weights, product)) = dag.pair(other, Op::Mul)
            && let Some(product) = dag.factors(product)
            && dag.is_full_matrix(weights, data)
        {
            return Some(Fused {
                name,
                operands: smallvec![weights, data, product.left, product.right],
                rate: Rate::SparseProduct,
                flops: (dag.driven(weights)? + dag.driven(data)?) * (2.0 * product.inner + 4.0),
            });
        }
    }
    None
}

/// `sum(X * log(U %*% t(V) + eps))`, with or without the constant.
pub(super) fn weighted_cross_entropy(dag: &Dag, id: NodeId) -> Option<Fused> {
    let (weights, logarithm) = dag.pair(dag.only(id, Op::Sum)?, Op::Mul)?;
    let argument = dag.only(logarithm, Op::Log)?;
    let product = match dag.pair(argument, Op::Add) {
        Some((product, constant)) => {
            dag.node(constant).value()?;
            product
        }
        None => argument,
    };
    dag.is_full_matrix(weights, logarithm).then_some(())?;
    let product = dag.factors(product)?;
    Some(Fused {
        name: "wcemm",
        operands: smallvec![weights, product.left, product.right],
        rate: Rate::SparseProduct,
        flops: dag.driven(weights)? * (2.0 * product.inner + FUNCTION),
    })
}

/// `W * sigmoid(U %*% t(V))`, with a minus inside, a logarithm outside, or both.
pub(super) fn weighted_sigmoid(dag: &Dag, id: NodeId) -> Option<Fused> {
    let (weights, function) = dag.pair(id, Op::Mul)?;
    let sigmoid = dag.only(function, Op::Log).unwrap_or(function);
    let argument = dag.only(sigmoid, Op::Sigmoid)?;
    let product = dag.factors(dag.only(argument, Op::Neg).unwrap_or(argument))?;
    dag.is_full_matrix(weights, function).then_some(())?;
    Some(Fused {
        name: "wsigmoid",
        operands: smallvec![weights, product.left, product.right],
        rate: Rate::SparseProduct,
        flops: dag.driven(weights)? * (2.0 * product.inner + FUNCTION),
    })
}

/// `t(U) %*% (W / (U %*% t(V)))` and `(W / (U %*% t(V))) %*% V`, also with `*`, with a number added to the product, and
/// with `W * (U %*% t(V) - X)`.
pub(super) fn weighted_product(dag: &Dag, id: NodeId) -> Option<Fused> {
    let (left, right) = dag.pair(id, Op::MatMul)?;
    let fused = |weighted: NodeId, matches: &dyn Fn(&Factors, NodeId) -> bool| {
        let (weights, inside) = dag
            .pair(weighted, Op::Mul)
            .or_else(|| dag.pair(weighted, Op::Div))?;
        let is_division = dag.pair(weighted, Op::Div).is_some();
        dag.is_full_matrix(weights, inside).then_some(())?;
        let mut operands: SmallVec<[NodeId; 4]> = smallvec![weights];
        let product = match (dag.pair(inside, Op::Add), dag.pair(inside, Op::Sub)) {
            (Some((product, number)), _) if is_division && dag.is_scalar(number) => product,
            (_, Some((product, minuend)))
                if !is_division && dag.is_full_matrix(weights, minuend) =>
            {
                operands.push(minuend);
                product
            }
            _ => inside,
        };
        let (_, second) = dag.pair(product, Op::MatMul)?;
        let factors = dag.factors(product)?;
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
            flops: dag.driven(weights)? * (4.0 * factors.inner + 4.0),
        })
    };
    fused(right, &|factors, _| dag.is_transpose_of(left, factors.left))
        .or_else(|| fused(left, &|_, second| dag.is_transpose_of(right, second)))
}
