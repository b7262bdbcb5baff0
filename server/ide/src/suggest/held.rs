//! Values of other statements that a group reads: which of them its search sees through, and which count as inputs. Must never name a
//! value that the script does not hold where the group's last statement stands.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use sumac_la::{Dag, Node, NodeId};

/// A variable's value that is there before the group's last statement runs.
#[derive(Clone)]
pub(super) struct Held {
    /// Its node in the block's DAG.
    pub(super) node: NodeId,
    /// Whether how it was computed is none of the search's business: it counts as an input.
    pub(super) is_far: bool,
    /// Its name in the script.
    pub(super) name: Arc<str>,
    /// What stands for it in a search's result, where the script's names are not unique.
    pub(super) marker: String,
}

/// Operators of other statements' values that a search sees, beside its own. A value behind them is an input: what a
/// statement costs to search does not depend on how many stand before it.
pub(super) const SEEN_THROUGH: usize = 12;

/// What nodes are made of, down to values that variables hold.
#[derive(Default)]
struct Behind {
    /// All that is new, the held values among them.
    nodes: BTreeSet<NodeId>,
    /// Held values, in the order in which they are met.
    read: Vec<NodeId>,
    /// Operators beside these.
    operators: usize,
}

/// What these nodes are made of, but for what was seen already; `None` where that is more than so many operators.
fn behind(
    dag: &Dag,
    from: &[NodeId],
    (held, seen): (&BTreeMap<NodeId, Arc<str>>, &BTreeSet<NodeId>),
    most: usize,
) -> Option<Behind> {
    let mut found = Behind::default();
    let mut open: Vec<NodeId> = from.iter().rev().copied().collect();
    while let Some(id) = open.pop() {
        if seen.contains(&id) || !found.nodes.insert(id) {
            continue;
        }
        if held.contains_key(&id) {
            found.read.push(id);
            continue;
        }
        found.operators += usize::from(matches!(dag.node(id), Node::Op(..)));
        if found.operators >= most {
            return None;
        }
        open.extend(dag.args(id).iter().rev());
    }
    Some(found)
}

/// The values of `names` that `roots` need. The nearest are seen through, up to `room` operators, but for those below which an input is
/// of which `has_name` says no: no form with it could be written.
pub(super) fn held(
    (dag, roots): (&Dag, &[NodeId]),
    names: &BTreeMap<NodeId, Arc<str>>,
    has_name: &dyn Fn(&NodeId) -> bool,
    mut room: usize,
) -> Vec<Held> {
    // From the roots to what they read, the nearest first.
    let mut seen = BTreeSet::new();
    let all = usize::MAX;
    let own = behind(dag, roots, (names, &seen), all).unwrap_or_default();
    let mut later: VecDeque<NodeId> = own.read.iter().copied().collect();
    seen.extend(own.nodes);
    let mut held = Vec::new();
    while let Some(node) = later.pop_front() {
        // All or nothing: below a value may stand others that no variable holds any more.
        let below = behind(dag, dag.args(node), (names, &seen), room)
            .filter(|below| below.nodes.iter().all(has_name));
        held.push(Held {
            node,
            is_far: below.is_none(),
            marker: format!("{} = {}", names[&node], node.index()),
            name: Arc::clone(&names[&node]),
        });
        if let Some(below) = below {
            room = room.saturating_sub(below.operators + 1);
            later.extend(below.read);
            seen.extend(below.nodes);
        }
    }
    held.sort_by(|a, b| a.name.cmp(&b.name));
    held
}
