//! A DAG with what the templates ask of it: who reads a node, which transposes cost nothing, what shapes go together.
//!
//! It decides nothing; every question has an answer that depends on a node and its neighbours alone, so that exploring
//! stays linear in the operators.

use smallvec::SmallVec;
use sumac_la::{Dag, Dim, Node, NodeId, Op, ShapeRule};

/// What some roots of a DAG need.
#[derive(Debug)]
pub struct Graph<'a> {
    /// The DAG.
    pub dag: &'a Dag,
    /// The wanted values, each once.
    pub roots: Vec<NodeId>,
    /// All nodes that they need, arguments first.
    pub order: Vec<NodeId>,
    consumers: Vec<SmallVec<[NodeId; 2]>>,
    lazy: Vec<bool>,
}

impl<'a> Graph<'a> {
    /// Of these roots.
    #[must_use]
    pub fn new(dag: &'a Dag, roots: &[NodeId]) -> Graph<'a> {
        let order = dag.reachable(roots);
        let mut consumers: Vec<SmallVec<[NodeId; 2]>> = vec![SmallVec::new(); dag.len()];
        for &id in &order {
            for arg in dag.args(id) {
                let known = &mut consumers[arg.index()];
                if known.last() != Some(&id) {
                    known.push(id);
                }
            }
        }
        let mut unique = roots.to_vec();
        unique.sort_unstable();
        unique.dedup();
        let mut graph = Graph {
            dag,
            roots: unique,
            order,
            consumers,
            lazy: vec![false; dag.len()],
        };
        for &id in &graph.order {
            let is_read_by_products = !graph.consumers[id.index()].is_empty()
                && graph.consumers[id.index()]
                    .iter()
                    .all(|reader| graph.is(*reader, Op::MatMul));
            graph.lazy[id.index()] = graph.is(id, Op::Transpose)
                && is_read_by_products
                && !graph.is(dag.args(id)[0], Op::Transpose)
                && !graph.is_root(id);
        }
        graph
    }

    /// The operator of a node.
    #[must_use]
    pub fn op(&self, id: NodeId) -> Option<Op> {
        match self.dag.node(id) {
            Node::Op(op, _) => Some(*op),
            Node::Input(_) | Node::Num(_) => None,
        }
    }

    /// Whether the node is this operator.
    #[must_use]
    pub fn is(&self, id: NodeId, op: Op) -> bool {
        self.op(id) == Some(op)
    }

    /// Whether the node's value is wanted itself.
    #[must_use]
    pub fn is_root(&self, id: NodeId) -> bool {
        self.roots.binary_search(&id).is_ok()
    }

    /// The nodes that read it, each once, in order.
    #[must_use]
    pub fn consumers(&self, id: NodeId) -> &[NodeId] {
        &self.consumers[id.index()]
    }

    /// A transpose that only products read: they read its argument in the other direction, so it is never formed.
    #[must_use]
    pub fn is_lazy(&self, id: NodeId) -> bool {
        self.lazy[id.index()]
    }

    /// What is in memory where `id` is read: the argument of a transpose that is never formed.
    #[must_use]
    pub fn stored(&self, id: NodeId) -> NodeId {
        if self.is_lazy(id) {
            self.dag.args(id)[0]
        } else {
            id
        }
    }

    /// Rows.
    #[must_use]
    pub fn rows(&self, id: NodeId) -> &Dim {
        &self.dag.ty(id).rows
    }

    /// Columns.
    #[must_use]
    pub fn cols(&self, id: NodeId) -> &Dim {
        &self.dag.ty(id).cols
    }

    /// Both sizes where they are numbers.
    #[must_use]
    pub fn shape(&self, id: NodeId) -> Option<(u64, u64)> {
        Some((self.rows(id).estimate()?, self.cols(id).estimate()?))
    }

    /// Whether both sizes are numbers or names, so that they can be compared.
    #[must_use]
    pub fn is_sized(&self, id: NodeId) -> bool {
        *self.rows(id) != Dim::Unknown && *self.cols(id) != Dim::Unknown
    }

    /// Whether two matrices certainly have the same shape.
    #[must_use]
    pub fn same_shape(&self, a: NodeId, b: NodeId) -> bool {
        self.is_sized(a) && self.rows(a) == self.rows(b) && self.cols(a) == self.cols(b)
    }

    /// Whether this is a matrix of more than one row and more than one column, both known.
    #[must_use]
    pub fn is_wide(&self, id: NodeId) -> bool {
        self.is_matrix(id) && self.shape(id).is_some_and(|(m, n)| m > 1 && n > 1)
    }

    /// Whether this is a matrix.
    #[must_use]
    pub fn is_matrix(&self, id: NodeId) -> bool {
        !self.dag.is_scalar(id)
    }

    /// A scalar or a matrix of one cell.
    #[must_use]
    pub fn is_single(&self, id: NodeId) -> bool {
        self.rows(id).is_one() && self.cols(id).is_one()
    }

    /// Whether the node is computed cell by cell from one or two arguments, into a matrix of more than one cell whose
    /// shape, and those of its arguments, are known or have names.
    #[must_use]
    pub fn is_cellwise(&self, id: NodeId) -> bool {
        let Some(op) = self.op(id) else { return false };
        let args = self.dag.args(id);
        op.info().shape == ShapeRule::Cellwise
            && op != Op::IfElse
            && args.len() <= 2
            && self.is_matrix(id)
            && !self.is_single(id)
            && self.is_sized(id)
            && args
                .iter()
                .all(|arg| !self.is_matrix(*arg) || self.is_sized(*arg))
    }

    /// Whether `id` is a product of two matrices, both of known shape: rows, common size, columns.
    #[must_use]
    pub fn product(&self, id: NodeId) -> Option<(u64, u64, u64)> {
        if !self.is(id, Op::MatMul) {
            return None;
        }
        let args = self.dag.args(id);
        let (m, k) = self.shape(args[0])?;
        Some((m, k, self.shape(args[1])?.1))
    }

    /// The argument of a transpose.
    #[must_use]
    pub fn transposed(&self, id: NodeId) -> Option<NodeId> {
        self.is(id, Op::Transpose).then(|| self.dag.args(id)[0])
    }

    /// Whether `id` is a transpose that one product alone reads, as its left factor.
    #[must_use]
    pub fn is_left_of_one_product(&self, id: NodeId) -> bool {
        self.is(id, Op::Transpose)
            && !self.is_root(id)
            && matches!(self.consumers(id), [reader] if self.is(*reader, Op::MatMul)
                && self.dag.args(*reader)[0] == id && self.dag.args(*reader)[1] != id)
    }

    /// Whether `id` is `X[, a:b]` with all rows; the columns from 0, the end excluded.
    #[must_use]
    pub fn column_range(&self, id: NodeId) -> Option<(u64, u64)> {
        if !self.is(id, Op::RightIndex) {
            return None;
        }
        let args = self.dag.args(id);
        let (rows, cols) = self.shape(args[0])?;
        let number = |i: usize| {
            let size = self.dag.ty(args[i]).size.known().map(sumac_la::as_f64);
            let value = self.dag.value(args[i]).or(size)?;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "checked to be a position"
            )]
            ((1.0..=9e15).contains(&value) && value.fract() == 0.0).then_some(value as u64)
        };
        // All rows are those of the matrix, whatever is assumed of it.
        let is_last = self.dag.ty(args[2]).size == *self.rows(args[0]) || number(2) == Some(rows);
        let (first, from, to) = (number(1)?, number(3)?, number(4)?);
        (first == 1 && is_last && from <= to && to <= cols).then_some((from - 1, to))
    }
}
