//! Plans for SystemDS on a cluster: what the cluster cannot run is not fused, what it moves counts, and without sizes only
//! what is safe anywhere is fused.

use sumac_cost::Cluster;
use sumac_fusion::template::Template;
use sumac_fusion::{Options, Placement, Plan, Policy, Rates, Unit, plan};
use sumac_la::{Dag, Dim, NodeId, Op, Type};

struct Script {
    dag: Dag,
}

impl Script {
    fn new() -> Script {
        Script {
            dag: Dag::default(),
        }
    }

    fn dense(&mut self, name: &str, rows: u64, cols: u64) -> NodeId {
        self.dag.input(name, Type::sparse(rows, cols, 1.0))
    }

    fn named(&mut self, name: &str, rows: &str, cols: Option<&str>) -> NodeId {
        let cols = cols.map_or(Dim::Known(1), |cols| Dim::Named(cols.into()));
        self.dag
            .input(name, Type::matrix(Dim::Named(rows.into()), cols))
    }

    fn op(&mut self, op: Op, args: &[NodeId]) -> NodeId {
        self.dag.op(op, args.iter().copied()).unwrap()
    }

    fn plan(&self, root: NodeId, rates: Rates, policy: Policy) -> Plan {
        let options = Options {
            policy,
            ..Options::new(rates)
        };
        plan(&self.dag, &[root], &options)
    }

    fn spark(&self, root: NodeId) -> Plan {
        self.plan(root, Rates::spark(Cluster::default()), Policy::CostBased)
    }

    fn driver(&self, root: NodeId) -> Plan {
        let cores = Cluster::default().cores;
        self.plan(root, Rates::systemds(cores), Policy::CostBased)
    }
}

/// Template and operators of each fused operator.
fn shown(plan: &Plan) -> Vec<(Template, Vec<NodeId>)> {
    let of = |o: &sumac_fusion::PlannedOperator| (o.template, o.covers.clone());
    plan.operators.iter().map(of).collect()
}

fn runs_on_cluster(plan: &Plan, unit: Unit) -> bool {
    matches!(plan.placement(unit), Some(Placement::Cluster(_)))
}

/// `t(X) %*% (X %*% v)`.
fn chain(rows: u64, cols: u64) -> (Script, NodeId, [NodeId; 3]) {
    let mut s = Script::new();
    let (x, v) = (s.dense("X", rows, cols), s.dense("v", cols, 1));
    let transposed = s.op(Op::Transpose, &[x]);
    let inner = s.op(Op::MatMul, &[x, v]);
    let outer = s.op(Op::MatMul, &[transposed, inner]);
    (s, outer, [transposed, inner, outer])
}

#[test]
fn rows_of_several_blocks_are_not_fused_on_the_cluster() {
    // 80 GB: the rows of 1000 columns lie in one block each, those of 1001 do not.
    for (cols, is_fused) in [(1000, true), (1001, false)] {
        let (s, root, [transposed, inner, outer]) = chain(10_000_000, cols);
        let row = vec![(Template::Row, vec![transposed, inner, outer])];
        assert_eq!(shown(&s.driver(root)), row, "{cols}");
        let plan = s.spark(root);
        assert_eq!(shown(&plan), if is_fused { row } else { vec![] }, "{cols}");
        let unit = if is_fused {
            Unit::Fused(0)
        } else {
            Unit::Alone(inner)
        };
        assert!(runs_on_cluster(&plan, unit), "{cols}");
    }
}

#[test]
fn what_fits_into_the_driver_has_no_blocks() {
    // 16 GB of 5000 columns.
    let (s, root, [transposed, inner, outer]) = chain(400_000, 5000);
    let plan = s.spark(root);
    assert_eq!(
        shown(&plan),
        [(Template::Row, vec![transposed, inner, outer])]
    );
    assert_eq!(plan.placement(Unit::Fused(0)), Some(&Placement::Driver));
    assert_eq!(plan.seconds, s.driver(root).seconds);
}

#[test]
fn operators_over_narrow_rows_are_fused_beside_a_wide_product() {
    // t(N) %*% exp(W %*% v): the wide W stays outside, the rest goes through the rows of N.
    let mut s = Script::new();
    let (n, w) = (
        s.dense("N", 20_000_000, 100),
        s.dense("W", 20_000_000, 2000),
    );
    let v = s.dense("v", 2000, 1);
    let product = s.op(Op::MatMul, &[w, v]);
    let exp = s.op(Op::Exp, &[product]);
    let scaled = s.op(Op::Mul, &[n, exp]);
    let transposed = s.op(Op::Transpose, &[scaled]);
    let narrow = s.dense("b", 20_000_000, 2);
    let root = s.op(Op::MatMul, &[transposed, narrow]);
    let is_inside = |plan: &Plan, id: NodeId| plan.operators.iter().any(|o| o.covers.contains(&id));
    assert!(is_inside(&s.driver(root), product));
    let plan = s.spark(root);
    assert!(!is_inside(&plan, product) && is_inside(&plan, scaled));
}

/// `t(X) %*% (a * b * c)` with X of 160 GB and vectors of 1.6 GB.
fn weighted() -> (Script, NodeId, [NodeId; 4]) {
    let mut s = Script::new();
    let rows = 200_000_000;
    let x = s.dense("X", rows, 100);
    let [a, b, c] = ["a", "b", "c"].map(|name| s.dense(name, rows, 1));
    let ab = s.op(Op::Mul, &[a, b]);
    let abc = s.op(Op::Mul, &[ab, c]);
    let transposed = s.op(Op::Transpose, &[x]);
    let root = s.op(Op::MatMul, &[transposed, abc]);
    (s, root, [ab, abc, transposed, root])
}

#[test]
fn vectors_are_computed_in_the_driver_before_one_is_sent() {
    let (s, root, [ab, abc, transposed, _]) = weighted();
    let all = vec![(Template::Row, vec![ab, abc, transposed, root])];
    assert_eq!(shown(&s.driver(root)), all);
    let plan = s.spark(root);
    let apart = [
        (Template::Cell, vec![ab, abc]),
        (Template::Row, vec![transposed, root]),
    ];
    assert_eq!(shown(&plan), apart);
    assert_eq!(plan.placement(Unit::Fused(0)), Some(&Placement::Driver));
    assert!(runs_on_cluster(&plan, Unit::Fused(1)));
    // Fusing all sends three vectors.
    let eager = s.plan(root, Rates::spark(Cluster::default()), Policy::FuseAll);
    assert_eq!(shown(&eager), all);
    let Some(Placement::Cluster(moves)) = eager.placement(Unit::Fused(0)) else {
        panic!("{:?}", eager.placements);
    };
    assert_eq!(moves.sent.len(), 3);
    assert_eq!(moves.seconds, 3.0 * 1.6e9 / Cluster::default().broadcast);
    assert!(eager.seconds > plan.seconds);
}

#[test]
fn vectors_that_executors_have_no_room_for_are_joined() {
    let (s, root, _) = weighted();
    // Room for one of the three.
    let cluster = Cluster {
        executor_memory: 10e9,
        ..Cluster::default()
    };
    let plan = s.plan(root, Rates::spark(cluster), Policy::FuseAll);
    let Some(Placement::Cluster(moves)) = plan.placement(Unit::Fused(0)) else {
        panic!("{:?}", plan.placements);
    };
    assert_eq!((moves.sent.len(), moves.joined.len()), (1, 2));
}

#[test]
fn a_row_of_a_factor_has_to_lie_in_one_block() {
    for (rank, is_fused) in [(100, true), (2000, false)] {
        let mut s = Script::new();
        let x = s.dag.input("X", Type::sparse(50_000_000, 10_000_000, 1e-5));
        let (u, v) = (
            s.dense("U", 50_000_000, rank),
            s.dense("V", 10_000_000, rank),
        );
        let transposed = s.op(Op::Transpose, &[v]);
        let product = s.op(Op::MatMul, &[u, transposed]);
        let sampled = s.op(Op::Mul, &[x, product]);
        let root = s.op(Op::Sum, &[sampled]);
        let outer = |plan: &Plan| shown(plan).iter().any(|(kind, _)| *kind == Template::Outer);
        assert!(outer(&s.driver(root)));
        assert_eq!(outer(&s.spark(root)), is_fused, "{rank}");
    }
}

#[test]
fn without_sizes_only_matrices_of_one_shape_are_fused() {
    let mut s = Script::new();
    let (x, y) = (s.named("X", "n", Some("m")), s.named("Y", "n", Some("m")));
    let v = s.named("v", "n", None);
    let two = s.dag.num(2.0);
    let scaled = s.op(Op::Mul, &[x, v]);
    let exp = s.op(Op::Exp, &[scaled]);
    let sum = s.op(Op::Add, &[exp, y]);
    let doubled = s.op(Op::Mul, &[sum, two]);
    let root = s.op(Op::Sum, &[doubled]);
    let all = vec![(Template::Cell, vec![scaled, exp, sum, doubled, root])];
    assert_eq!(shown(&s.driver(root)), all);
    // How large v is nobody knows: only where it is read anyway.
    let plan = s.spark(root);
    assert_eq!(
        shown(&plan),
        [(Template::Cell, vec![exp, sum, doubled, root])]
    );
    assert_eq!(plan.placement(Unit::Fused(0)), Some(&Placement::Unknown));
    assert_eq!(plan.seconds, None);
}

#[test]
fn without_sizes_nothing_is_computed_twice() {
    let mut s = Script::new();
    let (x, y) = (s.named("X", "n", Some("m")), s.named("Y", "n", Some("m")));
    let shared = s.op(Op::Mul, &[x, y]);
    let exp = s.op(Op::Exp, &[shared]);
    let abs = s.op(Op::Abs, &[shared]);
    let [a, b] = [exp, abs].map(|value| s.op(Op::Sum, &[value]));
    let root = s.op(Op::Add, &[a, b]);
    let plan = s.spark(root);
    let readers = plan.operators.iter().filter(|o| o.covers.contains(&shared));
    assert!(readers.count() <= 1, "{:?}", shown(&plan));
}

#[test]
fn aggregates_share_a_pass_on_the_cluster() {
    let mut s = Script::new();
    let [x, y, z] = ["X", "Y", "Z"].map(|name| s.dense(name, 50_000_000, 100));
    let (xy, xz) = (s.op(Op::Mul, &[x, y]), s.op(Op::Mul, &[x, z]));
    let [a, b] = [xy, xz].map(|value| s.op(Op::Sum, &[value]));
    let root = s.op(Op::Add, &[a, b]);
    let plan = s.spark(root);
    let all = vec![xy, xz, a, b];
    assert_eq!(shown(&plan), [(Template::MAgg, all)]);
    let Some(Placement::Cluster(moves)) = plan.placement(Unit::Fused(0)) else {
        panic!("{:?}", plan.placements);
    };
    // 40 GB each: X stays, the others come to its blocks.
    assert_eq!(moves.joined, [y, z]);
}
