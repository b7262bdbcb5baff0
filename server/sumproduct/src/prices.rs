//! What one candidate costs by itself, its children being there. It must never know what the children cost.

use sumac_cost::{Cost, Machine, op_cost};
use sumac_la::{Dag, Op, ShapeRule, Type};

use crate::candidates::Build;

/// The cost of `build` over values of these types; `None` where a size is not known.
pub fn of(build: &Build, args: &[&Type], out: &Type, machine: &Machine) -> Option<Cost> {
    let scalar = Type::scalar();
    match build {
        Build::Op(op) => {
            let cost = op_cost(*op, args, false, out, machine)?;
            Some(match written_out(*op, args, out, machine) {
                Some(more) => plus(&cost, &more),
                None => cost,
            })
        }
        Build::Square => op_cost(Op::Pow, &[args[0], &scalar], true, out, machine),
        Build::DivideBy(_) => op_cost(Op::Div, &[args[0], &scalar], false, out, machine),
        Build::Product { flipped, .. } => {
            let turned = [0, 1].map(|k| {
                if flipped[k] {
                    args[k].transposed()
                } else {
                    args[k].clone()
                }
            });
            // Read against its rows a matrix is a little slower, a sparse one much.
            let slower = |k: usize| match (flipped[k], args[k].is_stored_sparse()) {
                (false, _) => 0.0,
                (true, false) => 0.3,
                (true, true) => machine.scatter - 1.0,
            };
            op_cost(Op::MatMul, &[&turned[0], &turned[1]], false, out, machine)
                .map(|cost| dearer(cost, slower(0) + slower(1)))
        }
        Build::MinusScaled(_) => {
            let scaled = op_cost(Op::Mul, &[&scalar, args[1]], false, args[1], machine);
            let minus = op_cost(Op::Sub, args, false, out, machine);
            scaled.zip(minus).map(|(a, b)| plus(&a, &b))
        }
        Build::Opaque(opaque) => op_cost(opaque.op, args, false, out, machine),
        Build::Fill(_) => op_cost(Op::Fill, &[], false, out, machine),
        // Priced where it is made, by what is inside.
        Build::Fused(_) => None,
        Build::Leaf(_) | Build::Held(_) | Build::Number(_) => Some(Cost::default()),
    }
}

/// What it costs to write a vector on the left side out as a matrix, which DML wants where the right side does not have the
/// left's shape and the sides cannot change places.
fn written_out(op: Op, args: &[&Type], out: &Type, machine: &Machine) -> Option<Cost> {
    let [left, right] = args else { return None };
    let is_cellwise = op.info().shape == ShapeRule::Cellwise;
    let is_outer = left.rows != right.rows && left.cols != right.cols;
    let changes_places =
        op.info().commutative || matches!(op, Op::Sub | Op::Lt | Op::Le | Op::Gt | Op::Ge);
    if !is_cellwise || !Dag::repeats_left(left, right) || (changes_places && !is_outer) {
        return None;
    }
    // As a product with ones.
    let ones = if left.cols.is_one() {
        Type::sparse(1, out.cols.clone(), 1.0)
    } else {
        Type::sparse(out.rows.clone(), 1, 1.0)
    };
    let sides: [&Type; 2] = if left.cols.is_one() {
        [left, &ones]
    } else {
        [&ones, left]
    };
    op_cost(Op::MatMul, &sides, false, out, machine)
}

/// The cost with every figure a little larger.
fn dearer(cost: Cost, share: f64) -> Cost {
    let more = 1.0 + share;
    Cost {
        flops: cost.flops * more,
        bytes: cost.bytes * more,
        nnz: cost.nnz * more,
        seconds: cost.seconds * more,
        ..cost
    }
}

fn plus(a: &Cost, b: &Cost) -> Cost {
    Cost {
        flops: a.flops + b.flops,
        bytes: a.bytes + b.bytes,
        nnz: a.nnz + b.nnz,
        peak_bytes: a.peak_bytes.max(b.peak_bytes),
        seconds: a.seconds + b.seconds,
    }
}
