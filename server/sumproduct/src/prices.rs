//! What one candidate costs by itself, its children being there. It must never know what the children cost.

use sumac_la::{Cost, Machine, Op, Type, op_cost};

use crate::candidates::Build;

/// The cost of `build` over values of these types; `None` where a size is not known.
pub fn of(build: &Build, args: &[&Type], out: &Type, machine: &Machine) -> Option<Cost> {
    let scalar = Type::scalar();
    match build {
        Build::Op(op) => op_cost(*op, args, false, out, machine),
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
        Build::Barrier(barrier) => op_cost(barrier.op, args, false, out, machine),
        Build::Fill(_) => op_cost(Op::Fill, &[], false, out, machine),
        // Priced where it is made, by what is inside.
        Build::Fused(_) => None,
        Build::Leaf(_) | Build::Held(_) | Build::Number(_) => Some(Cost::default()),
    }
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
