//! What an engine is asked to do, and what comes back: plain data that crosses process boundaries.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use sumac_la::Dag;
use sumac_runtime::confine::Writable;
use sumac_runtime::fused::Planning;
use sumac_runtime::interp::{Compression, StatRow};
use sumac_runtime::memory;
use sumac_runtime::synthesize::{Range, Spread};
use sumac_runtime::{Timing, TimingOptions};

/// A job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Job {
    /// Run a script from its first statement to its last.
    RunScript(Box<RunScript>),
    /// Time two DAGs that compute the same.
    TimePair(Box<TimePair>),
    /// Run and time the loop nest of an array program.
    RunNest(Box<RunNest>),
}

/// A script to run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RunScript {
    /// The script's text.
    pub text: String,
    /// Where relative paths of the script start.
    pub base: PathBuf,
    /// `$name` and `$1`, without the dollar sign, as written on the command line.
    pub args: BTreeMap<String, String>,
    /// Seed of `rand` calls that give none.
    pub seed: u64,
    /// How operators are fused.
    pub planning: Planning,
    /// When matrices are compressed.
    pub compression: Compression,
    /// What the script may write: what a person allowed.
    pub writable: Writable,
}

/// Two DAGs to time against each other.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TimePair {
    /// As the script has it.
    pub original: Dag,
    /// As suggested.
    pub optimized: Dag,
    /// Inputs by name that are read from files; all others are synthetic.
    pub files: BTreeMap<String, PathBuf>,
    /// Inputs by name with synthetic values of a stated range; others are signed.
    pub ranges: BTreeMap<String, Range>,
    /// Seed of the synthetic values.
    pub seed: u64,
    /// Where the non-zeros of synthetic sparse inputs lie.
    pub spread: Spread,
    /// How operators are fused.
    pub planning: Planning,
    /// How long and how often.
    pub options: TimingOptions,
}

/// An array program to run as a loop nest, with numbers for its sizes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunNest {
    /// The program as it was written.
    pub written: String,
    /// The program that is run.
    pub found: String,
    /// A value for each size.
    pub sizes: BTreeMap<String, i64>,
    /// Seed of the inputs.
    pub seed: u64,
    /// The folder where compiled code is kept, which must be there; `None`: it runs without a compiler.
    pub objects: Option<PathBuf>,
    /// Whether the result is compared with what the interpreter says at small sizes.
    pub is_checked: bool,
    /// Milliseconds to measure for.
    pub budget: u64,
}

/// What the job may use. There is always a limit.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes for values. `None`: [`SHARE`] of what the machine has left.
    pub memory_bytes: Option<u64>,
    /// Seconds until the job is ended. `None`: [`SECONDS`].
    pub seconds: Option<f64>,
}

/// What part of the memory that is left a job may take where nobody says how much.
pub const SHARE: f64 = 0.75;

/// After how many seconds a job is ended where nobody says when: an hour.
pub const SECONDS: f64 = 3600.0;

impl Limits {
    /// Seconds until the job is ended.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.seconds.unwrap_or(SECONDS)
    }

    /// Bytes for values; `None` where nobody says how many and the system does not tell what is left.
    #[must_use]
    pub fn bytes(&self) -> Option<u64> {
        let share = |bytes: u64| (bytes as f64 * SHARE) as u64;
        self.memory_bytes
            .or_else(|| memory::available_bytes().map(share))
    }
}

/// What happens while a job runs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Event {
    /// A line that the script printed, without its end.
    Stdout(String),
    /// What is being done, for a progress bar.
    Progress(String),
}

/// What a job gives.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Outcome {
    /// Of [`Job::RunScript`].
    Ran {
        /// Operators by the time they took, longest first.
        stats: Vec<StatRow>,
    },
    /// Of [`Job::TimePair`].
    Timed(Timed),
    /// Of [`Job::RunNest`].
    Nest(NestRan),
}

/// The result of a loop nest, and how long it took.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NestRan {
    /// How many numbers there are.
    pub numbers: usize,
    /// The first of them.
    pub first: Vec<f64>,
    /// Their sum.
    pub sum: f64,
    /// The sizes at which the result was compared with the program as written; empty where it was not.
    pub checked: BTreeMap<String, i64>,
    /// The largest difference there, relative to the largest number.
    pub difference: f64,
    /// Milliseconds of the run in the middle.
    pub median: f64,
    /// Of the shortest.
    pub least: f64,
    /// Of the longest.
    pub most: f64,
    /// How many runs were timed.
    pub runs: usize,
    /// Innermost loops that ran as blocks of vectors; only without a compiler.
    pub blocks: Option<usize>,
}

/// What one run of a form does, by the cost model, at the scale that was run.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Work {
    /// Floating-point operations.
    pub flops: f64,
    /// Bytes that are read and written.
    pub bytes: f64,
}

/// The times of a pair.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Timed {
    /// As the script has it.
    pub original: Timing,
    /// As suggested.
    pub optimized: Timing,
    /// What a run of each does, in this order.
    pub work: [Work; 2],
    /// Where the inputs' values came from.
    pub inputs: InputKind,
    /// Every size above [`sumac_la::KEPT_SIZE`] was divided by this; 1 is full scale.
    pub scale_divisor: u64,
    /// Bytes that the larger side needs at full scale, where that is more than it may have.
    pub needs_bytes: Option<u64>,
    /// Seconds that a run of the slower side is estimated to take at full scale, operator by operator, where that is more than
    /// anyone waits for.
    pub needs_seconds: Option<f64>,
}

/// Where inputs' values came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InputKind {
    /// All matrices were read from files.
    Real,
    /// At least one was made up.
    Synthetic,
}
