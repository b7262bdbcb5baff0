//! A sample of the rows of a matrix: for each column, or several, which sampled rows have the same values.
//!
//! Each sampled row comes with the one below, so that runs can be counted. The sample is the same for the same matrix, and its
//! rows are spread over all of it.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::distinct::distinct;
use super::group::Encoding;
use super::key;
use super::rows::{Extent, Form};
use crate::matrix::{Matrix, View};

/// Rows that are sampled: a hundredth, within these bounds.
const LEAST: usize = 2048;
const MOST: usize = 4096;

/// What sampled rows have in some columns.
#[derive(Clone, Debug)]
pub(super) struct Coded {
    /// The number of what each sampled row has, and then of what each row below has.
    pub(super) ids: Vec<u32>,
    /// How many numbers there are.
    pub(super) tuples: usize,
}

/// The sampled rows.
#[derive(Debug)]
pub(super) struct Sample {
    /// Rows of the matrix.
    rows: usize,
    /// How many are sampled, without those below them.
    sampled: usize,
    pub(super) columns: Vec<Coded>,
}

/// What is expected of some columns.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Expected {
    pub(super) extent: Extent,
    /// Bytes in the smallest encoding, and which one that is.
    pub(super) bytes: f64,
    pub(super) encoding: Encoding,
}

impl Sample {
    /// Of a matrix with rows.
    pub(super) fn of(m: &Matrix) -> Sample {
        let rows = m.rows();
        let sampled = (rows / 100).clamp(LEAST, MOST).min(rows);
        let step = rows / sampled;
        let place = |i: usize| {
            // Somewhere in each of equal parts, so that no period of the data is met.
            let mixed = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            i * step + ((mixed ^ mixed >> 29) as usize) % step
        };
        let chosen: Vec<usize> = (0..sampled).map(place).collect();
        let below = chosen.iter().map(|row| (row + 1).min(rows - 1));
        let all: Vec<usize> = chosen.iter().copied().chain(below).collect();
        let mut known: Vec<FxHashMap<u64, u32>> = vec![FxHashMap::default(); m.cols()];
        let mut columns: Vec<Vec<u32>> = vec![Vec::with_capacity(all.len()); m.cols()];
        let mut line = vec![0.0; m.cols()];
        for row in all {
            let cells = match m.view() {
                View::Dense(cells) => &cells[row * m.cols()..][..m.cols()],
                View::Sparse(csr) => {
                    line.fill(0.0);
                    let (at, values) = csr.row(row);
                    at.iter()
                        .zip(values)
                        .for_each(|(col, x)| line[*col as usize] = *x);
                    &line
                }
            };
            for ((x, known), ids) in cells.iter().zip(&mut known).zip(&mut columns) {
                let next = known.len() as u32;
                ids.push(*known.entry(key(*x)).or_insert(next));
            }
        }
        let coded = |(ids, known): (Vec<u32>, FxHashMap<u64, u32>)| Coded {
            ids,
            tuples: known.len(),
        };
        Sample {
            rows,
            sampled,
            columns: columns.into_iter().zip(known).map(coded).collect(),
        }
    }

    /// What is expected of columns whose sampled rows have these tuples, of `width` values each. `plain` is what a column takes
    /// as it is.
    pub(super) fn expected(&self, coded: &Coded, width: usize, plain: f64) -> Expected {
        let (first, below) = coded.ids.split_at(self.sampled);
        let mut counts = vec![0_u64; coded.tuples];
        first.iter().for_each(|id| counts[*id as usize] += 1);
        let rest = (0..coded.tuples).max_by_key(|id| counts[*id]).unwrap_or(0);
        let most = counts.get(rest).map_or(0, |count| *count);
        let begins = |(a, b): &(&u32, &u32)| a != b && **b as usize != rest;
        let begun = first.iter().zip(below).filter(begins).count();
        let frequencies: Vec<u64> = counts.into_iter().filter(|count| *count > 0).collect();
        let tuples = distinct(&frequencies, self.rows).max(coded.tuples as f64);
        let of_all = self.rows as f64 / self.sampled as f64;
        let listed = (self.sampled as u64 - most) as f64 * of_all;
        let extent = Extent {
            rows: self.rows as f64,
            tuples,
            listed,
            // A tuple without a run is none.
            runs: (begun as f64 * of_all).clamp((tuples - 1.0).min(listed), listed),
        };
        let form = extent.smallest();
        let coded_bytes =
            extent.bytes(form) + tuples * 8.0 * (width as f64 + 1.0) + 4.0 * width as f64;
        let plain_bytes = plain * width as f64;
        let encoding = match form {
            _ if coded_bytes >= plain_bytes => Encoding::Uncompressed,
            Form::Codes => Encoding::Dictionary,
            Form::Offsets => Encoding::Offsets,
            Form::Runs => Encoding::Runs,
        };
        Expected {
            extent,
            bytes: coded_bytes.min(plain_bytes),
            encoding,
        }
    }
}

impl Coded {
    /// The same of the columns of both.
    pub(super) fn with(&self, other: &Coded) -> Coded {
        let mut known: FxHashMap<u64, u32> = FxHashMap::default();
        let ids = self
            .ids
            .iter()
            .zip(&other.ids)
            .map(|(a, b)| {
                let next = known.len() as u32;
                match known.entry(u64::from(*a) << 32 | u64::from(*b)) {
                    Entry::Occupied(there) => *there.get(),
                    Entry::Vacant(free) => *free.insert(next),
                }
            })
            .collect();
        Coded {
            ids,
            tuples: known.len(),
        }
    }

    /// How many tuples the first rows have of both, at most `limit + 1`.
    pub(super) fn tuples_with(&self, other: &Coded, rows: usize, limit: usize) -> usize {
        let mut known = rustc_hash::FxHashSet::default();
        for (a, b) in self.ids.iter().zip(&other.ids).take(rows) {
            known.insert(u64::from(*a) << 32 | u64::from(*b));
            if known.len() > limit {
                break;
            }
        }
        known.len()
    }
}
