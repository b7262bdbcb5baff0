//! From linear algebra to relations (SPORES Figure 2).
//!
//! Each node of the DAG becomes a [`Term`] whose labels are [`ROW`] and [`COL`]; a side of size one has no axis, so
//! vectors have one and scalars none, and broadcasting falls out. Transposing is exchanging the two labels.

use smallvec::SmallVec;
use sumac_la::{Dag, Dim, Kind, Node, NodeId, Op, ShapeRule, Type};

use crate::axes::{Label, Map, Term};
use crate::build::Relations;
use crate::degrees::Degrees;
use crate::invariants::{Invariants, Leaf};
use crate::ra::{DimId, Opaque, Schema};

/// Label of a matrix's rows.
pub const ROW: Label = 0;
/// Label of a matrix's columns.
pub const COL: Label = 1;
/// Label of the inner axis of a product while it is built.
const INNER: Label = 2;

/// A DAG and the graph that holds its relations.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The e-graph.
    pub relations: Relations,
    /// For each node of the DAG that the roots need, its relation.
    terms: Vec<Option<Term>>,
    /// For each leaf of the graph, the DAG's input, or the node that computes a size.
    pub leaves: Vec<NodeId>,
}

impl Translation {
    /// Translates what `roots` need. Numbers must be known or assumed of all sizes; `None` otherwise.
    pub fn new(dag: &Dag, roots: &[NodeId]) -> Option<Self> {
        Translation::with_sizes(dag, roots, &[])
    }

    /// As [`Translation::new`], where a size without a number is what one of the nodes `sizes` computes.
    pub fn with_sizes(dag: &Dag, roots: &[NodeId], sizes: &[NodeId]) -> Option<Self> {
        let mut this = Translation {
            relations: Relations::new(Invariants::default()),
            terms: vec![None; dag.len()],
            leaves: Vec::new(),
        };
        for id in sizes {
            this.size_leaf(dag, *id);
        }
        this.extend(dag, roots)?;
        Some(this)
    }

    /// A node that computes a size of a name of its own becomes a leaf.
    fn size_leaf(&mut self, dag: &Dag, id: NodeId) {
        let Some(name) = dag.ty(id).size.lone_name() else {
            return;
        };
        let invariants = &mut self.relations.graph.analysis;
        if invariants.size_leaves.contains_key(name) {
            return;
        }
        let place = u32::try_from(self.leaves.len()).expect("a DAG never holds 2^32 nodes");
        invariants.size_leaves.insert(name.to_owned(), place);
        invariants.leaves.push(Leaf {
            schema: Schema::new(),
            sparsity: 1.0,
            degrees: Degrees::default(),
        });
        self.leaves.push(id);
        self.terms[id.index()] = Some(self.relations.leaf(place, Map::default()));
    }

    /// Adds what `roots` need beside what is there. Numbers must be known or assumed of all sizes; `None` otherwise.
    pub fn extend(&mut self, dag: &Dag, roots: &[NodeId]) -> Option<()> {
        let nodes = dag.reachable(roots);
        if !nodes.iter().all(|id| dag.ty(*id).is_sized()) {
            return None;
        }
        self.terms.resize(dag.len(), None);
        let new: Vec<NodeId> = nodes
            .into_iter()
            .filter(|id| self.terms[id.index()].is_none())
            .collect();
        for id in new
            .iter()
            .filter(|id| matches!(dag.node(**id), Node::Input(_)))
        {
            let ty = dag.ty(*id);
            if self.leaves.contains(id) {
                continue;
            }
            let invariants = &mut self.relations.graph.analysis;
            let schema: Schema = sides(ty)
                .into_iter()
                .flatten()
                .map(|dim| invariants.dim(dim))
                .collect();
            invariants.leaves.push(Leaf {
                schema,
                sparsity: ty.density(),
                degrees: Degrees::of_matrix(ty.limits, sides(ty).map(|side| side.is_some())),
            });
            self.leaves.push(*id);
        }
        for id in new {
            let term = self.node(dag, id)?;
            // A size that is open may have an axis where an operator needs one cell (`as.scalar` of a row): no relation.
            if term.map.len() != sides(dag.ty(id)).iter().flatten().count() {
                return None;
            }
            self.terms[id.index()] = Some(term);
        }
        self.relations.rebuild();
        Some(())
    }

    /// The relation of a node.
    pub fn term(&self, id: NodeId) -> Term {
        self.relations
            .resolve(self.terms[id.index()].expect("translated with the roots"))
    }

    /// The axes of a shape with their labels.
    pub fn axes_of(&mut self, ty: &Type) -> SmallVec<[(Label, DimId); 2]> {
        let invariants = &mut self.relations.graph.analysis;
        [ROW, COL]
            .into_iter()
            .zip(sides(ty))
            .filter_map(|(label, dim)| Some((label, invariants.dim(dim?))))
            .collect()
    }

    fn node(&mut self, dag: &Dag, id: NodeId) -> Option<Term> {
        let ty = dag.ty(id);
        if let Some(value) = dag.value(id) {
            return Some(self.relations.number(value));
        }
        let of_shape = match dag.node(id) {
            Node::Op(Op::Nrow | Op::Ncol | Op::Length, _) => self.relations.size(&ty.size),
            _ => None,
        };
        if of_shape.is_some() {
            return of_shape;
        }
        let (op, args) = match dag.node(id) {
            Node::Num(bits) => return Some(self.relations.number(f64::from_bits(*bits))),
            Node::Input(_) => {
                let leaf = self
                    .leaves
                    .iter()
                    .position(|l| *l == id)
                    .expect("all inputs are leaves");
                let map = Map::collect(self.axes_of(ty).iter().map(|(label, _)| *label))?;
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "a DAG never holds 2^32 inputs"
                )]
                return Some(self.relations.leaf(leaf as u32, map));
            }
            Node::Op(op, args) => (*op, args),
        };
        let arg = |k: usize| self.terms[args[k].index()].expect("arguments come first");
        match op {
            Op::Add => self.relations.add(arg(0), arg(1)),
            Op::Mul => self.relations.mul(arg(0), arg(1)),
            Op::Sub => {
                let (a, b) = (arg(0), arg(1));
                let negated = self.scaled(-1.0, b)?;
                self.relations.add(a, negated)
            }
            Op::Neg => self.scaled(-1.0, arg(0)),
            Op::Div => {
                let (a, b) = (arg(0), arg(1));
                match self.relations.constant_of(self.relations.resolve(b)) {
                    // Nothing is known of a quotient by zero, not even that zero over it is zero.
                    Some(0.0) => self.relations.fun(Op::Div, &[a, b]),
                    Some(c) if b.map.len() == 0 => self.scaled(1.0 / c, a),
                    _ => {
                        let reciprocal = self.reciprocal(b)?;
                        self.relations.mul(a, reciprocal)
                    }
                }
            }
            Op::Pow => {
                let (a, exponent) = (arg(0), arg(1));
                match dag.value(args[1]) {
                    Some(n) if [1.0, 2.0, 3.0, 4.0].contains(&n) => {
                        let mut power = a;
                        for _ in 1..n as u32 {
                            power = self.relations.mul(power, a)?;
                        }
                        Some(power)
                    }
                    _ => self.relations.fun(op, &[a, exponent]),
                }
            }
            Op::MatMul => {
                let (a, b) = (arg(0), arg(1));
                let inner = self
                    .axes_of(dag.ty(args[0]))
                    .iter()
                    .find(|(l, _)| *l == COL)
                    .map(|(_, dim)| (INNER, *dim));
                let a = Term {
                    map: a.map.relabel(|l| if l == COL { INNER } else { l }),
                    ..a
                };
                let b = Term {
                    map: b.map.relabel(|l| if l == ROW { INNER } else { l }),
                    ..b
                };
                let product = self.relations.mul(a, b)?;
                match inner {
                    Some(inner) => self.relations.sum(&[inner], product),
                    None => Some(product),
                }
            }
            Op::Transpose => Some(flipped(arg(0))),
            Op::AsScalar | Op::AsMatrix => Some(arg(0)),
            Op::Sum | Op::RowSums | Op::ColSums | Op::Mean | Op::RowMeans | Op::ColMeans => {
                let a = arg(0);
                let axes = self.axes_of(dag.ty(args[0]));
                let bound = bound_by(op, &axes);
                let total = self.relations.sum(&bound, a)?;
                if matches!(op, Op::Sum | Op::RowSums | Op::ColSums) {
                    return Some(total);
                }
                let mut cells = self.relations.number(1.0);
                for (_, dim) in &bound {
                    let size = self.relations.size_of(*dim)?;
                    cells = self.relations.mul(cells, size)?;
                }
                match self.relations.constant_of(cells) {
                    Some(0.0) => None,
                    Some(cells) => self.scaled(1.0 / cells, total),
                    None => {
                        let share = self.reciprocal(cells)?;
                        self.relations.mul(share, total)
                    }
                }
            }
            Op::Min | Op::RowMins | Op::ColMins => self.fold(dag, id, Op::Min),
            Op::Max | Op::RowMaxs | Op::ColMaxs => self.fold(dag, id, Op::Max),
            Op::Prod => self.fold(dag, id, Op::Prod),
            Op::Trace => match self.trace(dag, args[0]) {
                None => self.diagonal(dag, id),
                product => product,
            },
            Op::Diag => self.diagonal(dag, id),
            _ if keeps_all(dag, id) => Some(arg(0)),
            Op::Fill => {
                let value = arg(0);
                let axes = self.axes_of(ty);
                let ones = self.relations.constant(1.0, &axes);
                self.relations.mul(value, ones)
            }
            _ if op.info().shape == ShapeRule::Cellwise => {
                let args: SmallVec<[Term; 3]> = (0..args.len()).map(arg).collect();
                self.relations.fun(op, &args)
            }
            _ => self.opaque(dag, id),
        }
    }

    /// `factor * a`.
    pub fn scaled(&mut self, factor: f64, a: Term) -> Option<Term> {
        let factor = self.relations.number(factor);
        self.relations.mul(factor, a)
    }

    /// `1 / b`, uninterpreted.
    pub fn reciprocal(&mut self, b: Term) -> Option<Term> {
        let one = self.relations.number(1.0);
        self.relations.fun(Op::Div, &[one, b])
    }

    /// `trace(A %*% B)` is Σ over both axes of `A * t(B)`; other arguments stay an opaque operator.
    fn trace(&mut self, dag: &Dag, arg: NodeId) -> Option<Term> {
        let Node::Op(Op::MatMul, factors) = dag.node(arg) else {
            return None;
        };
        let axes = self.axes_of(dag.ty(factors[0]));
        let a = self.terms[factors[0].index()]?;
        let b = flipped(self.terms[factors[1].index()]?);
        let product = self.relations.mul(a, b)?;
        self.relations.sum(&axes, product)
    }

    /// An aggregate that is no sum. Of no cells it stays an opaque operator.
    fn fold(&mut self, dag: &Dag, id: NodeId, op: Op) -> Option<Term> {
        let Node::Op(direction, args) = dag.node(id) else {
            return None;
        };
        let axes = self.axes_of(dag.ty(args[0]));
        let bound = bound_by(*direction, &axes);
        let child = self.terms[args[0].index()]?;
        match self.relations.fold(op, &bound, child) {
            None => self.opaque(dag, id),
            fold => fold,
        }
    }

    /// `diag` and `trace`: joins with δ, stated equal to the operator over the whole matrix.
    fn diagonal(&mut self, dag: &Dag, id: NodeId) -> Option<Term> {
        let Node::Op(op, args) = dag.node(id) else {
            return None;
        };
        let child = self.terms[args[0].index()]?;
        let axes = self.axes_of(dag.ty(args[0]));
        let Some((_, dim)) = axes.first() else {
            return Some(child);
        };
        let eye = self.relations.eye(*dim, [ROW, COL]);
        let product = self.relations.mul(child, eye)?;
        let relation = match (op, axes.len()) {
            (Op::Trace, _) => self.relations.sum(&axes, product)?,
            (_, 1) => product,
            _ => self.relations.sum(&[axes[1]], product)?,
        };
        let whole = self.opaque(dag, id)?;
        self.relations.equate(whole.id, relation, "diagonal");
        Some(whole)
    }

    fn opaque(&mut self, dag: &Dag, id: NodeId) -> Option<Term> {
        let Node::Op(op, args) = dag.node(id) else {
            return None;
        };
        let ty = dag.ty(id);
        let mut shape = [None; 2];
        for (label, dim) in self.axes_of(ty) {
            shape[usize::from(label)] = Some(dim);
        }
        let terms: SmallVec<[Term; 3]> = args
            .iter()
            .map(|a| self.terms[a.index()].expect("arguments come first"))
            .collect();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share in millionths"
        )]
        let sparsity = (ty.density() * 1e6).ceil() as u32;
        let children = args
            .iter()
            .map(|a| (Map::default(), dag.ty(*a).kind))
            .collect();
        Some(self.relations.opaque(
            Opaque {
                op: *op,
                shape,
                kind: ty.kind,
                children,
                sparsity,
                limits: ty.limits,
            },
            &terms,
        ))
    }
}

/// The axes that an aggregate sums away.
fn bound_by(op: Op, axes: &[(Label, DimId)]) -> SmallVec<[(Label, DimId); 2]> {
    let is_bound = |(label, _): &&(Label, DimId)| match op.info().shape {
        ShapeRule::RowAgg => *label == COL,
        ShapeRule::ColAgg => *label == ROW,
        _ => true,
    };
    axes.iter().filter(is_bound).copied().collect()
}

/// Whether an operator over whole matrices gives its first argument as it is.
fn keeps_all(dag: &Dag, id: NodeId) -> bool {
    let Node::Op(op, args) = dag.node(id) else {
        return false;
    };
    let (of, to) = (dag.ty(args[0]), dag.ty(id));
    let is_same_shape = (of.kind, &of.rows, &of.cols) == (to.kind, &to.rows, &to.cols);
    match op {
        Op::Rev => of.rows.is_one(),
        Op::Reshape => is_same_shape,
        Op::Cbind | Op::Rbind => args.len() == 1,
        Op::RightIndex => {
            let starts = |at: usize| dag.value(args[at]) == Some(1.0);
            is_same_shape && starts(1) && starts(3)
        }
        _ => false,
    }
}

/// Rows and columns where they are not one.
fn sides(ty: &Type) -> [Option<&Dim>; 2] {
    match ty.kind {
        Kind::Scalar => [None, None],
        Kind::Matrix => [Some(&ty.rows), Some(&ty.cols)].map(|dim| dim.filter(|d| !d.is_one())),
    }
}

/// Rows for columns.
pub fn flipped(term: Term) -> Term {
    Term {
        map: term.map.relabel(|l| if l <= COL { 1 - l } else { l }),
        ..term
    }
}
