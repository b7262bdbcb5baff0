//! What a DAG costs: what is shared counts once, what runs as one operator costs what that does, and the peak memory is that of the
//! worst moment. Must never decide what runs as one.

use sumac_la::{Dag, Node, NodeId, Op};

use crate::cost::{Cost, matrix_bytes, node_cost};
use crate::engine::Engine;
use crate::fused::Fused;
use crate::machine::Machine;
use crate::region::{Reads, Region};

/// The cost of computing `roots`, shared parts counted once. `None` if a size on the way is not a number.
#[must_use]
pub(crate) fn cost(dag: &Dag, roots: &[NodeId], machine: &Machine) -> Option<Cost> {
    let mut units = vec![None; dag.len()];
    for (id, fused) in fused(dag, roots, machine.engine) {
        let cost = fused.cost(dag, dag.ty(id), machine)?;
        units[id.index()] = Some((fused.operands, cost));
    }
    cost_of_units(dag, roots, machine, &units)
}

/// As [`cost`], where these regions run as one operator each, and all other operators alone.
#[must_use]
pub(crate) fn cost_by(
    dag: &Dag,
    roots: &[NodeId],
    machine: &Machine,
    regions: &[Region],
) -> Option<Cost> {
    let mut units = vec![None; dag.len()];
    for region in regions {
        for root in &region.roots {
            let cost = region.cost(dag, *root, machine)?;
            units[root.index()] = Some((region.reads.clone(), cost));
        }
    }
    cost_of_units(dag, roots, machine, &units)
}

/// By node: what is read and what it costs where more than the node's own operator runs.
fn cost_of_units(
    dag: &Dag,
    roots: &[NodeId],
    machine: &Machine,
    units: &[Option<(Reads, Cost)>],
) -> Option<Cost> {
    let reads = |id: NodeId| match &units[id.index()] {
        Some((reads, _)) => reads.as_slice(),
        None => dag.args(id),
    };
    let nodes = dag.reachable_by(roots, reads);
    let folded = folded_transposes(dag, &nodes, roots, &reads);
    let mut last_use = vec![0; dag.len()];
    for (step, id) in nodes.iter().enumerate() {
        for arg in reads(*id) {
            last_use[arg.index()] = step;
        }
    }
    for root in roots {
        last_use[root.index()] = usize::MAX;
    }
    for id in nodes.iter().rev().filter(|id| folded[id.index()]) {
        // The product reads the operand itself.
        let operand = dag.args(*id)[0].index();
        last_use[operand] = last_use[operand].max(last_use[id.index()]);
    }
    let mut total = Cost::default();
    let mut alive = 0.0_f64;
    // Bytes of each value while it is alive.
    let mut held = vec![0.0; dag.len()];
    for (step, id) in nodes.iter().enumerate() {
        if folded[id.index()] {
            continue;
        }
        let mut cost = match &units[id.index()] {
            Some((_, cost)) => *cost,
            None => node_cost(dag, *id, machine)?,
        };
        let transposed = reads(*id).first().filter(|left| folded[left.index()]);
        if transposed.is_some_and(|left| dag.ty(*left).is_stored_sparse()) {
            cost.seconds *= machine.scatter;
        }
        total.flops += cost.flops;
        total.bytes += cost.bytes;
        total.nnz += cost.nnz;
        total.seconds += cost.seconds;
        held[id.index()] = match dag.node(*id) {
            Node::Op(..) => cost.peak_bytes,
            Node::Input(_) | Node::Num(_) => matrix_bytes(dag.ty(*id))?,
        };
        alive += held[id.index()];
        total.peak_bytes = total.peak_bytes.max(alive);
        let operand = |arg: &NodeId| {
            if folded[arg.index()] {
                dag.args(*arg)[0]
            } else {
                *arg
            }
        };
        let mut freed: Vec<NodeId> = reads(*id).iter().map(operand).collect();
        freed.sort_unstable();
        freed.dedup();
        for arg in freed {
            // Inputs stay: the script still holds them.
            if last_use[arg.index()] == step && matches!(dag.node(arg), Node::Op(..)) {
                alive -= held[arg.index()];
            }
        }
    }
    Some(total)
}

/// The fused operators that the engine has, where it comes to compute them.
fn fused(dag: &Dag, roots: &[NodeId], engine: Engine) -> Vec<(NodeId, Fused)> {
    let mut found = Vec::new();
    let mut seen = vec![false; dag.len()];
    let mut open = roots.to_vec();
    while let Some(id) = open.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        let fused = engine.fused(dag, id);
        open.extend(fused.as_ref().map_or(dag.args(id), |fused| &fused.operands));
        found.extend(fused.map(|fused| (id, fused)));
    }
    found
}

/// By node: transposes that only products read. Engines read the operand the other way round instead.
fn folded_transposes<'a>(
    dag: &'a Dag,
    nodes: &[NodeId],
    roots: &[NodeId],
    reads: &impl Fn(NodeId) -> &'a [NodeId],
) -> Vec<bool> {
    let is = |id: NodeId, wanted: Op| matches!(dag.node(id), Node::Op(op, _) if *op == wanted);
    let mut folded = vec![false; dag.len()];
    for id in nodes {
        folded[id.index()] = is(*id, Op::Transpose) && !roots.contains(id);
    }
    for id in nodes.iter().filter(|id| !is(**id, Op::MatMul)) {
        for arg in reads(*id) {
            folded[arg.index()] = false;
        }
    }
    folded
}
