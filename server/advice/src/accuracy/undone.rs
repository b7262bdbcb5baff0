//! From an operand back to the input that it is made of: signs, transposes and numbers are undone, so that the input can be set to
//! what makes the operand any wanted value. Must never look through an operator that has no inverse.

use std::collections::BTreeSet;

use sumac_la::{Dag, Node, NodeId, Op};

/// The inputs whose cells expressions read, above what is cut.
pub(super) fn cells_read(
    dag: &Dag,
    roots: &[NodeId],
    is_cut: &dyn Fn(NodeId) -> bool,
) -> BTreeSet<usize> {
    let reads = |id: NodeId| match dag.node(id) {
        Node::Op(Op::Nrow | Op::Ncol | Op::Length, _) => <&[NodeId]>::default(),
        _ if is_cut(id) => <&[NodeId]>::default(),
        _ => dag.args(id),
    };
    let below = dag.reachable_by(roots, reads).into_iter();
    let inputs = below.filter_map(|id| match dag.node(id) {
        Node::Input(input) => Some(*input as usize),
        _ => None,
    });
    inputs.collect()
}

/// Whether a node depends on the cells of an input, and not only on its sizes.
pub(super) fn reads_cells(dag: &Dag, id: NodeId, input: usize) -> bool {
    cells_read(dag, &[id], &|_| false).contains(&input)
}

/// An operator that undoes one.
pub(super) enum Undone {
    By(Op),
    With(Op, f64),
}

impl Undone {
    /// What it makes of a cell.
    pub(super) fn of(&self, cell: f64) -> f64 {
        match self {
            Undone::By(Op::Neg) => -cell,
            Undone::By(_) => cell,
            Undone::With(Op::Add, number) => cell + number,
            Undone::With(Op::Sub, number) => cell - number,
            Undone::With(Op::Mul, number) => cell * number,
            Undone::With(_, number) => cell / number,
        }
    }
}

/// In `dag`, what makes an input of a node that is to be in the place of what was made of it.
pub(super) fn undo(dag: &mut Dag, node: NodeId, steps: &[Undone]) -> Option<NodeId> {
    steps.iter().try_fold(node, |node, step| match step {
        Undone::By(Op::Neg) => negated(dag, node),
        Undone::By(op) => dag.op(*op, [node]).ok(),
        Undone::With(op, number) => {
            let number = dag.num(*number);
            dag.op(*op, [node, number]).ok()
        }
    })
}

/// A node with the other sign.
pub(super) fn negated(dag: &mut Dag, node: NodeId) -> Option<NodeId> {
    match dag.node(node) {
        Node::Op(Op::Neg, args) => Some(args[0]),
        _ => dag.op(Op::Neg, [node]).ok(),
    }
}

/// The input that a node is but for transposes, signs and numbers, and what makes the input of the node again.
pub(super) fn undone(dag: &Dag, id: NodeId) -> Option<(usize, Vec<Undone>)> {
    let number = |id: NodeId| match dag.node(id) {
        Node::Num(bits) => Some(f64::from_bits(*bits)),
        Node::Op(Op::Fill, args) => dag.value(*args.first()?),
        _ => None,
    };
    let mut steps = Vec::new();
    let mut at = id;
    loop {
        let (op, args) = match dag.node(at) {
            Node::Input(input) => return Some((*input as usize, steps)),
            Node::Op(op, args) => (*op, args),
            Node::Num(_) => return None,
        };
        let second = args.get(1).copied();
        let (step, of) = match op {
            Op::Transpose | Op::Neg => (Undone::By(op), args[0]),
            Op::AsScalar | Op::AsMatrix => {
                at = args[0];
                continue;
            }
            Op::Add | Op::Mul => {
                let inverse = if op == Op::Add { Op::Sub } else { Op::Div };
                match (number(args[0]), number(second?)) {
                    (None, Some(c)) => (Undone::With(inverse, c), args[0]),
                    (Some(c), None) => (Undone::With(inverse, c), second?),
                    _ => return None,
                }
            }
            Op::Sub => (Undone::With(Op::Add, number(second?)?), args[0]),
            Op::Div => (Undone::With(Op::Mul, number(second?)?), args[0]),
            _ => return None,
        };
        if let Undone::With(Op::Div, 0.0) = step {
            return None;
        }
        steps.push(step);
        at = of;
    }
}
