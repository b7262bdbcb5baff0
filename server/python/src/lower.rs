//! From an expression of NumPy to linear algebra, which knows numbers and matrices only.
//!
//! A value without an axis is a scalar, one with two axes a matrix, and one with a single axis a column. What an axis does (`X * v` takes
//! `v` for a row, `v @ X` too) is said by transposing. Must never give a DAG that means something else: what has no meaning there, or
//! only for some kinds of numbers, gives none.

use std::collections::BTreeMap;
use std::sync::Arc;

use sumac_la::{Dag, Dim, NodeId, Op, Type};

use crate::print::receiver;
use crate::sound;
use crate::tree::{Step, Tree};
use crate::value::Value;

/// The expression as a DAG with one root; inputs have the texts of the atoms for names.
#[must_use]
pub fn lower(tree: &Tree) -> Option<Dag> {
    if !tree.is_short() || !sound::is_sound(tree) {
        return None;
    }
    let mut lowering = Lowering {
        dag: Dag::default(),
        sizes: sizes(tree),
    };
    let root = lowering.node(tree)?;
    lowering.dag.push_root(root);
    Some(lowering.dag)
}

/// The reduction along the columns of a row, and along the rows of a column.
pub(crate) const BY_AXIS: &[(Op, Op, Op)] = &[
    (Op::Sum, Op::RowSums, Op::ColSums),
    (Op::Mean, Op::RowMeans, Op::ColMeans),
    (Op::Min, Op::RowMins, Op::ColMins),
    (Op::Max, Op::RowMaxs, Op::ColMaxs),
];

/// What the texts of sizes are in the shapes, where an array has them or is made of them.
fn sizes(tree: &Tree) -> BTreeMap<Arc<str>, Dim> {
    let mut sizes = BTreeMap::new();
    for node in tree.nodes() {
        if let Step::Atom(atom) = &node.step {
            let array = receiver(&atom.text);
            for (axis, dim) in node.value.shape.iter().enumerate() {
                sizes.insert(format!("{array}.shape[{axis}]").into(), dim.clone());
            }
            if let Some(dim) = node.value.shape.first() {
                sizes.insert(format!("len({})", atom.text).into(), dim.clone());
            }
        }
        if matches!(node.step, Step::Eye | Step::Fill(_)) {
            for (arg, dim) in node.args.iter().zip(&node.value.shape) {
                if let Step::Size(text) = &arg.step {
                    sizes.insert(Arc::clone(text), dim.clone());
                }
            }
        }
    }
    sizes
}

/// The type of a value in linear algebra.
pub(crate) fn type_of(value: &Value) -> Option<Type> {
    match value.shape.as_slice() {
        [] => Some(Type::scalar()),
        [n] => Some(Type::matrix(n.clone(), 1)),
        [n, m] => Some(Type::matrix(n.clone(), m.clone())),
        _ => None,
    }
}

/// The DAG so far.
struct Lowering {
    /// Its nodes.
    dag: Dag,
    /// What texts of sizes are.
    sizes: BTreeMap<Arc<str>, Dim>,
}

impl Lowering {
    /// An operator; nothing where the sizes do not fit.
    fn op(&mut self, op: Op, args: &[NodeId]) -> Option<NodeId> {
        self.dag.op(op, args.iter().copied()).ok()
    }

    /// Transposed; a number of cells of one stays as it is.
    fn transposed(&mut self, id: NodeId) -> Option<NodeId> {
        let ty = self.dag.ty(id);
        if ty.is_scalar() || (ty.rows.is_one() && ty.cols.is_one()) {
            return Some(id);
        }
        self.op(Op::Transpose, &[id])
    }

    /// The node of an expression.
    fn node(&mut self, tree: &Tree) -> Option<NodeId> {
        let mut args = Vec::new();
        for arg in &tree.args {
            args.push(self.node(arg)?);
        }
        let shapes: Vec<&[Dim]> = tree
            .args
            .iter()
            .map(|arg| arg.value.shape.as_slice())
            .collect();
        match (&tree.step, args.as_slice()) {
            (Step::Atom(atom), []) => {
                let ty = type_of(&tree.value)?;
                let is_new = !self
                    .dag
                    .inputs()
                    .iter()
                    .any(|input| input.name == atom.text && input.ty != ty);
                is_new.then(|| self.dag.input(&atom.text, ty))
            }
            (Step::Number { value, .. }, []) => Some(self.dag.num(*value)),
            (Step::Size(text), []) => {
                let dim = self.sizes.get(text).cloned();
                let ty = Type {
                    size: dim.unwrap_or_else(|| Dim::Named(Arc::clone(text).into())),
                    ..Type::scalar()
                };
                Some(self.dag.input(text, ty))
            }
            (Step::MatMul, &[a, b]) => match (shapes[0].len(), shapes[1].len()) {
                (2, 1 | 2) => self.op(Op::MatMul, &[a, b]),
                (1, 2) => {
                    let turned = self.transposed(b)?;
                    self.op(Op::MatMul, &[turned, a])
                }
                (1, 1) => {
                    let row = self.transposed(a)?;
                    let product = self.op(Op::MatMul, &[row, b])?;
                    self.op(Op::AsScalar, &[product])
                }
                _ => None,
            },
            (Step::Cell(op), &[a, b]) => self.cells(*op, (a, shapes[0]), (b, shapes[1])),
            (Step::Map(op), &[a]) => self.op(*op, &[a]),
            (Step::Square, &[a]) => {
                let two = self.dag.num(2.0);
                self.op(Op::Pow, &[a, two])
            }
            (Step::Transpose, &[a]) if shapes[0].len() == 2 => self.transposed(a),
            (Step::Transpose, &[a]) => Some(a),
            (Step::Diag, &[a]) => match shapes[0] {
                [_] => self.op(Op::Diag, &[a]),
                // Of a matrix with one column the operator would make a matrix.
                [n, m] if n == m && !n.is_one() => self.op(Op::Diag, &[a]),
                _ => None,
            },
            (Step::Trace, &[a]) => match shapes[0] {
                [n, m] if n == m => self.op(Op::Trace, &[a]),
                _ => None,
            },
            (Step::Reduce { by, axis, keepdims }, &[a]) => {
                self.reduced(*by, (a, shapes[0].len()), *axis, *keepdims)
            }
            (Step::Outer, &[a, b]) => {
                let row = self.transposed(b)?;
                self.op(Op::MatMul, &[a, row])
            }
            (Step::Vdot, &[a, b]) => {
                let cells = self.op(Op::Mul, &[a, b])?;
                self.op(Op::Sum, &[cells])
            }
            (Step::Norm, &[a]) => {
                let two = self.dag.num(2.0);
                let squares = self.op(Op::Pow, &[a, two])?;
                let sum = self.op(Op::Sum, &[squares])?;
                self.op(Op::Sqrt, &[sum])
            }
            (Step::AsColumn, &[a]) => Some(a),
            (Step::AsRow, &[a]) => self.transposed(a),
            (Step::AsVector, &[a]) => match shapes[0] {
                [_] | [_, Dim::Known(1)] => Some(a),
                [Dim::Known(1), _] => self.transposed(a),
                _ => None,
            },
            (Step::Eye, &[n]) => {
                let one = self.dag.num(1.0);
                let ones = self.op(Op::Fill, &[one, n, one])?;
                self.op(Op::Diag, &[ones])
            }
            (Step::Fill(value), sizes) => {
                let one = self.dag.num(1.0);
                let cell = self.dag.num(*value);
                match *sizes {
                    [n] => self.op(Op::Fill, &[cell, n, one]),
                    [n, m] => self.op(Op::Fill, &[cell, n, m]),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Cell by cell: a single axis beside two is the last of them, a row.
    fn cells(&mut self, op: Op, a: (NodeId, &[Dim]), b: (NodeId, &[Dim])) -> Option<NodeId> {
        let rank = a.1.len().max(b.1.len());
        let mut as_seen = |(id, shape): (NodeId, &[Dim])| match (shape.len(), rank) {
            (1, 2) => self.transposed(id),
            _ => Some(id),
        };
        let (x, y) = (as_seen(a)?, as_seen(b)?);
        match (self.is_column_beside(x, y), self.is_column_beside(y, x)) {
            (true, _) if op == Op::Mul => self.op(Op::MatMul, &[x, y]),
            (_, true) if op == Op::Mul => self.op(Op::MatMul, &[y, x]),
            (true, _) => {
                let wide = self.widened(x, y)?;
                self.op(op, &[wide, y])
            }
            (_, true) => {
                let wide = self.widened(y, x)?;
                self.op(op, &[x, wide])
            }
            _ => self.op(op, &[x, y]),
        }
    }

    /// Whether the first is a column and the second a row, so that each repeats along the other.
    fn is_column_beside(&self, a: NodeId, b: NodeId) -> bool {
        let (a, b) = (self.dag.ty(a), self.dag.ty(b));
        let are_matrices = !a.is_scalar() && !b.is_scalar();
        are_matrices && a.cols.is_one() && !a.rows.is_one() && b.rows.is_one() && !b.cols.is_one()
    }

    /// The column as often as the row is long.
    fn widened(&mut self, column: NodeId, row: NodeId) -> Option<NodeId> {
        let one = self.dag.num(1.0);
        let width = match self.dag.ty(row).cols.known() {
            #[expect(clippy::cast_precision_loss, reason = "a size in a script")]
            Some(n) => self.dag.num(n as f64),
            None => self.op(Op::Ncol, &[row])?,
        };
        let ones = self.op(Op::Fill, &[one, one, width])?;
        self.op(Op::MatMul, &[column, ones])
    }

    /// Sums and their like: along the only axis a column is summed, along the first of two a matrix is by columns.
    fn reduced(
        &mut self,
        by: Op,
        (a, rank): (NodeId, usize),
        axis: Option<usize>,
        keepdims: bool,
    ) -> Option<NodeId> {
        let by_axis = BY_AXIS.iter().find(|(whole, ..)| *whole == by);
        match (rank, axis) {
            (0, _) => Some(a),
            (_, None) if !keepdims => self.op(by, &[a]),
            (1, Some(_)) if !keepdims => self.op(by, &[a]),
            (1, _) => self.op(by_axis?.2, &[a]),
            (2, None) => {
                let rows = self.op(by_axis?.1, &[a])?;
                self.op(by_axis?.2, &[rows])
            }
            (2, Some(1)) => self.op(by_axis?.1, &[a]),
            (2, Some(0)) => {
                let row = self.op(by_axis?.2, &[a])?;
                if keepdims {
                    Some(row)
                } else {
                    self.transposed(row)
                }
            }
            _ => None,
        }
    }
}
