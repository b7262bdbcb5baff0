//! Building terms in the e-graph, and keeping one class for each relation up to the order of its axes.
//!
//! A rule never adds e-nodes itself: it joins, unites and aggregates [`Term`]s here. Each result is looked up in
//! every order of its axes first, so the transpose of a known relation is that relation with other labels.
//! Where a union finds two classes equal only after their axes are permuted, one becomes the *mirror* of the
//! other: its e-nodes move over, and whoever refers to it is rewritten to refer to the original.

use egg::{Id, Language};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use sumac_la::Op;

use crate::axes::{BOUND, Label, Map, Term, permutations, union_labels};
use crate::ra::{DimId, Graph, Invariant, Invariants, Ra, Schema};

/// An e-graph of relations.
#[derive(Clone, Debug)]
pub struct Relations {
    /// The e-graph. Callers read; they write through the methods here.
    pub graph: Graph,
    /// Classes that stand behind another one.
    mirrors: FxHashMap<Id, Mirror>,
}

/// What a class equals with permuted axes.
#[derive(Clone, Copy, Debug)]
struct Mirror {
    /// The original, its axes labelled by the mirror's axes.
    original: Term,
    /// How many e-nodes the mirror had when they were copied.
    copied: usize,
}

impl Relations {
    /// An empty graph over the given sizes and leaves.
    pub fn new(invariants: Invariants) -> Self {
        Relations {
            graph: Graph::new(invariants),
            mirrors: FxHashMap::default(),
        }
    }

    /// What holds for the class.
    pub fn data(&self, id: Id) -> &Invariant {
        &self.graph[id].data
    }

    /// Number of axes.
    pub fn axes(&self, id: Id) -> usize {
        self.data(id).schema.len()
    }

    /// Size of the axis that `term` labels `label`.
    pub fn dim_of(&self, term: Term, label: Label) -> Option<DimId> {
        term.map
            .axis(label)
            .map(|axis| self.data(term.id).schema[axis])
    }

    /// The same relation by the class that all its mirrors point to.
    pub fn resolve(&self, term: Term) -> Term {
        let mut term = Term {
            id: self.graph.find(term.id),
            ..term
        };
        // Chains are short: each mirror points to an older class.
        while let Some(Mirror { original, .. }) = self.mirrors.get(&term.id) {
            term = Term {
                id: self.graph.find(original.id),
                map: original.map.then(&term.map),
            };
        }
        term
    }

    /// Whether the class stands behind another one and needs no search.
    pub fn is_mirror(&self, id: Id) -> bool {
        self.mirrors.contains_key(&id)
    }

    /// The constant that the term is everywhere.
    pub fn constant_of(&self, term: Term) -> Option<f64> {
        self.data(term.id).constant.map(f64::from_bits)
    }

    /// A number over no axes.
    pub fn number(&mut self, value: f64) -> Term {
        self.constant(value, &[])
    }

    /// A relation that is `value` everywhere; labelled in order of `axes`.
    pub fn constant(&mut self, value: f64, axes: &[(Label, DimId)]) -> Term {
        let value = if value == 0.0 { 0.0 } else { value };
        let schema: Schema = axes.iter().map(|(_, dim)| *dim).collect();
        let map = Map::collect(axes.iter().map(|(label, _)| *label))
            .expect("at most two axes from a matrix");
        self.place(Ra::Const(value.to_bits(), schema), map)
    }

    /// Leaf number `n`, labelled in order of its axes.
    pub fn leaf(&mut self, n: u32, map: Map) -> Term {
        Term {
            id: self.graph.add(Ra::Leaf(n)),
            map,
        }
    }

    /// Any node whose axis k is labelled `labels[k]`, found in whatever order of axes it is already there.
    fn place(&mut self, node: Ra, labels: Map) -> Term {
        if self.graph.lookup(node.clone()).is_none() {
            for p in permutations(labels.len()).iter().skip(1) {
                if let Some(id) = node
                    .permuted(p)
                    .and_then(|turned| self.graph.lookup(turned))
                {
                    // Our axis k is axis p[k] of what is there.
                    let turn = Map::collect(p.iter().copied()).expect("a permutation of few axes");
                    return self.resolve(Term {
                        id,
                        map: turn.inverse().then(&labels),
                    });
                }
            }
        }
        let id = self.graph.add(node);
        self.resolve(Term { id, map: labels })
    }

    /// Labels of the result in ascending order, and each map in terms of positions there.
    fn layout(maps: &[&Map]) -> Option<(Map, SmallVec<[Map; 3]>)> {
        let labels = union_labels(maps)?;
        #[expect(clippy::cast_possible_truncation, reason = "at most MAX_AXES")]
        let place = |label| labels.axis(label).expect("the union has every label") as u8;
        Some((labels, maps.iter().map(|map| map.relabel(place)).collect()))
    }

    fn has_all(of: &Map, labels: &Map) -> bool {
        labels.iter().all(|label| of.has(label))
    }

    /// The join of two relations. `None` if it would have too many axes.
    pub fn mul(&mut self, a: Term, b: Term) -> Option<Term> {
        let (a, b) = (self.resolve(a), self.resolve(b));
        let (labels, maps) = Self::layout(&[&a.map, &b.map])?;
        for (x, other) in [(a, b), (b, a)] {
            match self.constant_of(x) {
                Some(1.0) if Self::has_all(&other.map, &x.map) => return Some(other),
                Some(0.0) => {
                    let axes: SmallVec<[(Label, DimId); 4]> = labels
                        .iter()
                        .map(|l| {
                            (
                                l,
                                self.dim_of(a, l)
                                    .or_else(|| self.dim_of(b, l))
                                    .expect("one has it"),
                            )
                        })
                        .collect();
                    return Some(self.constant(0.0, &axes));
                }
                _ => {}
            }
        }
        let node = Ra::Mul([maps[0], maps[1]], [a.id, b.id]).sorted();
        Some(self.place(node, labels))
    }

    /// The union of two relations; an axis that one of them lacks repeats it.
    pub fn add(&mut self, a: Term, b: Term) -> Option<Term> {
        let (a, b) = (self.resolve(a), self.resolve(b));
        let (labels, maps) = Self::layout(&[&a.map, &b.map])?;
        for (x, other) in [(a, b), (b, a)] {
            if self.constant_of(x) == Some(0.0) && Self::has_all(&other.map, &x.map) {
                return Some(other);
            }
        }
        let node = Ra::Add([maps[0], maps[1]], [a.id, b.id]).sorted();
        Some(self.place(node, labels))
    }

    /// Σ over the labels of `bound`. Where the term does not have one, the sum multiplies by its size (Figure 3, rule 5);
    /// `None` if that size is not a number.
    pub fn sum(&mut self, bound: &[(Label, DimId)], a: Term) -> Option<Term> {
        let a = self.resolve(a);
        let mut factor = 1.0;
        for (label, dim) in bound {
            if !a.map.has(*label) {
                factor *= self.graph.analysis.known_size(*dim)?;
            }
        }
        let is_bound = |label| bound.iter().any(|(l, _)| *l == label);
        let kept = Map::collect(a.map.iter().filter(|l| !is_bound(*l)))?;
        let total = if kept.len() == a.map.len() {
            a
        } else {
            let (labels, maps) = Self::layout(&[&kept])?;
            let place = |label| {
                if is_bound(label) {
                    BOUND
                } else {
                    maps[0].labels()[kept.axis(label).expect("kept")]
                }
            };
            let node = Ra::Sum(a.map.relabel(place), [a.id]);
            self.place(node, labels)
        };
        let factor = self.number(factor);
        self.mul(factor, total)
    }

    /// A cellwise function.
    pub fn fun(&mut self, op: Op, args: &[Term]) -> Option<Term> {
        let args: SmallVec<[Term; 3]> = args.iter().map(|t| self.resolve(*t)).collect();
        let maps: SmallVec<[&Map; 3]> = args.iter().map(|t| &t.map).collect();
        let (labels, mut maps) = Self::layout(&maps)?;
        let mut ids: SmallVec<[Id; 3]> = args.iter().map(|t| t.id).collect();
        if op.info().commutative && args.len() == 2 && (ids[0], maps[0]) > (ids[1], maps[1]) {
            ids.swap(0, 1);
            maps.swap(0, 1);
        }
        let node = Ra::Fun(op, maps.into_iter().collect(), ids.into_iter().collect());
        Some(self.place(node, labels))
    }

    /// An operator over whole matrices. `args` are labelled 0 for rows and 1 for columns, and so is the result.
    pub fn barrier(&mut self, barrier: crate::ra::Barrier, args: &[Term]) -> Term {
        let mut barrier = barrier;
        let args: SmallVec<[Term; 3]> = args.iter().map(|t| self.resolve(*t)).collect();
        for (slot, arg) in barrier.children.iter_mut().zip(&args) {
            slot.0 = arg.map;
        }
        let labels = [0_u8, 1]
            .into_iter()
            .filter(|side| barrier.shape[usize::from(*side)].is_some());
        let map = Map::collect(labels).expect("two at most");
        let ids = args.iter().map(|t| t.id).collect();
        Term {
            id: self.graph.add(Ra::Barrier(Box::new(barrier), ids)),
            map,
        }
    }

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
        if turn.is_identity() {
            return self.graph.union_trusted(left.id, right.id, rule);
        }
        if left.id == right.id || self.data(left.id).constant.is_some() {
            // A symmetric relation: nothing to merge.
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
        // Leaves and barriers have a fixed order of axes: such a class stays, and equals the other only through
        // the copies of its other e-nodes.
        let fixed = self.graph[id]
            .nodes
            .iter()
            .any(|n| matches!(n, Ra::Leaf(_) | Ra::Barrier(..)));
        let nodes = self.graph[id].nodes.clone();
        if !fixed {
            self.mirrors.insert(
                id,
                Mirror {
                    original,
                    copied: nodes.len(),
                },
            );
        }
        let p = original.map.inverse().labels().to_vec();
        for turned in nodes.iter().filter_map(|node| node.permuted(&p)) {
            let copy = self.graph.add(turned);
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
        let fix = |map: &mut Map, id: &mut Id| {
            let term = self.resolve(Term { id: *id, map: *map });
            (*map, *id) = (term.map, term.id);
        };
        match &mut node {
            Ra::Const(..) | Ra::Leaf(_) => {}
            Ra::Mul(maps, ids) | Ra::Add(maps, ids) => {
                for (map, id) in maps.iter_mut().zip(ids) {
                    fix(map, id);
                }
            }
            Ra::Sum(map, ids) => fix(map, &mut ids[0]),
            Ra::Fun(_, maps, ids) => {
                for (map, id) in maps.iter_mut().zip(ids) {
                    fix(map, id);
                }
            }
            Ra::Barrier(barrier, ids) => {
                for (slot, id) in barrier.children.iter_mut().zip(ids) {
                    fix(&mut slot.0, id);
                }
            }
        }
        Some(node.sorted())
    }

    /// Restores congruence, and the mirrors that congruence moved.
    pub fn rebuild(&mut self) {
        // Each round merges classes; the bound only guards against a mistake in that reasoning.
        for _ in 0..64 {
            self.graph.rebuild();
            let mut old: Vec<(Id, Mirror)> =
                std::mem::take(&mut self.mirrors).into_iter().collect();
            old.sort_unstable_by_key(|(id, _)| *id);
            let mut again = Vec::new();
            for (id, mirror) in old {
                let (root, original) = (self.graph.find(id), self.resolve(mirror.original));
                // Merged with its own original: the relation is symmetric.
                if root == original.id || self.is_mirror(root) {
                    continue;
                }
                self.mirrors.insert(root, Mirror { original, ..mirror });
                if self.graph[root].nodes.len() != mirror.copied {
                    again.push(root);
                }
            }
            if again.is_empty() {
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

    /// The classes that are no mirrors, in ascending order.
    pub fn classes(&self) -> Vec<Id> {
        let mut ids: Vec<Id> = self
            .graph
            .classes()
            .map(|c| c.id)
            .filter(|id| !self.is_mirror(*id))
            .collect();
        ids.sort_unstable();
        ids
    }

    /// The e-nodes of a class that need looking at: those without mirrors among their children.
    pub fn nodes(&self, id: Id) -> impl Iterator<Item = &Ra> {
        self.graph[id].nodes.iter().filter(|node| {
            !node
                .children()
                .iter()
                .any(|child| self.is_mirror(self.graph.find(*child)))
        })
    }
}
