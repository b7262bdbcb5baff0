//! Small changes of an expression, after which it mostly means something else. Whether it does is for evaluation to say.

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use sumac_la::{Dag, Node, NodeId, Op};

use super::random::same_shape;

/// Another expression of the same shape that differs in one place; `None` where the picked place has no such change.
pub fn mutate(dag: &mut Dag, root: NodeId, rng: &mut ChaCha8Rng) -> Option<NodeId> {
    let nodes = dag.reachable(&[root]);
    let place = *nodes.choose(rng)?;
    let changed = change(dag, place, rng)?;
    if changed == place || !same_shape(dag, changed, place) {
        return None;
    }
    replace(dag, root, place, changed).filter(|new| *new != root)
}

fn replace(dag: &mut Dag, id: NodeId, place: NodeId, by: NodeId) -> Option<NodeId> {
    if id == place {
        return Some(by);
    }
    let Node::Op(op, args) = dag.node(id).clone() else {
        return Some(id);
    };
    // An exponent stays a small number.
    let open = if op == Op::Pow { 1 } else { args.len() };
    let mut args = args.to_vec();
    for arg in &mut args[..open] {
        *arg = replace(dag, *arg, place, by)?;
    }
    dag.op(op, args).ok()
}

fn change(dag: &mut Dag, id: NodeId, rng: &mut ChaCha8Rng) -> Option<NodeId> {
    let (op, args) = match dag.node(id).clone() {
        Node::Num(bits) => {
            let step = *[-1.0, 1.0, 0.5].choose(rng)?;
            return Some(dag.num(f64::from_bits(bits) + step));
        }
        Node::Input(_) => return other_input(dag, id, rng),
        Node::Op(op, args) => (op, args),
    };
    let wrap = |dag: &mut Dag, op: Op, id: NodeId| dag.op(op, [id]).ok();
    match rng.random_range(0..5) {
        // A sign.
        0 => wrap(dag, Op::Neg, id),
        // A transpose, where the shape allows.
        1 if !dag.is_scalar(id) => wrap(dag, Op::Transpose, id),
        // Operands swapped.
        2 if args.len() == 2 && op != Op::Pow => dag.op(op, [args[1], args[0]]).ok(),
        // A part left out.
        3 if op != Op::Pow => args.choose(rng).copied(),
        // Another operator.
        _ => {
            let others: &[Op] = match op {
                Op::Add | Op::Sub | Op::Mul | Op::MatMul => {
                    &[Op::Add, Op::Sub, Op::Mul, Op::MatMul]
                }
                Op::Sum | Op::Trace => &[Op::Sum, Op::Trace],
                Op::RowSums | Op::Diag => &[Op::RowSums, Op::Diag],
                Op::Pow => {
                    let exponent = if dag.value(args[1]) == Some(2.0) {
                        3.0
                    } else {
                        2.0
                    };
                    let exponent = dag.num(exponent);
                    return dag.op(Op::Pow, [args[0], exponent]).ok();
                }
                _ => return None,
            };
            dag.op(*others.choose(rng)?, args).ok()
        }
    }
}

/// Another name of the same shape.
fn other_input(dag: &mut Dag, id: NodeId, rng: &mut ChaCha8Rng) -> Option<NodeId> {
    let own = dag.input_of(id)?.clone();
    let others: Vec<_> = dag
        .inputs()
        .iter()
        .filter(|input| input.name != own.name && input.ty == own.ty)
        .cloned()
        .collect();
    let other = others.choose(rng)?;
    Some(dag.input(&other.name, other.ty.clone()))
}
