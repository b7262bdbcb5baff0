//! A slow evaluator of relations: the cells of a class from one of its e-nodes, and those of a rule's two sides. Knows no rule.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use egg::Id;
use sumac_la::Op;

use super::matrices::fold;
use super::number::Number;
use crate::axes::{BOUND, Map, Term};
use crate::build::Relations;
use crate::ra::{Opaque, Ra};

/// The cells of a relation in row-major order of its axes.
pub(super) type Tensor<N> = Vec<N>;

/// Every index of a tensor of these sizes, in row-major order.
pub(super) fn indices(sizes: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    let total: usize = sizes.iter().product();
    (0..total).map(move |mut flat| {
        let mut index = vec![0; sizes.len()];
        for (at, size) in index.iter_mut().zip(sizes).rev() {
            *at = flat % size;
            flat /= size;
        }
        index
    })
}

fn flat(index: &[usize], sizes: &[usize]) -> usize {
    let places = index.iter().zip(sizes);
    places.fold(0, |flat, (at, size)| flat * size + at)
}

/// The values of classes over leaves.
pub(super) struct Tensors<'a, N> {
    relations: &'a Relations,
    leaves: &'a [Tensor<N>],
    known: HashMap<Id, Option<Rc<Tensor<N>>>>,
    /// Classes that are being evaluated: nothing is computed from itself.
    open: HashSet<Id>,
}

impl<'a, N: Number> Tensors<'a, N> {
    pub(super) fn new(relations: &'a Relations, leaves: &'a [Tensor<N>]) -> Self {
        Tensors {
            relations,
            leaves,
            known: HashMap::new(),
            open: HashSet::new(),
        }
    }

    /// Sizes of a class's axes.
    pub(super) fn sizes(&self, id: Id) -> Vec<usize> {
        let invariants = &self.relations.graph.analysis;
        let size = |dim| invariants.known_size(dim).expect("sizes are numbers here");
        let schema = &self.relations.data(id).schema;
        schema.iter().map(|dim| size(*dim) as usize).collect()
    }

    /// What a class is, by the first of its e-nodes that can be evaluated; `None` where none can.
    pub(super) fn class(&mut self, id: Id) -> Option<Rc<Tensor<N>>> {
        let id = self.relations.graph.find(id);
        if let Some(known) = self.known.get(&id) {
            return known.clone();
        }
        if !self.open.insert(id) {
            return None;
        }
        let relations = self.relations;
        let sizes = self.sizes(id);
        let nodes = relations.graph[id].nodes.iter();
        let value = nodes.into_iter().find_map(|node| self.node(node, &sizes));
        self.open.remove(&id);
        let value = value.map(Rc::new);
        // What was not found below an open class may be found elsewhere.
        if value.is_some() || self.open.is_empty() {
            self.known.insert(id, value.clone());
        }
        value
    }

    /// The same, where some of the children are evaluated by e-nodes of the caller's choice.
    pub(super) fn matched(
        &mut self,
        node: &Ra,
        sizes: &[usize],
        inner: &[(u8, Ra)],
    ) -> Option<Tensor<N>> {
        use egg::Language;
        for (side, chosen) in inner {
            let child = self
                .relations
                .graph
                .find(node.children()[usize::from(*side)]);
            let sizes = self.sizes(child);
            let value = self.node(chosen, &sizes)?;
            self.known.insert(child, Some(Rc::new(value)));
        }
        self.node(node, sizes)
    }

    /// A term whose labels are the axes 0, 1, 2 … of a relation.
    pub(super) fn term(&mut self, term: Term, sizes: &[usize]) -> Option<Tensor<N>> {
        let tensor = self.class(term.id)?;
        let own = self.sizes(term.id);
        let cells = indices(sizes).map(|index| tensor[flat(&read(&term.map, &index), &own)]);
        Some(cells.collect())
    }

    fn node(&mut self, node: &Ra, sizes: &[usize]) -> Option<Tensor<N>> {
        match node {
            Ra::Const(bits, _) => {
                let value = N::of(f64::from_bits(*bits));
                Some(indices(sizes).map(|_| value).collect())
            }
            Ra::Leaf(n) => self.leaves.get(*n as usize).cloned(),
            Ra::Eye(_) => {
                let cell = |index: Vec<usize>| N::of(f64::from(u8::from(index[0] == index[1])));
                Some(indices(sizes).map(cell).collect())
            }
            Ra::Mul(maps, ids) => self.cellwise(Op::Mul, maps, ids, sizes),
            Ra::Add(maps, ids) => self.cellwise(Op::Add, maps, ids, sizes),
            Ra::Fun(op, maps, ids) => self.cellwise(*op, maps, ids, sizes),
            Ra::Sum(map, ids) => self.aggregate(Op::Sum, map, ids[0], sizes),
            Ra::Fold(op, map, ids) => self.aggregate(*op, map, ids[0], sizes),
            Ra::Opaque(opaque, ids) => self.moved(opaque, ids, sizes),
        }
    }

    fn cellwise(&mut self, op: Op, maps: &[Map], ids: &[Id], sizes: &[usize]) -> Option<Tensor<N>> {
        let mut args = Vec::new();
        for (map, id) in maps.iter().zip(ids) {
            args.push((map, self.class(*id)?, self.sizes(*id)));
        }
        let cell = |index: Vec<usize>| {
            let cells = args
                .iter()
                .map(|(map, tensor, own)| tensor[flat(&read(map, &index), own)]);
            let cells: Vec<N> = cells.collect();
            match op {
                Op::Add => Some(cells[0].plus(cells[1])),
                Op::Mul => Some(cells[0].times(cells[1])),
                _ => N::cellwise(op, &cells),
            }
        };
        indices(sizes).map(cell).collect()
    }

    fn aggregate(&mut self, op: Op, map: &Map, id: Id, sizes: &[usize]) -> Option<Tensor<N>> {
        let (tensor, own) = (self.class(id)?, self.sizes(id));
        let mut groups: Vec<Vec<N>> = vec![Vec::new(); sizes.iter().product()];
        for (cell, index) in tensor.iter().zip(indices(&own)) {
            let mut place = vec![0; sizes.len()];
            for (axis, at) in map.iter().zip(index).filter(|(axis, _)| *axis != BOUND) {
                place[usize::from(axis)] = at;
            }
            groups[flat(&place, sizes)].push(*cell);
        }
        let groups = groups.into_iter();
        groups
            .map(|cells| fold(op, &mut cells.into_iter()))
            .collect()
    }

    /// Operators over whole matrices that only move cells.
    fn moved(&mut self, opaque: &Opaque, ids: &[Id], sizes: &[usize]) -> Option<Tensor<N>> {
        let id = *ids.first()?;
        let (tensor, own) = (self.class(id)?, self.sizes(id));
        let (map, _) = &opaque.children[0];
        // Rows and columns of the child, and its cell there.
        let mut child = [1, 1];
        for (side, size) in map.iter().zip(&own) {
            child[usize::from(side)] = *size;
        }
        let cell = |place: [usize; 2]| {
            let index: Vec<usize> = map.iter().map(|side| place[usize::from(side)]).collect();
            tensor[flat(&index, &own)]
        };
        let mut axes = sizes.iter();
        let shape = opaque
            .shape
            .map(|dim| dim.and_then(|_| axes.next().copied()).unwrap_or(1));
        let cells = indices(sizes).map(|index| {
            let mut at = index.iter().copied();
            let [row, col] = opaque
                .shape
                .map(|dim| dim.and_then(|_| at.next()).unwrap_or(0));
            match opaque.op {
                Op::Rev => Some(cell([shape[0] - 1 - row, col])),
                Op::Reshape => {
                    let flat = row * shape[1] + col;
                    Some(cell([flat / child[1], flat % child[1]]))
                }
                _ => None,
            }
        });
        cells.collect()
    }
}

fn read(map: &Map, index: &[usize]) -> Vec<usize> {
    map.iter().map(|axis| index[usize::from(axis)]).collect()
}
