//! Operators of a DAG that run as one because somebody planned it so, and what that costs.
//!
//! Which operators those are is decided elsewhere; nothing here looks for a pattern.

use smallvec::SmallVec;
use sumac_la::{Dag, NodeId};

use crate::cost::{Cost, matrix_bytes, node_cost};
use crate::machine::Machine;

/// What an operator reads, each value once.
pub type Reads = SmallVec<[NodeId; 4]>;

/// Says of a DAG, and of what is wanted of it, which of its operators run as one on a machine.
pub type Regions = fn(&Dag, &[NodeId], &Machine) -> Vec<Region>;

/// Operators that run as one: nothing between what is read and the results is ever formed.
#[derive(Clone, PartialEq, Debug)]
pub struct Region {
    /// Its results.
    pub roots: SmallVec<[NodeId; 1]>,
    /// The operators in it, arguments first.
    pub covers: Vec<NodeId>,
    /// What it reads.
    pub reads: Reads,
    /// The share of cells that it visits: 1, unless it follows what a sparse matrix stores.
    pub share: f64,
    /// What it takes.
    pub seconds: f64,
}

impl Region {
    /// What one of its results costs, the first one for all that they share; `None` if a size is not a number.
    #[must_use]
    pub fn cost(&self, dag: &Dag, root: NodeId, machine: &Machine) -> Option<Cost> {
        let result = matrix_bytes(dag.ty(root))?;
        let mut cost = Cost {
            bytes: result,
            nnz: dag.ty(root).nnz()?,
            peak_bytes: result,
            ..Cost::default()
        };
        if self.roots.first() != Some(&root) {
            return Some(cost);
        }
        cost.seconds = self.seconds;
        for id in &self.reads {
            cost.bytes += matrix_bytes(dag.ty(*id))?;
        }
        for id in &self.covers {
            let is_sparse = dag.ty(*id).is_stored_sparse();
            let share = if is_sparse { 1.0 } else { self.share };
            cost.flops += share * node_cost(dag, *id, machine)?.flops;
        }
        Some(cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Priced;
    use sumac_la::{Op, Type};

    /// `sum(X * Y)` and `sum(X * Z)`, and the nodes of both products and sums.
    fn sums() -> (Dag, [NodeId; 4]) {
        let mut dag = Dag::default();
        let [x, y, z] = ["X", "Y", "Z"].map(|name| dag.input(name, Type::matrix(1000, 100)));
        let [xy, xz] = [y, z].map(|other| dag.op(Op::Mul, [x, other]).unwrap());
        let [a, b] = [xy, xz].map(|product| dag.op(Op::Sum, [product]).unwrap());
        (dag, [xy, xz, a, b])
    }

    #[test]
    fn what_is_inside_is_never_formed_and_what_is_shared_is_paid_for_once() {
        let (dag, [xy, xz, a, b]) = sums();
        let machine = Machine::default();
        let apart = dag.cost_by(&[a, b], &machine, &[]).unwrap();
        let is_input = |id: &NodeId| dag.input_of(*id).is_some();
        let region = Region {
            roots: [a, b].into_iter().collect(),
            covers: vec![xy, xz, a, b],
            reads: dag
                .reachable(&[a, b])
                .into_iter()
                .filter(is_input)
                .collect(),
            share: 1.0,
            seconds: 1e-3,
        };
        let together = dag.cost_by(&[a, b], &machine, &[region]).unwrap();
        assert!((together.seconds - 1e-3).abs() < 1e-12, "{together:?}");
        assert!((together.flops - apart.flops).abs() < 1.0);
        // Three inputs, two numbers.
        assert!(
            (together.bytes - (3.0 * 8e5 + 16.0)).abs() < 1e-6,
            "{together:?}"
        );
        assert!(together.peak_bytes < apart.peak_bytes);
    }

    #[test]
    fn what_follows_a_sparse_matrix_computes_its_share() {
        let (dag, [xy, _, a, _]) = sums();
        let region = |share| Region {
            roots: [a].into_iter().collect(),
            covers: vec![xy, a],
            reads: dag.args(xy).iter().copied().collect(),
            share,
            seconds: 1e-3,
        };
        let flops = |share| {
            let cost = dag.cost_by(&[a], &Machine::default(), &[region(share)]);
            cost.unwrap().flops
        };
        assert!((flops(0.01) - 0.01 * flops(1.0)).abs() < 1.0);
    }
}
