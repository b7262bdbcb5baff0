//! What holds for every term of a class, as egg's analysis (SPORES sections 2.1, 3.2): its schema (the sizes of its axes), its
//! constant if all its cells are one number, its sparsity, its degrees, and which of its axes may change places.
//!
//! Merged classes must agree on the schema; disagreement is a bug, recorded in [`Invariants::broken`] so that a test finds
//! it. Must never add a term, but for the constant that a class is known to be.

use egg::{Analysis, DidMerge, EGraph, Id};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use sumac_la::{Dim, Op, ShapeRule, SparseSafe};

use crate::axes::{BOUND, Map};
use crate::degrees::Degrees;
use crate::ra::{DimId, Ra, Schema};
use crate::symmetry::Twins;

/// A leaf of the relational side.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Sizes of its axes: those of the matrix that are not one, rows first.
    pub schema: Schema,
    /// Estimated share of non-zero cells.
    pub sparsity: f64,
    /// What its limits say of its axes.
    pub degrees: Degrees,
}

/// egg's analysis: computes and merges [`Invariant`]s.
#[derive(Clone, Debug, Default)]
pub struct Invariants {
    /// Each size that occurs. Equal sizes are one entry.
    pub sizes: Vec<Dim>,
    /// The leaves.
    pub leaves: Vec<Leaf>,
    /// The leaves that are sizes, by the name of the size.
    pub size_leaves: FxHashMap<String, u32>,
    /// Two classes of different schema were merged: a rule is wrong.
    pub broken: bool,
}

/// What holds for every term of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct Invariant {
    /// Sizes of the axes.
    pub schema: Schema,
    /// The number that all cells are, by its bits.
    pub constant: Option<u64>,
    /// Share of non-zero cells: Figure 12, the tighter of all estimates.
    pub sparsity: f64,
    /// How many values of an axis one of another meets.
    pub degrees: Degrees,
    /// Whether it is δ, the relation of [`Ra::Eye`].
    pub is_eye: bool,
    /// The axes that may change places.
    pub twins: Twins,
}

impl Invariant {
    fn new(schema: Schema, constant: Option<f64>, sparsity: f64) -> Self {
        Invariant {
            schema,
            constant: constant.filter(|v| v.is_finite()).map(f64::to_bits),
            sparsity,
            degrees: Degrees::default(),
            is_eye: false,
            twins: Twins::default(),
        }
    }
}

impl Invariants {
    /// The entry of a size.
    pub fn dim(&mut self, dim: &Dim) -> DimId {
        // Sizes that are not known are never the same size.
        let known = self
            .sizes
            .iter()
            .position(|d| d == dim && *dim != Dim::Unknown);
        let place = known.unwrap_or_else(|| {
            self.sizes.push(dim.clone());
            self.sizes.len() - 1
        });
        DimId(u16::try_from(place).expect("a statement block has fewer than 65536 sizes"))
    }

    /// The size as a number for estimates; a size that is not known counts as 1000.
    pub fn size(&self, dim: DimId) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        self.sizes[usize::from(dim.0)]
            .estimate()
            .map_or(1000.0, |n| n as f64)
    }

    /// The size where it is a number.
    pub fn known_size(&self, dim: DimId) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "sizes beyond 2^53 do not occur")]
        self.sizes[usize::from(dim.0)].known().map(|n| n as f64)
    }

    /// Whether there is something along the axis: an axis without a number is never empty, as for the canonical form.
    pub fn is_full(&self, dim: DimId) -> bool {
        match &self.sizes[usize::from(dim.0)] {
            Dim::Known(n) => *n > 0,
            Dim::Named(_) => true,
            Dim::Unknown => false,
        }
    }

    /// Whether the size can be computed.
    pub fn has_size(&self, dim: DimId) -> bool {
        let is_leaf = |name: &String| self.size_leaves.contains_key(name);
        let terms = self.sizes[usize::from(dim.0)].terms();
        terms.is_some_and(|terms| terms.iter().all(|(_, names)| names.iter().all(is_leaf)))
    }

    /// Number of cells.
    pub fn cells(&self, schema: &[DimId]) -> f64 {
        schema.iter().map(|d| self.size(*d)).product()
    }
}

/// What does not make an estimate smaller by more than this is rounding: a circle of classes would go on for ever.
const ROUNDING: f64 = 1e-9;

impl Invariant {
    /// With degrees, which tighten the sparsity.
    fn within(mut self, degrees: Degrees, invariants: &Invariants) -> Self {
        if !degrees.is_unknown() {
            let cells = invariants.cells(&self.schema).max(1.0);
            let most = degrees.most_cells(|axis| invariants.size(self.schema[axis]));
            self.sparsity = self.sparsity.min(most / cells);
            self.degrees = degrees;
        }
        self
    }

    /// With the other's sparsity, if that is tighter by more than rounding. Whether it was.
    fn tighten(&mut self, sparsity: f64) -> bool {
        let is_tighter = sparsity < self.sparsity * (1.0 - ROUNDING);
        if is_tighter {
            self.sparsity = sparsity;
        }
        is_tighter
    }
}

/// The share of non-zero cells of a join of two factors.
///
/// It is at most that of either (Figure 12), and each non-zero cell of the one meets no more cells of the other than
/// the other's degrees allow. Where an axis that only one factor has decides the axes that both have, as in δ or a
/// one-hot matrix, that factor selects from the other: whatever it selects has the other's sparsity.
fn joined(
    invariants: &Invariants,
    schema: &[DimId],
    maps: [&Map; 2],
    factors: [&Invariant; 2],
) -> f64 {
    let mut share = factors[0].sparsity.min(factors[1].sparsity);
    let cells = invariants.cells(schema).max(1.0);
    for (one, other) in [(0, 1), (1, 0)] {
        let (map, degrees) = (maps[one], &factors[one].degrees);
        if degrees.is_unknown() {
            continue;
        }
        let all: SmallVec<[usize; 4]> = (0..map.len()).collect();
        let (shared, own): (SmallVec<[usize; 4]>, SmallVec<[usize; 4]>) = all
            .iter()
            .copied()
            .partition(|axis| maps[other].has(map.labels()[*axis]));
        let size = |axis: usize| invariants.size(factors[one].schema[axis]);
        let met = invariants.cells(&factors[other].schema) * factors[other].sparsity;
        share = share.min(met * degrees.reach(&shared, &all, size) / cells);
        let decides = |axis: &usize| shared.iter().all(|of| degrees.most(*axis, *of) <= 1.0);
        if !shared.is_empty() && own.iter().any(decides) {
            share = share.min(factors[0].sparsity * factors[1].sparsity);
        }
    }
    share
}

/// The graph that everything here works on.
pub type Graph = EGraph<Ra, Invariants>;

/// What follows for a node from its children, but for its twins.
fn estimated(egraph: &Graph, node: &Ra) -> Invariant {
    let data = |id: &Id| &egraph[*id].data;
    let number = |id: &Id| data(id).constant.map(f64::from_bits);
    // Axes of the node from the children's.
    let schema = |maps: &[Map], ids: &[Id]| -> Schema {
        let mut out = Schema::new();
        for (map, id) in maps.iter().zip(ids) {
            for (axis, dim) in map.iter().zip(&data(id).schema) {
                if axis != BOUND {
                    let axis = usize::from(axis);
                    if out.len() <= axis {
                        out.resize(axis + 1, *dim);
                    }
                    out[axis] = *dim;
                }
            }
        }
        out
    };
    // Sizes and estimate of what is aggregated.
    let bound = |map: &Map, child: &Invariant| -> SmallVec<[DimId; 4]> {
        let axes = map.iter().zip(&child.schema);
        axes.filter(|(axis, _)| *axis == BOUND)
            .map(|(_, dim)| *dim)
            .collect()
    };
    match node {
        Ra::Const(bits, schema) => {
            let value = f64::from_bits(*bits);
            let sparsity = if value == 0.0 { 0.0 } else { 1.0 };
            Invariant {
                constant: Some(*bits),
                ..Invariant::new(schema.clone(), None, sparsity)
            }
        }
        Ra::Leaf(n) => {
            let leaf = &egraph.analysis.leaves[*n as usize];
            // A matrix that is said to have no non-zero cell is zero.
            let zero = (leaf.sparsity == 0.0).then_some(0.0);
            Invariant::new(leaf.schema.clone(), zero, leaf.sparsity)
                .within(leaf.degrees.clone(), &egraph.analysis)
        }
        Ra::Eye(dim) => {
            let share = 1.0 / egraph.analysis.size(*dim).max(1.0);
            Invariant {
                is_eye: true,
                degrees: Degrees::one_for_one(),
                ..Invariant::new(smallvec![*dim, *dim], None, share)
            }
        }
        Ra::Mul(maps, ids) => {
            let value = match (number(&ids[0]), number(&ids[1])) {
                (Some(a), Some(b)) => Some(a * b),
                (Some(z), _) | (_, Some(z)) if z == 0.0 => Some(0.0),
                _ => None,
            };
            let (schema, maps) = (schema(maps, ids), maps.each_ref());
            let factors = ids.each_ref().map(data);
            let sparsity = joined(&egraph.analysis, &schema, maps, factors);
            let mut degrees =
                Degrees::join(schema.len(), maps, factors.map(|factor| &factor.degrees));
            if ids[0] == ids[1] {
                degrees.join_with_itself(maps, &factors[0].degrees);
            }
            Invariant::new(schema, value, sparsity).within(degrees, &egraph.analysis)
        }
        Ra::Add(maps, ids) => {
            let value = number(&ids[0]).zip(number(&ids[1])).map(|(a, b)| a + b);
            let sparsity = (data(&ids[0]).sparsity + data(&ids[1]).sparsity).min(1.0);
            let schema = schema(maps, ids);
            let terms = ids.each_ref().map(|id| &data(id).degrees);
            let degrees = Degrees::union(schema.len(), maps.each_ref(), terms);
            Invariant::new(schema, value, sparsity).within(degrees, &egraph.analysis)
        }
        Ra::Sum(map, ids) => {
            let child = data(&ids[0]);
            let bound = bound(map, child);
            let sizes = bound.iter().map(|d| egraph.analysis.known_size(*d));
            let known: Option<f64> = sizes.product();
            let schema = schema(std::slice::from_ref(map), ids);
            let degrees = Degrees::mapped(schema.len(), map, &child.degrees);
            Invariant::new(
                schema,
                number(&ids[0]).zip(known).map(|(c, n)| c * n),
                (egraph.analysis.cells(&bound) * child.sparsity).min(1.0),
            )
            .within(degrees, &egraph.analysis)
        }
        Ra::Fold(op, map, ids) => {
            let child = data(&ids[0]);
            // What is folded is never empty, see `Relations::fold`.
            let same = |c: &f64| *op != Op::Prod || *c == 0.0 || *c == 1.0;
            let cells = egraph.analysis.cells(&bound(map, child));
            let schema = schema(std::slice::from_ref(map), ids);
            let degrees = Degrees::mapped(schema.len(), map, &child.degrees);
            Invariant::new(
                schema,
                number(&ids[0]).filter(same),
                (cells * child.sparsity).min(1.0),
            )
            .within(degrees, &egraph.analysis)
        }
        Ra::Fun(op, maps, ids) => {
            let values: Option<SmallVec<[f64; 3]>> = ids.iter().map(number).collect();
            let value = values.and_then(|v| crate::fold::cellwise(*op, &v));
            let zero_stays =
                matches!(op.info().sparse_safe, SparseSafe::First) && op.info().arity.accepts(1);
            let schema = schema(maps, ids);
            if !zero_stays {
                return Invariant::new(schema, value, 1.0);
            }
            let child = data(&ids[0]);
            let degrees = Degrees::mapped(schema.len(), &maps[0], &child.degrees);
            Invariant::new(schema, value, child.sparsity).within(degrees, &egraph.analysis)
        }
        Ra::Opaque(opaque, ids) => {
            let zero = |id: &Id| number(id) == Some(0.0);
            // Cells that only move are zero where all of them were.
            let is_zero = match opaque.op.info().shape {
                ShapeRule::Same | ShapeRule::Diag | ShapeRule::Reshape => zero(&ids[0]),
                ShapeRule::RightIndex => zero(&ids[0]),
                ShapeRule::Cbind | ShapeRule::Rbind => ids.iter().all(zero),
                _ => false,
            };
            let is_axis = opaque.shape.map(|side| side.is_some());
            Invariant::new(
                opaque.shape.iter().flatten().copied().collect(),
                (is_zero && opaque.op != Op::LeftIndex).then_some(0.0),
                f64::from(opaque.sparsity) / 1e6,
            )
            .within(Degrees::of_matrix(opaque.limits, is_axis), &egraph.analysis)
        }
    }
}

impl Analysis<Ra> for Invariants {
    type Data = Invariant;

    fn make(egraph: &mut Graph, node: &Ra, _id: Id) -> Invariant {
        let mut made = estimated(egraph, node);
        made.twins = Twins::of_node(egraph, node, &made.schema);
        made
    }

    fn merge(&mut self, a: &mut Invariant, b: Invariant) -> DidMerge {
        self.broken |= a.schema != b.schema;
        let before = (a.constant, a.is_eye, a.twins);
        // Two different constants can only come from rounding: keep the one that was there.
        let after = (
            a.constant.or(b.constant),
            a.is_eye || b.is_eye,
            a.twins.joined(&b.twins),
        );
        (a.constant, a.is_eye, a.twins) = after;
        let is_tighter = a.tighten(b.sparsity) | a.degrees.meet(&b.degrees);
        DidMerge(after != before || is_tighter, *a != b)
    }

    /// Constant folding: a class that is known to be a number everywhere holds that number and nothing else. No other way
    /// to compute it is of use, and there is no end of them: all products with zero are one class, whose axes may all change
    /// places.
    fn modify(egraph: &mut Graph, id: Id) {
        if let Some(bits) = egraph[id].data.constant {
            let node = Ra::Const(bits, egraph[id].data.schema.clone());
            let number = egraph.add(node);
            if egraph.find(number) != egraph.find(id) {
                egraph.union_trusted(id, number, "constant-folding");
            }
            let nodes = &mut egraph[id].nodes;
            nodes.retain(|node| matches!(node, Ra::Const(..)));
        }
    }
}
