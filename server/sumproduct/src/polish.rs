//! A result as a person would write it: long sums in one line without parentheses, the short summands first.
//!
//! Only sums of scalars are regrouped: of matrices the grouping decides what is computed at which size.

use std::collections::BTreeMap;

use sumac_la::{Dag, Node, NodeId, Op};

/// The same DAG with its sums of scalars in reading order.
pub(crate) fn polish(dag: &Dag) -> Dag {
    let mut out = Dag::default();
    let mut done: BTreeMap<NodeId, NodeId> = BTreeMap::new();
    for id in dag.reachable(dag.roots()) {
        let node = rebuild(dag, id, &done, &mut out);
        done.insert(id, node);
    }
    for root in dag.roots() {
        out.push_root(done[root]);
    }
    out
}

fn rebuild(dag: &Dag, id: NodeId, done: &BTreeMap<NodeId, NodeId>, out: &mut Dag) -> NodeId {
    let sum = summands(dag, id);
    if sum.len() < 3 {
        return match dag.node(id) {
            Node::Op(op, args) => out
                .op(*op, args.iter().map(|arg| done[arg]))
                .expect("shapes are as before"),
            Node::Input(_) | Node::Num(_) => out.import(dag, id),
        };
    }
    let mut sum: Vec<(bool, usize, NodeId)> = sum
        .into_iter()
        .map(|(minus, part)| (minus, dag.reachable(&[part]).len(), part))
        .collect();
    sum.sort_by_key(|(_, size, _)| *size);
    // A sum begins with what is added.
    if let Some(first) = sum.iter().position(|(minus, _, _)| !minus) {
        let first = sum.remove(first);
        sum.insert(0, first);
    }
    let mut parts = sum.into_iter();
    let (minus, _, first) = parts.next().expect("three or more");
    let mut total = done[&first];
    if minus {
        total = out.op(Op::Neg, [total]).expect("a scalar");
    }
    for (minus, _, part) in parts {
        let op = if minus { Op::Sub } else { Op::Add };
        total = out.op(op, [total, done[&part]]).expect("scalars");
    }
    total
}

/// The summands below a sum of scalars, each with whether it is subtracted.
fn summands(dag: &Dag, id: NodeId) -> Vec<(bool, NodeId)> {
    let mut found = Vec::new();
    let mut open = vec![(false, id)];
    while let Some((minus, id)) = open.pop() {
        match dag.node(id) {
            Node::Op(op @ (Op::Add | Op::Sub), args)
                if args.iter().all(|arg| dag.is_scalar(*arg)) =>
            {
                open.push((minus ^ (*op == Op::Sub), args[1]));
                open.push((minus, args[0]));
            }
            _ => found.push((minus, id)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use sumac_la::Type;

    #[test]
    fn sums_of_scalars_read_from_short_to_long() {
        let mut dag = Dag::default();
        let (a, b) = (
            dag.input("a", Type::scalar()),
            dag.input("b", Type::scalar()),
        );
        let x = dag.input("X", Type::matrix(3, 3));
        let (exp, total) = (dag.op(Op::Exp, [x]).unwrap(), dag.op(Op::Sum, [x]).unwrap());
        let sum = dag.op(Op::Sum, [exp]).unwrap();
        let inner = dag.op(Op::Sub, [total, sum]).unwrap();
        let inner = dag.op(Op::Add, [a, inner]).unwrap();
        let root = dag.op(Op::Sub, [inner, b]).unwrap();
        dag.push_root(root);
        let nice = polish(&dag);
        assert_eq!(nice.print(nice.roots()[0]), "a - b + sum(X) - sum(exp(X))");
    }
}
