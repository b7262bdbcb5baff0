//! Building terms in the e-graph, and keeping one class for each relation up to the order of its axes.
//!
//! A rule never adds e-nodes itself: it joins, unites and aggregates [`Term`]s here. Each result is looked up in
//! every order of its axes first, so the transpose of a known relation is that relation with other labels.
//! [`crate::mirrors`] does the same where a union finds two classes equal.

use std::collections::BTreeSet;

use egg::{Id, Language};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use sumac_la::{Dim, Op};

use crate::axes::{BOUND, Label, Map, Term, permutations, union_labels};
use crate::invariants::{Graph, Invariant, Invariants};
use crate::mirrors::Mirror;
use crate::ra::{DimId, Ra, Schema};
use crate::symmetry::in_order;

/// An e-graph of relations.
#[derive(Clone, Debug)]
pub struct Relations {
    /// The e-graph. Callers read; they write through the methods here.
    pub graph: Graph,
    /// Classes that stand behind another one.
    pub mirrors: FxHashMap<Id, Mirror>,
    /// Classes that stay beside a class which they equal with permuted axes, and how many e-nodes of them were copied there.
    pub copies: FxHashMap<(Id, Term), usize>,
    /// The cellwise functions that occur.
    pub functions: BTreeSet<Op>,
    /// E-nodes that may be made in all; those that merging made superfluous count, for they stay in memory.
    pub most_nodes: usize,
}

impl Relations {
    /// An empty graph over the given sizes and leaves.
    pub fn new(invariants: Invariants) -> Self {
        Relations {
            graph: Graph::new(invariants),
            mirrors: FxHashMap::default(),
            copies: FxHashMap::default(),
            functions: BTreeSet::new(),
            most_nodes: usize::MAX,
        }
    }

    /// Whether no more e-nodes may be made: restoring order then ends with what is there. Whatever is stated stays true; some
    /// forms are not found.
    pub fn is_full(&self) -> bool {
        self.graph.nodes().len() >= self.most_nodes
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

    /// The same relation by the class that all its mirrors point to, the labels of twins in order.
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
        term.map = self.data(term.id).twins.in_order(&term.map);
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
        let node = in_order(&self.graph, node);
        if self.graph.lookup(node.clone()).is_none() {
            for p in permutations(labels.len()).iter().skip(1) {
                if let Some(id) = node
                    .permuted(p)
                    .and_then(|transposed| self.graph.lookup(in_order(&self.graph, transposed)))
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

    /// A constant that repeats over axes which the other terms have anyway is a mere number.
    fn narrow<const N: usize>(&mut self, terms: [Term; N]) -> [Term; N] {
        let mut narrowed = terms.map(|term| self.resolve(term));
        for k in 0..N {
            let term = narrowed[k];
            let others = |label| (0..N).any(|other| other != k && narrowed[other].map.has(label));
            if term.map.len() > 0
                && term.map.iter().all(others)
                && let Some(value) = self.constant_of(term)
            {
                narrowed[k] = self.number(value);
            }
        }
        narrowed
    }

    /// The term with all labels of `axes`, repeated over those that it lacks.
    pub fn widened(&mut self, term: Term, axes: &[(Label, DimId)]) -> Option<Term> {
        let missing: SmallVec<[(Label, DimId); 4]> = axes
            .iter()
            .copied()
            .filter(|(label, _)| !term.map.has(*label))
            .collect();
        let ones = self.constant(1.0, &missing);
        self.mul(term, ones)
    }

    /// `x` where it is joined with `other`: beside δ, the order of δ's two labels in `x` says nothing.
    fn on_diagonal(&self, x: Term, other: Term) -> Term {
        let [low, high] = match other.map.labels() {
            [low, high] if self.data(other.id).is_eye => [*low, *high],
            _ => return x,
        };
        match (x.map.axis(low), x.map.axis(high)) {
            (Some(l), Some(h)) if l > h => self.resolve(Term {
                map: x.map.relabel(|label| match label {
                    l if l == low => high,
                    l if l == high => low,
                    l => l,
                }),
                ..x
            }),
            _ => x,
        }
    }

    /// The join of two relations. `None` if it would have too many axes.
    pub fn mul(&mut self, a: Term, b: Term) -> Option<Term> {
        let [a, b] = self.narrow([a, b]);
        let [a, b] = [self.on_diagonal(a, b), self.on_diagonal(b, a)];
        if a == b && self.data(a.id).is_eye {
            return Some(a);
        }
        if a.map.len() == 0 && b.map.len() == 0 && (self.cancel(a, b) || self.cancel(b, a)) {
            return Some(self.number(1.0));
        }
        let (labels, maps) = Self::layout(&[&a.map, &b.map])?;
        for (x, other) in [(a, b), (b, a)] {
            match self.constant_of(x) {
                Some(1.0) if Self::has_all(&other.map, &x.map) => return Some(other),
                Some(0.0) => {
                    let axes = self.axes_by_label(&[a, b]);
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
        let [a, b] = self.narrow([a, b]);
        let (labels, maps) = Self::layout(&[&a.map, &b.map])?;
        for (x, other) in [(a, b), (b, a)] {
            if self.constant_of(x) == Some(0.0) && Self::has_all(&other.map, &x.map) {
                return Some(other);
            }
        }
        let node = Ra::Add([maps[0], maps[1]], [a.id, b.id]).sorted();
        Some(self.place(node, labels))
    }

    /// The size of an axis as a scalar: a number, or what computes it from the inputs. `None` where nothing does.
    pub fn size_of(&mut self, dim: DimId) -> Option<Term> {
        let size = self.graph.analysis.sizes[usize::from(dim.0)].clone();
        self.size(&size)
    }

    /// As [`Relations::size_of`].
    pub fn size(&mut self, size: &Dim) -> Option<Term> {
        let mut sum = self.number(0.0);
        for (factor, names) in size.terms()? {
            #[expect(clippy::cast_precision_loss, reason = "sizes beyond 2^53 do not occur")]
            let mut product = self.number(factor as f64);
            for name in names {
                let leaf = *self.graph.analysis.size_leaves.get(&name)?;
                let leaf = self.leaf(leaf, Map::default());
                product = self.mul(product, leaf)?;
            }
            sum = self.add(sum, product)?;
        }
        Some(sum)
    }

    /// Whether the class is the size of an axis that is not empty.
    fn is_size(&self, term: Term) -> bool {
        let sizes = &self.graph.analysis.size_leaves;
        term.map.len() == 0
            && !sizes.is_empty()
            && self.graph[term.id]
                .nodes
                .iter()
                .any(|node| matches!(node, Ra::Leaf(n) if sizes.values().any(|size| size == n)))
    }

    /// Whether one is a size and the other one over it.
    fn cancel(&self, a: Term, b: Term) -> bool {
        let is_one_over = |node: &Ra| match node {
            Ra::Fun(Op::Div, maps, ids) => {
                let term = |k: usize| self.resolve(Term::inside(ids[k], &maps[k], &b.map));
                self.constant_of(term(0)) == Some(1.0) && term(1) == a
            }
            _ => false,
        };
        self.is_size(a) && self.graph[b.id].nodes.iter().any(is_one_over)
    }

    /// Σ over the labels of `bound`. Where the term does not have one, the sum multiplies by its size (Figure 3, rule 5);
    /// `None` if nothing computes that size.
    pub fn sum(&mut self, bound: &[(Label, DimId)], a: Term) -> Option<Term> {
        let mut a = self.resolve(a);
        let is_bound = |label| bound.iter().any(|(l, _)| *l == label);
        if let Some(value) = self.constant_of(a)
            && a.map.iter().any(is_bound)
        {
            let axes = self.axes_by_label(&[a]);
            let kept: SmallVec<[(Label, DimId); 4]> =
                axes.into_iter().filter(|(l, _)| !is_bound(*l)).collect();
            a = self.constant(value, &kept);
        }
        let mut factor = self.number(1.0);
        for (label, dim) in bound {
            if !a.map.has(*label) {
                let size = self.size_of(*dim)?;
                factor = self.mul(factor, size)?;
            }
        }
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
        self.mul(factor, total)
    }

    /// Minimum, maximum or product over the labels of `bound`, by the operator over all cells. `None` where an axis is
    /// empty or of no known size, and for a product that repeats.
    pub fn fold(&mut self, op: Op, bound: &[(Label, DimId)], a: Term) -> Option<Term> {
        let a = self.resolve(a);
        for (label, dim) in bound {
            if !self.graph.analysis.is_full(*dim) || (op == Op::Prod && !a.map.has(*label)) {
                return None;
            }
        }
        let is_bound = |label| bound.iter().any(|(l, _)| *l == label);
        let kept = Map::collect(a.map.iter().filter(|l| !is_bound(*l)))?;
        if kept.len() == a.map.len() {
            return Some(a);
        }
        let (labels, maps) = Self::layout(&[&kept])?;
        let map = a.map.relabel(|label| {
            if is_bound(label) {
                BOUND
            } else {
                maps[0].labels()[kept.axis(label).expect("kept")]
            }
        });
        Some(self.place(Ra::Fold(op, map, [a.id]), labels))
    }

    /// δ over two labels of one size.
    pub fn eye(&mut self, dim: DimId, labels: [Label; 2]) -> Term {
        let id = self.graph.add(Ra::Eye(dim));
        self.resolve(Term {
            id,
            map: Map::collect(labels).expect("two labels"),
        })
    }

    /// A cellwise function.
    pub fn fun(&mut self, op: Op, args: &[Term]) -> Option<Term> {
        let args: SmallVec<[Term; 3]> = match args {
            [a, b] => self.narrow([*a, *b]).into_iter().collect(),
            [a, b, c] => self.narrow([*a, *b, *c]).into_iter().collect(),
            _ => args.iter().map(|t| self.resolve(*t)).collect(),
        };
        if let (Op::IfElse, [test, yes, no]) = (op, args.as_slice()) {
            let chosen = match self.constant_of(*test) {
                _ if yes == no => Some(*yes),
                Some(0.0) => Some(*no),
                Some(_) => Some(*yes),
                None => None,
            };
            if let Some(chosen) = chosen {
                let axes = self.axes_by_label(&args);
                return self.widened(chosen, &axes);
            }
        }
        self.functions.insert(op);
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
    pub fn opaque(&mut self, opaque: crate::ra::Opaque, args: &[Term]) -> Term {
        let mut opaque = opaque;
        let args: SmallVec<[Term; 3]> = args.iter().map(|t| self.resolve(*t)).collect();
        for (slot, arg) in opaque.children.iter_mut().zip(&args) {
            slot.0 = arg.map;
        }
        let labels = [0_u8, 1]
            .into_iter()
            .filter(|side| opaque.shape[usize::from(*side)].is_some());
        let map = Map::collect(labels).expect("two at most");
        let ids = args.iter().map(|t| t.id).collect();
        Term {
            id: self.graph.add(Ra::Opaque(Box::new(opaque), ids)),
            map,
        }
    }

    /// All labels of the terms with their sizes.
    pub fn axes_by_label(&self, terms: &[Term]) -> SmallVec<[(Label, DimId); 4]> {
        let mut axes: SmallVec<[(Label, DimId); 4]> = SmallVec::new();
        for term in terms {
            for (label, dim) in term.map.iter().zip(&self.data(term.id).schema) {
                if !axes.iter().any(|(l, _)| *l == label) {
                    axes.push((label, *dim));
                }
            }
        }
        axes
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
