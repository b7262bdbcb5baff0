//! The fewest rules by which the graph itself finds two forms equal: both are put into one graph, which grows by these
//! rules until the forms are one class.

use std::collections::BTreeSet;

use sumac_la::{Dag, NodeId};

use super::laws::Law;
use crate::derive::same;
use crate::rules;
use crate::translate::Translation;

/// Rounds of one search.
const MOST_ROUNDS: usize = 8;
/// E-nodes of one search.
const MOST_NODES: usize = 1_500;

/// A set of laws by which both nodes become one class, of which none can be left out; `None` where the bounds are too
/// narrow for any.
pub(super) fn least(
    dag: &Dag,
    sides: [NodeId; 2],
    cancelled: &dyn Fn() -> bool,
) -> Option<BTreeSet<Law>> {
    let all: BTreeSet<Law> = Law::all().collect();
    let mut laws = meeting(dag, sides, &all, cancelled)?;
    // Those that only help go last: a person would rather read the others.
    let mut order: Vec<Law> = laws.iter().copied().collect();
    order.sort_by_key(|law| (!law.is_minor(), *law));
    for law in order {
        let mut fewer = laws.clone();
        fewer.remove(&law);
        if let Some(found) = meeting(dag, sides, &fewer, cancelled) {
            laws = found;
        }
    }
    Some(laws)
}

/// The laws among `laws` that said something new before both nodes were one class; `None` where they did not meet.
pub(super) fn meeting(
    dag: &Dag,
    sides: [NodeId; 2],
    laws: &BTreeSet<Law>,
    cancelled: &dyn Fn() -> bool,
) -> Option<BTreeSet<Law>> {
    let mut translation = Translation::new(dag, &sides)?;
    let mut used = BTreeSet::new();
    let mut found = Vec::new();
    for _ in 0..MOST_ROUNDS {
        let [a, b] = sides.map(|side| translation.term(side));
        if same(&translation.relations, a, b) {
            return Some(used);
        }
        let relations = &mut translation.relations;
        let usable = rules::usable(relations);
        for class in relations.classes() {
            rules::search(relations, class, &usable, &mut found);
        }
        let mut is_new = false;
        for found in found
            .drain(..)
            .filter(|found| laws.contains(&Law::rule(found.rule)))
        {
            if cancelled() || relations.graph.total_size() >= MOST_NODES {
                break;
            }
            if rules::apply(relations, &found) {
                is_new = true;
                used.insert(Law::rule(found.rule));
            }
        }
        relations.rebuild();
        if !is_new {
            break;
        }
    }
    let [a, b] = sides.map(|side| translation.term(side));
    same(&translation.relations, a, b).then_some(used)
}
