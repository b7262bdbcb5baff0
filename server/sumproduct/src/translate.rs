//! From linear algebra to relations (SPORES Figure 2).
//!
//! Each node of the DAG becomes a [`Term`] whose labels are [`ROW`] and [`COL`]; a side of size one has no axis, so
//! vectors have one and scalars none, and broadcasting falls out. Transposing is exchanging the two labels.

use smallvec::SmallVec;
use sumac_la::{Dag, Dim, Kind, Node, NodeId, Op, Type};

use crate::axes::{Label, Map, Term};
use crate::build::Relations;
use crate::ra::{Barrier, DimId, Invariants, Leaf, Schema};

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
    /// For each leaf of the graph, the DAG's input.
    pub leaves: Vec<NodeId>,
}

impl Translation {
    /// Translates what `roots` need. All sizes must be numbers; `None` otherwise.
    pub fn new(dag: &Dag, roots: &[NodeId]) -> Option<Self> {
        let nodes = dag.reachable(roots);
        if !nodes.iter().all(|id| dag.ty(*id).has_known_shape()) {
            return None;
        }
        let mut invariants = Invariants::default();
        let mut leaves = Vec::new();
        for id in nodes
            .iter()
            .filter(|id| matches!(dag.node(**id), Node::Input(_)))
        {
            let ty = dag.ty(*id);
            let schema: Schema = sides(ty)
                .into_iter()
                .flatten()
                .map(|dim| invariants.dim(dim))
                .collect();
            invariants.leaves.push(Leaf {
                schema,
                sparsity: ty.density(),
            });
            leaves.push(*id);
        }
        let mut this = Translation {
            relations: Relations::new(invariants),
            terms: vec![None; dag.len()],
            leaves,
        };
        for id in nodes {
            let term = this.node(dag, id)?;
            debug_assert_eq!(
                term.map.len(),
                sides(dag.ty(id)).iter().flatten().count(),
                "{}",
                dag.print(id)
            );
            this.terms[id.index()] = Some(term);
        }
        this.relations.rebuild();
        Some(this)
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
                    Some(c) if c != 0.0 && b.map.len() == 0 => self.scaled(1.0 / c, a),
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
                let bound: SmallVec<[(Label, DimId); 2]> = self
                    .axes_of(dag.ty(args[0]))
                    .into_iter()
                    .filter(|(label, _)| match op {
                        Op::RowSums | Op::RowMeans => *label == COL,
                        Op::ColSums | Op::ColMeans => *label == ROW,
                        _ => true,
                    })
                    .collect();
                let total = self.relations.sum(&bound, a)?;
                if matches!(op, Op::Sum | Op::RowSums | Op::ColSums) {
                    return Some(total);
                }
                let mut cells = 1.0;
                for (_, dim) in &bound {
                    cells *= self.relations.graph.analysis.known_size(*dim)?;
                }
                if cells == 0.0 {
                    return None;
                }
                self.scaled(1.0 / cells, total)
            }
            Op::Trace => self.trace(dag, args[0]).or_else(|| self.barrier(dag, id)),
            Op::Fill => {
                let value = arg(0);
                let axes = self.axes_of(ty);
                let ones = self.relations.constant(1.0, &axes);
                self.relations.mul(value, ones)
            }
            _ if op.info().shape == sumac_la::ShapeRule::Cellwise => {
                let args: SmallVec<[Term; 3]> = (0..args.len()).map(arg).collect();
                self.relations.fun(op, &args)
            }
            _ => self.barrier(dag, id),
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

    /// `trace(A %*% B)` is Σ over both axes of `A * t(B)`; other arguments stay a barrier.
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

    fn barrier(&mut self, dag: &Dag, id: NodeId) -> Option<Term> {
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
        Some(self.relations.barrier(
            Barrier {
                op: *op,
                shape,
                kind: ty.kind,
                children,
                sparsity,
            },
            &terms,
        ))
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
