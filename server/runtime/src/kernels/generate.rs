//! Matrices from nothing: constants, sequences, random cells.
//!
//! Random matrices are a function of their seed alone. Sparse ones are drawn in time and memory proportional to
//! their non-zeros.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::error::OpError;
use crate::matrix::{CsrBuilder, Matrix, prefers_sparse};
use crate::memory;

/// How random cells are distributed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Distribution {
    /// Evenly between two bounds.
    Uniform {
        /// Lower bound.
        min: f64,
        /// Upper bound.
        max: f64,
    },
    /// Mean 0, variance 1.
    Normal,
}

/// A size given as a number. A fraction is cut off, as in SystemDS: `matrix(0, rows=nrow(X)/2, cols=1)`.
///
/// # Errors
/// When it is negative or not a number, or no size can be that large.
pub fn size(op: &str, what: &str, value: f64) -> Result<usize, OpError> {
    if (0.0..=2f64.powi(52)).contains(&value) {
        Ok((value + f64::EPSILON / 2.0) as usize)
    } else {
        let found = crate::format::number(value);
        Err(OpError::argument(
            op,
            format!("{what} to be a number from 0"),
            found,
        ))
    }
}

/// Refuses shapes whose dense cells cannot be addressed.
///
/// # Errors
/// When `rows * cols * 8` bytes exceed what a process can address.
pub fn check_addressable(op: &str, rows: usize, cols: usize) -> Result<(), OpError> {
    match rows
        .checked_mul(cols)
        .and_then(|cells| cells.checked_mul(8))
    {
        Some(bytes) if bytes <= isize::MAX as usize => Ok(()),
        _ => Err(OpError::TooLarge {
            op: op.to_owned(),
            rows: rows.to_string(),
            cols: cols.to_string(),
        }),
    }
}

/// All cells equal.
///
/// # Errors
/// When there are more cells than can be addressed.
pub fn fill(value: f64, rows: usize, cols: usize) -> Result<Matrix, OpError> {
    if value != 0.0 || !prefers_sparse(rows, cols, 0) {
        check_addressable("matrix", rows, cols)?;
    }
    Ok(Matrix::fill(rows, cols, value))
}

/// The column `from, from + by, …` as far as `to`.
///
/// # Errors
/// When `by` is zero, leads away from `to`, or an argument is not a number.
pub fn seq(from: f64, to: f64, by: f64) -> Result<Matrix, OpError> {
    let steps = (to - from) / by;
    if !steps.is_finite() || steps < 0.0 {
        let text = |x| crate::format::number(x);
        let found = format!("seq({}, {}, {})", text(from), text(to), text(by));
        return Err(OpError::argument(
            "seq",
            "an increment that leads from the first value to the last",
            found,
        ));
    }
    // As SystemDS counts: the quotients apart, and one more where rounding alone left the last value out.
    let steps = (to / by - from / by).floor();
    let beyond = from + (steps + 1.0) * by;
    let reaches = if by > 0.0 { beyond <= to } else { beyond >= to };
    let count = steps + 1.0 + f64::from(u8::from(reaches));
    if count > 2f64.powi(48) {
        return Err(OpError::TooLarge {
            op: "seq".to_owned(),
            rows: count.to_string(),
            cols: "1".to_owned(),
        });
    }
    let count = count as usize;
    // Each value is the one before and the increment, with the rounding that this brings, as in SystemDS.
    let mut next = from;
    let cells = (0..count).map(|_| {
        let here = next;
        next += by;
        here
    });
    Ok(Matrix::dense(count, 1, cells.collect()))
}

/// Random cells, of which a share `sparsity` is not zero.
///
/// # Errors
/// When the sparsity is not between 0 and 1, the bounds are not ordered, or there are too many cells.
pub fn random(
    rows: usize,
    cols: usize,
    distribution: Distribution,
    sparsity: f64,
    seed: u64,
) -> Result<Matrix, OpError> {
    if !(0.0..=1.0).contains(&sparsity) {
        return Err(OpError::argument(
            "rand",
            "sparsity between 0 and 1",
            crate::format::number(sparsity),
        ));
    }
    if let Distribution::Uniform { min, max } = distribution
        && (min > max || !(max - min).is_finite())
    {
        let found = format!(
            "min={}, max={}",
            crate::format::number(min),
            crate::format::number(max)
        );
        return Err(OpError::argument(
            "rand",
            "finite bounds, min not above max",
            found,
        ));
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let expected = sparsity * rows as f64 * cols as f64;
    if cols > 1
        && prefers_sparse(rows, cols, expected as usize)
        && sparsity < crate::matrix::SPARSE_BELOW
    {
        let mut out = CsrBuilder::new(rows, cols, expected as usize);
        // Gaps between non-zeros are geometric, so that only the non-zeros cost a draw.
        let log_keep = (-sparsity).ln_1p();
        let total = rows as f64 * cols as f64;
        let mut at = -1.0_f64;
        loop {
            at += 1.0 + (uniform(&mut rng).ln() / log_keep).floor();
            // Without non-zeros the first gap is infinite.
            if sparsity == 0.0 || at >= total {
                break;
            }
            let position = at as u128;
            let (row, col) = (
                (position / cols as u128) as usize,
                (position % cols as u128) as usize,
            );
            out.end_rows_before(row);
            out.push(col, draw_non_zero(distribution, &mut rng));
        }
        return Ok(Matrix::from(out.finish()));
    }
    check_addressable("rand", rows, cols)?;
    let mut cells = memory::zeroed(rows * cols);
    for cell in &mut cells {
        if sparsity >= 1.0 || rng.random::<f64>() < sparsity {
            *cell = draw(distribution, &mut rng);
        }
    }
    Ok(Matrix::dense(rows, cols, cells).settled())
}

/// Evenly in (0, 1].
fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    1.0 - rng.random::<f64>()
}

fn draw(distribution: Distribution, rng: &mut ChaCha8Rng) -> f64 {
    match distribution {
        Distribution::Uniform { min, max } => min + (max - min) * rng.random::<f64>(),
        // Box and Muller, Annals of Mathematical Statistics 29(2), 1958; one of the pair is used.
        Distribution::Normal => {
            let radius = (-2.0 * uniform(rng).ln()).sqrt();
            radius * (std::f64::consts::TAU * rng.random::<f64>()).cos()
        }
    }
}

pub(super) fn draw_non_zero(distribution: Distribution, rng: &mut ChaCha8Rng) -> f64 {
    // Zero has probability 2^-53 unless both bounds are zero: a few attempts settle it either way.
    (0..8)
        .map(|_| draw(distribution, rng))
        .find(|&x| x != 0.0)
        .unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Distribution = Distribution::Uniform { min: 0.0, max: 1.0 };

    #[test]
    fn random_matrices_depend_on_the_seed_alone_and_have_the_sparsity_asked_for() {
        for sparsity in [0.0, 0.001, 0.1, 0.7, 1.0] {
            let m = random(300, 200, UNIT, sparsity, 7).unwrap();
            assert_eq!(m, random(300, 200, UNIT, sparsity, 7).unwrap());
            assert!(
                (m.sparsity() - sparsity).abs() < 0.01,
                "{} for {sparsity}",
                m.sparsity()
            );
            assert_eq!(m.is_sparse(), sparsity < 0.4);
        }
        assert_ne!(
            random(3, 3, UNIT, 1.0, 1).unwrap(),
            random(3, 3, UNIT, 1.0, 2).unwrap()
        );
    }

    #[test]
    fn a_huge_sparse_matrix_costs_its_non_zeros_only() {
        let m = random(1_000_000, 1_000_000, UNIT, 1e-9, 1).unwrap();
        assert!((500..1500).contains(&m.nnz()), "{}", m.nnz());
        let cols: Vec<f64> = m.to_csr().iter().map(|(_, c, _)| c as f64).collect();
        let mean = cols.iter().sum::<f64>() / cols.len() as f64;
        assert!(
            (mean - 5e5).abs() < 5e4,
            "columns are spread evenly: {mean}"
        );
    }

    #[test]
    fn normal_cells_have_mean_zero_and_variance_one() {
        let m = random(200, 200, Distribution::Normal, 1.0, 3)
            .unwrap()
            .to_cells();
        let mean = m.iter().sum::<f64>() / m.len() as f64;
        let variance = m.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / m.len() as f64;
        assert!(
            mean.abs() < 0.02 && (variance - 1.0).abs() < 0.03,
            "{mean} {variance}"
        );
    }

    #[test]
    fn sequences_reach_their_end_and_refuse_to_walk_away_from_it() {
        assert_eq!(seq(1.0, 10.0, 4.0).unwrap().to_cells(), vec![1.0, 5.0, 9.0]);
        assert_eq!(seq(5.0, 4.0, -0.5).unwrap().to_cells(), vec![5.0, 4.5, 4.0]);
        assert_eq!(seq(0.0, 1.0, 0.1).unwrap().rows(), 11);
        assert!(seq(1.0, 2.0, -1.0).is_err());
        assert!(seq(1.0, 2.0, 0.0).is_err());
        assert!(seq(f64::NAN, 2.0, 1.0).is_err());
    }

    #[test]
    fn impossible_requests_are_refused_with_a_reason() {
        assert!(
            random(2, 2, UNIT, 1.5, 1)
                .unwrap_err()
                .to_string()
                .contains("between 0 and 1")
        );
        let wrong = Distribution::Uniform { min: 2.0, max: 1.0 };
        assert!(
            random(2, 2, wrong, 1.0, 1)
                .unwrap_err()
                .to_string()
                .contains("min=2, max=1")
        );
        assert!(
            fill(1.0, 1 << 40, 1 << 40)
                .unwrap_err()
                .to_string()
                .contains("more than can be addressed")
        );
        assert!(size("matrix", "rows", -1.0).is_err() && size("matrix", "rows", f64::NAN).is_err());
        assert_eq!(size("matrix", "rows", 1.5).unwrap(), 1);
    }
}
