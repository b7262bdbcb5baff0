//! How long something takes: warm-up first, then the median of some runs.

use std::time::{Duration, Instant};

/// Runs that are timed at least, and at most.
const RUNS: (usize, usize) = (5, 200);

/// Times of some runs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Times {
    /// The one in the middle, in milliseconds.
    pub median: f64,
    /// The shortest, in milliseconds.
    pub least: f64,
    /// The longest, in milliseconds.
    pub most: f64,
    /// How many.
    pub runs: usize,
}

impl Times {
    /// Of runs in milliseconds; `None` if there is none.
    #[must_use]
    pub fn of(mut times: Vec<f64>) -> Option<Self> {
        times.sort_by(f64::total_cmp);
        let middle = times.get(times.len() / 2)?;
        let before = times[(times.len() - 1) / 2];
        Some(Times {
            median: f64::midpoint(before, *middle),
            least: *times.first()?,
            most: *times.last()?,
            runs: times.len(),
        })
    }
}

/// Runs once without the clock, and then at least [`RUNS`] times, until the budget is used up. A run that takes all of it is the
/// only one.
///
/// # Errors
/// The first error of a run.
pub fn measure(
    budget: Duration,
    run: &mut dyn FnMut() -> Result<(), String>,
) -> Result<Times, String> {
    let start = Instant::now();
    run()?;
    let first = start.elapsed();
    let mut times = Vec::new();
    if first >= budget {
        times.push(first.as_secs_f64() * 1e3);
    }
    while times.len() < RUNS.1
        && first < budget
        && (times.len() < RUNS.0 || start.elapsed() < budget)
    {
        let begin = Instant::now();
        run()?;
        times.push(begin.elapsed().as_secs_f64() * 1e3);
        if start.elapsed() >= 2 * budget {
            break;
        }
    }
    Times::of(times).ok_or_else(|| "nothing was timed".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        let times = Times::of(vec![3.0, 1.0, 2.0, 10.0]).unwrap();
        assert_eq!((times.median, times.least, times.most), (2.5, 1.0, 10.0));
        assert_eq!(Times::of(Vec::new()), None);
    }

    #[test]
    fn the_first_run_does_not_count_unless_it_takes_all_the_time() {
        let mut ran = 0;
        let mut count = || {
            ran += 1;
            Ok(())
        };
        let times = measure(Duration::from_millis(1), &mut count).unwrap();
        assert!(times.runs >= RUNS.0);
        assert_eq!(ran, times.runs + 1);
        let times = measure(Duration::ZERO, &mut || Ok(())).unwrap();
        assert_eq!(times.runs, 1);
        assert!(measure(Duration::ZERO, &mut || Err("no".to_owned())).is_err());
    }
}
