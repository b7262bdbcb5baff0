//! Compressed matrices against plain ones: every encoding, every operator that has a way of its own, and some that have none.

mod operators;
mod round_trips;

use sumac_runtime::Matrix;
use sumac_runtime::compressed::{Compressed, Encoding, GroupPlan};

pub(crate) const ENCODINGS: [Option<Encoding>; 5] = [
    Some(Encoding::Dictionary),
    Some(Encoding::Offsets),
    Some(Encoding::Runs),
    Some(Encoding::Uncompressed),
    None,
];

/// A generator of numbers that need not be good.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Numbers {
        Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end
    }
}

/// Which cells a matrix has beside small quarters.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Beside {
    Nothing,
    NaN,
    Infinity,
}

/// Cells of few values, in runs here and there: the share of zeros differs from column to column.
pub(crate) fn matrix(
    seed: u64,
    rows: usize,
    cols: usize,
    beside: Beside,
    is_sparse: bool,
) -> Matrix {
    let mut numbers = Numbers::new(seed);
    let mut cells = vec![0.0; rows * cols];
    for col in 0..cols {
        let kinds = 1 + numbers.below(9);
        let zeros = numbers.below(10);
        let repeat = 1 + numbers.below(4) * numbers.below(30);
        let mut now = 0.0;
        for row in 0..rows {
            if numbers.below(repeat) == 0 {
                now = match numbers.below(10) {
                    x if x < zeros => 0.0,
                    _ => numbers.below(kinds) as f64 / 4.0 - 1.0,
                };
            }
            cells[row * cols + col] = now;
        }
    }
    if !cells.is_empty() {
        let at = numbers.below(cells.len());
        cells[at] = match beside {
            Beside::Nothing => -0.0,
            Beside::NaN => f64::NAN,
            Beside::Infinity => f64::NEG_INFINITY,
        };
    }
    let dense = Matrix::dense(rows, cols, cells);
    if is_sparse { dense.to_sparse() } else { dense }
}

/// Columns by turns in groups of one, two and three.
pub(crate) fn grouped(cols: usize, encoding: Option<Encoding>) -> Vec<GroupPlan> {
    let mut groups = vec![Vec::new(); cols.div_ceil(2)];
    let count = groups.len();
    for col in 0..cols {
        groups[col * 5 % 7 % count].push(col as u32);
    }
    let groups = groups.into_iter().filter(|cols| !cols.is_empty());
    groups.map(|cols| GroupPlan { cols, encoding }).collect()
}

pub(crate) fn compressed(m: &Matrix, encoding: Option<Encoding>) -> Matrix {
    Matrix::from(Compressed::new(m, &grouped(m.cols(), encoding)))
}

pub(crate) fn bits(m: &Matrix) -> Vec<u64> {
    m.to_cells().iter().map(|x| x.to_bits()).collect()
}

/// Equal shapes, and cells within `tolerance` of the magnitude; NaN where NaN is.
pub(crate) fn assert_near(found: &Matrix, expected: &Matrix, magnitude: f64, what: &str) {
    assert_eq!(found.shape(), expected.shape(), "{what}");
    for (i, (a, b)) in found.to_cells().iter().zip(expected.to_cells()).enumerate() {
        let is_same = *a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-12 * magnitude;
        assert!(is_same, "{what}, cell {i}: {a} for {b}");
    }
}
