//! Partitions with more points than a machine word has bits, and more choices than can be looked at.

use sumac_cost::Machine;
use sumac_fusion::costing::Costing;
use sumac_fusion::search::{fuse_all, fuse_no_redundancy, search};
use sumac_fusion::template::Sizes;
use sumac_fusion::{Graph, Limits, Options, Rates, explore, partitions, plan};
use sumac_la::{Dag, NodeId, Op, Type};

/// `v = sigmoid(v) * (v + x)`, so many times: each `v` is read twice, so that there are two points a round.
fn rounds(count: usize) -> (Dag, NodeId) {
    let mut dag = Dag::default();
    let x = dag.input("X", Type::sparse(100_000, 10, 1.0));
    let mut v = dag.input("V", Type::sparse(100_000, 10, 1.0));
    for _ in 0..count {
        let left = dag.op(Op::Sigmoid, [v]).unwrap();
        let right = dag.op(Op::Add, [v, x]).unwrap();
        v = dag.op(Op::Mul, [left, right]).unwrap();
    }
    (dag, v)
}

#[test]
fn more_than_63_points_are_decided_within_bounds_and_the_result_says_so() {
    let (dag, root) = rounds(60);
    let graph = Graph::new(&dag, &[root]);
    let memo = explore(&graph, Sizes::default(), false);
    let parts = partitions(&graph, &memo);
    assert_eq!(parts.len(), 1);
    assert!(parts[0].points.len() > 100, "{}", parts[0].points.len());
    let costing = Costing::new(&graph, &memo, &parts[0], Rates::from(&Machine::default())).unwrap();
    // Costs alone leave few choices.
    let found = search(&costing, &memo, Limits::default());
    assert!(!found.cut_short && found.costed < 1000, "{}", found.costed);
    let best = found.seconds;
    let limits = Limits {
        plans: 300,
        by_cost: false,
        by_structure: false,
    };
    let found = search(&costing, &memo, limits);
    assert!(found.seconds >= best * (1.0 - 1e-12));
    assert!(found.cut_short);
    assert!(found.costed < 300 + 10 * 120, "{}", found.costed);
    for heuristic in [fuse_all(&costing), fuse_no_redundancy(&costing)] {
        let cost = costing.cost(&heuristic, &[], f64::INFINITY);
        assert!(found.seconds <= cost, "{} and {cost}", found.seconds);
    }
}

#[test]
fn a_search_that_ends_by_itself_does_not_say_that_it_was_cut_short() {
    let (dag, root) = rounds(4);
    let plan = plan(
        &dag,
        &[root],
        &Options::new(Rates::from(&Machine::default())),
    );
    assert!(!plan.cut_short());
    assert!(plan.costed() > 0);
    assert!(plan.seconds.unwrap() < plan.unfused_seconds.unwrap());
}

#[test]
fn a_thousand_operators_are_explored_in_proportion() {
    let entries = |count: usize| {
        let (dag, root) = rounds(count);
        explore(&Graph::new(&dag, &[root]), Sizes::default(), false).len()
    };
    let (few, many) = (entries(20), entries(340));
    assert!(many <= 17 * few + 100, "{few} and {many}");
}
