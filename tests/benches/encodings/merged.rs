//! Named indices, and after each round all classes with the same canonical form are merged.
//!
//! The form is the value on random inputs, which two polyterms share only if they are equal, but for an accident. So this
//! merges more than what differs in names, and shows how much of a search is spent to prove equalities: the most that
//! merging can do for names. Classes whose free indices have other names stay apart, as egg's union cannot rename.

use std::collections::BTreeMap;

use egg::{Id, RecExpr};

use crate::grow::Encoding;
use crate::named::Named;
use crate::ra::{Graph, Ra, Rule};
use crate::values::{Value, values};

/// The encoding.
pub struct Merged;

impl Encoding for Merged {
    fn name(&self) -> &'static str {
        "named, merged"
    }

    fn encode(&self, source: &RecExpr<Ra>) -> RecExpr<Ra> {
        Named.encode(source)
    }

    fn rules(&self) -> Vec<Rule> {
        Named.rules()
    }

    fn holds(&self, graph: &Graph, root: Id, goal: &RecExpr<Ra>) -> bool {
        Named.holds(graph, root, goal)
    }

    fn settle(&self, graph: &mut Graph) -> bool {
        let mut first: BTreeMap<Value, Id> = BTreeMap::new();
        let mut is_changed = false;
        for (id, value) in values(graph) {
            let older = *first.entry(value).or_insert(id);
            is_changed |= graph.union(older, id);
        }
        graph.rebuild();
        is_changed
    }
}
