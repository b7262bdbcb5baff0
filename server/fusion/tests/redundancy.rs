//! What is computed twice has to be clearly cheaper: estimates let computing hide behind reading.

use sumac_cost::Machine;
use sumac_fusion::{Options, Plan, Policy, Rates, plan};
use sumac_la::{Dag, NodeId, Op, Type};

fn op(dag: &mut Dag, op: Op, args: &[NodeId]) -> NodeId {
    dag.op(op, args.iter().copied()).unwrap()
}

fn planned(dag: &Dag, roots: &[NodeId], policy: Policy) -> Plan {
    let mut options = Options::new(Rates::from(&Machine::default()));
    options.policy = policy;
    plan(dag, roots, &options)
}

/// How many fused operators compute a value.
fn computed(plan: &Plan, value: NodeId) -> usize {
    let operators = plan.operators.iter();
    operators.filter(|o| o.covers.contains(&value)).count()
}

/// The back propagation of an autoencoder through a layer: three operators read `D = A * H * (1 - H)`.
#[test]
fn of_plans_that_cost_about_as_much_the_one_that_computes_nothing_twice_is_taken() {
    let mut dag = Dag::default();
    let [a, h] = ["A", "H"].map(|name| dag.input(name, Type::matrix(200, 512)));
    let w = dag.input("W", Type::matrix(200, 2));
    let before = dag.input("H2", Type::matrix(2, 512));
    let one = dag.num(1.0);
    let product = op(&mut dag, Op::Mul, &[a, h]);
    let rest = op(&mut dag, Op::Sub, &[one, h]);
    let d = op(&mut dag, Op::Mul, &[product, rest]);
    let [wt, before] = [w, before].map(|m| op(&mut dag, Op::Transpose, &[m]));
    let back = op(&mut dag, Op::MatMul, &[wt, d]);
    let weights = op(&mut dag, Op::MatMul, &[d, before]);
    let bias = op(&mut dag, Op::RowSums, &[d]);
    let roots = [back, weights, bias];
    let all = planned(&dag, &roots, Policy::FuseAll);
    assert_eq!(computed(&all, d), 3);
    let cheapest = planned(&dag, &roots, Policy::CostBased);
    assert_eq!(computed(&cheapest, d), 1);
    let [all, cheapest] = [all, cheapest].map(|plan| plan.seconds.unwrap());
    assert!((cheapest / all - 1.0).abs() < 0.02, "{cheapest} s, {all} s");
}

/// Its loss: `E = Y - T` is cheaper to compute again than to write down.
#[test]
fn what_is_clearly_cheaper_is_computed_twice() {
    let mut dag = Dag::default();
    let [y, t] = ["Y", "T"].map(|name| dag.input(name, Type::matrix(500, 512)));
    let [one, two] = [1.0, 2.0].map(|number| dag.num(number));
    let e = op(&mut dag, Op::Sub, &[y, t]);
    let square = op(&mut dag, Op::Pow, &[e, two]);
    let loss = op(&mut dag, Op::Sum, &[square]);
    let product = op(&mut dag, Op::Mul, &[e, y]);
    let rest = op(&mut dag, Op::Sub, &[one, y]);
    let d = op(&mut dag, Op::Mul, &[product, rest]);
    let plan = planned(&dag, &[loss, d], Policy::CostBased);
    assert_eq!(computed(&plan, e), 2);
}
