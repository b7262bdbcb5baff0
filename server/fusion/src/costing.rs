//! What a choice costs: the operators that follow from it, each with what it writes, reads and computes.
//!
//! A choice says for each point of a partition whether its value is written down. Then every needed value opens the
//! operator that takes in most, and what that reads is needed in turn. A value inside of two operators is computed
//! twice and counted twice; an input that an operator reads in several places is read once.
//!
//! It never looks at two choices: that is the search's.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use sumac_cost::matrix_bytes;
use sumac_la::NodeId;

use crate::bits::Bits;
use crate::graph::Graph;
use crate::memo::{Memo, Reference};
use crate::opened::{LINE, Opened, Seconds, alone, driver, inputs, seconds};
use crate::partition::{Partition, fused_arguments};
use crate::placement::allows;
use crate::rates::Rates;
use crate::template::Template;

struct LocalEntry {
    template: Template,
    is_open: bool,
    is_valid: bool,
    references: SmallVec<[LocalReference; 2]>,
}

struct LocalReference {
    position: usize,
    node: usize,
    point: Option<usize>,
    same: bool,
    cell: bool,
}

/// An operator, and the operators of the partition that it reads.
type WithNeeds = (Opened, Vec<usize>);

/// The choices of one partition, and what they cost.
pub struct Costing<'a> {
    graph: &'a Graph<'a>,
    partition: &'a Partition,
    rates: Rates,
    place: FxHashMap<NodeId, usize>,
    entries: Vec<Vec<LocalEntry>>,
    /// By operator: the points that the operator which it opens depends on.
    depends: Vec<Bits>,
    required: Vec<usize>,
    /// Whether an operator that takes longer than its parts is none.
    weighs_parts: bool,
    opened: RefCell<FxHashMap<(usize, Bits), Rc<WithNeeds>>>,
    /// What every plan takes at least: writing, reading, computing.
    floor: (f64, f64, f64),
    /// By point: the value, what writing it and reading it take at least.
    at_least: Vec<(usize, f64, f64)>,
}

impl<'a> Costing<'a> {
    /// Of a partition. `None` where a size is not known, so that nothing has a cost.
    #[must_use]
    pub fn new(
        graph: &'a Graph<'a>,
        memo: &Memo,
        partition: &'a Partition,
        rates: Rates,
    ) -> Option<Costing<'a>> {
        let mut costing = Costing::unsized_of(graph, memo, partition, rates);
        costing.bound_below()?;
        Some(costing)
    }

    /// Of a partition of which sizes are not known: its choices lead to operators, and nothing has a cost.
    #[must_use]
    pub fn unsized_of(
        graph: &'a Graph<'a>,
        memo: &Memo,
        partition: &'a Partition,
        rates: Rates,
    ) -> Costing<'a> {
        let ids = &partition.operators;
        let place: FxHashMap<NodeId, usize> =
            ids.iter().enumerate().map(|(i, id)| (*id, i)).collect();
        let point_of: FxHashMap<(NodeId, NodeId), usize> = partition
            .points
            .iter()
            .enumerate()
            .map(|(i, point)| ((point.consumer, point.producer), i))
            .collect();
        let local = |id: NodeId| -> Vec<LocalEntry> {
            let args = graph.dag.args(id);
            memo.entries(id)
                .iter()
                .filter(|entry| entry.template != Template::MAgg)
                .map(|entry| LocalEntry {
                    template: entry.template,
                    is_open: entry.close.is_open(),
                    is_valid: entry.close.is_valid(),
                    references: (0..args.len())
                        .filter_map(|i| match entry.inputs[i] {
                            Reference::Materialized => None,
                            Reference::Fused { same, cell } => Some(LocalReference {
                                position: i,
                                node: place[&args[i]],
                                point: point_of.get(&(id, args[i])).copied(),
                                same,
                                cell,
                            }),
                        })
                        .collect(),
                })
                .collect()
        };
        let entries: Vec<Vec<LocalEntry>> = ids.iter().map(|id| local(*id)).collect();
        let mut depends: Vec<Bits> = Vec::new();
        for of_node in &entries {
            let mut bits = Bits::none(partition.points.len());
            for reference in of_node.iter().flat_map(|entry| &entry.references) {
                if let Some(point) = reference.point {
                    bits.set(point, true);
                }
                let below = depends[reference.node].clone();
                bits.add(&below);
            }
            depends.push(bits);
        }
        let required = partition.required.iter().map(|id| place[id]).collect();
        Costing {
            graph,
            partition,
            rates,
            place,
            entries,
            depends,
            required,
            weighs_parts: true,
            opened: RefCell::default(),
            floor: (0.0, 0.0, 0.0),
            at_least: Vec::new(),
        }
    }

    /// The same, where operators are fused whatever they cost: heuristics do not look.
    #[must_use]
    pub fn whatever_it_costs(self) -> Costing<'a> {
        Costing {
            weighs_parts: false,
            ..self
        }
    }

    /// How many points there are.
    #[must_use]
    pub fn points(&self) -> usize {
        self.partition.points.len()
    }

    /// The partition.
    #[must_use]
    pub fn partition(&self) -> &Partition {
        self.partition
    }

    /// What every plan takes at least, and each point at least besides.
    fn bound_below(&mut self) -> Option<()> {
        let (dag, rates) = (self.graph.dag, self.rates);
        let part = self.partition;
        // No operator visits a smaller share of its cells than this.
        let least_share = part
            .operators
            .iter()
            .chain(&part.inputs)
            .map(|id| dag.ty(*id))
            .filter(|ty| ty.is_stored_sparse())
            .map(sumac_la::Type::density)
            .fold(1.0, f64::min);
        let least_read = |id: NodeId| {
            let ty = dag.ty(id);
            let bytes = matrix_bytes(ty)?.min(ty.cells()? * least_share * LINE);
            Some(bytes / rates.fastest_read())
        };
        let mut floor = (0.0, 0.0, 0.0);
        let mut always: Vec<NodeId> = part
            .required
            .iter()
            .map(|id| self.graph.stored(*id))
            .filter(|id| self.place.contains_key(id))
            .collect();
        always.sort_unstable();
        always.dedup();
        for id in &always {
            floor.0 += rates.least_writing(dag, *id)? + rates.overhead;
        }
        for id in &part.inputs {
            floor.1 += least_read(*id)?;
        }
        for id in &part.operators {
            let full = rates.work(dag, *id)? * least_share;
            floor.2 += full.min(rates.basic_work(dag, *id)?) / rates.most_nodes();
        }
        self.floor = floor;
        self.at_least = Vec::new();
        for point in &part.points {
            let value = self.graph.stored(point.producer);
            let is_written = always.contains(&value) || !self.place.contains_key(&value);
            let write = if is_written {
                0.0
            } else {
                rates.least_writing(dag, value)? + rates.overhead
            };
            let read = if part.inputs.binary_search(&value).is_ok() {
                0.0
            } else {
                least_read(value)?
            };
            self.at_least.push((value.index(), write, read));
        }
        Some(())
    }

    /// What a choice, and every choice that writes more down, takes at least.
    #[must_use]
    pub fn at_least(&self, written: &Bits) -> f64 {
        let (mut write, mut read, compute) = self.floor;
        let mut seen: SmallVec<[usize; 16]> = SmallVec::new();
        for point in written.iter() {
            let (value, w, r) = self.at_least[point];
            if !seen.contains(&value) {
                seen.push(value);
                write += w;
                read += r;
            }
        }
        write + read.max(compute)
    }

    /// What a choice costs; infinity as soon as it is more than `limit`. `apart` names operators that take nothing in.
    #[must_use]
    pub fn cost(&self, written: &Bits, apart: &[NodeId], limit: f64) -> f64 {
        let mut total = 0.0;
        self.each(written, apart, &mut |opened| {
            total += opened.seconds.total();
            total <= limit
        });
        if total <= limit { total } else { f64::INFINITY }
    }

    /// The operators that a choice leads to, arguments first.
    #[must_use]
    pub fn operators(&self, written: &Bits, apart: &[NodeId]) -> Vec<Opened> {
        let mut found = Vec::new();
        self.each(written, apart, &mut |opened| {
            found.push(opened.clone());
            true
        });
        found.sort_by_key(|opened| opened.root);
        found
    }

    fn each(&self, written: &Bits, apart: &[NodeId], visit: &mut dyn FnMut(&Opened) -> bool) {
        let mut seen = vec![false; self.entries.len()];
        let mut open: SmallVec<[usize; 32]> = self.required.iter().copied().collect();
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            let opened = self.open(node, written, apart);
            if !visit(&opened.0) {
                return;
            }
            open.extend(opened.1.iter().copied());
        }
    }

    /// The operator that opens at a node, and the operators of the partition that it reads.
    fn open(&self, node: usize, written: &Bits, apart: &[NodeId]) -> Rc<WithNeeds> {
        if apart.contains(&self.partition.operators[node]) {
            return Rc::new(self.with_needs(self.alone(node)));
        }
        let key = (node, written.and(&self.depends[node]));
        if let Some(known) = self.opened.borrow().get(&key) {
            return known.clone();
        }
        let opened = Rc::new(self.with_needs(self.best(node, written)));
        self.opened.borrow_mut().insert(key, opened.clone());
        opened
    }

    fn with_needs(&self, opened: Opened) -> WithNeeds {
        let needs = opened
            .inputs
            .iter()
            .filter_map(|id| self.place.get(id).copied())
            .collect();
        (opened, needs)
    }

    /// The operator of the best kind at a node.
    fn best(&self, node: usize, written: &Bits) -> Opened {
        let mut usable = FxHashMap::default();
        // Arguments first, so that nothing below recurses: chains may be long.
        for below in self.reached(node) {
            for template in Template::EXPLORED {
                self.entry((below, template, false), written, &mut usable);
            }
        }
        let mut of = |template: Template| {
            let fused = self.fused(node, template, written, &mut usable)?;
            (!self.is_dearer_than_its_parts(&fused)).then_some(fused)
        };
        if let Some(outer) = of(Template::Outer).filter(|opened| opened.driver.is_some()) {
            return outer;
        }
        let (row, cell) = (of(Template::Row), of(Template::Cell));
        let covers = |opened: &Option<Opened>| opened.as_ref().map_or(0, |o| o.covers.len());
        let best = if covers(&cell) >= covers(&row) {
            cell
        } else {
            row
        };
        best.unwrap_or_else(|| self.alone(node))
    }

    /// Whether an operator computes the zeros of something sparse that its parts leave out, each alone, and so takes longer
    /// than all of them. (Of dense values parts cost no less: to write one down is dearer than to compute it inside.)
    fn is_dearer_than_its_parts(&self, fused: &Opened) -> bool {
        let is_sparse = |id: &NodeId| self.graph.dag.ty(*id).is_stored_sparse();
        if !self.weighs_parts || !fused.covers.iter().chain(&fused.inputs).any(is_sparse) {
            return false;
        }
        let alone = |id: &NodeId| alone(self.graph, &self.rates, *id).seconds.total();
        fused.seconds.total() > fused.covers.iter().map(alone).sum()
    }

    /// The operators that some plan at a node takes in, arguments first.
    fn reached(&self, node: usize) -> Vec<usize> {
        let mut seen = vec![false; node + 1];
        let mut open = vec![node];
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                let references = self.entries[at].iter().flat_map(|entry| &entry.references);
                open.extend(references.map(|reference| reference.node));
            }
        }
        (0..=node).filter(|at| seen[*at]).collect()
    }

    /// The entry of a template at a node that takes in most under this choice.
    fn entry(
        &self,
        (node, template, at_root): (usize, Template, bool),
        written: &Bits,
        usable: &mut FxHashMap<(usize, Template, bool), Option<usize>>,
    ) -> Option<usize> {
        let key = (node, template, at_root);
        if let Some(known) = usable.get(&key) {
            return *known;
        }
        let mut best: Option<(usize, usize)> = None;
        for (i, entry) in self.entries[node].iter().enumerate() {
            let fits = entry.template == template
                && if at_root {
                    entry.is_valid
                } else {
                    entry.is_open
                };
            if !fits || best.is_some_and(|(most, _)| most >= entry.references.len()) {
                continue;
            }
            let is_usable = entry.references.iter().all(|reference| {
                reference.point.is_none_or(|point| !written.get(point))
                    && self.kind_of(reference, template, written, usable).is_some()
            });
            if is_usable {
                best = Some((entry.references.len(), i));
            }
        }
        let found = best.map(|(_, i)| i);
        usable.insert(key, found);
        found
    }

    /// By which kind of plan a reference is computed inside.
    fn kind_of(
        &self,
        reference: &LocalReference,
        template: Template,
        written: &Bits,
        usable: &mut FxHashMap<(usize, Template, bool), Option<usize>>,
    ) -> Option<Template> {
        let mut is_there = |kind: Template| {
            self.entry((reference.node, kind, false), written, usable)
                .is_some()
        };
        if reference.same && is_there(template) {
            Some(template)
        } else {
            (reference.cell && is_there(Template::Cell)).then_some(Template::Cell)
        }
    }

    /// The fused operator of a kind that ends at a node; `None` where it would be one operator alone, or where the
    /// cluster that is to run it cannot.
    fn fused(
        &self,
        node: usize,
        template: Template,
        written: &Bits,
        usable: &mut FxHashMap<(usize, Template, bool), Option<usize>>,
    ) -> Option<Opened> {
        let ids = &self.partition.operators;
        let mut chosen: FxHashMap<usize, (Template, usize)> = FxHashMap::default();
        let mut open = vec![(node, template, true)];
        let mut inside = Vec::new();
        while let Some((at, kind, is_root)) = open.pop() {
            if chosen.contains_key(&at) {
                continue;
            }
            let entry = self.entry((at, kind, is_root), written, usable)?;
            chosen.insert(at, (kind, entry));
            for reference in &self.entries[at][entry].references {
                let kind = self.kind_of(reference, kind, written, usable)?;
                inside.push((ids[at], reference.position));
                open.push((reference.node, kind, false));
            }
        }
        if chosen.len() < 2 {
            return None;
        }
        let mut covers: Vec<NodeId> = chosen.keys().map(|at| ids[*at]).collect();
        covers.sort_unstable();
        inside.sort_unstable();
        let inputs = inputs(self.graph, &covers, &inside);
        let driver = driver(self.graph, template, ids[node], &covers, &inside);
        let mut opened = Opened {
            root: ids[node],
            template: Some(template),
            covers,
            inside,
            inputs,
            driver,
            seconds: Seconds::default(),
        };
        let cluster = self.rates.cluster;
        if cluster.is_some_and(|cluster| !allows(self.graph, &cluster, &opened)) {
            return None;
        }
        opened.seconds = seconds(self.graph, &self.rates, &opened).unwrap_or_default();
        Some(opened)
    }

    fn alone(&self, node: usize) -> Opened {
        alone(self.graph, &self.rates, self.partition.operators[node])
    }

    /// By operator of the partition: those that some plan computes inside of it, with the edge's point.
    pub(crate) fn fusable(&self) -> Vec<Vec<(usize, Option<usize>)>> {
        self.entries
            .iter()
            .map(|entries| {
                let mut below: Vec<(usize, Option<usize>)> = entries
                    .iter()
                    .flat_map(|entry| &entry.references)
                    .map(|reference| (reference.node, reference.point))
                    .collect();
                below.sort_unstable();
                below.dedup();
                below
            })
            .collect()
    }

    /// Operators that are opened whatever the choice: needed ones, and those that some operator of the partition reads
    /// and never takes in.
    pub(crate) fn always_opened(&self, memo: &Memo) -> Vec<usize> {
        let mut found = self.required.clone();
        for id in &self.partition.operators {
            let fused = fused_arguments(self.graph, memo, *id);
            for arg in self.graph.dag.args(*id) {
                if !fused.contains(arg) {
                    found.extend(self.place.get(&self.graph.stored(*arg)));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
