//! The memo table: for each operator the partial plans that end there, by what they take in and what they read.
//!
//! An entry never holds a whole plan. It says which inputs are computed inside, and their own entries say how.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use sumac_la::NodeId;

use crate::template::{Close, Template};

/// What an entry does with one argument of its operator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Reference {
    /// It reads it from memory.
    Materialized,
    /// It computes it inside.
    Fused {
        /// By a plan of its own template.
        same: bool,
        /// By a plan of cells.
        cell: bool,
    },
}

impl Reference {
    /// Whether it is computed inside.
    #[must_use]
    pub fn is_fused(self) -> bool {
        self != Reference::Materialized
    }
}

/// A partial plan.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Entry {
    /// Its kind.
    pub template: Template,
    /// One for each argument of the operator.
    pub inputs: SmallVec<[Reference; 2]>,
    /// Whether it may end here or grow.
    pub close: Close,
}

impl Entry {
    /// How many arguments are computed inside.
    #[must_use]
    pub fn references(&self) -> usize {
        self.inputs.iter().filter(|input| input.is_fused()).count()
    }
}

/// Entries by operator.
#[derive(Clone, Debug, Default)]
pub struct Memo {
    groups: FxHashMap<NodeId, Vec<Entry>>,
    order: Vec<NodeId>,
}

impl Memo {
    /// The entries of an operator, in the order in which they were found.
    #[must_use]
    pub fn entries(&self, id: NodeId) -> &[Entry] {
        self.groups.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The operators with entries, arguments first.
    #[must_use]
    pub fn operators(&self) -> &[NodeId] {
        &self.order
    }

    /// Whether some entry of `id` is of the template and may grow.
    #[must_use]
    pub fn has_open(&self, id: NodeId, template: Template) -> bool {
        self.entries(id)
            .iter()
            .any(|entry| entry.template == template && entry.close.is_open())
    }

    /// The templates of the entries that may end at an operator, each once.
    #[must_use]
    pub fn ending_templates(&self, id: NodeId) -> SmallVec<[Template; 4]> {
        let mut found: SmallVec<[Template; 4]> = self
            .entries(id)
            .iter()
            .filter(|entry| entry.close.is_valid())
            .map(|entry| entry.template)
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.groups.values().map(Vec::len).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Sets the entries of an operator; none are no group.
    pub(crate) fn set(&mut self, id: NodeId, entries: Vec<Entry>) {
        if !entries.is_empty() {
            self.order.push(id);
            self.groups.insert(id, entries);
        }
    }

    /// Adds an entry of a template that is put together afterwards.
    pub(crate) fn add(&mut self, id: NodeId, entry: Entry) {
        if !self.groups.contains_key(&id) {
            let at = self.order.partition_point(|known| *known < id);
            self.order.insert(at, id);
        }
        self.groups.entry(id).or_default().push(entry);
    }
}

/// Removes entries that another one dominates: of the same template, with more taken in, where what the smaller one
/// leaves out, and what it takes in, nobody else reads. Only a policy that never writes down what is read once may do
/// this.
pub(crate) fn without_dominated(
    entries: &[Entry],
    args: &[NodeId],
    is_read_once: &dyn Fn(NodeId) -> bool,
) -> Vec<Entry> {
    let takes_in = |entry: &Entry, i: usize| entry.inputs[i].is_fused();
    let is_dominated = |entry: &Entry| {
        entries.iter().any(|other| {
            other.template == entry.template
                && other.references() > entry.references()
                && (0..args.len()).all(|i| {
                    (!takes_in(entry, i) || takes_in(other, i))
                        && (!takes_in(other, i) || is_read_once(args[i]))
                })
        })
    };
    let keep: Vec<bool> = entries.iter().map(|entry| !is_dominated(entry)).collect();
    entries
        .iter()
        .zip(keep)
        .filter(|(_, keep)| *keep)
        .map(|(entry, _)| entry.clone())
        .collect()
}
