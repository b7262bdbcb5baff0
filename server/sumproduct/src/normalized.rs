//! A result as a person would write it: long sums in one line without parentheses, the short summands first.
//!
//! Equal summands are written as multiples. Only sums of scalars are regrouped: of matrices the grouping decides what is computed at which size.

use std::collections::BTreeMap;

use sumac_la::{Dag, Node, NodeId, Op};

use crate::tidy::tidy;

/// Which sums are put in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sums {
    /// Those of scalars.
    OfScalars,
    /// All whose summands have one shape: for what is read and not computed.
    All,
}

/// The same roots tidied, and their sums of scalars in reading order.
pub(crate) fn normalized(dag: &Dag) -> Dag {
    tidy(&in_order(&tidy(dag), Sums::OfScalars))
}

/// The same DAG with some of its sums in reading order.
pub(crate) fn in_order(dag: &Dag, sums: Sums) -> Dag {
    let mut out = Dag::default();
    let mut done: BTreeMap<NodeId, NodeId> = BTreeMap::new();
    for id in dag.reachable(dag.roots()) {
        let node = rebuild(dag, id, sums, &done, &mut out);
        done.insert(id, node);
    }
    for root in dag.roots() {
        out.push_root(done[root]);
    }
    out
}

fn rebuild(
    dag: &Dag,
    id: NodeId,
    sums: Sums,
    done: &BTreeMap<NodeId, NodeId>,
    out: &mut Dag,
) -> NodeId {
    let all = summands(dag, id, sums);
    let sum = counted(&all);
    if all.len() < 3 && sum.len() == all.len() {
        return match dag.node(id) {
            Node::Op(op, args) => out
                .op_like(*op, args.iter().map(|arg| done[arg]), dag.ty(id))
                .expect("shapes are as before"),
            Node::Input(_) | Node::Num(_) => out.import(dag, id),
        };
    }
    let mut sum: Vec<(i32, usize, NodeId)> = sum
        .into_iter()
        .map(|(times, part)| (times, dag.reachable(&[part]).len(), part))
        .collect();
    sum.sort_by_key(|(_, size, _)| *size);
    // A sum begins with what is added.
    if let Some(first) = sum.iter().position(|(times, _, _)| *times > 0) {
        let first = sum.remove(first);
        sum.insert(0, first);
    }
    let mut total: Option<NodeId> = None;
    for (times, _, part) in sum {
        let mut summand = done[&part];
        if times.abs() > 1 {
            let factor = out.num(f64::from(times.abs()));
            summand = out
                .op(Op::Mul, [factor, summand])
                .expect("summands of one shape");
        }
        total = Some(match (total, times < 0) {
            (None, false) => summand,
            (None, true) => out.op(Op::Neg, [summand]).expect("one summand"),
            (Some(total), false) => out
                .op(Op::Add, [total, summand])
                .expect("summands of one shape"),
            (Some(total), true) => out
                .op(Op::Sub, [total, summand])
                .expect("summands of one shape"),
        });
    }
    match total {
        Some(total) => total,
        None if dag.is_scalar(id) => out.num(0.0),
        None => out.import(dag, id),
    }
}

/// Each summand once, with how often it is added, or subtracted; those of which nothing stays are left out.
fn counted(summands: &[(bool, NodeId)]) -> Vec<(i32, NodeId)> {
    let mut counts: Vec<(i32, NodeId)> = Vec::new();
    for (minus, part) in summands {
        let one = if *minus { -1 } else { 1 };
        match counts.iter_mut().find(|(_, known)| known == part) {
            Some((times, _)) => *times += one,
            None => counts.push((one, *part)),
        }
    }
    counts.retain(|(times, _)| *times != 0);
    counts
}

/// The summands below a sum, each with whether it is subtracted.
fn summands(dag: &Dag, id: NodeId, sums: Sums) -> Vec<(bool, NodeId)> {
    let is_alike = |arg: &NodeId| match sums {
        Sums::OfScalars => dag.is_scalar(*arg),
        Sums::All => {
            let (a, b) = (dag.ty(*arg), dag.ty(id));
            (a.kind, &a.rows, &a.cols) == (b.kind, &b.rows, &b.cols)
        }
    };
    let mut found = Vec::new();
    let mut open = vec![(false, id)];
    while let Some((minus, id)) = open.pop() {
        match dag.node(id) {
            Node::Op(op @ (Op::Add | Op::Sub), args) if args.iter().all(is_alike) => {
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
        let nice = normalized(&dag);
        assert_eq!(nice.print(nice.roots()[0]), "a - b + sum(X) - sum(exp(X))");
    }

    #[test]
    fn equal_summands_are_multiples() {
        let mut dag = Dag::default();
        let [a, b] = ["a", "b"].map(|name| dag.input(name, Type::scalar()));
        let mut op = |op: Op, args: [NodeId; 2]| dag.op(op, args).unwrap();
        let twice = op(Op::Add, [a, a]);
        let less = op(Op::Sub, [b, twice]);
        let nothing = op(Op::Sub, [a, a]);
        for (root, text) in [(twice, "2 * a"), (less, "b - 2 * a"), (nothing, "0")] {
            let mut one = Dag::default();
            let root = one.import(&dag, root);
            one.push_root(root);
            let nice = normalized(&one);
            assert_eq!(nice.print(nice.roots()[0]), text);
        }
    }
}
