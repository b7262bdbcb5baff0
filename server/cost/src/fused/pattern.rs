//! An operator that an engine runs for a whole pattern of an expression, what it costs, and how a pattern is looked for. Must know
//! no pattern by itself.

use smallvec::SmallVec;
use sumac_la::{Dag, Node, NodeId, Op, Type};

use crate::cluster::{self, Cluster};
use crate::cost::{Cost, matrix_bytes};
use crate::machine::Machine;

/// A pattern of an expression that runs as one operator.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Fused {
    /// The engine's name for the operator.
    pub name: &'static str,
    /// What it reads; nothing between these and its result is ever formed.
    pub operands: SmallVec<[NodeId; 4]>,
    /// Floating-point operations of one run.
    pub flops: f64,
    /// How fast they run.
    pub rate: Rate,
}

/// Which of the machine's rates an operator's FLOPs run at.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Rate {
    Cells,
    DenseProduct,
    SparseProduct,
    /// Those of a product that reads a sparse matrix, but so many of them those of dense products.
    SparseAndDense(f64),
    /// Those of a product that reads a sparse matrix, and so many bytes of rows that lie anywhere.
    Gathered(f64),
}

/// Rows and columns of one block: the factors of a product are narrower.
pub(super) const BLOCK: u64 = 1000;

/// What the product of a matrix with itself is called.
pub(super) const SELF_PRODUCT: &str = "tsmm";

impl Fused {
    /// The cost of one run.
    pub(crate) fn cost(&self, dag: &Dag, out: &Type, machine: &Machine) -> Option<Cost> {
        // What is gathered is stored where the first operand has cells, whatever its type says.
        let stored = match (self.rate, self.operands.first()) {
            (Rate::Gathered(_), Some(driver)) if !out.is_scalar() => dag.ty(*driver),
            _ => out,
        };
        let result = matrix_bytes(stored)?;
        let mut bytes = result;
        for operand in &self.operands {
            bytes += matrix_bytes(dag.ty(*operand))?;
        }
        let compute = match self.rate {
            Rate::Cells => self.flops / machine.cell_flops,
            Rate::DenseProduct => self.flops / machine.product_flops,
            Rate::SparseProduct => self.flops / machine.sparse_flops,
            Rate::SparseAndDense(dense) => {
                (self.flops - dense) / machine.sparse_flops + dense / machine.product_flops
            }
            Rate::Gathered(rows) => {
                bytes += rows;
                self.flops / machine.sparse_flops
            }
        };
        let work = compute.max(bytes / machine.bandwidth);
        let work = match machine.cluster.filter(|cluster| cluster.takes(bytes)) {
            Some(cluster) => self.seconds_on(&cluster, dag, result, work)?,
            None => work,
        };
        Some(Cost {
            flops: self.flops,
            bytes,
            nnz: stored.nnz()?,
            peak_bytes: result,
            seconds: machine.overhead + work,
        })
    }

    /// The same on a cluster, beside its start: what it reads beside its largest operand has to come to that one's blocks,
    /// and a product of a matrix with itself joins blocks where its rows lie in several.
    fn seconds_on(&self, cluster: &Cluster, dag: &Dag, result: f64, work: f64) -> Option<f64> {
        let types: SmallVec<[&Type; 4]> = self.operands.iter().map(|id| dag.ty(*id)).collect();
        let mut bytes: SmallVec<[f64; 4]> = SmallVec::new();
        for ty in &types {
            bytes.push(matrix_bytes(ty)?);
        }
        let main = cluster::main(&bytes);
        let mut moved = cluster.moving_sides(&types, &bytes, main);
        if self.name == SELF_PRODUCT && types[0].cols.estimate()? > cluster.block {
            moved += cluster.shuffling(bytes[0]);
        }
        let read = cluster.spilled(bytes[main]);
        let kept = cluster.keeping_alone(result);
        Some(cluster.job + work / cluster.nodes() + read + moved + kept)
    }
}

pub(super) fn args_of(dag: &Dag, id: NodeId, op: Op) -> Option<&[NodeId]> {
    match dag.node(id) {
        Node::Op(found, args) if *found == op => Some(args),
        _ => None,
    }
}

pub(super) fn pair(dag: &Dag, id: NodeId, op: Op) -> Option<(NodeId, NodeId)> {
    match args_of(dag, id, op)? {
        [a, b] => Some((*a, *b)),
        _ => None,
    }
}

pub(super) fn only(dag: &Dag, id: NodeId, op: Op) -> Option<NodeId> {
    match args_of(dag, id, op)? {
        [a] => Some(*a),
        _ => None,
    }
}

/// The base of a square.
pub(super) fn squared(dag: &Dag, id: NodeId) -> Option<NodeId> {
    let (base, power) = pair(dag, id, Op::Pow)?;
    (dag.node(power).value() == Some(2.0)).then_some(base)
}

pub(super) fn is_full_matrix(dag: &Dag, a: NodeId, b: NodeId) -> bool {
    let (a, b) = (dag.ty(a), dag.ty(b));
    !a.is_scalar() && a.cells().is_some() && a.cells() == b.cells() && a.rows == b.rows
}

/// Cells in which weights are looked at.
pub(super) fn driven(dag: &Dag, weights: NodeId) -> Option<f64> {
    let ty = dag.ty(weights);
    if ty.is_stored_sparse() {
        ty.nnz()
    } else {
        ty.cells()
    }
}

/// Whether one of them is the other, turned.
pub(super) fn is_transpose_of(dag: &Dag, a: NodeId, b: NodeId) -> bool {
    only(dag, a, Op::Transpose) == Some(b) || only(dag, b, Op::Transpose) == Some(a)
}
