//! One probe for each figure of a machine: an expression whose time it decides, and how it follows from that time.

use sumac_cost::{Cost, Machine, Priced};
use sumac_la::{Dag, Op, Type};

use super::Effort;
use super::expressions::{Writing, dag};

/// Operators in the chain of small ones.
const CHAIN: u32 = 200;

/// An expression, and what its time says.
pub(super) struct Probe {
    /// The figure that it measures.
    pub figure: &'static str,
    /// What is run.
    pub dag: Dag,
    /// The figure for these seconds, on a machine whose earlier figures are known.
    pub value: fn(&Probe, f64, &Machine) -> Option<f64>,
}

impl Probe {
    fn cost(&self, machine: &Machine) -> Option<Cost> {
        self.dag.cost(self.dag.roots(), machine)
    }

    fn flops_rate(&self, seconds: f64, machine: &Machine) -> Option<f64> {
        Some(self.cost(machine)?.flops / (seconds - machine.overhead))
    }

    fn bytes_rate(&self, seconds: f64, machine: &Machine) -> Option<f64> {
        Some(self.cost(machine)?.bytes / (seconds - machine.overhead))
    }

    /// The seconds that the estimate lacks without the figure, for each non-zero that `count` finds.
    fn for_each(
        &self,
        seconds: f64,
        without: &Machine,
        count: fn(&Dag) -> Option<f64>,
    ) -> Option<f64> {
        Some((seconds - self.cost(without)?.seconds) / count(&self.dag)?)
    }
}

/// The probes. Inputs of the same name are the same data.
pub(super) fn all(effort: Effort) -> Vec<Probe> {
    let side = effort.size(3000);
    let dense = Type::matrix(side, side);
    let product = Type::matrix(effort.size(1000), effort.size(1000));
    let (rows, cols) = (effort.size(40_000), effort.size(20_000));
    let sparse = Type::sparse(rows, cols, 0.005);
    let few = 20;
    let inputs =
        move |w: &mut Writing| (w.input("S", sparse.clone()), w.input("T", sparse.clone()));
    let dense_pair =
        move |w: &mut Writing| (w.input("A", dense.clone()), w.input("B", dense.clone()));
    vec![
        Probe {
            figure: "overhead",
            dag: dag(|w| {
                let (mut x, y) = (
                    w.input("p", Type::matrix(3, 3)),
                    w.input("q", Type::matrix(3, 3)),
                );
                for _ in 0..CHAIN {
                    x = w.op(Op::Add, [x, y]);
                }
                x
            }),
            value: |probe, seconds, machine| {
                let work = Machine {
                    overhead: 0.0,
                    ..*machine
                };
                Some((seconds - probe.cost(&work)?.seconds) / f64::from(CHAIN))
            },
        },
        Probe {
            figure: "bandwidth",
            dag: dag(|w| {
                let (a, b) = dense_pair(w);
                w.op(Op::Add, [a, b])
            }),
            value: Probe::bytes_rate,
        },
        Probe {
            figure: "transpose_bandwidth",
            dag: dag(|w| {
                let (a, _) = dense_pair(w);
                w.op(Op::Transpose, [a])
            }),
            value: Probe::bytes_rate,
        },
        Probe {
            figure: "cell_flops",
            dag: dag(|w| {
                let (a, _) = dense_pair(w);
                w.op(Op::Exp, [a])
            }),
            value: Probe::flops_rate,
        },
        Probe {
            figure: "product_flops",
            dag: dag(|w| {
                let (p, q) = (w.input("P", product.clone()), w.input("Q", product.clone()));
                w.op(Op::MatMul, [p, q])
            }),
            value: Probe::flops_rate,
        },
        Probe {
            figure: "sparse_flops",
            dag: dag(|w| {
                let (s, v) = (inputs(w).0, w.input("V", Type::matrix(cols, few)));
                w.op(Op::MatMul, [s, v])
            }),
            value: Probe::flops_rate,
        },
        Probe {
            figure: "scatter",
            dag: dag(|w| {
                let (u, s) = (w.input("U", Type::matrix(few, rows)), inputs(w).0);
                w.op(Op::MatMul, [u, s])
            }),
            value: |probe, seconds, machine| {
                let along = Machine {
                    scatter: 1.0,
                    ..*machine
                };
                Some(seconds / probe.cost(&along)?.seconds)
            },
        },
        Probe {
            figure: "move_seconds",
            dag: dag(|w| {
                let s = inputs(w).0;
                w.op(Op::Transpose, [s])
            }),
            value: |probe, seconds, machine| {
                let without = Machine {
                    move_seconds: 0.0,
                    ..*machine
                };
                probe.for_each(seconds, &without, |dag| dag.inputs()[0].ty.nnz())
            },
        },
        Probe {
            figure: "merge_seconds",
            dag: dag(|w| {
                let (s, t) = inputs(w);
                w.op(Op::Add, [s, t])
            }),
            value: |probe, seconds, machine| {
                let without = Machine {
                    merge_seconds: 0.0,
                    ..*machine
                };
                probe.for_each(seconds, &without, |dag| dag.ty(dag.roots()[0]).nnz())
            },
        },
    ]
}
