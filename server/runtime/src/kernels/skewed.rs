//! Sparse matrices as data has them: a few rows and columns hold most of the non-zeros.
//!
//! A function of the seed alone, in time and memory proportional to rows, columns and non-zeros.

use std::collections::BTreeSet;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::generate::{self, Distribution};
use crate::error::OpError;
use crate::matrix::{CsrBuilder, Matrix};

/// Random cells of which a share `sparsity` is not zero. How many non-zeros the n-th fullest row has falls as 1/n
/// (Zipf's law), and likewise how often a row has the n-th most frequent column; which rows and columns these are is
/// random.
///
/// # Errors
/// As [`generate::random`].
pub fn power_law(
    rows: usize,
    cols: usize,
    distribution: Distribution,
    sparsity: f64,
    seed: u64,
) -> Result<Matrix, OpError> {
    let is_sparse = sparsity > 0.0 && sparsity < crate::matrix::SPARSE_BELOW;
    if !is_sparse || rows == 0 || cols < 2 {
        return generate::random(rows, cols, distribution, sparsity, seed);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut ranks: Vec<usize> = (1..=rows).collect();
    ranks.shuffle(&mut rng);
    let mut places: Vec<usize> = (0..cols).collect();
    places.shuffle(&mut rng);
    let wanted = sparsity * rows as f64 * cols as f64;
    let scale = scale(rows, cols, wanted);
    let mut out = CsrBuilder::new(rows, cols, wanted as usize);
    for rank in ranks {
        let count = (scale / rank as f64).min(cols as f64);
        // What is left of a row counts on average.
        let surely = count.floor();
        let more = rng.random::<f64>() < count - surely;
        for col in columns(surely as usize + usize::from(more), &places, &mut rng) {
            out.push(col, generate::draw_non_zero(distribution, &mut rng));
        }
        out.end_row();
    }
    Ok(Matrix::from(out.finish()))
}

/// The `s` for which rows of `min(cols, s / rank)` non-zeros hold as many as are wanted.
fn scale(rows: usize, cols: usize, wanted: f64) -> f64 {
    let held = |scale: f64| -> f64 {
        let row = |rank: usize| (scale / rank as f64).min(cols as f64);
        (1..=rows).map(row).sum()
    };
    let (mut low, mut high) = (0.0, rows as f64 * cols as f64);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if held(middle) < wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// So many different columns, ascending; the first of `places` are drawn most often.
fn columns(count: usize, places: &[usize], rng: &mut ChaCha8Rng) -> BTreeSet<usize> {
    /// Draws for each column that is wanted: frequent columns come again and again.
    const DRAWS: usize = 4;
    let cols = places.len();
    let mut found = BTreeSet::new();
    for _ in 0..DRAWS * count {
        if found.len() == count {
            return found;
        }
        // Evenly in the logarithm: the n-th place with a probability that falls as 1/n.
        let rank = (cols as f64).powf(rng.random::<f64>()) as usize;
        found.insert(places[rank.clamp(1, cols) - 1]);
    }
    // The rest from the front: these would come next.
    let rest = places.iter().copied();
    for place in rest {
        if found.len() == count {
            break;
        }
        found.insert(place);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Distribution = Distribution::Uniform { min: 0.0, max: 1.0 };

    #[test]
    fn few_rows_and_columns_hold_most_and_the_whole_has_the_sparsity_asked_for() {
        let m = power_law(2000, 1000, UNIT, 0.01, 5).unwrap();
        assert_eq!(m, power_law(2000, 1000, UNIT, 0.01, 5).unwrap());
        assert_ne!(m, power_law(2000, 1000, UNIT, 0.01, 6).unwrap());
        assert!(
            m.is_sparse() && (m.sparsity() - 0.01).abs() < 5e-4,
            "{}",
            m.sparsity()
        );
        let csr = m.to_csr();
        for counts in [
            (0..2000)
                .map(|row| csr.row(row).0.len())
                .collect::<Vec<_>>(),
            (0..1000)
                .map(|col| csr.iter().filter(|cell| cell.1 == col).count())
                .collect(),
        ] {
            let mut counts = counts;
            counts.sort_unstable_by(|a, b| b.cmp(a));
            let top: usize = counts[..counts.len() / 10].iter().sum();
            // Evenly spread it would be a tenth.
            assert!(top as f64 > 0.4 * m.nnz() as f64, "{top} of {}", m.nnz());
            assert!(counts[0] > 5 * counts[counts.len() / 4].max(1));
        }
    }

    #[test]
    fn every_shape_and_sparsity_is_met() {
        for (rows, cols) in [(0, 5), (5, 0), (1, 1), (1, 300), (300, 1), (7, 40)] {
            for sparsity in [0.0, 0.05, 0.3, 0.9, 1.0] {
                let m = power_law(rows, cols, UNIT, sparsity, 1).unwrap();
                assert_eq!(m.shape(), (rows, cols));
                let off = (m.nnz() as f64 - sparsity * (rows * cols) as f64).abs();
                assert!(
                    off <= 6.0 + 0.3 * (rows * cols) as f64,
                    "{rows} x {cols}: {off}"
                );
            }
        }
        assert!(power_law(3, 3, UNIT, 1.5, 1).is_err());
    }
}
