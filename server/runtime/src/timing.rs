//! Timing DAGs against each other: warm-up, alternating runs, as many as it takes until the medians are known well
//! enough, or as a budget of time allows.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sumac_la::Dag;

use crate::cancel::Cancel;
use crate::eval::EvalError;
use crate::fused::{Planner, Planning};
use crate::memory::BufferPool;
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
    /// Seconds for all sides together at least, within the budget: a few quick runs agree with each other and not with what
    /// the machine does a moment later.
    pub least_seconds: f64,
    /// Seconds for all sides together; no further run starts after them.
    pub budget_seconds: f64,
    /// No further run starts once each side's median is known as well as this: half the width of its confidence
    /// interval over the median.
    pub precision: f64,
}

impl Default for TimingOptions {
    fn default() -> Self {
        TimingOptions {
            warm_up: 1,
            at_least: 5,
            at_most: 1000,
            least_seconds: 1.0,
            budget_seconds: 2.0,
            precision: 0.01,
        }
    }
}

/// The times of one side.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Timing {
    /// Median of the runs, in milliseconds.
    pub ms_median: f64,
    /// Where the median surely lies, in milliseconds: from this …
    pub ms_low: f64,
    /// … to this, with a confidence of 95 %. With fewer than six runs these are the shortest and the longest, which is
    /// less sure.
    pub ms_high: f64,
    /// Shortest run, in milliseconds.
    pub ms_min: f64,
    /// Longest run, in milliseconds.
    pub ms_max: f64,
    /// Number of runs that count.
    pub runs: usize,
    /// Runs among them that took much longer than most: by Tukey's outer fence, three times the range between the
    /// quartiles above the upper one.
    pub outliers: usize,
    /// Bytes of all values alive at the worst moment, inputs included.
    pub peak_bytes: u64,
}

/// Times several DAGs over the same inputs, given by the name and value of each. The DAGs take turns, so that a
/// busy machine disturbs them alike.
///
/// # Errors
/// When a DAG cannot be evaluated, an input has no value, or `cancel` is called.
pub fn time_dags(
    dags: &[&Dag],
    inputs: &[(String, Value)],
    planning: &Planning,
    options: &TimingOptions,
    cancel: &Cancel,
) -> Result<Vec<Timing>, EvalError> {
    let inputs = dags
        .iter()
        .map(|dag| inputs_of(dag, inputs))
        .collect::<Result<Vec<_>, _>>()?;
    let mut sides = vec![Runs::default(); dags.len()];
    let mut peaks = vec![0_u64; dags.len()];
    let budget = Duration::try_from_secs_f64(options.budget_seconds).unwrap_or(Duration::MAX);
    let _pool = BufferPool::start();
    let planner = Planner::new(planning);
    let least = Duration::try_from_secs_f64(options.least_seconds).unwrap_or(Duration::MAX);
    let start = Instant::now();
    for round in 0.. {
        let counted = round >= options.warm_up;
        let runs = round.saturating_sub(options.warm_up);
        let is_known = || {
            let mut sides = sides.iter();
            let so_far = start.elapsed();
            let mut is_precise = || sides.all(|side| side.precision() <= options.precision);
            so_far >= budget || (so_far >= least && is_precise())
        };
        let enough = runs >= options.at_least.max(1) && is_known();
        if counted && (enough || runs >= options.at_most.max(1)) {
            break;
        }
        for (side, dag) in dags.iter().enumerate() {
            let began = Instant::now();
            let evaluated = planner.eval(dag, &inputs[side], cancel, &mut |_, _| ())?;
            let took = began.elapsed().as_secs_f64();
            peaks[side] = peaks[side].max(evaluated.peak_bytes);
            if counted {
                sides[side].add(took);
            }
        }
    }
    let all = sides.iter().zip(peaks);
    Ok(all.map(|(side, peak)| side.summary(peak)).collect())
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

/// The seconds of one side's runs, the shortest first.
#[derive(Clone, Debug, Default)]
struct Runs(Vec<f64>);

impl Runs {
    fn add(&mut self, seconds: f64) {
        let at = self.0.partition_point(|known| *known <= seconds);
        self.0.insert(at, seconds);
    }

    /// The value below which a share of the runs lies.
    fn quantile(&self, share: f64) -> f64 {
        let place = share * self.0.len().saturating_sub(1) as f64;
        let (below, above) = (place.floor() as usize, place.ceil() as usize);
        match (self.0.get(below), self.0.get(above)) {
            (Some(low), Some(high)) => low + (high - low) * place.fract(),
            _ => f64::NAN,
        }
    }

    /// The places of two runs between which the median lies with a confidence of 95 %, whatever the distribution of
    /// times: how many of `n` independent runs fall below it is binomial with one half.
    fn interval(&self) -> (usize, usize) {
        const EACH_SIDE: f64 = 0.025;
        /// From so many runs on the normal distribution is as good, and one half to that power too small a number.
        const MANY: usize = 1000;
        let n = self.0.len();
        if n > MANY {
            let low = (n as f64 / 2.0 - 0.98 * (n as f64).sqrt()) as usize;
            return (low, n - 1 - low);
        }
        // The probability that exactly `k` runs lie below the median, and that at most so many do.
        let mut exactly = 0.5_f64.powi(i32::try_from(n).unwrap_or(i32::MAX));
        let mut at_most = exactly;
        let mut low = 0;
        while at_most <= EACH_SIDE && low + 1 < n.div_ceil(2) {
            exactly *= (n - low) as f64 / (low + 1) as f64;
            at_most += exactly;
            if at_most <= EACH_SIDE {
                low += 1;
            }
        }
        (low, n.saturating_sub(1 + low))
    }

    /// Half the width of the median's interval over the median.
    fn precision(&self) -> f64 {
        /// Fewer runs give no interval of the confidence that is asked for.
        const LEAST: usize = 6;
        let (low, high) = self.interval();
        match (self.0.get(low), self.0.get(high)) {
            (Some(low), Some(high)) if self.0.len() >= LEAST => {
                (high - low) / 2.0 / self.quantile(0.5)
            }
            _ => f64::INFINITY,
        }
    }

    fn summary(&self, peak_bytes: u64) -> Timing {
        const OUTER_FENCE: f64 = 3.0;
        let ms = |at: usize| self.0.get(at).copied().unwrap_or(f64::NAN) * 1e3;
        let (low, high) = self.interval();
        let (lower, upper) = (self.quantile(0.25), self.quantile(0.75));
        let fence = upper + OUTER_FENCE * (upper - lower);
        Timing {
            ms_median: self.quantile(0.5) * 1e3,
            ms_low: ms(low),
            ms_high: ms(high),
            ms_min: ms(0),
            ms_max: ms(self.0.len().saturating_sub(1)),
            runs: self.0.len(),
            outliers: self.0.iter().filter(|seconds| **seconds > fence).count(),
            peak_bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use sumac_la::{Op, Type};

    use super::*;
    use crate::matrix::Matrix;

    fn runs(seconds: impl IntoIterator<Item = f64>) -> Runs {
        let mut runs = Runs::default();
        seconds.into_iter().for_each(|seconds| runs.add(seconds));
        runs
    }

    #[test]
    fn the_summary_of_known_runs_is_known() {
        let t = runs([0.003, 0.001, 0.010, 0.002]).summary(7);
        assert_eq!(
            (t.ms_median, t.ms_min, t.ms_max, t.runs, t.peak_bytes),
            (2.5, 1.0, 10.0, 4, 7)
        );
        assert_eq!((t.ms_low, t.ms_high), (1.0, 10.0), "too few to be sure");
        assert_eq!(runs([0.003, 0.001, 0.002]).summary(0).ms_median, 2.0);
        assert!(runs([]).summary(0).ms_median.is_nan());
    }

    #[test]
    fn the_interval_is_the_one_of_the_sign_test() {
        // From tables of confidence intervals of a median at 95 %: the ranks of its ends, from 1.
        for (n, low, high) in [
            (6, 1, 6),
            (9, 2, 8),
            (20, 6, 15),
            (50, 18, 33),
            (100, 40, 61),
            (2000, 957, 1044),
        ] {
            let interval = runs((0..n).map(f64::from)).interval();
            assert_eq!(interval, (low - 1, high - 1), "{n} runs");
        }
    }

    #[test]
    fn the_interval_covers_the_median_of_skewed_times_about_as_often_as_it_says() {
        use rand::{RngExt, SeedableRng};
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(7);
        let trials = 4_000;
        let covered = (0..trials).filter(|_| {
            // Exponential times: the median is ln 2.
            let times = (0..31).map(|_| -(1.0 - random.random::<f64>()).ln());
            let t = runs(times).summary(0);
            t.ms_low <= 1e3 * 2_f64.ln() && 1e3 * 2_f64.ln() <= t.ms_high
        });
        let share = covered.count() as f64 / f64::from(trials);
        assert!((0.95..0.98).contains(&share), "{share}");
    }

    #[test]
    fn runs_that_were_disturbed_are_counted() {
        let calm = (0..40).map(|i| 1.0 + f64::from(i) * 1e-3);
        assert_eq!(runs(calm.clone()).summary(0).outliers, 0);
        assert_eq!(runs(calm.chain([1.5, 9.0])).summary(0).outliers, 2);
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
            precision: 0.0,
            ..TimingOptions::default()
        };
        let timings = time_dags(
            &[&dag, &dag],
            &inputs,
            &Planning::default(),
            &options,
            &Cancel::default(),
        )
        .unwrap();
        assert_eq!(
            timings.iter().map(|t| t.runs).collect::<Vec<_>>(),
            vec![7, 7]
        );
        assert_eq!(timings[0].peak_bytes, 20 * 30 * 8 + 8);
        let runs_with = |options: &TimingOptions| {
            time_dags(
                &[&dag],
                &inputs,
                &Planning::default(),
                options,
                &Cancel::default(),
            )
            .unwrap()[0]
                .runs
        };
        let no_time = TimingOptions {
            budget_seconds: 0.0,
            ..options
        };
        assert_eq!(runs_with(&no_time), 5);
        let easily_pleased = TimingOptions {
            at_most: 1000,
            least_seconds: 0.0,
            budget_seconds: 60.0,
            precision: f64::MAX,
            ..options
        };
        assert_eq!(
            runs_with(&easily_pleased),
            6,
            "as soon as there is an interval"
        );
        let for_a_while = TimingOptions {
            least_seconds: 0.05,
            at_most: usize::MAX,
            ..easily_pleased
        };
        assert!(
            runs_with(&for_a_while) > 100,
            "quick runs go on for a while"
        );
    }

    #[test]
    fn a_cancelled_timing_and_a_missing_input_say_so() {
        let mut dag = Dag::default();
        let x = dag.input("X", Type::matrix(2, 2));
        dag.push_root(x);
        let cancel = Cancel::default();
        let missing = time_dags(
            &[&dag],
            &[],
            &Planning::default(),
            &TimingOptions::default(),
            &cancel,
        )
        .unwrap_err();
        assert!(missing.to_string().contains("`X`"), "{missing}");
        cancel.cancel();
        let inputs = vec![("X".to_owned(), Value::Double(1.0))];
        assert_eq!(
            time_dags(
                &[&dag],
                &inputs,
                &Planning::default(),
                &TimingOptions::default(),
                &cancel
            ),
            Err(EvalError::Cancelled)
        );
    }
}
