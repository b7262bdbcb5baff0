//! Axes of a relation that may change places: `t(V) %*% V` is itself when its two axes are exchanged.
//!
//! Such axes are *twins*, a class invariant. Wherever an e-node reads a class, the labels of twins stand in ascending
//! order, so that both ways to read a symmetric relation are one e-node. This module must never add a relation that was
//! not there.

use egg::{Id, Language};

use crate::axes::{MAX_AXES, Map, Term};
use crate::build::Relations;
use crate::invariants::Graph;
use crate::ra::{DimId, Ra};

/// The name by which explanations call what is stated here.
const RULE: &str = "symmetry";

/// Which axes may change places, as a partition: exchanging two axes of one part changes nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Twins {
    /// For each axis the lowest one of its part.
    lowest: [u8; MAX_AXES],
}

impl Default for Twins {
    fn default() -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "at most MAX_AXES")]
        Twins {
            lowest: std::array::from_fn(|axis| axis as u8),
        }
    }
}

impl Twins {
    /// Whether these two axes may change places.
    pub fn are(&self, a: usize, b: usize) -> bool {
        self.lowest[a] == self.lowest[b]
    }

    /// Whether no two axes may.
    pub fn is_none(&self) -> bool {
        *self == Twins::default()
    }

    /// States that two axes may change places. Whether that was new.
    pub fn join(&mut self, a: usize, b: usize) -> bool {
        let [one, other] = [a, b].map(|axis| self.lowest[axis]);
        for lowest in &mut self.lowest {
            if *lowest == one.max(other) {
                *lowest = one.min(other);
            }
        }
        one != other
    }

    /// Of two relations that are equal, what holds for either holds for both.
    pub fn joined(mut self, other: &Twins) -> Self {
        for (axis, lowest) in other.lowest.iter().enumerate() {
            self.join(axis, usize::from(*lowest));
        }
        self
    }

    /// The map of such a relation, in the one order in which it is written.
    pub fn in_order(&self, map: &Map) -> Map {
        map.sorted_among(|a, b| self.are(a, b))
    }

    /// Whether a permutation of the axes only exchanges twins.
    pub fn allow(&self, turn: &Map) -> bool {
        let mut places = turn.iter().enumerate();
        places.all(|(axis, to)| self.are(axis, usize::from(to)))
    }

    /// Pairs of neighbouring twins among the first `axes`: exchanging these makes all orders.
    fn neighbours(&self, axes: usize) -> impl Iterator<Item = [usize; 2]> {
        let next = move |a: usize| (a + 1..axes).find(|b| self.are(a, *b));
        (0..axes).filter_map(move |a| next(a).map(|b| [a, b]))
    }

    /// What the form of an e-node shows: exchanging two of its axes gives the same e-node.
    pub fn of_node(graph: &Graph, node: &Ra, schema: &[DimId]) -> Self {
        let mut twins = Twins::default();
        for a in 0..schema.len() {
            for b in a + 1..schema.len() {
                if schema[a] == schema[b] && !twins.are(a, b) {
                    let transposed = node.permuted(&exchange(schema.len(), [a, b]));
                    let same =
                        |transposed| in_order(graph, transposed) == in_order(graph, node.clone());
                    if transposed.is_some_and(same) {
                        twins.join(a, b);
                    }
                }
            }
        }
        twins
    }
}

/// The permutation that exchanges two axes.
fn exchange(axes: usize, [a, b]: [usize; 2]) -> Vec<u8> {
    let mut p: Vec<u8> = (0_u8..).take(axes).collect();
    p.swap(a, b);
    p
}

/// The two axes that a permutation exchanges, if that is all that it does.
fn exchanged(turn: &Map) -> Option<[usize; 2]> {
    let moved = turn.iter().enumerate();
    let moved: Vec<usize> = moved
        .filter(|(axis, to)| *axis != usize::from(*to))
        .map(|(axis, _)| axis)
        .collect();
    moved.try_into().ok()
}

/// The e-node with the labels of each child's twins in ascending order.
pub fn in_order(graph: &Graph, mut node: Ra) -> Ra {
    node.for_each_child(|map, id| *map = graph[*id].data.twins.in_order(map));
    node.sorted()
}

/// Whether each child's twins stand in ascending order.
fn is_in_order(graph: &Graph, node: &Ra) -> bool {
    let mut maps = node.maps().zip(node.children());
    maps.all(|(map, id)| {
        let twins = &graph[*id].data.twins;
        twins.is_none() || twins.in_order(map) == *map
    })
}

impl Relations {
    /// States that `class` is itself with its axes permuted so. Whether that was new; more than one exchange is not kept.
    pub fn symmetric(&mut self, class: Id, turn: &Map) -> bool {
        let Some([a, b]) = exchanged(turn) else {
            return false;
        };
        let mut data = self.data(class).clone();
        let is_new = data.twins.join(a, b);
        if is_new {
            self.graph.set_analysis_data(class, data);
        }
        is_new
    }

    /// Brings all e-nodes into order, and gives each class with twins its e-nodes in every order of these: what a rule
    /// finds in one order would otherwise be missed in another. Whether anything was new. The graph is congruent,
    /// unless this is cancelled on the way.
    pub fn order_twins(&mut self, cancelled: &dyn Fn() -> bool) -> bool {
        let mut found: Vec<(Id, Ra)> = Vec::new();
        let mut stale: Vec<Id> = Vec::new();
        let mut stated: Vec<(Id, Map)> = Vec::new();
        for class in self.classes() {
            if cancelled() {
                return false;
            }
            let twins = self.data(class).twins;
            let axes = self.axes(class);
            for node in &self.graph[class].nodes {
                let is_in_order = is_in_order(&self.graph, node);
                if !is_in_order {
                    stale.push(class);
                    found.push((class, in_order(&self.graph, node.clone())));
                }
                let pairs = twins.neighbours(axes).filter(|_| !twins.is_none());
                for pair in pairs {
                    let p = exchange(axes, pair);
                    let transposed = node
                        .permuted(&p)
                        .map(|transposed| in_order(&self.graph, transposed));
                    let is_there = |transposed: &Ra| {
                        let known = self.graph.lookup(transposed.clone());
                        known.is_some_and(|known| self.graph.find(known) == class)
                    };
                    found.extend(
                        transposed
                            .filter(|transposed| !is_there(transposed))
                            .map(|t| (class, t)),
                    );
                }
                // Merging what it reads may have made it symmetric since it was added.
                if let Ra::Mul(_, [one, other]) | Ra::Add(_, [one, other]) = node
                    && one == other
                {
                    let shown = Twins::of_node(&self.graph, node, &self.data(class).schema);
                    for pair in shown.neighbours(axes) {
                        let turn = Map::collect(exchange(axes, pair)).expect("as many axes");
                        stated.push((class, turn));
                    }
                }
            }
        }
        let mut is_new = false;
        for (class, node) in found {
            if cancelled() {
                return false;
            }
            if self.is_full() {
                // What was in no order stays: it is all that there is.
                self.graph.rebuild();
                return false;
            }
            let axes = self.axes(class);
            let id = self.graph.add(node);
            is_new |= self.equate(class, Term::plain(id, axes), RULE);
        }
        for (class, turn) in stated {
            is_new |= self.symmetric(self.graph.find(class), &turn);
        }
        if is_new {
            self.graph.rebuild();
        }
        stale.dedup();
        // What stands in order beside them says the same.
        for class in stale {
            let mut nodes = std::mem::take(&mut self.graph[class].nodes);
            nodes.retain(|node| is_in_order(&self.graph, node));
            self.graph[class].nodes = nodes;
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map<const N: usize>(labels: [u8; N]) -> Map {
        Map::collect(labels).unwrap()
    }

    #[test]
    fn twins_are_a_partition() {
        let mut twins = Twins::default();
        assert!(twins.is_none());
        assert!(twins.join(0, 2) && twins.join(2, 3));
        assert!(!twins.join(3, 0), "that follows");
        assert!(twins.are(0, 3) && !twins.are(0, 1));
        let mut other = Twins::default();
        other.join(1, 4);
        other.join(4, 3);
        let both = twins.joined(&other);
        assert!((0..5).all(|axis| both.are(0, axis)));
        assert!(!both.are(0, 5));
        assert_eq!(both, other.joined(&twins));
    }

    #[test]
    fn labels_of_twins_are_sorted_and_no_others() {
        let mut twins = Twins::default();
        twins.join(0, 2);
        assert_eq!(twins.in_order(&map([7, 3, 1])), map([1, 3, 7]));
        assert_eq!(twins.in_order(&map([1, 0, 7])), map([1, 0, 7]));
        assert!(twins.allow(&map([2, 1, 0])) && twins.allow(&map([0, 1, 2])));
        assert!(!twins.allow(&map([1, 0, 2])));
    }

    #[test]
    fn only_an_exchange_of_two_axes_is_one() {
        assert_eq!(exchanged(&map([0, 2, 1])), Some([1, 2]));
        assert_eq!(exchanged(&map([1, 2, 0])), None);
        assert_eq!(exchanged(&map([1, 0, 3, 2])), None);
        assert_eq!(exchanged(&map([0, 1])), None);
    }
}
