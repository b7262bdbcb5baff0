//! Plan partitions: parts of a memo table that fusion does not connect, and what is to be decided in each.
//!
//! Nothing is decided here. A partition's points are the edges where it matters whether a value is computed inside of
//! its reader or written down: a value with several readers, and an edge where the kind of operator may change.

use rustc_hash::FxHashMap;
use sumac_cost::matrix_bytes;
use sumac_la::NodeId;

use crate::graph::Graph;
use crate::memo::Memo;

/// Why an edge is interesting.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum PointKind {
    /// Several operators read the value.
    Shared,
    /// The value can end an operator of a kind that its reader cannot.
    Switch,
}

/// An edge of which a plan says whether the value is written down for this reader.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Point {
    /// The reader.
    pub consumer: NodeId,
    /// The value.
    pub producer: NodeId,
    /// Why it is interesting.
    pub kind: PointKind,
}

/// A part of the memo table that can be decided alone.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Partition {
    /// Its operators, arguments first.
    pub operators: Vec<NodeId>,
    /// Those that no other one can take in.
    pub roots: Vec<NodeId>,
    /// Those whose value is needed whatever the plan: roots, and what is read from outside.
    pub required: Vec<NodeId>,
    /// What its operators read that is none of them.
    pub inputs: Vec<NodeId>,
    /// Operators that several read.
    pub materialization: Vec<NodeId>,
    /// What is to be decided: the largest values first.
    pub points: Vec<Point>,
}

/// The partitions of a memo table, by their first operator.
#[must_use]
pub fn partitions(graph: &Graph<'_>, memo: &Memo) -> Vec<Partition> {
    let mut parent: FxHashMap<NodeId, NodeId> =
        memo.operators().iter().map(|id| (*id, *id)).collect();
    fn find(parent: &mut FxHashMap<NodeId, NodeId>, id: NodeId) -> NodeId {
        let mut top = id;
        while parent[&top] != top {
            top = parent[&top];
        }
        let mut at = id;
        while parent[&at] != top {
            at = parent.insert(at, top).unwrap_or(top);
        }
        top
    }
    for &id in memo.operators() {
        for arg in fused_arguments(graph, memo, id) {
            let (a, b) = (find(&mut parent, id), find(&mut parent, arg));
            let (first, second) = (a.min(b), a.max(b));
            parent.insert(second, first);
        }
    }
    let mut parts: Vec<Vec<NodeId>> = Vec::new();
    let mut place: FxHashMap<NodeId, usize> = FxHashMap::default();
    for &id in memo.operators() {
        let top = find(&mut parent, id);
        let at = *place.entry(top).or_insert_with(|| {
            parts.push(Vec::new());
            parts.len() - 1
        });
        parts[at].push(id);
    }
    parts
        .into_iter()
        .map(|operators| partition(graph, memo, operators))
        .collect()
}

/// The arguments that some entry computes inside, each once.
pub(crate) fn fused_arguments(graph: &Graph<'_>, memo: &Memo, id: NodeId) -> Vec<NodeId> {
    let args = graph.dag.args(id);
    let is_fused = |i: usize| {
        memo.entries(id)
            .iter()
            .any(|entry| entry.inputs[i].is_fused())
    };
    let mut found: Vec<NodeId> = (0..args.len())
        .filter(|i| is_fused(*i))
        .map(|i| args[i])
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn partition(graph: &Graph<'_>, memo: &Memo, operators: Vec<NodeId>) -> Partition {
    let is_inside = |id: &NodeId| operators.binary_search(id).is_ok();
    let mut part = Partition::default();
    let mut referenced: Vec<NodeId> = Vec::new();
    for &id in &operators {
        let fused = fused_arguments(graph, memo, id);
        for &arg in graph.dag.args(id) {
            if !is_inside(&arg) && graph.dag.value(arg).is_none() {
                part.inputs.push(graph.stored(arg));
            }
        }
        for &producer in &fused {
            let readers = graph.consumers(producer).len() + usize::from(graph.is_root(producer));
            let is_free =
                graph.is_lazy(producer) && fused_arguments(graph, memo, producer).is_empty();
            let own = memo.ending_templates(id);
            let switches = memo
                .ending_templates(producer)
                .iter()
                .any(|template| !own.contains(template));
            let kind = if readers > 1 {
                Some(PointKind::Shared)
            } else {
                switches.then_some(PointKind::Switch)
            };
            if let Some(kind) = kind.filter(|_| !is_free) {
                part.points.push(Point {
                    consumer: id,
                    producer,
                    kind,
                });
            }
            if readers > 1 && !is_free {
                part.materialization.push(producer);
            }
        }
        referenced.extend(fused);
    }
    referenced.sort_unstable();
    for &id in &operators {
        let is_root = referenced.binary_search(&id).is_err();
        if is_root {
            part.roots.push(id);
        }
        let is_read_outside = graph.consumers(id).iter().any(|reader| !is_inside(reader));
        if is_root || graph.is_root(id) || is_read_outside {
            part.required.push(id);
        }
    }
    for list in [&mut part.inputs, &mut part.materialization] {
        list.sort_unstable();
        list.dedup();
    }
    let size = |point: &Point| matrix_bytes(graph.dag.ty(point.producer)).unwrap_or(0.0);
    part.points.sort_by(|a, b| {
        size(b)
            .total_cmp(&size(a))
            .then(b.producer.cmp(&a.producer))
            .then(b.consumer.cmp(&a.consumer))
    });
    part.operators = operators;
    part
}
