//! Programs whose results are folded as they come: all cells, each row, or each column. Several programs over the same
//! inputs take one pass. The number of threads never changes a result.

use sumac_la::Op;

use super::run::{Run, share_fetching};
use super::tasks::Wanted;
use super::{Cells, Program, Source, TILE, checked_len};
use crate::kernels::parallel::{for_rows, map_ranges};
use crate::kernels::scalar;
use crate::kernels::simd::{self, Pairwise};
use crate::memory;

/// What is done with cells.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fold {
    /// They are added.
    Sum,
    /// The smallest stays; NaN if there is one.
    Min,
    /// The largest stays; NaN if there is one.
    Max,
}

impl Fold {
    /// What an aggregate does with cells; a mean is a sum that is divided afterwards.
    #[must_use]
    pub fn of(op: Op) -> Option<Fold> {
        Some(match op {
            Op::Sum | Op::RowSums | Op::ColSums | Op::Mean | Op::RowMeans | Op::ColMeans => {
                Fold::Sum
            }
            Op::Min | Op::RowMins | Op::ColMins => Fold::Min,
            Op::Max | Op::RowMaxs | Op::ColMaxs => Fold::Max,
            _ => return None,
        })
    }

    /// The fold of no cells.
    #[must_use]
    pub fn start(self) -> f64 {
        match self {
            Fold::Sum => 0.0,
            Fold::Min => f64::INFINITY,
            Fold::Max => f64::NEG_INFINITY,
        }
    }

    /// The fold of two folds.
    #[must_use]
    pub fn join(self, a: f64, b: f64) -> f64 {
        match self {
            Fold::Sum => a + b,
            Fold::Min => scalar::min(a, b),
            Fold::Max => scalar::max(a, b),
        }
    }

    /// What a run gives for it.
    fn wanted(self) -> Wanted {
        match self {
            Fold::Sum => Wanted::Sums,
            Fold::Min | Fold::Max => Wanted::Cells,
        }
    }

    /// The fold of some cells.
    #[must_use]
    pub fn cells(self, cells: &[f64]) -> f64 {
        match self {
            Fold::Sum => simd::sum(cells),
            Fold::Min => simd::min(cells),
            Fold::Max => simd::max(cells),
        }
    }

    /// The fold of each row of `cols` cells, 0 of rows without cells.
    pub(crate) fn each_row(self, rows: &[f64], cols: usize, folded: &mut [f64]) {
        match self {
            Fold::Sum => simd::row_sums(rows, cols, folded),
            Fold::Min => simd::row_mins(rows, cols, folded),
            Fold::Max => simd::row_maxs(rows, cols, folded),
        }
    }

    /// Takes rows of as many cells as `folded` has into the folds of their columns.
    pub(crate) fn rows(self, rows: &[f64], folded: &mut [f64]) {
        match self {
            Fold::Sum => simd::add_rows(rows, folded),
            Fold::Min => simd::min_rows(rows, folded),
            Fold::Max => simd::max_rows(rows, folded),
        }
    }
}

/// All cells' results of each program, folded.
///
/// # Panics
/// As [`cells`](super::cells), of any of the programs.
#[must_use]
pub fn folds(programs: &[(&Program, Fold)], inputs: &[Cells<'_>]) -> Vec<f64> {
    let Some((first, _)) = programs.first() else {
        return Vec::new();
    };
    let len = checked_len(first, inputs);
    let work = programs.iter().map(|(p, _)| p.work()).sum();
    let parts = map_ranges(len, work, usize::MAX, |range| {
        let mut runs: Vec<Run<'_>> = programs
            .iter()
            .map(|(program, fold)| Run::new(program, inputs, fold.wanted()))
            .collect();
        share_fetching(&mut runs, inputs);
        let mut sums = vec![Pairwise::default(); programs.len()];
        let mut others: Vec<f64> = programs.iter().map(|(_, fold)| fold.start()).collect();
        let tile = runs.iter().map(Run::tile_len).min().unwrap_or(TILE);
        let loops = loops(&runs, programs);
        for start in range.clone().step_by(tile) {
            let count = tile.min(range.end - start);
            for &(i, factors) in &loops {
                runs[i].tile(start, count);
                let fold = programs[i].1;
                if let Some(factors) = factors {
                    let both = runs[i].last_sums(&runs[i + 1], factors);
                    (sums[i..].iter_mut().zip(both)).for_each(|(sum, x)| sum.add(x));
                } else if fold == Fold::Sum {
                    sums[i].add(runs[i].last_sum());
                } else {
                    others[i] = fold.join(others[i], runs[i].last_fold(fold));
                }
            }
        }
        let of = |i: usize| match programs[i].1 {
            Fold::Sum => sums[i].total(),
            Fold::Min | Fold::Max => others[i],
        };
        (0..programs.len()).map(of).collect::<Vec<f64>>()
    });
    (0..programs.len())
        .map(|i| {
            let of_parts: Vec<f64> = parts.iter().map(|part| part[i]).collect();
            programs[i].1.cells(&of_parts)
        })
        .collect()
}

/// The runs that have loops of their own, by their numbers; one that sums products takes the next one into its loop where the two have a
/// common factor, given here.
fn loops(runs: &[Run<'_>], programs: &[(&Program, Fold)]) -> Vec<(usize, Option<[Source; 3]>)> {
    let mut loops = Vec::new();
    let mut next = 0;
    while next < runs.len() {
        let both = (runs[next..].iter().zip(&programs[next..])).take(2);
        let common = match both.collect::<Vec<_>>()[..] {
            [(run, (_, Fold::Sum)), (other, (_, Fold::Sum))] => run.common_factor(other),
            _ => None,
        };
        loops.push((next, common));
        next += if common.is_some() { 2 } else { 1 };
    }
    loops
}

/// The fold of each row's results, for rows of `cols` cells.
///
/// # Panics
/// As [`cells`](super::cells).
#[must_use]
pub fn fold_rows(program: &Program, inputs: &[Cells<'_>], cols: usize, fold: Fold) -> Vec<f64> {
    let len = checked_len(program, inputs);
    let rows = len.checked_div(cols).unwrap_or(0);
    let mut out = memory::for_overwriting(rows);
    let wanted = if cols <= TILE {
        Wanted::Cells
    } else {
        fold.wanted()
    };
    for_rows(&mut out, 1, program.work() * cols, |first, part| {
        let mut run = Run::new(program, inputs, wanted);
        if cols <= TILE {
            // Several rows make a tile.
            let most = TILE / cols.max(1);
            let mut results = vec![0.0; TILE];
            for (i, some) in part.chunks_mut(most).enumerate() {
                let results = &mut results[..some.len() * cols];
                run.tile((first + i * most) * cols, results.len());
                run.last_into(results);
                fold.each_row(results, cols, some);
            }
            return;
        }
        for (i, to) in part.iter_mut().enumerate() {
            let start = (first + i) * cols;
            let tile = run.tile_len();
            let mut tiles = Vec::with_capacity(cols.div_ceil(tile));
            for at in (0..cols).step_by(tile) {
                let count = tile.min(cols - at);
                run.tile(start + at, count);
                tiles.push(match fold {
                    Fold::Sum => run.last_sum(),
                    Fold::Min | Fold::Max => run.last_fold(fold),
                });
            }
            *to = fold.cells(&tiles);
        }
    });
    out
}

/// The fold of each column's results, for rows of `cols` cells.
///
/// # Panics
/// As [`cells`](super::cells).
#[must_use]
pub fn fold_cols(program: &Program, inputs: &[Cells<'_>], cols: usize, fold: Fold) -> Vec<f64> {
    /// Parts that have results of their own.
    const MOST: usize = 16;
    let len = checked_len(program, inputs);
    let rows = len.checked_div(cols).unwrap_or(0);
    let parts = map_ranges(rows, program.work() * cols, MOST, |range| {
        let mut run = Run::new(program, inputs, Wanted::Cells);
        let mut results = vec![0.0; TILE];
        let mut folded = memory::filled(cols, fold.start());
        let most = (TILE / cols.max(1)).max(1);
        for first in range.clone().step_by(most) {
            let some = most.min(range.end - first);
            if cols <= TILE {
                let results = &mut results[..some * cols];
                run.tile(first * cols, results.len());
                run.last_into(results);
                fold.rows(results, &mut folded);
                continue;
            }
            for at in (0..cols).step_by(TILE) {
                let results = &mut results[..TILE.min(cols - at)];
                run.tile(first * cols + at, results.len());
                run.last_into(results);
                let end = at + results.len();
                fold.rows(results, &mut folded[at..end]);
            }
        }
        folded
    });
    let mut total = memory::filled(cols, fold.start());
    for part in parts {
        fold.rows(&part, &mut total);
    }
    total
}
