//! Random matrices as SystemDS draws them from a seed: the same seed gives the same cells here and there.
//!
//! The matrix is cut into blocks of 1000 x 1000. The seed feeds one generator that gives each block, row of blocks by
//! row of blocks, a seed of its own; a block draws its values from one stream and the places of its non-zeros from
//! another. So blocks are drawn side by side, and the number of threads changes nothing.

use rayon::prelude::*;

use crate::error::OpError;
use crate::kernels::generate::{check_addressable, fill};
use crate::kernels::java_random::{JavaRandom, Well1024a};
use crate::matrix::{CsrBuilder, Matrix, prefers_sparse};
use crate::memory;

/// Rows and columns of a block.
const BLOCK: usize = 1000;

/// How the non-zero cells are distributed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Pdf {
    /// Evenly between two bounds.
    Uniform {
        /// Lower bound.
        min: f64,
        /// Upper bound.
        max: f64,
    },
    /// Mean 0, variance 1.
    Normal,
    /// Whole numbers with this mean.
    Poisson {
        /// The mean, above zero.
        mean: f64,
    },
}

/// A matrix that is a function of its arguments alone; about a share `sparsity` of its cells is drawn, the others are 0.
///
/// # Errors
/// When the sparsity is not between 0 and 1, an argument of the distribution does not fit, or there are too many cells.
pub fn seeded(
    rows: usize,
    cols: usize,
    pdf: Pdf,
    sparsity: f64,
    seed: i64,
) -> Result<Matrix, OpError> {
    check(pdf, sparsity)?;
    if sparsity == 0.0 {
        return fill(0.0, rows, cols);
    }
    if let Pdf::Uniform { min, max } = pdf {
        if min == 0.0 && max == 0.0 {
            return fill(0.0, rows, cols);
        }
        if sparsity == 1.0 && (min == max || min.is_nan() && max.is_nan()) {
            return fill(min, rows, cols);
        }
    }
    let nnz = (sparsity * rows as f64 * cols as f64).ceil();
    let is_sparse = sparsity < 1.0 && prefers_sparse(rows, cols, nnz as usize);
    if !is_sparse {
        check_addressable("rand", rows, cols)?;
    }
    let across = cols.div_ceil(BLOCK);
    let mut well = block_seeds(seed);
    let mut seeds = || -> Vec<i64> { (0..across).map(|_| well.next_long()).collect() };
    let bands: Vec<(usize, Vec<i64>)> = (0..rows.div_ceil(BLOCK)).map(|b| (b, seeds())).collect();
    let block = |band: usize, across: usize, seed: i64| Block {
        rows: (rows - band * BLOCK).min(BLOCK),
        cols: (cols - across * BLOCK).min(BLOCK),
        pdf,
        sparsity,
        seed,
    };
    if is_sparse {
        let draw_band = |(band, seeds): (usize, Vec<i64>)| {
            let rows = (rows - band * BLOCK).min(BLOCK);
            let expected = sparsity * rows as f64 * cols as f64;
            let mut cells = memory::with_room(expected as usize);
            for (at, seed) in seeds.into_iter().enumerate() {
                block(band, at, seed).draw(|row, col, value| {
                    if value != 0.0 {
                        cells.push((row as u32, (at * BLOCK + col) as u32, value));
                    }
                });
            }
            CsrBuilder::of_cells(rows, cols, &cells)
        };
        let parts: Vec<CsrBuilder> = bands.into_par_iter().map(draw_band).collect();
        return Ok(Matrix::from(CsrBuilder::joined(cols, &parts)).settled());
    }
    let mut cells = memory::zeroed(rows * cols);
    if cols > 0 {
        cells
            .par_chunks_mut(BLOCK * cols)
            .zip(bands)
            .for_each(|(part, (band, seeds))| {
                for (at, seed) in seeds.into_iter().enumerate() {
                    block(band, at, seed).draw(|row, col, value| {
                        part[row * cols + at * BLOCK + col] = value;
                    });
                }
            });
    }
    let m = Matrix::dense(rows, cols, cells);
    Ok(if sparsity < 1.0 { m.settled() } else { m })
}

fn check(pdf: Pdf, sparsity: f64) -> Result<(), OpError> {
    let text = crate::format::number;
    if !(0.0..=1.0).contains(&sparsity) {
        return Err(OpError::argument(
            "rand",
            "sparsity between 0 and 1",
            text(sparsity),
        ));
    }
    match pdf {
        Pdf::Uniform { min, max } if min > max || (max - min).is_infinite() => {
            let found = format!("min={}, max={}", text(min), text(max));
            Err(OpError::argument(
                "rand",
                "finite bounds, min not above max",
                found,
            ))
        }
        Pdf::Poisson { mean } if !(mean > 0.0 && mean.is_finite()) => Err(OpError::argument(
            "rand",
            "lambda above zero for pdf \"poisson\"",
            text(mean),
        )),
        _ => Ok(()),
    }
}

/// The generator of the blocks' seeds.
fn block_seeds(seed: i64) -> Well1024a {
    let mut random = JavaRandom::new(seed);
    Well1024a::new(std::array::from_fn(|_| random.next_int() as u32))
}

/// `size` numbers of `1..=range`, with or without repetition, as a column.
///
/// # Errors
/// When more numbers are asked for than there are, or the range is empty.
pub fn sample(range: i64, size: usize, replace: bool, seed: i64) -> Result<Matrix, OpError> {
    if range < 1 || i32::try_from(range).is_err() && !replace {
        return Err(OpError::argument(
            "sample",
            "a range from 1 to 2147483647",
            range,
        ));
    }
    if !replace && size as i64 > range {
        let found = format!("{size} of {range}");
        return Err(OpError::argument(
            "sample",
            "at most as many numbers as there are, unless they may repeat (TRUE as third argument)",
            found,
        ));
    }
    check_addressable("sample", size, 1)?;
    let mut random = JavaRandom::new(seed);
    if replace {
        let cells = (0..size).map(|_| 1.0 + below(&mut random, range) as f64);
        return Ok(Matrix::dense(size, 1, cells.collect()));
    }
    // A reservoir (Vitter, ACM TOMS 11(1), 1985), then shuffled.
    let mut cells: Vec<f64> = (1..=size).map(|i| i as f64).collect();
    let bound = i32::try_from(size).unwrap_or(i32::MAX);
    if size > 0 {
        for number in bound + 1..=range as i32 {
            if random.next_below(number) < bound {
                cells[random.next_below(bound) as usize] = f64::from(number);
            }
        }
    }
    for i in 0..bound - 1 {
        let j = random.next_below(bound - i) + i;
        cells.swap(i as usize, j as usize);
    }
    Ok(Matrix::dense(size, 1, cells))
}

fn below(random: &mut JavaRandom, bound: i64) -> i64 {
    loop {
        let bits = random.next_long() & i64::MAX;
        let value = bits % bound;
        if bits.wrapping_sub(value).wrapping_add(bound - 1) >= 0 {
            return value;
        }
    }
}

/// One block of the matrix.
struct Block {
    rows: usize,
    cols: usize,
    pdf: Pdf,
    sparsity: f64,
    seed: i64,
}

impl Block {
    /// Calls `put(row, column, value)` for each cell that is drawn, row by row.
    fn draw(&self, mut put: impl FnMut(usize, usize, f64)) {
        let mut values = Values::new(self.pdf, self.seed);
        // The places need a stream of their own, or they would follow the values. The cast keeps within 64 bits.
        let mut places = JavaRandom::new((values.draw() * i64::MAX as f64) as i64);
        let (min, range) = match self.pdf {
            Pdf::Uniform { min, max } => (min, max - min),
            Pdf::Normal | Pdf::Poisson { .. } => (0.0, 1.0),
        };
        let mut value = || min + range * values.draw();
        if self.sparsity == 1.0 {
            for row in 0..self.rows {
                for col in 0..self.cols {
                    put(row, col, value());
                }
            }
        } else if self.is_sparse() {
            // Gaps between non-zeros are geometric.
            let keep = (1.0 - self.sparsity).ln();
            if keep == 0.0 {
                // So few that there is none.
                return;
            }
            let cells = self.rows * self.cols;
            let mut at = 0_usize;
            while at < cells {
                let gap = (places.next_double().ln() / keep).ceil();
                at = at.saturating_add(gap as usize);
                if at > cells {
                    break;
                }
                // A gap of nothing in front of the first cell: there is no such place.
                let Some(place) = at.checked_sub(1) else {
                    continue;
                };
                put(place / self.cols, place % self.cols, value());
            }
        } else {
            for row in 0..self.rows {
                for col in 0..self.cols {
                    if places.next_double() <= self.sparsity {
                        put(row, col, value());
                    }
                }
            }
        }
    }

    /// Whether SystemDS would keep the block sparse, which decides how it is drawn: below the share of non-zeros where
    /// it turns sparse, and smaller so in a Java machine's memory.
    fn is_sparse(&self) -> bool {
        let (rows, cols) = (self.rows as f64, self.cols as f64);
        let share = (self.sparsity * rows * cols).floor() / rows / cols;
        if share >= crate::matrix::SPARSE_BELOW || self.cols < 2 {
            return false;
        }
        // References and headers of a block, of an array, and of a row, in bytes.
        const ARRAY: f64 = 32.0;
        let dense = 64.0 + ARRAY + 8.0 * rows * cols;
        let nnz = (share * rows * cols).ceil();
        let used = rows.min(nnz);
        let per_row = (nnz / used.max(1.0)).max(4.0);
        let sparse = 16.0 + ARRAY + 8.0 * rows + used * (24.0 + 2.0 * ARRAY + 12.0 * per_row);
        nnz == 0.0 || sparse < dense
    }
}

/// A block's stream of values.
enum Values {
    Uniform(JavaRandom),
    /// With the second number of a pair, until it is asked for.
    Normal(JavaRandom, Option<f64>),
    Poisson(Well1024a, f64),
}

impl Values {
    fn new(pdf: Pdf, seed: i64) -> Values {
        match pdf {
            Pdf::Uniform { .. } => Values::Uniform(JavaRandom::new(seed)),
            Pdf::Normal => Values::Normal(JavaRandom::new(seed), None),
            Pdf::Poisson { mean } => Values::Poisson(Well1024a::from_seed(seed), mean),
        }
    }

    fn draw(&mut self) -> f64 {
        match self {
            Values::Uniform(random) => random.next_double(),
            // Box and Muller, Annals of Mathematical Statistics 29(2), 1958.
            Values::Normal(random, second) => second.take().unwrap_or_else(|| {
                let radius = (-2.0 * random.next_double().ln()).sqrt();
                let angle = std::f64::consts::TAU * random.next_double();
                *second = Some(radius * angle.sin());
                radius * angle.cos()
            }),
            Values::Poisson(random, mean) => poisson(random, *mean),
        }
    }
}

/// As many uniform factors as it takes to fall below exp(-mean) (Knuth, TAOCP 2, 3.4.1). Means from 40 on are drawn in
/// parts, since sums of such numbers are distributed so again, and far greater ones as what they are near to: normal.
/// There SystemDS draws other numbers of the same distribution.
fn poisson(random: &mut Well1024a, mean: f64) -> f64 {
    const PART: f64 = 20.0;
    if mean > 1e6 {
        let radius = (-2.0 * (1.0 - random.next_double()).ln()).sqrt();
        let normal = radius * (std::f64::consts::TAU * random.next_double()).cos();
        return (mean + mean.sqrt() * normal).round().max(0.0);
    }
    let mut rest = mean;
    let mut total = 0.0;
    while rest >= 2.0 * PART {
        total += small_poisson(random, PART);
        rest -= PART;
    }
    total + small_poisson(random, rest)
}

fn small_poisson(random: &mut Well1024a, mean: f64) -> f64 {
    let least = (-mean).exp();
    let mut product = 1.0;
    let mut count = 0.0;
    loop {
        product *= random.next_double();
        if product < least || count >= 1000.0 * mean {
            return count;
        }
        count += 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Pdf = Pdf::Uniform { min: 0.0, max: 1.0 };

    // Expected cells are what SystemDS 3.4.0 prints for the same calls.

    #[test]
    fn a_seed_gives_the_cells_of_systemds() {
        let m = seeded(3, 3, UNIT, 1.0, 7).unwrap();
        assert_eq!(m.get(0, 0), 0.453_243_533_222_922_77);
        assert_eq!(m.get(2, 2), 0.407_373_903_216_179_17);
    }

    #[test]
    fn other_shapes_and_shares_are_functions_of_their_arguments_and_settle() {
        let pdfs = [
            UNIT,
            Pdf::Uniform {
                min: -2.0,
                max: -1.0,
            },
            Pdf::Normal,
            Pdf::Poisson { mean: 3.0 },
            Pdf::Poisson { mean: 90.0 },
        ];
        for pdf in pdfs {
            for (rows, cols) in [(0, 3), (3, 0), (1, 1), (1, 7), (2100, 3), (3, 2100)] {
                for share in [0.0, 0.01, 0.5, 1.0] {
                    let m = seeded(rows, cols, pdf, share, -3).unwrap();
                    assert_eq!(m.shape(), (rows, cols));
                    assert_eq!(m, seeded(rows, cols, pdf, share, -3).unwrap());
                    assert_eq!(
                        m.is_sparse(),
                        prefers_sparse(rows, cols, m.nnz()),
                        "{pdf:?} {share}"
                    );
                    if m.len() > 6000 && !matches!(pdf, Pdf::Poisson { mean: 3.0 }) {
                        assert!(
                            (m.sparsity() - share).abs() < 0.05,
                            "{} of {share}",
                            m.sparsity()
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn means_are_those_asked_for() {
        for (pdf, mean, apart) in [
            (Pdf::Uniform { min: 2.0, max: 4.0 }, 3.0, 0.02),
            (Pdf::Normal, 0.0, 0.03),
            (Pdf::Poisson { mean: 3.0 }, 3.0, 0.05),
            (Pdf::Poisson { mean: 90.0 }, 90.0, 0.3),
            (Pdf::Poisson { mean: 1e8 }, 1e8, 300.0),
        ] {
            let cells = seeded(100, 100, pdf, 1.0, 5).unwrap().to_cells();
            let seen = cells.iter().sum::<f64>() / 1e4;
            assert!((seen - mean).abs() < apart, "{pdf:?}: {seen}");
        }
    }

    #[test]
    fn samples_without_repetition_hold_each_number_once() {
        for (range, size) in [(1, 0), (1, 1), (10, 10), (1000, 30)] {
            let mut cells = sample(range, size, false, 4).unwrap().to_cells();
            cells.sort_by(f64::total_cmp);
            cells.dedup();
            assert_eq!(cells.len(), size);
            assert!(cells.iter().all(|&x| x >= 1.0 && x <= range as f64));
        }
        let many = sample(3, 100, true, 4).unwrap().to_cells();
        assert!(many.iter().all(|&x| (1.0..=3.0).contains(&x)));
        assert!(
            sample(3, 4, false, 4)
                .unwrap_err()
                .to_string()
                .contains("4 of 3")
        );
        assert!(sample(0, 1, true, 4).is_err());
    }

    #[test]
    fn impossible_requests_are_refused_with_a_reason() {
        for (pdf, share, words) in [
            (UNIT, 1.5, "between 0 and 1"),
            (UNIT, f64::NAN, "between 0 and 1"),
            (Pdf::Uniform { min: 2.0, max: 1.0 }, 1.0, "min=2, max=1"),
            (Pdf::Poisson { mean: 0.0 }, 1.0, "lambda above zero"),
        ] {
            let error = seeded(2, 2, pdf, share, 1).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        assert!(seeded(1 << 40, 1 << 40, UNIT, 1.0, 1).is_err());
    }
}
