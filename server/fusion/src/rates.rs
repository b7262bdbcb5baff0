//! What reading, writing and computing take: the constants of the cost model.

use serde::Serialize;
use sumac_cost::{Cluster, Machine, Priced, matrix_bytes};
use sumac_la::{Dag, Node, NodeId, Op};

/// The machine as the cost model sees it.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Rates {
    /// Bytes per second that results are written with.
    pub write: f64,
    /// Bytes per second that inputs are read with.
    pub read: f64,
    /// FLOPs per second of cellwise operators and sums.
    pub cells: f64,
    /// FLOPs per second of products of dense matrices.
    pub products: f64,
    /// FLOPs per second of products that read a sparse matrix, or a row at a time.
    pub sparse_products: f64,
    /// Seconds to start an operator.
    pub overhead: f64,
    /// FLOPs that a division counts as.
    pub division: f64,
    /// How many times longer it takes to read a sparse matrix against its rows.
    pub scatter: f64,
    /// What runs operators that are too large for this machine, where there is such a thing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<Cluster>,
}

impl From<&Machine> for Rates {
    fn from(machine: &Machine) -> Rates {
        Rates {
            write: machine.bandwidth,
            read: machine.bandwidth,
            cells: machine.cell_flops,
            products: machine.product_flops,
            sparse_products: machine.sparse_flops,
            overhead: machine.overhead,
            division: 4.0,
            scatter: machine.scatter,
            cluster: machine.cluster,
        }
    }
}

impl Rates {
    /// Those that SystemDS plans with, on so many cores.
    #[must_use]
    pub fn systemds(cores: u32) -> Rates {
        let compute = 2e9 * f64::from(cores.max(1));
        Rates {
            write: 2e9,
            read: 32e9,
            cells: compute,
            products: compute,
            sparse_products: compute,
            overhead: 0.0,
            division: 22.0,
            scatter: 1.0,
            cluster: None,
        }
    }

    /// Those that SystemDS plans with for the nodes of a cluster.
    #[must_use]
    pub fn spark(cluster: Cluster) -> Rates {
        Rates {
            cluster: Some(cluster),
            ..Rates::systemds(cluster.cores)
        }
    }

    /// Seconds that the operator at `id` computes for all cells of its result, or of its argument where it folds one.
    /// `None` where a size is not known.
    #[must_use]
    pub fn work(&self, dag: &Dag, id: NodeId) -> Option<f64> {
        let Node::Op(op, args) = dag.node(id) else {
            return Some(0.0);
        };
        let weight = match op.info().flops {
            sumac_la::FlopRule::None => return Some(0.0),
            sumac_la::FlopRule::PerInputCell(weight) => {
                return Some(weight * dag.ty(args[0]).cells()? / self.cells);
            }
            sumac_la::FlopRule::MatMul => {
                let (cells, inner) = (dag.ty(id).cells()?, dag.ty(args[0]).cols.estimate()?);
                let flops = 2.0 * cells * sumac_la::as_f64(inner);
                let densest = |arg: NodeId| {
                    let ty = dag.ty(arg);
                    if ty.is_stored_sparse() {
                        ty.density()
                    } else {
                        1.0
                    }
                };
                let share = densest(args[0]) * densest(args[1]);
                let rate = if share < 1.0 {
                    self.sparse_products
                } else {
                    self.products
                };
                return Some(flops * share / rate);
            }
            sumac_la::FlopRule::PerCell(weight) => weight,
        };
        let weight = match op {
            Op::Div => self.division,
            Op::Pow if dag.value(args[1]) == Some(2.0) => 1.0,
            _ => weight,
        };
        Some(weight * dag.ty(id).cells()? / self.cells)
    }

    /// Seconds that the operator computes where it is run alone: sparse arguments make it cheaper.
    #[must_use]
    pub fn basic_work(&self, dag: &Dag, id: NodeId) -> Option<f64> {
        let full = self.work(dag, id)?;
        let Node::Op(op, _) = dag.node(id) else {
            return Some(0.0);
        };
        if *op == Op::MatMul {
            return Some(full);
        }
        // The table says how many cells are touched; weights are ours.
        let flops = dag.node_cost(id, &Machine::default())?.flops;
        Some(full.min(flops / self.cells))
    }

    /// Seconds to write the value down.
    #[must_use]
    pub fn writing(&self, dag: &Dag, id: NodeId) -> Option<f64> {
        Some(matrix_bytes(dag.ty(id))? / self.write)
    }

    /// Seconds to read the value.
    #[must_use]
    pub fn reading(&self, dag: &Dag, id: NodeId) -> Option<f64> {
        Some(matrix_bytes(dag.ty(id))? / self.read)
    }

    /// Seconds that no operator writes the value down in less, wherever it runs.
    #[must_use]
    pub fn least_writing(&self, dag: &Dag, id: NodeId) -> Option<f64> {
        let here = self.writing(dag, id)?;
        Some(match self.cluster {
            Some(cluster) => here.min(cluster.keeping(matrix_bytes(dag.ty(id))?, self.write)),
            None => here,
        })
    }

    /// Bytes per second that nothing is read or moved faster than.
    #[must_use]
    pub fn fastest_read(&self) -> f64 {
        match self.cluster {
            Some(cluster) => {
                let moved = cluster.broadcast.max(cluster.shuffle * cluster.nodes());
                moved.max(self.read * cluster.nodes())
            }
            None => self.read,
        }
    }

    /// How many nodes compute an operator at most.
    #[must_use]
    pub fn most_nodes(&self) -> f64 {
        self.cluster.map_or(1.0, |cluster| cluster.nodes())
    }
}
