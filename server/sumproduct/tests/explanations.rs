//! The chain of forms that explains the paper's loss, and what has none.

use expect_test::expect;
use sumac_la::{Dag, NodeId, Op, Type};
use sumac_sumproduct::explain::explain;

fn chain(dag: &Dag, left: NodeId, right: NodeId) -> String {
    let Some(chain) = explain((dag, left), (dag, right), &|| false) else {
        return "no chain".to_owned();
    };
    let mut text = chain.dag.print(chain.start);
    for step in &chain.steps {
        let laws: Vec<_> = step.laws.iter().map(|law| law.name()).collect();
        text += &format!("\n= {}   [{}]", chain.dag.print(step.form), laws.join(", "));
    }
    text + "\n"
}

/// The loss and its three sums.
fn loss() -> (Dag, [NodeId; 2]) {
    let mut dag = Dag::default();
    let x = dag.input("X", Type::matrix(1000, 500));
    let u = dag.input("U", Type::matrix(1000, 10));
    let v = dag.input("V", Type::matrix(500, 10));
    let two = dag.num(2.0);
    let mut op = |op: Op, args: &[NodeId]| dag.op(op, args.iter().copied()).unwrap();
    let (vt, ut) = (op(Op::Transpose, &[v]), op(Op::Transpose, &[u]));
    let uv = op(Op::MatMul, &[u, vt]);
    let error = op(Op::Sub, &[x, uv]);
    let square = op(Op::Pow, &[error, two]);
    let loss = op(Op::Sum, &[square]);
    let (uu, vv) = (op(Op::MatMul, &[ut, u]), op(Op::MatMul, &[vt, v]));
    let both = op(Op::Mul, &[uu, vv]);
    let norm = op(Op::Sum, &[both]);
    let xv = op(Op::MatMul, &[x, v]);
    let mixed = op(Op::Mul, &[u, xv]);
    let mixed = op(Op::Sum, &[mixed]);
    let mixed = op(Op::Mul, &[two, mixed]);
    let xx = op(Op::Pow, &[x, two]);
    let xx = op(Op::Sum, &[xx]);
    let rest = op(Op::Sub, &[xx, mixed]);
    let three = op(Op::Add, &[rest, norm]);
    (dag, [loss, three])
}

#[test]
fn the_loss_is_written_out_and_each_sum_is_exchanged() {
    let (dag, [loss, three]) = loss();
    expect![[r#"
        sum((X - U %*% t(V))^2)
        = sum(X^2 + (U %*% t(V))^2 - 2 * (X * (U %*% t(V))))   [distribute, double]
        = sum(X^2) + sum((U %*% t(V))^2) - 2 * sum(X * (U %*% t(V)))   [sum-of-plus]
        = sum(X^2) + sum((U %*% t(V))^2) - 2 * sum(U * (X %*% V))   [pull-into-sum, push-out-of-sum]
        = sum(X^2) - 2 * sum(U * (X %*% V)) + sum((t(U) %*% U) * (t(V) %*% V))   [pull-into-sum, push-out-of-sum]
    "#]].assert_eq(&chain(&dag, loss, three));
}

#[test]
fn the_way_back_reads_the_same_equations_from_right_to_left() {
    let (dag, [loss, three]) = loss();
    expect![[r#"
        sum(X^2) - 2 * sum(U * (X %*% V)) + sum((t(U) %*% U) * (t(V) %*% V))
        = sum(X^2) + sum((U %*% t(V))^2) - 2 * sum(U * (X %*% V))   [pull-into-sum, push-out-of-sum]
        = sum(X^2) + sum((U %*% t(V))^2) - 2 * sum(X * (U %*% t(V)))   [pull-into-sum, push-out-of-sum]
        = sum(X^2 + (U %*% t(V))^2 - 2 * (X * (U %*% t(V))))   [plus-of-sums]
        = sum((X - U %*% t(V))^2)   [double, factor]
    "#]].assert_eq(&chain(&dag, three, loss));
}

#[test]
fn what_differs_has_no_chain() {
    let (mut dag, [loss, three]) = loss();
    let double = dag.op(Op::Add, [three, three]).unwrap();
    assert_eq!(chain(&dag, loss, double), "no chain");
}

#[test]
fn who_cancels_gets_no_chain() {
    let (dag, [loss, three]) = loss();
    assert!(explain((&dag, loss), (&dag, three), &|| true).is_none());
}
