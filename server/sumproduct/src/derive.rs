//! Whether the search finds one expression when it starts from another.
//!
//! Nothing is planned for the right side and no rule is applied for its sake: it is only looked up. This answers "does
//! saturation reach it", which is another question than "are they equal" ([`crate::canonical`]), and must never be
//! answered by the canonical form.

use sumac_la::{Dag, NodeId};

use crate::axes::Term;
use crate::build::Relations;
use crate::expand::expand;
use crate::grow::{islands, room};
use crate::options::Options;
use crate::saturate::{Stopped, saturate};
use crate::translate::Translation;

/// What a search for one expression from another came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Derivation {
    /// Whether the saturated graph of the left side holds the right side.
    pub is_found: bool,
    /// E-nodes of that graph.
    pub enodes: usize,
    /// Why the search ended.
    pub stopped: Stopped,
}

/// Whether the graph that grows from `left` holds `right`: the left side is translated, its polyterm stated, and the
/// graph saturated as [`crate::optimize`] does it; then the right side's relation is looked up. `None` where a side has
/// no relational form.
#[must_use]
pub fn derives(dag: &Dag, left: NodeId, right: NodeId, options: &Options) -> Option<Derivation> {
    let mut translation = Translation::new(dag, &[left])?;
    expand(&mut translation, dag, &islands(dag, &[left]));
    let max_nodes = room(dag, &[left], options);
    let (_, stopped) = saturate(
        &mut translation,
        options,
        max_nodes,
        &|| false,
        &mut |_, _| {},
    );
    let enodes = translation.relations.graph.total_size();
    // Nodes that are there already are found by hash-consing; new ones merge with nothing but what is congruent.
    translation.extend(dag, &[right])?;
    let (left, right) = (translation.term(left), translation.term(right));
    Some(Derivation {
        is_found: same(&translation.relations, left, right),
        enodes,
        stopped,
    })
}

/// Whether both are the same relation with the same rows and columns.
pub(crate) fn same(relations: &Relations, left: Term, right: Term) -> bool {
    let constants = (relations.constant_of(left), relations.constant_of(right));
    // The order of a constant's axes says nothing.
    if let (Some(a), Some(b)) = constants {
        let labels_fit = left.map.len() == right.map.len()
            && left
                .map
                .iter()
                .all(|label| relations.dim_of(left, label) == relations.dim_of(right, label));
        return a.to_bits() == b.to_bits() && labels_fit;
    }
    left == right
}
