//! What a stage of a guided search minimizes: a local cost from what is known of classes.

use egg::{Id, Language};
use sumac_cost::{Cost, Machine, Priced, op_cost};
use sumac_la::{Dag, NodeId, Op, Type};
use sumac_sketch::LocalCost;

use super::language::{La, LaGraph};
use crate::options::CostModel;

/// The names of costs, and what each counts.
pub const COSTS: [(&str, &str); 5] = [
    ("size", "operators, inputs and numbers of the expression"),
    ("nnz", "non-zero cells of all results on the way"),
    ("flops", "floating-point operations"),
    ("bytes", "bytes read and written"),
    ("time", "estimated seconds on this machine"),
];

/// What is minimized.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Minimized {
    /// Nodes of the expression.
    Size,
    /// A figure of the cost model.
    Figure(CostModel),
}

impl Minimized {
    /// By its name in a sketch.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "size" => Minimized::Size,
            "nnz" => Minimized::Figure(CostModel::Nnz),
            "flops" => Minimized::Figure(CostModel::Flops),
            "bytes" => Minimized::Figure(CostModel::Bytes),
            "time" => Minimized::Figure(CostModel::Time),
            _ => return None,
        })
    }

    /// Its name in a sketch.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Minimized::Size => "size",
            Minimized::Figure(model) => model.name(),
        }
    }

    /// The figure of an expression; of one whose sizes are not numbers only the size is known.
    #[must_use]
    pub fn of(self, dag: &Dag, root: NodeId, machine: &Machine) -> Option<f64> {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "expressions are small")]
            Minimized::Size => Some(dag.reachable(&[root]).len() as f64),
            Minimized::Figure(model) => Some(model.of(&dag.cost(&[root], machine)?)),
        }
    }
}

/// The cost of nodes of one e-graph.
pub struct NodeCost<'a> {
    graph: &'a LaGraph,
    machine: &'a Machine,
    minimized: Minimized,
}

impl<'a> NodeCost<'a> {
    /// In a graph that is in order.
    #[must_use]
    pub fn new(graph: &'a LaGraph, machine: &'a Machine, minimized: Minimized) -> Self {
        NodeCost {
            graph,
            machine,
            minimized,
        }
    }

    fn figures(&self, class: Id, op: Op, children: &[Id]) -> Option<Cost> {
        let args: Vec<&Type> = children.iter().map(|c| &self.graph[*c].data.ty).collect();
        let square = op == Op::Pow && self.graph[children[1]].data.value == Some(2.0);
        op_cost(op, &args, square, &self.graph[class].data.ty, self.machine)
    }
}

impl LocalCost<La> for NodeCost<'_> {
    fn own(&self, class: Id, node: &La) -> f64 {
        let Minimized::Figure(model) = self.minimized else {
            return 1.0;
        };
        match node {
            La::Input(_) | La::Num(_) => 0.0,
            // Where sizes are no numbers, an expression has no cost, and `stage` minimizes the size instead.
            La::Op(op, _) => self
                .figures(class, *op, node.children())
                .map_or(f64::MAX / 1e30, |cost| model.of(&cost)),
        }
    }
}
