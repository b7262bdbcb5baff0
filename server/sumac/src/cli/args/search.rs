//! Options of a search, and what they say over what is configured.

use clap::{Args, ValueEnum};

use crate::config::bytes;

/// Options of the search.
#[derive(Args, Debug, Clone, Default)]
pub struct Search {
    /// What a form costs
    #[arg(long, value_enum, value_name = "MODEL")]
    pub cost: Option<CostModel>,
    /// Whose operators costs are for
    #[arg(long, value_enum, value_name = "ENGINE")]
    pub cost_engine: Option<Engine>,
    /// The machine that times are estimated for: `default`, or a file of `sumac calibrate`
    #[arg(long, value_name = "default|FILE")]
    pub machine: Option<String>,
    /// How the best form is picked from all found
    #[arg(long, value_enum, value_name = "HOW")]
    pub extract: Option<Extract>,
    /// How rules are applied while the graph grows
    #[arg(long, value_enum, value_name = "HOW")]
    pub strategy: Option<Strategy>,
    /// Stop growing at this many nodes
    #[arg(long, value_name = "N")]
    pub max_nodes: Option<usize>,
    /// Stop growing after this many iterations
    #[arg(long, value_name = "N")]
    pub max_iterations: Option<usize>,
    /// Stop growing where the graph would take more memory: 500M, 1G, or bytes
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub max_graph_memory: Option<u64>,
    /// Seed of the sampler and of the check's random data
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

impl Search {
    /// The options of the search: `configured` where nothing is given.
    #[must_use]
    pub fn options(&self, configured: sumac_sumproduct::Options) -> sumac_sumproduct::Options {
        let mut options = configured;
        if let Some(cost) = self.cost {
            options.cost = match cost {
                CostModel::Nnz => sumac_sumproduct::CostModel::Nnz,
                CostModel::Flops => sumac_sumproduct::CostModel::Flops,
                CostModel::Bytes => sumac_sumproduct::CostModel::Bytes,
                CostModel::Time => sumac_sumproduct::CostModel::Time,
            };
        }
        if let Some(engine) = self.cost_engine {
            options.engine = match engine {
                Engine::Local => sumac_cost::Engine::Local,
                Engine::Systemds => sumac_cost::Engine::SystemDs,
                Engine::Spark => sumac_cost::Engine::Spark,
            };
        }
        if let Some(extract) = self.extract {
            options.extraction = match extract {
                Extract::Greedy => sumac_sumproduct::Extraction::Greedy,
                Extract::Ilp => sumac_sumproduct::Extraction::Ilp,
            };
        }
        if let Some(strategy) = self.strategy {
            options.strategy = match strategy {
                Strategy::Sampling => sumac_sumproduct::Strategy::Sampling,
                Strategy::DepthFirst => sumac_sumproduct::Strategy::DepthFirst,
            };
        }
        options.max_nodes = self.max_nodes.or(options.max_nodes);
        options.max_iterations = self.max_iterations.unwrap_or(options.max_iterations);
        options.max_graph_bytes = self.max_graph_memory.unwrap_or(options.max_graph_bytes);
        options.seed = self.seed.unwrap_or(options.seed);
        options
    }
}

/// How much memory a form may need.
#[derive(Args, Debug, Clone, Copy, Default)]
pub struct Ceiling {
    /// Forms that need more memory are not suggested: 500M, 4G, or bytes
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub memory: Option<u64>,
}

/// Whose operators costs are for.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// The kernels of this program
    Local,
    /// SystemDS, which fuses some patterns by itself
    Systemds,
    /// SystemDS with a cluster that runs what is too large for its driver: `[cluster]` in `sumac.toml`
    Spark,
}

/// What a form costs.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum CostModel {
    /// Non-zero cells of all results on the way
    Nnz,
    /// Floating-point operations
    Flops,
    /// Bytes read and written
    Bytes,
    /// Estimated seconds on this machine
    Time,
}

/// How the best form is picked.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extract {
    /// Bottom-up, the cheapest of each class
    Greedy,
    /// The cheapest of all, shared parts counted once: slower, never dearer
    Ilp,
}

/// How rules are applied.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// A seeded sample of the matches of each rule
    Sampling,
    /// Every match
    DepthFirst,
}
