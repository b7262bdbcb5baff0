//! What a form computes no more and other statements of the block compute all the same: a run does it once for all of them, so that
//! less is gained while these stay as they are. Must never decide what is suggested: all of them together may gain the whole.

use std::collections::{BTreeMap, BTreeSet};

use sumac_cost::{Cost, Priced};
use sumac_la::{Dag, NodeId};
use sumac_sumproduct::Options;

use super::group::Group;

/// A smaller share of the time as written is no matter.
const LEAST_SHARE: f64 = 0.2;

/// What is said of the largest value that the group computes as written and not by `suggested`, a form over the block's inputs, and that
/// statements outside of the group compute, too. `before` is what the group costs as written.
pub(super) fn also_computed(
    group: &Group<'_>,
    suggested: &Dag,
    before: &Cost,
    options: &Options,
) -> Option<String> {
    let block = group.block;
    let version = |place: usize| Some(block.statements[place].target.as_ref()?.version_node);
    let versions: BTreeSet<NodeId> = (0..block.statements.len()).filter_map(version).collect();
    let inlined: BTreeSet<NodeId> = group.members.iter().copied().filter_map(version).collect();
    // What statements compute themselves, down to what variables hold.
    let own = |roots: &[NodeId], inlined: &BTreeSet<NodeId>| {
        let reads = |id: NodeId| {
            let is_held = versions.contains(&id) && !inlined.contains(&id) && !roots.contains(&id);
            if is_held {
                &[]
            } else {
                block.symbolic().args(id)
            }
        };
        block.symbolic().reachable_by(roots, reads)
    };
    let machine = options.machine();
    let mut given_up = own(&group.roots(), &inlined);
    given_up.retain(|id| {
        let takes = block.symbolic().node_cost(*id, &machine);
        let takes = takes.map_or(0.0, |cost| cost.seconds);
        !versions.contains(id) && takes >= LEAST_SHARE * before.seconds
    });
    if given_up.is_empty() {
        return None;
    }
    let mut dag = block.symbolic().clone();
    let after: Vec<NodeId> = suggested
        .roots()
        .iter()
        .map(|root| dag.import(suggested, *root))
        .collect();
    let after: BTreeSet<NodeId> = dag.reachable(&after).into_iter().collect();
    given_up.retain(|id| !after.contains(id));
    let mut found: BTreeMap<NodeId, Vec<&str>> = BTreeMap::new();
    for (place, statement) in block.statements.iter().enumerate() {
        let Some(target) = statement.target.as_ref() else {
            continue;
        };
        if group.members.contains(&place) {
            continue;
        }
        let roots: Vec<NodeId> = statement.parts.iter().map(|part| part.root).collect();
        let computed = own(&roots, &BTreeSet::new());
        for id in given_up.iter().filter(|id| computed.contains(id)) {
            found.entry(*id).or_default().push(&target.name);
        }
    }
    // Nodes come behind what they are made of: the last one is the largest.
    let (id, names) = found.pop_last()?;
    let mut part = Dag::default();
    let root = part.import(block.symbolic(), id);
    part.push_root(root);
    let part = group.in_script_names(&part)?;
    let (text, names) = (part.print(part.roots()[0]), names.join("`, `"));
    Some(format!(
        "`{text}` is computed for `{names}`, too: less is gained while that stays as it is"
    ))
}
