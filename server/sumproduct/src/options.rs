//! What a caller may choose of a search. Every default is fixed, so equal input gives equal output.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use sumac_cost::{Cluster, Cost, Engine, Machine};

/// How matches are chosen in each round.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// A seeded sample for each rule (SPORES section 3.1).
    #[default]
    Sampling,
    /// All matches.
    DepthFirst,
}

impl Strategy {
    /// As the command line writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Sampling => "sampling",
            Strategy::DepthFirst => "depth-first",
        }
    }
}

/// How the cheapest term is found in the graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extraction {
    /// The cheapest of each class, bottom-up, over trees and over DAGs.
    #[default]
    Greedy,
    /// The cheapest of all, each shared part counted once, by a 0/1 program (SPORES section 3.2).
    Ilp,
}

impl Extraction {
    /// As the command line writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Extraction::Greedy => "greedy",
            Extraction::Ilp => "ilp",
        }
    }
}

/// What is minimized.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CostModel {
    /// Non-zeros of all results (SPORES Figure 12).
    Nnz,
    /// Floating-point operations.
    Flops,
    /// Bytes read and written.
    Bytes,
    /// Estimated seconds on this machine.
    #[default]
    Time,
}

impl CostModel {
    /// The figure that the model minimizes; FLOPs and bytes decide between equals.
    #[must_use]
    pub fn of(self, cost: &Cost) -> f64 {
        match self {
            CostModel::Nnz => cost.nnz + 1e-6 * cost.flops,
            CostModel::Flops => cost.flops + 1e-6 * cost.bytes,
            CostModel::Bytes => cost.bytes + 1e-6 * cost.flops,
            CostModel::Time => cost.seconds,
        }
    }

    /// As the command line writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            CostModel::Nnz => "nnz",
            CostModel::Flops => "flops",
            CostModel::Bytes => "bytes",
            CostModel::Time => "time",
        }
    }
}

/// E-nodes that a search may make for so many operators. What people write as one statement saturates, or has its best
/// form, long before; a long block needs room for each of its statements. 200 operators end within 300 ms (release,
/// one core).
#[must_use]
pub fn node_budget(operators: usize) -> usize {
    3000 + 45 * operators.saturating_sub(20)
}

/// The options of a search.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Options {
    /// How matches are chosen.
    pub strategy: Strategy,
    /// How the result is found.
    pub extraction: Extraction,
    /// What is minimized.
    pub cost: CostModel,
    /// Whose operators costs are for.
    pub engine: Engine,
    /// What is known of the machine that the operators of [`Engine::Local`] run on.
    pub machine: Machine,
    /// The cluster that [`Engine::Spark`] has behind its driver.
    pub cluster: Cluster,
    /// E-nodes at most; without a number, as [`node_budget`] says.
    pub max_nodes: Option<usize>,
    /// Rounds at most.
    pub max_iterations: usize,
    /// Bytes at most that the graph and the matches found in it may take, as `footprint` estimates them.
    pub max_graph_bytes: u64,
    /// Matches of one rule in one round at most, when sampling.
    pub sample: usize,
    /// Seed of the sampler.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            strategy: Strategy::default(),
            extraction: Extraction::default(),
            cost: CostModel::default(),
            engine: Engine::default(),
            machine: Machine::default(),
            cluster: Cluster::default(),
            max_nodes: None,
            max_iterations: 24,
            max_graph_bytes: 1 << 30,
            sample: 100,
            seed: 0x5eed,
        }
    }
}

impl Options {
    /// The machine that costs are for. How fast our kernels are there says nothing about another engine's, and counts only
    /// where time does; its memory is the same for all engines on it, and says nothing about a cluster.
    #[must_use]
    pub fn machine(&self) -> Machine {
        let rates = match (self.engine, self.cost) {
            (Engine::Local, CostModel::Time) => self.machine,
            _ => Machine::of(self.engine),
        };
        let is_cluster = self.engine == Engine::Spark;
        Machine {
            engine: self.engine,
            memory: self.machine.memory.filter(|_| !is_cluster),
            cluster: is_cluster.then_some(self.cluster),
            ..rates
        }
    }

    /// What a form is judged by, the least first: a form that does not fit into the machine's memory comes behind all that
    /// do, and among those the one that needs less memory.
    pub(crate) fn rank(&self, machine: &Machine, cost: &Cost) -> Rank {
        if machine.fits(cost.peak_bytes) {
            Rank::Runs(self.cost.of(cost))
        } else {
            Rank::TooLarge(cost.peak_bytes)
        }
    }
}

/// The place of a form among others.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub(crate) enum Rank {
    /// It fits, at this cost.
    Runs(f64),
    /// It takes more memory than there is: so many bytes.
    TooLarge(f64),
}

impl Rank {
    /// A total order.
    pub(crate) fn total_cmp(self, other: Self) -> Ordering {
        self.partial_cmp(&other).unwrap_or(Ordering::Equal)
    }
}
