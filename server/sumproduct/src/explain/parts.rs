//! Which parts of two forms have one value, and forms with what they share put aside. The canonical form decides what is
//! equal; nothing here looks at rules.

use std::collections::BTreeSet;

use sumac_la::{Dag, Node, NodeId};

use crate::canonical::{Limits, Polyterm, Values, isomorphic};

/// Tries to put shared parts aside in one pair of forms.
const MOST_TRIES: usize = 24;
/// What stands for a part that was put aside: no script can write it.
const ASIDE: &str = "part ";

/// Nodes, and the values of everything below them.
pub(super) struct Equals<'a> {
    dag: &'a Dag,
    values: Values,
}

impl<'a> Equals<'a> {
    /// `None` where a canonical form is too large.
    pub(super) fn new(dag: &'a Dag, sides: [NodeId; 2]) -> Option<Self> {
        Equals::among(dag, &sides)
    }

    /// As [`Equals::new`], for any number of nodes.
    pub(super) fn among(dag: &'a Dag, nodes: &[NodeId]) -> Option<Self> {
        let values = Values::of(dag, nodes, &Limits::default()).ok()?;
        Some(Equals { dag, values })
    }

    /// Whether two nodes have one value and one kind, for all inputs.
    pub(super) fn are_equal(&self, a: NodeId, b: NodeId) -> bool {
        let is_one_kind = self.dag.is_scalar(a) == self.dag.is_scalar(b);
        let value = |id| -> Option<&Polyterm> { self.values.get(id) };
        is_one_kind
            && value(a)
                .zip(value(b))
                .is_some_and(|(a, b)| isomorphic(a, b))
    }

    /// The largest part of `now`, not among `tried`, that equals a part of `goal` and is none; with that part.
    pub(super) fn lemma(
        &self,
        now: NodeId,
        goal: NodeId,
        tried: &BTreeSet<NodeId>,
    ) -> Option<[NodeId; 2]> {
        let is_operator = |id: &NodeId| matches!(self.dag.node(*id), Node::Op(..));
        let known: BTreeSet<NodeId> = self.dag.reachable(&[goal]).into_iter().collect();
        let own = self.dag.reachable(&[now]);
        let open = own
            .iter()
            .rev()
            .copied()
            .filter(|id| *id != now && is_operator(id))
            .filter(|id| !known.contains(id) && !tried.contains(id));
        for part in open {
            let mut candidates = known.iter().rev().copied();
            let equal = candidates.find(|id| *id != goal && self.are_equal(part, *id));
            if let Some(equal) = equal {
                return Some([part, equal]);
            }
        }
        None
    }
}

/// Two forms with parts of theirs put aside.
pub(super) struct Apart {
    /// The forms, over inputs that stand for what was put aside.
    pub(super) dag: Dag,
    pub(super) sides: [NodeId; 2],
    aside: Vec<NodeId>,
}

impl Apart {
    /// Puts aside what both nodes share, as long as they are equal for all values of it.
    pub(super) fn new(dag: &Dag, sides: [NodeId; 2]) -> Self {
        let shared: BTreeSet<NodeId> = {
            let [a, b] = sides.map(|side| dag.reachable(&[side]));
            let b: BTreeSet<NodeId> = b.into_iter().collect();
            a.into_iter().filter(|id| b.contains(id)).collect()
        };
        let may_be = |id: NodeId| {
            let is_zero = dag.ty(id).sparsity == Some(0.0);
            matches!(dag.node(id), Node::Op(..)) && !is_zero && dag.value(id).is_none()
        };
        let mut kept: Vec<NodeId> = Vec::new();
        let mut open: Vec<NodeId> = outermost(dag, sides, &shared);
        let mut tries = 0;
        // All at once is the usual case.
        let all: Vec<NodeId> = open.iter().copied().filter(|id| may_be(*id)).collect();
        if Apart::with(dag, sides, &all).is_equal() {
            return Apart::with(dag, sides, &all);
        }
        while let Some(id) = open.pop() {
            tries += 1;
            if tries > MOST_TRIES {
                break;
            }
            if may_be(id) {
                kept.push(id);
                if Apart::with(dag, sides, &kept).is_equal() {
                    continue;
                }
                kept.pop();
            }
            open.extend_from_slice(dag.args(id));
        }
        Apart::with(dag, sides, &kept)
    }

    fn with(dag: &Dag, sides: [NodeId; 2], aside: &[NodeId]) -> Self {
        let mut out = Dag::default();
        let sides = sides.map(|side| {
            out.import_with(dag, side, &mut |out, id| {
                let place = aside.iter().position(|part| *part == id)?;
                Some(out.input(&format!("{ASIDE}{place}"), dag.ty(id).clone()))
            })
        });
        Apart {
            dag: out,
            sides,
            aside: aside.to_vec(),
        }
    }

    fn is_equal(&self) -> bool {
        let pair = Equals::new(&self.dag, self.sides);
        pair.is_some_and(|pair| pair.are_equal(self.sides[0], self.sides[1]))
    }

    /// A form over these inputs, in `dag`: what was put aside stands in its place again.
    pub(super) fn whole(&self, form: &Dag, root: NodeId, dag: &mut Dag) -> NodeId {
        dag.import_with(form, root, &mut |_, id| {
            let name = &form.input_of(id)?.name;
            let place: usize = name.strip_prefix(ASIDE)?.parse().ok()?;
            self.aside.get(place).copied()
        })
    }
}

/// The shared nodes that are met first on the way down from either side.
fn outermost(dag: &Dag, sides: [NodeId; 2], shared: &BTreeSet<NodeId>) -> Vec<NodeId> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut open = sides.to_vec();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        if shared.contains(&id) && !sides.contains(&id) {
            found.insert(id);
        } else {
            open.extend_from_slice(dag.args(id));
        }
    }
    found.into_iter().collect()
}
