//! The canonical form: an expression is equal to itself, and never different from what identities of linear algebra make of it.

use sumac_la::{Dag, Node, NodeId, Op};
use sumac_sumproduct::canonical::{Limits, Verdict, decide_within};

use crate::bytes::Bytes;
use crate::expressions::expression;

/// What expressions are made of.
const OPERATORS: [Op; 34] = [
    Op::MatMul,
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::Transpose,
    Op::Sum,
    Op::RowSums,
    Op::ColSums,
    Op::Neg,
    Op::Pow,
    Op::Div,
    Op::Trace,
    Op::Diag,
    Op::Fill,
    Op::Nrow,
    Op::Ncol,
    Op::Exp,
    Op::Log,
    Op::Sqrt,
    Op::Abs,
    Op::Sign,
    Op::Sigmoid,
    Op::Min2,
    Op::Max2,
    Op::Gt,
    Op::Eq,
    Op::Not,
    Op::And,
    Op::Rev,
    Op::Mean,
    Op::RowMaxs,
    Op::Cbind,
    Op::RightIndex,
    Op::Round,
];

/// Tight, so that most of the time goes into many expressions.
const LIMITS: Limits = Limits {
    max_terms: 256,
    max_atoms_per_term: 24,
    max_labelings: 500,
};

/// Why nothing may be decided of an expression and itself: it is too large, or has no value anywhere.
const REASONS: [&str; 6] = [
    "multiplied out",
    "so symmetric",
    "rules had to be applied",
    "too many digits",
    "no inputs give both sides a value",
    "size",
];

/// Half of the bytes make an expression, the other half choose identities.
pub fn check(data: &[u8]) {
    let (first, choices) = data.split_at(data.len() / 2);
    let (mut dag, root) = expression(&mut Bytes(first), &OPERATORS);
    match decide_within((&dag, root), (&dag, root), &LIMITS) {
        Verdict::Equal(_) => {}
        Verdict::Undecided(why) if REASONS.iter().any(|reason| why.contains(reason)) => {}
        other => panic!("{} and itself: {other:?}", dag.print(root)),
    }
    let other = rewritten(&mut dag, root, &mut Bytes(choices));
    for (left, right) in [(root, other), (other, root)] {
        let verdict = decide_within((&dag, left), (&dag, right), &LIMITS);
        assert!(
            verdict != Verdict::Different,
            "{} and {}",
            dag.print(left),
            dag.print(right)
        );
    }
}

/// An expression that is equal by identities which hold for all values.
fn rewritten(dag: &mut Dag, id: NodeId, choices: &mut Bytes<'_>) -> NodeId {
    let Node::Op(op, args) = dag.node(id).clone() else {
        return id;
    };
    let new: Vec<NodeId> = args
        .iter()
        .map(|arg| rewritten(dag, *arg, choices))
        .collect();
    let same = dag.op(op, new.iter().copied()).unwrap_or(id);
    // Where an operator takes its arguments in one order only, it stays.
    identity(dag, (op, same), &new, choices.below(4)).unwrap_or(same)
}

/// One identity on an operator over these arguments.
fn identity(
    dag: &mut Dag,
    (op, same): (Op, NodeId),
    args: &[NodeId],
    choice: usize,
) -> Option<NodeId> {
    let mut make = |op: Op, args: &[NodeId]| dag.op(op, args.iter().copied()).ok();
    match (op, choice) {
        (Op::Add | Op::Mul | Op::Min2 | Op::Max2 | Op::Eq | Op::And, 1) => {
            make(op, &[args[1], args[0]])
        }
        (Op::Gt, 1) => make(Op::Lt, &[args[1], args[0]]),
        (Op::Sub, 1) => {
            let negative = make(Op::Neg, &[args[1]])?;
            make(Op::Add, &[args[0], negative])
        }
        (Op::MatMul, 1) => {
            let left = make(Op::Transpose, &[args[1]])?;
            let right = make(Op::Transpose, &[args[0]])?;
            let product = make(Op::MatMul, &[left, right])?;
            make(Op::Transpose, &[product])
        }
        (Op::Sum, 1) => {
            let rows = make(Op::RowSums, args)?;
            make(Op::Sum, &[rows])
        }
        (Op::RowSums, 1) => {
            let turned = make(Op::Transpose, args)?;
            let sums = make(Op::ColSums, &[turned])?;
            make(Op::Transpose, &[sums])
        }
        (Op::Trace, 1) => {
            let turned = make(Op::Transpose, args)?;
            make(Op::Trace, &[turned])
        }
        (_, 2) => {
            let once = make(Op::Transpose, &[same])?;
            make(Op::Transpose, &[once])
        }
        (_, 3) => {
            let once = make(Op::Neg, &[same])?;
            make(Op::Neg, &[once])
        }
        _ => None,
    }
}
