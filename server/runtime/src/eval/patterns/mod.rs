//! Patterns of several operators that one kernel computes: cellwise operators in one pass over memory, alone or under a
//! sum; `t(X) %*% (w * (X %*% v))` in one pass over X; cellwise operators over a product in the cells that a sparse
//! matrix stores.
//!
//! Before anything runs, the DAG's shape says which nodes may be inside a pattern: those that nobody else reads. When
//! the pattern's own node is reached, the values say whether it applies. Where it does not, its inner nodes are
//! computed one by one, so a pattern never changes what can be computed.

mod cells;
mod chain;
mod sampled;

use sumac_la::{Dag, Node, NodeId, Op};

use self::chain::Chain;
use self::sampled::Sampled;
use crate::error::OpError;
use crate::value::Value;

/// A pattern's name, and what it gave.
pub(super) type Done = (&'static str, Result<Value, OpError>);

/// A pattern that the DAG's shape shows, at its own node.
enum Plan {
    Chain(Chain),
    Sampled(Sampled),
    /// The sum of the node that is sampled.
    SumOf(Sampled),
}

impl Plan {
    /// The nodes inside, arguments before their readers.
    fn inner(&self) -> &[NodeId] {
        match self {
            Plan::Chain(chain) => &chain.inner,
            Plan::Sampled(sampled) | Plan::SumOf(sampled) => &sampled.inner,
        }
    }
}

/// Which nodes wait for the one node that reads them.
pub(super) struct Patterns {
    plans: Vec<Option<Plan>>,
    waiting: Vec<bool>,
}

impl Patterns {
    /// `uses` counts the readers of each node, roots included; `lazy` are transposes that only products read.
    pub(super) fn new(dag: &Dag, order: &[NodeId], uses: &[usize], lazy: &[bool]) -> Patterns {
        let alone = |id: NodeId| uses[id.index()] == 1;
        let mut plans: Vec<Option<Plan>> = (0..dag.len()).map(|_| None).collect();
        let mut waiting = vec![false; dag.len()];
        for &id in order {
            let free = |inner: NodeId| {
                alone(inner) && plans[inner.index()].is_none() && !waiting[inner.index()]
            };
            let sampled = |id: NodeId| Sampled::of(dag, id, lazy, &free);
            let plan = if let Some(chain) = Chain::of(dag, id, lazy) {
                let is_free = chain.inner.iter().all(|inner| free(*inner));
                is_free.then_some(Plan::Chain(chain))
            } else {
                sampled(id).map(Plan::Sampled)
            };
            let Some(plan) = plan else { continue };
            for inner in plan.inner() {
                waiting[inner.index()] = true;
            }
            plans[id.index()] = Some(plan);
        }
        for &id in order {
            if let Node::Op(Op::Sum, args) = dag.node(id)
                && alone(args[0])
                && let Some(Plan::Sampled(_)) = &plans[args[0].index()]
                && let Some(Plan::Sampled(mut sampled)) = plans[args[0].index()].take()
            {
                sampled.inner.push(args[0]);
                waiting[args[0].index()] = true;
                plans[id.index()] = Some(Plan::SumOf(sampled));
            }
        }
        let inside = waiting.clone();
        for &reader in order {
            if plans[reader.index()].is_some() || inside[reader.index()] {
                continue;
            }
            for arg in dag.args(reader) {
                let is_free = alone(*arg) && plans[arg.index()].is_none();
                waiting[arg.index()] |= is_free && cells::may_wait(dag, reader, *arg);
            }
        }
        Patterns { plans, waiting }
    }

    /// Whether the node is left to its reader.
    pub(super) fn waits(&self, id: NodeId) -> bool {
        self.waiting[id.index()]
    }

    /// The waiting nodes below `id`, arguments before their readers.
    pub(super) fn inner(&self, dag: &Dag, id: NodeId) -> Vec<NodeId> {
        if let Some(plan) = &self.plans[id.index()] {
            return plan.inner().to_vec();
        }
        let mut found = Vec::new();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            for arg in dag.args(id) {
                // Who reads an argument twice is not its only reader, so nothing is found twice.
                if self.waits(*arg) {
                    found.push(*arg);
                    open.push(*arg);
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// The value of `id` with the waiting nodes `inner` below it, where one kernel computes all of them. `value` gives
    /// the value of a node that does not wait.
    pub(super) fn compute<'a>(
        &self,
        dag: &Dag,
        id: NodeId,
        inner: &[NodeId],
        value: impl Fn(NodeId) -> Option<&'a Value>,
    ) -> Option<Done> {
        match &self.plans[id.index()] {
            Some(Plan::Chain(chain)) => chain.compute(value),
            Some(Plan::Sampled(sampled)) => sampled.compute(dag, value),
            Some(Plan::SumOf(sampled)) => sampled.sum(dag, value),
            None => cells::compute(dag, id, inner, value),
        }
    }
}
