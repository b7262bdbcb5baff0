//! Equality of classes up to the order of their axes, which a union of the e-graph cannot say.
//!
//! Where two classes are equal only after their axes are permuted, the younger becomes the *mirror* of the older: its
//! e-nodes move over, and whoever refers to it is rewritten to refer to the original. This module must never add a
//! relation that was not there.

use egg::{Id, Language};

use crate::axes::Term;
use crate::build::Relations;
use crate::ra::Ra;

/// What a class equals with permuted axes.
#[derive(Clone, Copy, Debug)]
pub struct Mirror {
    /// The original, its axes labelled by the mirror's axes.
    pub original: Term,
    /// How many e-nodes the mirror had when they were copied.
    pub copied: usize,
}

impl Relations {
    /// States that `class`, its axes labelled 0, 1, 2 …, equals `term`. Returns whether that was new.
    pub fn equate(&mut self, class: Id, term: Term, rule: &'static str) -> bool {
        let axes = self.axes(class);
        let left = self.resolve(Term::plain(class, axes));
        let right = self.resolve(term);
        debug_assert_eq!(
            left.map.len(),
            right.map.len(),
            "{rule} changed the number of axes"
        );
        if left.map.len() != right.map.len() {
            self.graph.analysis.broken = true;
            return false;
        }
        if left == right {
            return false;
        }
        // Axis k of the right class is axis turn[k] of the left class.
        #[expect(clippy::cast_possible_truncation, reason = "at most MAX_AXES")]
        let turn = right
            .map
            .relabel(|label| left.map.axis(label).expect("both have the same labels") as u8);
        let is_same = |id| self.data(id).twins.allow(&turn);
        if turn.is_identity() || is_same(left.id) || is_same(right.id) {
            return self.graph.union_trusted(left.id, right.id, rule);
        }
        if left.id == right.id {
            return self.symmetric(left.id, &turn);
        }
        if self.data(left.id).constant.is_some() {
            // Whatever its order of axes, it is that number: nothing to merge.
            return false;
        }
        // The older class stays.
        if left.id < right.id {
            self.mirror(
                right.id,
                Term {
                    id: left.id,
                    map: turn.inverse(),
                },
            );
        } else {
            self.mirror(
                left.id,
                Term {
                    id: right.id,
                    map: turn,
                },
            );
        }
        true
    }

    /// Makes `id` a mirror of `original`, which is labelled by the axes of `id`. Neither is a mirror.
    fn mirror(&mut self, id: Id, original: Term) {
        // Leaves and opaque operators have a fixed order of axes: such a class stays, and equals the other only through
        // the copies of its other e-nodes.
        let fixed = self.graph[id]
            .nodes
            .iter()
            .any(|n| matches!(n, Ra::Leaf(_) | Ra::Opaque(..)));
        let nodes = self.graph[id].nodes.clone();
        if fixed {
            // Two such classes can equal each other again and again: what was copied is not copied once more.
            let copied = self.copies.insert((id, original), nodes.len());
            if copied == Some(nodes.len()) {
                return;
            }
        } else {
            self.mirrors.insert(
                id,
                Mirror {
                    original,
                    copied: nodes.len(),
                },
            );
        }
        let theirs = self.data(id).twins;
        let mut data = self.data(original.id).clone();
        let before = data.twins;
        for (a, one) in original.map.iter().enumerate() {
            for (b, other) in original.map.iter().enumerate() {
                if theirs.are(usize::from(one), usize::from(other)) {
                    data.twins.join(a, b);
                }
            }
        }
        if data.twins != before {
            self.graph.set_analysis_data(original.id, data);
        }
        let p = original.map.inverse().labels().to_vec();
        for permuted in nodes.iter().filter_map(|node| node.permuted(&p)) {
            if self.is_full() {
                return;
            }
            let copy = self.graph.add(permuted);
            let axes = p.len();
            self.equate(original.id, Term::plain(copy, axes), "mirror");
        }
        if fixed {
            return;
        }
        let parents: Vec<Id> = self.graph[id].parents().collect();
        for parent in parents {
            let class = self.graph.find(parent);
            for node in self.graph[class].nodes.clone() {
                if self.is_full() {
                    return;
                }
                if let Some(other) = self.without_mirrors(&node) {
                    let copy = self.graph.add(other);
                    let axes = self.axes(class);
                    self.equate(class, Term::plain(copy, axes), "mirror");
                }
            }
        }
    }

    /// The node with each child that is a mirror replaced by its original.
    fn without_mirrors(&self, node: &Ra) -> Option<Ra> {
        if !node
            .children()
            .iter()
            .any(|id| self.is_mirror(self.graph.find(*id)))
        {
            return None;
        }
        let mut node = node.clone();
        node.for_each_child(|map, id| {
            let term = self.resolve(Term { id: *id, map: *map });
            (*map, *id) = (term.map, term.id);
        });
        Some(node.sorted())
    }

    /// Restores congruence, and the mirrors that congruence moved.
    pub fn rebuild(&mut self) {
        self.rebuild_unless(&|| false);
    }

    /// The same, unless it is cancelled on the way: then the graph is in no order, and can only be dropped. Where it is full
    /// ([`Relations::is_full`]), congruence is restored and no more.
    pub fn rebuild_unless(&mut self, cancelled: &dyn Fn() -> bool) {
        // Each round merges classes; the bound only guards against a mistake in that reasoning.
        for _ in 0..64 {
            self.graph.rebuild();
            let mut old: Vec<(Id, Mirror)> =
                std::mem::take(&mut self.mirrors).into_iter().collect();
            old.sort_unstable_by_key(|(id, _)| *id);
            let mut again = Vec::new();
            let mut is_news = false;
            for (id, mirror) in old {
                let (root, original) = (self.graph.find(id), self.resolve(mirror.original));
                if root == original.id {
                    // Merged with its own original.
                    is_news |= self.symmetric(root, &original.map);
                    continue;
                }
                if self.is_mirror(root) {
                    continue;
                }
                self.mirrors.insert(root, Mirror { original, ..mirror });
                if self.graph[root].nodes.len() != mirror.copied {
                    again.push(root);
                }
            }
            if cancelled() || self.is_full() {
                return;
            }
            if again.is_empty() && !is_news && !self.order_twins(cancelled) {
                return;
            }
            for id in again {
                if let Some(Mirror { original, .. }) = self.mirrors.remove(&id) {
                    let original = self.resolve(original);
                    if self.graph.find(id) != original.id {
                        self.mirror(self.graph.find(id), original);
                    }
                }
            }
        }
    }
}
