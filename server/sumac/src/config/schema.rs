//! The keys, in one place: `sumac.toml` writes them as they are (`max-nodes`), clients in camel case (`maxNodes`).
//!
//! Every value is optional: what is `None` is said by a lower layer, or by the default that its reader has.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};
use sumac_analysis::Severities;
use sumac_engine::EngineName;
use sumac_sumproduct::{CostModel, Extraction, Options, Strategy};
use sumac_syntax::format::FormatOptions;

use super::values::{FactValue, Level, Memory, NotNegative, Positive, Scalar};

/// Everything that can be configured.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// Values of the `$` arguments of scripts, without the dollar sign.
    pub args: BTreeMap<String, Scalar>,
    /// Sizes of variables, as a `#@` line states them, and values of the names in them.
    pub facts: BTreeMap<String, FactValue>,
    /// Where scripts run, and their limits.
    pub engine: Engine,
    /// The search for cheaper forms.
    pub search: Search,
    /// The cluster that costs are for where SystemDS runs on Spark.
    pub cluster: Cluster,
    /// The formatter.
    pub format: Format,
    /// How serious each diagnostic counts.
    pub diagnostics: Diagnostics,
    /// Hints behind the code.
    pub inlay_hints: InlayHints,
    /// Lenses above the code.
    pub code_lens: CodeLens,
    /// What the language server may take.
    pub limits: Limits,
}

/// How serious each diagnostic counts, by its code.
pub type Diagnostics = BTreeMap<String, Level>;

/// Where scripts run, and their limits.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Engine {
    /// Where scripts run.
    pub name: Option<EngineName>,
    /// The most memory that a run may take: `"4G"`, `"500M"`, or bytes.
    pub memory: Option<Memory>,
    /// Seconds after which a run is stopped.
    pub time_limit: Option<Positive>,
}

/// The search for cheaper forms.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Search {
    /// What a form costs: `"time"`, `"flops"`, `"bytes"` or `"nnz"`.
    pub cost: Option<CostModel>,
    /// Whose operators costs are for: `"local"`, `"systemds"`, which fuses some patterns by itself, or `"spark"`, which is
    /// SystemDS on the cluster of `[cluster]`.
    pub engine: Option<sumac_cost::Engine>,
    /// The machine that times are estimated for: `"default"`, or a file that `sumac calibrate` wrote.
    pub machine: Option<String>,
    /// Forms that need more memory than this are not suggested: `"4G"`, `"500M"`, or bytes.
    pub memory: Option<Memory>,
    /// How the best form is picked from all found: `"greedy"` or `"ilp"`.
    pub extract: Option<Extraction>,
    /// How rules are applied while the graph grows: `"sampling"` or `"depth-first"`.
    pub strategy: Option<Strategy>,
    /// The graph stops growing at this many nodes.
    pub max_nodes: Option<usize>,
    /// The graph stops growing after this many iterations.
    pub max_iterations: Option<usize>,
    /// The graph stops growing where it would take more memory than this: `"1G"`, `"500M"`, or bytes.
    pub max_graph_memory: Option<Memory>,
    /// Seed of the sampler and of the check's random data.
    pub seed: Option<u64>,
    /// Forms that are estimated to gain less than this factor are not suggested.
    pub min_speedup: Option<Positive>,
    /// Forms that are estimated to save fewer milliseconds than this, over all runs of the loops around them, are not
    /// suggested, unless they fit into the memory where the statement as written does not.
    pub least_saving: Option<NotNegative>,
    /// Forms that may lose more decimal digits than this beside the statement as written, on data where it hurts most, are not
    /// suggested.
    pub most_lost_digits: Option<NotNegative>,
    /// Keep what was found for the next session, in the user's cache folder.
    pub keep: Option<bool>,
}

/// The cluster that costs are for where SystemDS runs on Spark.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Cluster {
    /// Rows and columns of a block.
    pub block: Option<NonZeroU64>,
    /// The driver's heap: `"35G"`, or bytes.
    pub driver_memory: Option<Memory>,
    /// How many executors there are.
    pub executors: Option<NonZeroU64>,
    /// The memory of each executor: `"60G"`, or bytes.
    pub executor_memory: Option<Memory>,
    /// Cores of the driver, and of each executor.
    pub cores: Option<NonZeroU64>,
}

/// The formatter.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Format {
    /// Lines are broken to stay within this many columns where they can.
    pub line_width: Option<usize>,
    /// Spaces of one level of indentation.
    pub indent_width: Option<usize>,
    /// Empty lines kept between statements, at most.
    pub max_blank_lines: Option<usize>,
}

/// Hints behind the code.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct InlayHints {
    /// Show the optimized form behind the statement.
    pub enabled: Option<bool>,
    /// Show the shape of each assigned variable.
    pub shapes: Option<bool>,
}

/// Lenses above the code.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct CodeLens {
    /// Show the lenses of suggestions: time it, compare alternatives, why.
    pub enabled: Option<bool>,
    /// Show the number of references above functions.
    pub references: Option<bool>,
}

/// What the language server may take.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Limits {
    /// The most memory that remembered results may take: `"1G"`, `"500M"`, or bytes.
    pub memory: Option<Memory>,
    /// Seconds after which a request is given up.
    pub request_time: Option<Positive>,
}

impl Config {
    /// The options of the search, for the default machine.
    #[must_use]
    pub fn search_options(&self) -> Options {
        let (search, default) = (&self.search, Options::default());
        Options {
            strategy: search.strategy.unwrap_or(default.strategy),
            extraction: search.extract.unwrap_or(default.extraction),
            cost: search.cost.unwrap_or(default.cost),
            engine: search.engine.unwrap_or(default.engine),
            cluster: self.cluster(),
            max_nodes: search.max_nodes.or(default.max_nodes),
            max_iterations: search.max_iterations.unwrap_or(default.max_iterations),
            max_graph_bytes: search
                .max_graph_memory
                .as_ref()
                .map_or(default.max_graph_bytes, |memory| memory.bytes),
            seed: search.seed.unwrap_or(default.seed),
            ..default
        }
    }

    /// The most memory that a run may take, in bytes: no configuration makes that more than there is.
    #[must_use]
    pub fn run_memory(&self) -> Option<u64> {
        let all = sumac_runtime::memory::total_bytes().unwrap_or(u64::MAX);
        Some(self.engine.memory.as_ref()?.bytes.min(all))
    }

    /// Seconds that a form must be estimated to save.
    #[must_use]
    pub fn least_saving(&self) -> f64 {
        /// A millisecond: nobody sees less.
        const DEFAULT: f64 = 1.0;
        self.search.least_saving.map_or(DEFAULT, |ms| ms.0) / 1e3
    }

    /// Decimal digits that a form may lose on the worst data.
    #[must_use]
    pub fn most_lost_digits(&self) -> f64 {
        /// All that a double has: what may lose them is shown, and says so.
        const DEFAULT: f64 = 16.0;
        self.search.most_lost_digits.map_or(DEFAULT, |n| n.0)
    }

    /// The cluster that costs are for where SystemDS runs on Spark.
    #[must_use]
    pub fn cluster(&self) -> sumac_cost::Cluster {
        let (cluster, default) = (&self.cluster, sumac_cost::Cluster::default());
        #[expect(clippy::cast_precision_loss, reason = "estimates are compared with it")]
        let bytes = |memory: &Option<Memory>, default: f64| {
            memory
                .as_ref()
                .map_or(default, |memory| memory.bytes as f64)
        };
        let number = |count: Option<NonZeroU64>, default: u32| {
            count.map_or(default, |n| u32::try_from(n.get()).unwrap_or(u32::MAX))
        };
        sumac_cost::Cluster {
            block: cluster.block.map_or(default.block, NonZeroU64::get),
            driver_memory: bytes(&cluster.driver_memory, default.driver_memory),
            executors: number(cluster.executors, default.executors),
            executor_memory: bytes(&cluster.executor_memory, default.executor_memory),
            cores: number(cluster.cores, default.cores),
            ..default
        }
    }

    /// The layout of formatted scripts.
    #[must_use]
    pub fn format_options(&self) -> FormatOptions {
        let (format, default) = (&self.format, FormatOptions::default());
        FormatOptions {
            line_width: format.line_width.unwrap_or(default.line_width),
            indent_width: format.indent_width.unwrap_or(default.indent_width),
            max_blank_lines: format.max_blank_lines.unwrap_or(default.max_blank_lines),
        }
    }

    /// How serious each diagnostic counts.
    #[must_use]
    pub fn severities(&self) -> Severities {
        let mut severities = Severities::default();
        for (code, level) in &self.diagnostics {
            severities.set(code, level.severity());
        }
        severities
    }
}
