//! Operators over cells that form nothing on the way: SystemDS's `tak+*`, `uasqk+`, `sprop`, `1-*`, `+*` and `-*`.

use smallvec::{SmallVec, smallvec};
use sumac_la::{Dag, NodeId, Op};

use super::pattern::{Fused, Rate, driven, is_full_matrix, only, pair, squared};

/// `sum(A * B)`, `sum(A * B * C)` and the same by columns, over operands of one shape: `tak+*`.
pub(super) fn sum_of_products(dag: &Dag, id: NodeId) -> Option<Fused> {
    let inside = only(dag, id, Op::Sum).or_else(|| only(dag, id, Op::ColSums))?;
    let (a, b) = pair(dag, inside, Op::Mul)?;
    let operands: SmallVec<[NodeId; 4]> = match (pair(dag, a, Op::Mul), pair(dag, b, Op::Mul)) {
        (Some((x, y)), _) => smallvec![x, y, b],
        (_, Some((x, y))) => smallvec![a, x, y],
        _ => smallvec![a, b],
    };
    let are_alike = operands
        .iter()
        .all(|operand| is_full_matrix(dag, *operand, inside));
    are_alike.then_some(())?;
    let mut least = f64::INFINITY;
    for operand in &operands {
        least = least.min(driven(dag, *operand)?);
    }
    let flops = sumac_la::as_f64(operands.len() as u64) * least;
    Some(Fused {
        name: "tak+*",
        operands,
        flops,
        rate: Rate::Cells,
    })
}

/// `sum(X^2)`, and the same by rows and columns.
pub(super) fn sum_of_squares(dag: &Dag, id: NodeId) -> Option<Fused> {
    let inside = [Op::Sum, Op::RowSums, Op::ColSums]
        .into_iter()
        .find_map(|op| only(dag, id, op))?;
    let data = squared(dag, inside)?;
    Some(Fused {
        name: "uasqk+",
        operands: smallvec![data],
        flops: 2.0 * driven(dag, data)?,
        rate: Rate::Cells,
    })
}

/// `X * (1 - X)` and `(1 - X) * X`.
pub(super) fn sample_proportion(dag: &Dag, id: NodeId) -> Option<Fused> {
    let (a, b) = pair(dag, id, Op::Mul)?;
    let data = [(a, b), (b, a)].into_iter().find_map(|(data, other)| {
        let (one, minuend) = pair(dag, other, Op::Sub)?;
        let is_share = dag.node(one).value() == Some(1.0) && minuend == data;
        (is_share && !dag.is_scalar(data)).then_some(data)
    })?;
    Some(Fused {
        name: "sprop",
        operands: smallvec![data],
        flops: 2.0 * driven(dag, data)?,
        rate: Rate::Cells,
    })
}

/// `1 - X * Y`.
pub(super) fn complement_of_product(dag: &Dag, id: NodeId) -> Option<Fused> {
    let (one, product) = pair(dag, id, Op::Sub)?;
    let (left, right) = pair(dag, product, Op::Mul)?;
    (dag.node(one).value() == Some(1.0) && !dag.is_scalar(id)).then_some(())?;
    Some(Fused {
        name: "1-*",
        operands: smallvec![left, right],
        flops: 2.0 * dag.ty(id).cells()?,
        rate: Rate::Cells,
    })
}

/// `X + s * Y`, `s * Y + X` and `X - s * Y` of a number and two matrices of one shape. Where both are sparse, cells have
/// to find their places as in any sum, and nothing is gained.
pub(super) fn multiply_add(dag: &Dag, id: NodeId) -> Option<Fused> {
    let scaled = |id: NodeId| {
        let (a, b) = pair(dag, id, Op::Mul)?;
        (dag.is_scalar(a) != dag.is_scalar(b)).then_some([a, b])
    };
    let (name, data, product) = if let Some((a, b)) = pair(dag, id, Op::Add) {
        let (data, product) = match (scaled(b), scaled(a)) {
            (Some(_), _) => (a, b),
            (None, Some(_)) => (b, a),
            (None, None) => return None,
        };
        ("+*", data, product)
    } else {
        let (a, b) = pair(dag, id, Op::Sub)?;
        ("-*", a, b)
    };
    let [a, b] = scaled(product)?;
    (is_full_matrix(dag, data, product) && !dag.ty(id).is_stored_sparse()).then_some(())?;
    Some(Fused {
        name,
        operands: smallvec![data, a, b],
        flops: 2.0 * dag.ty(id).cells()?,
        rate: Rate::Cells,
    })
}
