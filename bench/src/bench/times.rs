//! Measured times and what is said of them: the median, and the figure that few exceed.

use std::fmt;
use std::time::Duration;

/// Times in milliseconds, the shortest first.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Times(Vec<f64>);

impl Times {
    /// Sorts times.
    pub(crate) fn new(times: impl IntoIterator<Item = Duration>) -> Self {
        Self::of_ms(times.into_iter().map(|time| time.as_secs_f64() * 1e3))
    }

    /// Sorts figures in milliseconds.
    pub(crate) fn of_ms(times: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = times.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        Times(sorted)
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The median in milliseconds; not a number without times.
    pub(crate) fn median(&self) -> f64 {
        let n = self.0.len();
        if n == 0 {
            return f64::NAN;
        }
        f64::midpoint(self.0[(n - 1) / 2], self.0[n / 2])
    }

    /// The smallest time that `percent` of a hundred do not exceed; not a number without times.
    pub(crate) fn percentile(&self, percent: usize) -> f64 {
        let rank = (self.0.len() * percent).div_ceil(100).max(1);
        self.0.get(rank - 1).copied().unwrap_or(f64::NAN)
    }

    /// The longest; not a number without times.
    pub(crate) fn longest(&self) -> f64 {
        self.percentile(100)
    }

    /// All of both.
    pub(crate) fn and(&self, other: &Times) -> Times {
        Times::of_ms(self.0.iter().chain(&other.0).copied())
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "median {:.1} ms, p99 {:.1} ms, fastest {:.1} ms, slowest {:.1} ms, n = {}",
            self.median(),
            self.percentile(99),
            self.percentile(0),
            self.longest(),
            self.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_and_percentile_of_few_figures() {
        assert_eq!(Times::of_ms([7.0]).median(), 7.0);
        assert_eq!(Times::of_ms([10.0, 1.0, 3.0, 2.0]).median(), 2.5);
        assert_eq!(Times::of_ms([7.0]).percentile(99), 7.0);
        let hundreds = Times::of_ms((1..=200).map(f64::from));
        assert_eq!(hundreds.percentile(99), 198.0);
        assert_eq!(hundreds.longest(), 200.0);
        assert!(Times::default().median().is_nan());
        // A bar that nothing was measured for never holds.
        assert!(Times::default().percentile(99).is_nan());
    }
}
