//! What gets a variable of its own where a form is written: what its text would compute again and again, and what is indexed. Must
//! look at no script.

use std::collections::{BTreeMap, BTreeSet};

use sumac_cost::{Machine, Priced};
use sumac_la::{Dag, Node, NodeId, Op};

/// What a form computes in statements before its own, as its text would repeat it otherwise.
pub(crate) fn formed_before(dag: &Dag) -> Vec<NodeId> {
    if repeats_work(dag) {
        named(dag)
    } else {
        indexed(dag)
    }
}

/// Whether the roots' text, evaluated as it stands, takes notably longer than their DAG.
pub(super) fn repeats_work(dag: &Dag) -> bool {
    let machine = Machine::default();
    let nodes = dag.reachable(dag.roots());
    // How often each node stands in the text.
    let mut written: BTreeMap<NodeId, f64> = BTreeMap::new();
    for root in dag.roots() {
        *written.entry(*root).or_default() += 1.0;
    }
    let (mut once, mut repeated) = (0.0, 0.0);
    for id in nodes.iter().rev() {
        let times = written.get(id).copied().unwrap_or_default();
        for arg in dag.args(*id) {
            *written.entry(*arg).or_default() += times;
        }
        let seconds = dag
            .node_cost(*id, &machine)
            .map_or(0.0, |cost| cost.seconds);
        once += seconds;
        repeated += seconds * times;
    }
    repeated > 1.05 * once
}

/// The nodes that get a variable where a form is written with temporaries.
pub(super) fn named(dag: &Dag) -> Vec<NodeId> {
    let all: BTreeSet<NodeId> = shared(dag).into_iter().chain(indexed(dag)).collect();
    all.into_iter().collect()
}

/// What is indexed and is no variable: DML has an index of a name alone. In topological order.
pub(super) fn indexed(dag: &Dag) -> Vec<NodeId> {
    let nodes = dag.reachable(dag.roots()).into_iter();
    let bases = nodes.filter_map(|id| match dag.node(id) {
        Node::Op(Op::RightIndex, args) => Some(args[0]),
        _ => None,
    });
    let computed = bases.filter(|base| matches!(dag.node(*base), Node::Op(..)));
    let found: BTreeSet<NodeId> = computed.collect();
    found.into_iter().collect()
}

/// The nodes that cost something and are used more than once, in topological order.
fn shared(dag: &Dag) -> Vec<NodeId> {
    let nodes = dag.reachable(dag.roots());
    let mut uses: BTreeMap<NodeId, usize> = BTreeMap::new();
    for id in nodes.iter().flat_map(|id| dag.args(*id)).chain(dag.roots()) {
        *uses.entry(*id).or_default() += 1;
    }
    let machine = Machine::default();
    let costs = |id: &NodeId| {
        dag.node_cost(*id, &machine)
            .is_some_and(|cost| cost.flops > 0.0)
    };
    nodes
        .iter()
        .copied()
        .filter(|id| {
            uses.get(id).is_some_and(|n| *n > 1)
                && matches!(dag.node(*id), Node::Op(..))
                && costs(id)
        })
        .collect()
}
