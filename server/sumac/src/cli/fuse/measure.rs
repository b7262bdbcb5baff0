//! A block's plan, run on made-up data beside the same operators one by one. Nothing of the script is executed: only its
//! algebra is, over random matrices of the sizes and sparsity that are known.

use std::time::Instant;

use serde::Serialize;
use sumac_cost::matrix_bytes;
use sumac_fusion::{Options, Plan, Policy, Statistics};
use sumac_ide::quantity;
use sumac_runtime::eval::eval_plan;
use sumac_runtime::fused::Prepared;
use sumac_runtime::synthesize::Range;
use sumac_runtime::{Cancel, Value, memory, synthesize};

use sumac_ide::fusion::Block;

/// Runs of each side at most.
const MOST_RUNS: usize = 9;
/// Seconds of runs of each side, about.
const BUDGET: f64 = 2.0;
/// The share of the free memory that a run may need.
const SHARE_OF_MEMORY: f64 = 0.7;

/// What was measured.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Measured {
    /// The plan: milliseconds, the median of some runs.
    pub(super) fused_ms: f64,
    /// Its operators one by one; nothing where that would not fit into the memory.
    pub(super) one_by_one_ms: Option<f64>,
    /// Bytes that one by one needs, where it did not run.
    pub(super) needs_bytes: Option<f64>,
    /// The largest difference of two cells, relative to the largest cell of the result.
    pub(super) max_relative_error: Option<f64>,
    /// Most memory that the plan's values took.
    pub(super) peak_bytes: u64,
    /// Operators that their inputs' formats did not suit, so that their parts ran.
    pub(super) declined: usize,
    /// The seed of the data.
    pub(super) seed: u64,
    /// Prepared kernels: how often one was asked for, and was there.
    pub(super) cache: Statistics,
}

/// Runs a plan.
///
/// # Errors
/// A size is not a number, or the data does not fit into the memory: in words for people.
pub(super) fn measure(
    block: &Block<'_>,
    plan: &Plan,
    options: &Options,
) -> Result<Measured, String> {
    let seed = crate::measure::SEED;
    let dag = block.dag();
    #[expect(
        clippy::cast_precision_loss,
        reason = "an estimate is compared with it"
    )]
    let free = memory::available_bytes().map_or(f64::INFINITY, |bytes| bytes as f64);
    let unknown = || "a size is not known as a number: say it with --facts".to_owned();
    let mut alone = 0.0;
    for id in dag.reachable(block.roots()) {
        alone += matrix_bytes(dag.ty(id)).ok_or_else(unknown)?;
    }
    let mut needed = 0.0;
    for input in dag.inputs() {
        needed += matrix_bytes(&input.ty).ok_or_else(unknown)?;
    }
    for id in plan.operators.iter().flat_map(|operator| &operator.roots) {
        needed += matrix_bytes(dag.ty(*id)).ok_or_else(unknown)?;
    }
    if needed > SHARE_OF_MEMORY * free {
        return Err(format!(
            "the data needs {}, and {} are free: state smaller sizes with --facts",
            quantity::bytes(needed),
            quantity::bytes(free)
        ));
    }
    let inputs: Vec<Value> = dag
        .inputs()
        .iter()
        .zip(seed..)
        .map(|(input, seed)| synthesize(&input.ty, seed, Range::Positive))
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())?;
    let prepared = Prepared::default();
    let fused = timed(block, plan, &inputs, &prepared)?;
    let fits = alone <= SHARE_OF_MEMORY * free;
    let none = Options {
        policy: Policy::None,
        ..*options
    };
    let one_by_one = fits
        .then(|| {
            let plan = sumac_fusion::plan(dag, block.roots(), &none);
            timed(block, &plan, &inputs, &prepared)
        })
        .transpose()?;
    let error = one_by_one.as_ref().map(|other| {
        let pairs = fused.values.iter().zip(&other.values);
        pairs.map(|(a, b)| relative_error(a, b)).fold(0.0, f64::max)
    });
    Ok(Measured {
        fused_ms: fused.milliseconds,
        one_by_one_ms: one_by_one.map(|other| other.milliseconds),
        needs_bytes: (!fits).then_some(alone),
        max_relative_error: error,
        peak_bytes: fused.peak_bytes,
        declined: fused.declined,
        seed,
        cache: prepared.statistics(),
    })
}

struct Timed {
    milliseconds: f64,
    values: Vec<Value>,
    peak_bytes: u64,
    declined: usize,
}

/// The median of some runs, after one that does not count.
fn timed(
    block: &Block<'_>,
    plan: &Plan,
    inputs: &[Value],
    prepared: &Prepared,
) -> Result<Timed, String> {
    let mut declined = 0;
    let mut run = || {
        declined = 0;
        let mut watch =
            |name: &'static str, _| declined += usize::from(name == sumac_runtime::fused::DECLINED);
        let of = (block.dag(), block.roots());
        eval_plan(of, plan, inputs, prepared, &Cancel::default(), &mut watch)
            .map_err(|error| error.to_string())
    };
    let mut last = run()?;
    let began = Instant::now();
    let mut runs = Vec::new();
    while runs.is_empty() || (runs.len() < MOST_RUNS && began.elapsed().as_secs_f64() < BUDGET) {
        drop(last);
        let start = Instant::now();
        last = run()?;
        runs.push(start.elapsed().as_secs_f64() * 1e3);
    }
    runs.sort_by(f64::total_cmp);
    Ok(Timed {
        milliseconds: runs[runs.len() / 2],
        values: last.values,
        peak_bytes: last.peak_bytes,
        declined,
    })
}

/// The largest difference of two cells, relative to the largest cell.
fn relative_error(a: &Value, b: &Value) -> f64 {
    let cells = |value: &Value| match value {
        Value::Matrix(matrix) => matrix.to_cells(),
        other => vec![other.as_number().unwrap_or(f64::NAN)],
    };
    let (a, b) = (cells(a), cells(b));
    let largest = b
        .iter()
        .fold(f64::MIN_POSITIVE, |most, x| most.max(x.abs()));
    let differs = |(a, b): (&f64, &f64)| {
        if a == b || (a.is_nan() && b.is_nan()) {
            0.0
        } else {
            (a - b).abs()
        }
    };
    let worst = a.iter().zip(&b).map(differs);
    worst.fold(0.0, |most: f64, x| {
        if x.is_nan() {
            f64::INFINITY
        } else {
            most.max(x)
        }
    }) / largest
}

impl Measured {
    /// For people.
    pub(super) fn text(&self, estimated: Option<f64>) -> String {
        let ms = |ms: f64| quantity::seconds(ms / 1e3);
        let beside = match (self.one_by_one_ms, self.needs_bytes) {
            (Some(other), _) => format!(
                ", one by one {} ({})",
                ms(other),
                quantity::ratio(other / self.fused_ms)
            ),
            (None, Some(bytes)) => format!(", one by one would need {}", quantity::bytes(bytes)),
            (None, None) => String::new(),
        };
        let error = self.max_relative_error.map_or(String::new(), |e| {
            format!(", relative error {}", quantity::relative_error(e))
        });
        let estimated = estimated.map_or(String::new(), |s| {
            format!(", estimated {}", quantity::seconds(s))
        });
        let declined = match self.declined {
            0 => String::new(),
            n => format!("; {n} ran as their parts, for the formats of their inputs"),
        };
        format!(
            "measured on made-up data (seed {}): {}{estimated}{beside}{error}{declined}\n\
             prepared kernels: {} asked for, {} were there\n",
            self.seed,
            ms(self.fused_ms),
            self.cache.lookups,
            self.cache.hits
        )
    }
}
