//! Timing a suggestion against its original, in a worker process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sumac_engine::{
    Engine, EngineError, Event, InputKind, Job, Limits, Outcome, TimePair, Timed, Work,
};
use sumac_ide::suggest::Suggestion;
use sumac_ide::{CancelToken, Inputs, Measured, Timing};
use sumac_la::Dag;
use sumac_runtime::fused::Planning;
use sumac_runtime::synthesize::Spread;

use crate::data_files;
use crate::script::Stated;

/// Seed of synthetic inputs: the same statement is timed on the same data each time.
pub const SEED: u64 = 1;

/// Seconds that the runs of what is computed once before a loop take together.
const ONCE_SECONDS: f64 = 0.5;

/// What is timed, and for which script.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The suggestion.
    pub suggestion: &'a Suggestion,
    /// The program that it stands in.
    pub program: &'a sumac_syntax::ast::Program,
    /// The folders where relative paths of the script may start.
    pub folders: &'a [PathBuf],
    /// What is stated about the script outside of it.
    pub stated: &'a Stated,
}

/// The job that times the subject: inputs that the script reads from files that are there, the rest made up.
#[must_use]
pub fn job(subject: Subject<'_>) -> TimePair {
    let pair = &subject.suggestion.pair;
    let files = data_files::of_variables(subject.program, subject.stated);
    let exists = |path: &String| {
        subject
            .folders
            .iter()
            .map(|folder| folder.join(path))
            .find(|path| path.is_file())
    };
    let is_input = |name: &str| {
        [&pair.original, &pair.optimized]
            .iter()
            .any(|dag| dag.inputs().iter().any(|input| &*input.name == name))
    };
    let files: BTreeMap<String, PathBuf> = files
        .into_iter()
        .filter(|(name, _)| is_input(name))
        .filter_map(|(name, path)| Some((name, exists(&path)?)))
        .collect();
    TimePair {
        files,
        ..self::pair(pair.original.clone(), pair.optimized.clone())
    }
}

/// The job that times two forms on made-up inputs.
#[must_use]
pub fn pair(original: Dag, optimized: Dag) -> TimePair {
    TimePair {
        original,
        optimized,
        files: BTreeMap::new(),
        ranges: BTreeMap::new(),
        seed: SEED,
        spread: Spread::Uniform,
        planning: Planning::default(),
        options: sumac_runtime::TimingOptions::default(),
    }
}

/// Runs the job to its end or to a limit; blocks meanwhile. `progress` hears what is being done.
///
/// # Errors
/// See [`EngineError`].
pub fn time(
    engine: &dyn Engine,
    job: TimePair,
    limits: &Limits,
    cancel: &CancelToken,
    progress: &mut dyn FnMut(&str),
) -> Result<Timing, EngineError> {
    let synthetic = synthetic_inputs(&job);
    let mut events = |event| {
        if let Event::Progress(text) = event {
            progress(&text);
        }
    };
    match engine.run(Job::TimePair(Box::new(job)), limits, cancel, &mut events)? {
        Outcome::Timed(timed) => Ok(timing(&timed, synthetic)),
        Outcome::Ran { .. } | Outcome::Nest(_) => Err(EngineError::Protocol(
            "a timing was answered as another job".to_owned(),
        )),
    }
}

/// Runs the job of a suggestion, and after it times by itself what the suggestion computes once before a loop.
///
/// # Errors
/// See [`EngineError`].
pub fn time_suggestion(
    engine: &dyn Engine,
    (job, once): (TimePair, Option<&Dag>),
    limits: &Limits,
    cancel: &CancelToken,
    progress: &mut dyn FnMut(&str),
) -> Result<Timing, EngineError> {
    let alone = once.map(|once| {
        let mut alone = job.clone();
        (alone.original, alone.optimized) = (once.clone(), once.clone());
        alone.options.budget_seconds = ONCE_SECONDS;
        alone.options.least_seconds = ONCE_SECONDS;
        alone
    });
    let mut timing = time(engine, job, limits, cancel, progress)?;
    if let Some(alone) = alone {
        progress("timing what is computed before the loop");
        let once = time(engine, alone, limits, cancel, &mut |_| {})?;
        // At another scale it has nothing to do with the runs.
        let is_alike = once.scale.total_cmp(&timing.scale).is_eq();
        timing.once_ms = is_alike.then_some(once.original.ms_median);
    }
    Ok(timing)
}

/// The matrices that are made up, the largest first.
fn synthetic_inputs(job: &TimePair) -> Vec<String> {
    let inputs = job.original.inputs().iter();
    let mut made_up: Vec<_> = inputs
        .filter(|input| !input.ty.is_scalar() && !job.files.contains_key(&*input.name))
        .collect();
    made_up.sort_by(|a, b| {
        let cells = |input: &sumac_la::Input| input.ty.cells().unwrap_or_default();
        cells(b)
            .total_cmp(&cells(a))
            .then_with(|| a.name.cmp(&b.name))
    });
    made_up
        .into_iter()
        .map(|input| input.name.to_string())
        .collect()
}

fn timing(timed: &Timed, synthetic: Vec<String>) -> Timing {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let measured = |timing: &sumac_runtime::Timing, work: &Work| Measured {
        ms_median: timing.ms_median,
        ms_low: timing.ms_low,
        ms_high: timing.ms_high,
        ms_min: timing.ms_min,
        runs: count(timing.runs),
        outliers: count(timing.outliers),
        peak_bytes: timing.peak_bytes,
        flops: work.flops,
        bytes: work.bytes,
    };
    #[expect(
        clippy::cast_precision_loss,
        reason = "a scale and an estimate, for people"
    )]
    let (scale, needs_bytes) = (
        1.0 / timed.scale_divisor.max(1) as f64,
        timed.needs_bytes.map(|bytes| bytes as f64),
    );
    Timing {
        original: measured(&timed.original, &timed.work[0]),
        optimized: measured(&timed.optimized, &timed.work[1]),
        engine: "local".to_owned(),
        inputs: match timed.inputs {
            InputKind::Real => Inputs::Real,
            InputKind::Synthetic => Inputs::Synthetic(synthetic),
        },
        scale,
        needs_bytes,
        needs_seconds: timed.needs_seconds,
        once_ms: None,
    }
}

/// Where relative paths of a script start: beside it, for an editor that has no working directory of its own.
#[must_use]
pub fn folder_of(script: Option<&Path>) -> Vec<PathBuf> {
    script
        .and_then(Path::parent)
        .map(Path::to_path_buf)
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use sumac_la::{Dag, Op, Type};

    use super::*;

    #[test]
    fn made_up_inputs_are_named_largest_first_without_scalars_and_files() {
        let mut dag = Dag::default();
        let nodes = [
            dag.input("a", Type::scalar()),
            dag.input("V", Type::matrix(5, 5)),
            dag.input("U", Type::matrix(5, 5)),
            dag.input("X", Type::matrix(50, 50)),
            dag.input("F", Type::matrix(90, 90)),
        ];
        for node in nodes {
            dag.push_root(node);
        }
        let sum = dag.op(Op::Sum, [nodes[3]]).unwrap();
        dag.push_root(sum);
        let job = TimePair {
            original: dag.clone(),
            optimized: dag,
            files: BTreeMap::from([("F".to_owned(), PathBuf::from("f.mtx"))]),
            ranges: BTreeMap::new(),
            seed: SEED,
            spread: Spread::Uniform,
            planning: Planning::default(),
            options: sumac_runtime::TimingOptions::default(),
        };
        assert_eq!(synthetic_inputs(&job), ["X", "U", "V"]);
    }
}
