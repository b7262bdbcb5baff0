//! The order in which operators run, fused ones and others. It never looks at costs.

use rustc_hash::FxHashMap;
use sumac_la::{Node, NodeId};

use crate::graph::Graph;

/// One thing that is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// A fused operator of the plan, by its number.
    Fused(usize),
    /// An operator alone.
    Alone(NodeId),
}

/// Everything that the roots need, in an order in which it can run, where some of it runs together: the results and the
/// inputs of each fused operator. `None` where operators wait for each other.
pub(crate) fn order(graph: &Graph<'_>, fused: &[(Vec<NodeId>, Vec<NodeId>)]) -> Option<Vec<Unit>> {
    let of: FxHashMap<NodeId, usize> = fused
        .iter()
        .enumerate()
        .flat_map(|(i, (roots, _))| roots.iter().map(move |root| (*root, i)))
        .collect();
    let unit = |id: NodeId| of.get(&id).map_or(Unit::Alone(id), |i| Unit::Fused(*i));
    let needs = |unit: Unit| -> Vec<NodeId> {
        match unit {
            Unit::Fused(i) => fused[i].1.clone(),
            // Products read what is below a transpose that is never formed.
            Unit::Alone(id) => graph.dag.args(id).to_vec(),
        }
    };
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        Waiting,
        Done,
    }
    let mut marks: FxHashMap<usize, Mark> = FxHashMap::default();
    let key = |unit: Unit| match unit {
        Unit::Fused(i) => i,
        Unit::Alone(id) => fused.len() + id.index(),
    };
    let mut found = Vec::new();
    let mut open: Vec<(Unit, bool)> = graph
        .roots
        .iter()
        .rev()
        .map(|id| (unit(*id), false))
        .collect();
    while let Some((at, is_after)) = open.pop() {
        if let Unit::Alone(id) = at
            && !matches!(graph.dag.node(id), Node::Op(..))
        {
            continue;
        }
        if is_after {
            marks.insert(key(at), Mark::Done);
            found.push(at);
            continue;
        }
        match marks.get(&key(at)) {
            Some(Mark::Done) => continue,
            Some(Mark::Waiting) => return None,
            None => {}
        }
        marks.insert(key(at), Mark::Waiting);
        open.push((at, true));
        for need in needs(at) {
            if marks.get(&key(unit(need))) != Some(&Mark::Done) {
                open.push((unit(need), false));
            }
        }
    }
    Some(found)
}
