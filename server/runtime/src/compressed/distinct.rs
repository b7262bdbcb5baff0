//! How many distinct values a column has, by those of a sample of it.
//!
//! The hybrid estimator of Haas and Stokes, "Estimating the number of classes in a finite population" (JASA 93, 1998, section 6),
//! which Elgohary et al. (PVLDB 9(12), 2016, section 4) use, too: a jackknife of second order, without the classes that the
//! sample has very often where these differ much, and Shlosser's estimator where they differ extremely.

/// Squared coefficients of variation from which the next estimator is meant.
const UNEVEN: f64 = 0.9;
const EXTREME: f64 = 30.0;

/// A class that a sample has more often is known, and left out where classes differ much.
const OFTEN: u64 = 50;

/// Distinct values of `rows` rows of which a sample has each value so often: one number for each distinct value, none of
/// them zero. At least as many as the sample has, at most the other rows more.
#[must_use]
pub(super) fn distinct(frequencies: &[u64], rows: usize) -> f64 {
    let sampled: u64 = frequencies.iter().sum();
    let seen = frequencies.len() as f64;
    if sampled == 0 || sampled >= rows as u64 {
        return seen;
    }
    let share = sampled as f64 / rows as f64;
    let whole = Classes::of(frequencies, rows as f64, share);
    let variation = whole.variation(whole.first_order());
    let estimated = if variation < UNEVEN {
        whole.second_order(variation)
    } else if variation < EXTREME {
        let often: Vec<u64> = frequencies.iter().copied().filter(|f| *f > OFTEN).collect();
        let rare: Vec<u64> = frequencies
            .iter()
            .copied()
            .filter(|f| *f <= OFTEN)
            .collect();
        let known: f64 = often.iter().map(|f| *f as f64 / share).sum();
        let left = (rows as f64 - known).max(rare.iter().sum::<u64>() as f64);
        if rare.is_empty() {
            seen
        } else {
            let rest = Classes::of(&rare, left, share);
            rest.second_order(rest.variation(rest.first_order())) + often.len() as f64
        }
    } else {
        whole.shlosser(frequencies)
    };
    let most = seen + (rows as f64 - sampled as f64);
    if estimated.is_finite() {
        estimated.clamp(seen, most)
    } else {
        most
    }
}

/// What the estimators ask of a sample.
struct Classes {
    /// Values that the sample has, and those that it has once.
    seen: f64,
    once: f64,
    sampled: f64,
    /// The sum of `i (i - 1)` over the classes that it has `i` times.
    pairs: f64,
    rows: f64,
    share: f64,
}

impl Classes {
    fn of(frequencies: &[u64], rows: f64, share: f64) -> Classes {
        let pairs = |f: &u64| (*f * (*f - 1)) as f64;
        Classes {
            seen: frequencies.len() as f64,
            once: frequencies.iter().filter(|f| **f == 1).count() as f64,
            sampled: frequencies.iter().sum::<u64>() as f64,
            pairs: frequencies.iter().map(pairs).sum(),
            rows,
            share,
        }
    }

    /// The share of the rows whose class the sample has, as far as the classes that it has once tell.
    fn coverage(&self) -> f64 {
        1.0 - (1.0 - self.share) * self.once / self.sampled
    }

    /// The unsmoothed jackknife of first order (equation 11).
    fn first_order(&self) -> f64 {
        self.seen / self.coverage()
    }

    /// The squared coefficient of variation of the classes' sizes, if there are `classes` (equation 16).
    fn variation(&self, classes: f64) -> f64 {
        let paired = classes / (self.sampled * self.sampled) * self.pairs;
        (paired + classes / self.rows - 1.0).max(0.0)
    }

    /// The unsmoothed jackknife of second order (equation 18b).
    fn second_order(&self, variation: f64) -> f64 {
        let q = self.share;
        let correction = (1.0 - q) * self.once * (1.0 - q).ln() * variation / q;
        (self.seen - correction) / self.coverage()
    }

    /// Shlosser's estimator of third order (equation 30b).
    fn shlosser(&self, frequencies: &[u64]) -> f64 {
        let q = self.share;
        let (mut above, mut below, mut missed, mut met) = (0.0, 0.0, 0.0, 0.0);
        for f in frequencies {
            let i = *f as f64;
            above += i * q * q * (1.0 - q * q).powf(i - 1.0);
            below += (1.0 - q * q).powf(i) - (1.0 - q).powf(i);
            missed += (1.0 - q).powf(i);
            met += i * q * (1.0 - q).powf(i - 1.0);
        }
        self.seen + self.once * above / below * (missed / met).powi(2)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// The estimate from a sample of rows whose values `draw` gives.
    fn estimated(
        rows: usize,
        sampled: usize,
        mut draw: impl FnMut(&mut ChaCha8Rng) -> u64,
    ) -> (f64, f64) {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let all: Vec<u64> = (0..rows).map(|_| draw(&mut rng)).collect();
        let count = |some: &[u64]| {
            let mut counts = BTreeMap::new();
            some.iter()
                .for_each(|x| *counts.entry(*x).or_insert(0_u64) += 1);
            counts.into_values().collect::<Vec<u64>>()
        };
        // The rows are in no order, so the first ones are a sample like any other.
        (
            distinct(&count(&all[..sampled]), rows),
            count(&all).len() as f64,
        )
    }

    #[test]
    fn estimates_are_near_where_classes_are_alike_and_where_they_are_not() {
        let even = estimated(200_000, 4000, |rng| rng.random_range(0..1000));
        let few = estimated(200_000, 4000, |rng| rng.random_range(0..7));
        let skewed = estimated(200_000, 4000, |rng| {
            (1.0 / rng.random_range(1e-3..1.0_f64)).floor() as u64
        });
        let all = estimated(200_000, 4000, |rng| rng.random::<u64>());
        for (name, (found, truth), factor) in [
            ("even", even, 1.1),
            ("few", few, 1.0),
            ("skewed", skewed, 2.5),
            ("all", all, 1.3),
        ] {
            let off = (found / truth).max(truth / found);
            assert!(off <= factor, "{name}: {found} for {truth}");
        }
    }

    #[test]
    fn a_sample_of_everything_or_of_nothing_is_no_guess() {
        assert_eq!(distinct(&[3, 1, 1], 5), 3.0);
        assert_eq!(distinct(&[], 5), 0.0);
        assert_eq!(distinct(&[1], 1), 1.0);
        assert!(distinct(&[1, 1, 1], 6) <= 6.0, "never more than rows");
        assert!(distinct(&[100_000, 1], 1_000_000) >= 2.0);
    }
}
