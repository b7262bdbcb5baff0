//! Timing two DAGs against each other: warm-up, alternating runs, as many as a budget of time allows.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sumac_la::Dag;

use crate::cancel::Cancel;
use crate::eval::{EvalError, eval_measured};
use crate::memory::Keeping;
use crate::value::Value;

/// How long and how often to run.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct TimingOptions {
    /// Runs of each side before the clock counts.
    pub warm_up: usize,
    /// Runs of each side at least, whatever they take.
    pub at_least: usize,
    /// Runs of each side at most.
    pub at_most: usize,
    /// Seconds for both sides together; no further run starts after them.
    pub budget_seconds: f64,
}

impl Default for TimingOptions {
    fn default() -> Self {
        TimingOptions {
            warm_up: 1,
            at_least: 5,
            at_most: 1000,
            budget_seconds: 2.0,
        }
    }
}

/// The times of one side.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Timing {
    /// Median of the runs, in milliseconds.
    pub ms_median: f64,
    /// Shortest run, in milliseconds.
    pub ms_min: f64,
    /// Longest run, in milliseconds.
    pub ms_max: f64,
    /// Number of runs that count.
    pub runs: usize,
    /// Bytes of all values alive at the worst moment, inputs included.
    pub peak_bytes: u64,
}

/// Times of several DAGs over the same inputs, given by the name and value of each. The DAGs take turns, so that a
/// busy machine disturbs them alike.
///
/// # Errors
/// When a DAG cannot be evaluated, an input has no value, or `cancel` is called.
pub fn time_dags(
    dags: &[&Dag],
    inputs: &[(String, Value)],
    options: &TimingOptions,
    cancel: &Cancel,
) -> Result<Vec<Timing>, EvalError> {
    let inputs = dags
        .iter()
        .map(|dag| inputs_of(dag, inputs))
        .collect::<Result<Vec<_>, _>>()?;
    let mut seconds = vec![Vec::new(); dags.len()];
    let mut peaks = vec![0_u64; dags.len()];
    let budget = Duration::try_from_secs_f64(options.budget_seconds).unwrap_or(Duration::MAX);
    let _keeping = Keeping::start();
    let start = Instant::now();
    for round in 0.. {
        let counted = round >= options.warm_up;
        let runs = round.saturating_sub(options.warm_up);
        let enough = runs >= options.at_least.max(1) && start.elapsed() >= budget;
        if counted && (enough || runs >= options.at_most.max(1)) {
            break;
        }
        for (side, dag) in dags.iter().enumerate() {
            let began = Instant::now();
            let evaluated = eval_measured(dag, &inputs[side], cancel)?;
            let took = began.elapsed().as_secs_f64();
            peaks[side] = peaks[side].max(evaluated.peak_bytes);
            if counted {
                seconds[side].push(took);
            }
        }
    }
    Ok(seconds
        .into_iter()
        .zip(peaks)
        .map(|(runs, peak)| summary(runs, peak))
        .collect())
}

/// The values of a DAG's inputs, found by name.
///
/// # Errors
/// When an input has no value.
pub fn inputs_of(dag: &Dag, values: &[(String, Value)]) -> Result<Vec<Value>, EvalError> {
    let find = |name: &str| {
        values
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, value)| value.clone())
    };
    dag.inputs()
        .iter()
        .map(|input| {
            find(&input.name).ok_or_else(|| EvalError::MissingInput {
                name: input.name.to_string(),
                expected: dag.inputs().len(),
                found: values.len(),
            })
        })
        .collect()
}

fn summary(mut seconds: Vec<f64>, peak_bytes: u64) -> Timing {
    seconds.sort_by(f64::total_cmp);
    let runs = seconds.len();
    let at = |i: usize| seconds.get(i).copied().unwrap_or(f64::NAN) * 1e3;
    let median = (at((runs.saturating_sub(1)) / 2) + at(runs / 2)) / 2.0;
    Timing {
        ms_median: median,
        ms_min: at(0),
        ms_max: at(runs.saturating_sub(1)),
        runs,
        peak_bytes,
    }
}

#[cfg(test)]
mod tests {
    use sumac_la::{Op, Type};

    use super::*;
    use crate::matrix::Matrix;

    #[test]
    fn the_summary_of_known_runs_is_known() {
        let t = summary(vec![0.003, 0.001, 0.010, 0.002], 7);
        assert_eq!(
            (t.ms_median, t.ms_min, t.ms_max, t.runs, t.peak_bytes),
            (2.5, 1.0, 10.0, 4, 7)
        );
        assert_eq!(summary(vec![0.003, 0.001, 0.002], 0).ms_median, 2.0);
    }

    #[test]
    fn both_sides_run_equally_often_and_within_the_limits() {
        let mut dag = Dag::default();
        let x = dag.input("X", Type::matrix(20, 30));
        let sum = dag.op(Op::Sum, [x]).unwrap();
        dag.push_root(sum);
        let inputs = vec![("X".to_owned(), Value::from(Matrix::fill(20, 30, 1.0)))];
        let options = TimingOptions {
            at_most: 7,
            ..TimingOptions::default()
        };
        let timings = time_dags(&[&dag, &dag], &inputs, &options, &Cancel::default()).unwrap();
        assert_eq!(
            timings.iter().map(|t| t.runs).collect::<Vec<_>>(),
            vec![7, 7]
        );
        assert_eq!(timings[0].peak_bytes, 20 * 30 * 8 + 8);
        let no_time = TimingOptions {
            budget_seconds: 0.0,
            ..options
        };
        assert_eq!(
            time_dags(&[&dag], &inputs, &no_time, &Cancel::default()).unwrap()[0].runs,
            5
        );
    }

    #[test]
    fn a_cancelled_timing_and_a_missing_input_say_so() {
        let mut dag = Dag::default();
        let x = dag.input("X", Type::matrix(2, 2));
        dag.push_root(x);
        let cancel = Cancel::default();
        let missing = time_dags(&[&dag], &[], &TimingOptions::default(), &cancel).unwrap_err();
        assert!(missing.to_string().contains("`X`"), "{missing}");
        cancel.cancel();
        let inputs = vec![("X".to_owned(), Value::Double(1.0))];
        assert_eq!(
            time_dags(&[&dag], &inputs, &TimingOptions::default(), &cancel),
            Err(EvalError::Cancelled)
        );
    }
}
