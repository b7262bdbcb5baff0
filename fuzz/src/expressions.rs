//! Small expressions of linear algebra from bytes, for searches and proofs. What does not fit the shapes is left out.

use sumac_la::{Dag, NodeId, Op, Type};

use crate::bytes::Bytes;

/// Inputs: two wide, one high, one square, a column, a row and a scalar.
const INPUTS: [(&str, u64, u64); 7] = [
    ("A", 3, 4),
    ("B", 3, 4),
    ("C", 4, 3),
    ("S", 3, 3),
    ("v", 3, 1),
    ("r", 1, 4),
    ("s", 1, 1),
];

/// The shares of non-zeros that inputs have.
const SHARES: [Option<f64>; 4] = [None, None, Some(0.3), Some(0.0)];
/// Numbers that stand in expressions.
const NUMBERS: [f64; 6] = [0.0, 1.0, -1.0, 2.0, 0.5, 3.0];
/// Operators at most.
const MOST: usize = 10;

/// Inputs, and an expression over them; the first byte says which inputs are sparse.
pub fn expression(bytes: &mut Bytes<'_>, operators: &[Op]) -> (Dag, NodeId) {
    let mut dag = Dag::default();
    let mut nodes = Vec::new();
    let mut shares = usize::from(bytes.next());
    for (name, rows, cols) in INPUTS {
        let ty = match SHARES[shares % 4] {
            _ if name == "s" => Type::scalar(),
            None => Type::matrix(rows, cols),
            Some(share) => Type::sparse(rows, cols, share),
        };
        shares /= 2;
        nodes.push(dag.input(name, ty));
    }
    let mut root = nodes[0];
    let mut made = 0;
    while made < MOST && !bytes.is_empty() {
        let op = bytes.one_of(operators);
        let args = arguments(&mut dag, &nodes, op, bytes);
        if let Ok(node) = dag.op(op, args)
            && dag.ty(node).is_sized()
        {
            nodes.push(node);
            root = node;
            made += 1;
        }
    }
    (dag, root)
}

/// Arguments for an operator; whether they fit is for the table to say.
fn arguments(dag: &mut Dag, nodes: &[NodeId], op: Op, bytes: &mut Bytes<'_>) -> Vec<NodeId> {
    // The newest is the likeliest.
    let pick = |bytes: &mut Bytes<'_>| {
        let back = bytes.below(2 * nodes.len());
        nodes[nodes.len() - 1 - back.saturating_sub(nodes.len())]
    };
    let x = pick(bytes);
    let mut number = |from: &[f64], bytes: &mut Bytes<'_>| dag.num(bytes.one_of(from));
    match op {
        Op::Pow => vec![x, number(&[2.0, 3.0, 1.0, 0.0], bytes)],
        Op::Fill => {
            let x = number(&NUMBERS, bytes);
            vec![
                x,
                number(&[3.0, 1.0, 4.0], bytes),
                number(&[4.0, 1.0, 3.0], bytes),
            ]
        }
        Op::RightIndex => {
            let mut ends = || number(&[1.0, 2.0, 3.0], bytes);
            vec![x, ends(), ends(), ends(), ends()]
        }
        _ if !op.info().arity.accepts(2) => vec![x],
        _ => match bytes.below(4) {
            0 => vec![x, number(&NUMBERS, bytes)],
            _ => vec![x, pick(bytes)],
        },
    }
}
