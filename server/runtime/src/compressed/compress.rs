//! Compression by a given grouping: the distinct tuples of each group are numbered, and the rows laid out in the form that
//! takes the fewest bytes, or in the one that is asked for.
//!
//! Two cells are the same where their bits are, so what is decompressed is what was compressed, the sign of a zero included.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::group::{Coded, Encoding, Group};
use super::rows::{Extent, Form, MOST_TUPLES, Rows, runs};
use super::{Compressed, GroupPlan, key, of_key};
use crate::matrix::{Csr, CsrBuilder, Matrix, View};

/// Cells that are gone through at once: they stay in a core's cache while each group reads its columns.
const TILE_CELLS: usize = 1 << 15;

/// Columns whose groups go through the matrix together: a cache line of a row.
const TOGETHER: usize = 8;

/// The matrix in groups of columns.
///
/// # Panics
/// When a column is in no group, or in several.
pub(super) fn compress(m: &Matrix, plan: &[GroupPlan]) -> Compressed {
    let (rows, cols) = m.shape();
    let mut all: Vec<u32> = plan.iter().flat_map(|group| group.cols.clone()).collect();
    all.sort_unstable();
    assert!(
        all.iter().copied().eq(0..cols as u32),
        "each column is in one group"
    );
    let (plain, coded): (Vec<&GroupPlan>, Vec<&GroupPlan>) = plan
        .iter()
        .partition(|group| group.encoding == Some(Encoding::Uncompressed));
    let source = match m.view() {
        View::Dense(cells) => Source::Dense(cells, cols),
        View::Sparse(csr) => Source::Sparse(csr.transpose()),
    };
    let mut bundles: Vec<Vec<&GroupPlan>> = vec![Vec::new()];
    for group in coded {
        let last = bundles.len() - 1;
        let there: usize = bundles[last].iter().map(|group| group.cols.len()).sum();
        if there > 0 && there + group.cols.len() > TOGETHER {
            bundles.push(vec![group]);
        } else {
            bundles[last].push(group);
        }
    }
    let found: Vec<Result<Group, Vec<u32>>> = bundles
        .into_par_iter()
        .flat_map_iter(|bundle| encode(&source, (rows, cols), &bundle))
        .collect();
    let mut left: Vec<u32> = plain.iter().flat_map(|group| group.cols.clone()).collect();
    let mut groups = Vec::with_capacity(found.len());
    for group in found {
        match group {
            Ok(group) => groups.push(group),
            Err(cols) => left.extend(cols),
        }
    }
    if !left.is_empty() {
        left.sort_unstable();
        let matrix = source.columns(rows, &left, m.is_sparse());
        groups.push(Group::Plain(left.into(), Arc::new(matrix)));
    }
    groups.sort_by_key(|group| group.cols().first().copied());
    Compressed {
        rows,
        cols,
        sparse: m.is_sparse(),
        groups,
    }
}

/// Where columns are read from.
enum Source<'a> {
    /// Cells row after row, and how many a row has.
    Dense(&'a [f64], usize),
    /// The transpose: a row for each column.
    Sparse(Csr),
}

impl Source<'_> {
    /// A column's cells in some rows.
    fn column(&self, col: usize, rows: Range<usize>, out: &mut [f64]) {
        match self {
            Source::Dense(cells, cols) => {
                let cells = cells[rows.start * cols..rows.end * cols].chunks_exact(*cols);
                out.iter_mut()
                    .zip(cells)
                    .for_each(|(to, row)| *to = row[col]);
            }
            Source::Sparse(transposed) => {
                out.fill(0.0);
                let (at, values) = transposed.row(col);
                let from = at.partition_point(|row| (*row as usize) < rows.start);
                let to = at.partition_point(|row| (*row as usize) < rows.end);
                for (row, value) in at[from..to].iter().zip(&values[from..to]) {
                    out[*row as usize - rows.start] = *value;
                }
            }
        }
    }

    /// A matrix of some columns.
    fn columns(&self, rows: usize, cols: &[u32], is_sparse: bool) -> Matrix {
        match self {
            Source::Dense(cells, width) if !is_sparse => {
                let of_row = |row: &[f64]| -> Vec<f64> {
                    cols.iter().map(|col| row[*col as usize]).collect()
                };
                Matrix::dense(
                    rows,
                    cols.len(),
                    cells.chunks_exact(*width).flat_map(of_row).collect(),
                )
            }
            Source::Sparse(transposed) => {
                let mut out = CsrBuilder::new(cols.len(), transposed.cols(), transposed.nnz());
                for col in cols {
                    let (at, values) = transposed.row(*col as usize);
                    for (row, value) in at.iter().zip(values) {
                        out.push(*row as usize, *value);
                    }
                    out.end_row();
                }
                Matrix::from(out.finish().transpose())
            }
            Source::Dense(..) => unreachable!("a matrix is read as it is stored"),
        }
    }
}

/// Encodes some groups in one pass over the matrix; the columns of one that has too many tuples come back.
fn encode(
    source: &Source<'_>,
    (rows, cols): (usize, usize),
    groups: &[&GroupPlan],
) -> Vec<Result<Group, Vec<u32>>> {
    let tile = (TILE_CELLS / cols.max(1)).max(64);
    let mut encoders: Vec<Option<Encoder>> = groups
        .iter()
        .map(|group| Some(Encoder::new(group.cols.len(), rows)))
        .collect();
    let mut cells = vec![0.0; tile];
    for first in (0..rows).step_by(tile) {
        let range = first..(first + tile).min(rows);
        for (group, slot) in groups.iter().zip(&mut encoders) {
            let Some(encoder) = slot else { continue };
            encoder.begin(range.len());
            let fits = group.cols.iter().enumerate().all(|(level, col)| {
                let cells = &mut cells[..range.len()];
                source.column(*col as usize, range.clone(), cells);
                encoder.levels[level].number(cells, &mut encoder.now)
            });
            if fits {
                encoder.ids.extend(encoder.now.iter().map(|id| *id as u16));
            } else {
                *slot = None;
            }
        }
    }
    let finished = groups.iter().zip(encoders);
    finished
        .map(|(group, encoder)| match encoder {
            Some(encoder) => Ok(Group::Coded(encoder.finish(group))),
            None => Err(group.cols.clone()),
        })
        .collect()
}

/// Numbers the tuples of a group: each column refines the numbers of the columns before it.
struct Encoder {
    levels: Vec<Level>,
    /// The numbers of this tile's rows so far.
    now: Vec<u32>,
    /// The numbers of the rows that are done.
    ids: Vec<u16>,
}

impl Encoder {
    fn new(width: usize, rows: usize) -> Encoder {
        Encoder {
            levels: (0..width).map(|_| Level::default()).collect(),
            now: Vec::new(),
            ids: Vec::with_capacity(rows),
        }
    }

    fn begin(&mut self, rows: usize) {
        self.now.clear();
        self.now.resize(rows, 0);
    }

    fn finish(mut self, plan: &GroupPlan) -> Coded {
        let tuples = self.levels.last().map_or(0, |level| level.nodes.len());
        let mut counts = vec![0_u64; tuples];
        self.ids.iter().for_each(|id| counts[usize::from(*id)] += 1);
        // The most frequent tuple is the last one, which lists leave out. Of equally frequent ones the first is meant.
        let rest = (0..tuples).rev().max_by_key(|id| counts[*id]).unwrap_or(0);
        let last = tuples.saturating_sub(1);
        let extent = Extent {
            rows: self.ids.len() as f64,
            tuples: tuples as f64,
            listed: self.ids.len() as f64 - counts.get(rest).map_or(0.0, |count| *count as f64),
            runs: runs(&self.ids, rest as u16) as f64,
        };
        let form = match plan.encoding {
            Some(Encoding::Offsets) => Form::Offsets,
            Some(Encoding::Runs) => Form::Runs,
            Some(Encoding::Dictionary) => Form::Codes,
            Some(Encoding::Uncompressed) | None => extent.smallest(),
        };
        let mut values: Vec<f64> = (0..tuples).flat_map(|id| self.tuple(id)).collect();
        if form != Form::Codes && rest != last {
            let swapped = |id: usize| match id {
                id if id == rest => last,
                id if id == last => rest,
                id => id,
            };
            self.ids
                .iter_mut()
                .for_each(|id| *id = swapped(usize::from(*id)) as u16);
            counts.swap(rest, last);
            let width = plan.cols.len();
            (0..width).for_each(|j| values.swap(rest * width + j, last * width + j));
        }
        Coded {
            cols: plan.cols.clone().into(),
            values,
            counts: counts.into(),
            rows: Arc::new(Rows::of(&self.ids, tuples, form)),
        }
    }

    /// The values of a tuple.
    fn tuple(&self, id: usize) -> Vec<f64> {
        let mut id = id as u32;
        let mut values: Vec<f64> = self
            .levels
            .iter()
            .rev()
            .map(|level| {
                let (before, bits) = level.nodes[id as usize];
                id = before;
                of_key(bits)
            })
            .collect();
        values.reverse();
        values
    }
}

/// The numbers of what stands in some first columns: by the number of what stands before, and the key of the last one.
#[derive(Default)]
struct Level {
    /// What was numbered, in this order.
    nodes: Vec<(u32, u64)>,
    numbers: FxHashMap<(u32, u64), u32>,
}

impl Level {
    /// Numbers each row by its number so far and its cell. Says whether all numbers are below [`MOST_TUPLES`].
    fn number(&mut self, cells: &[f64], ids: &mut [u32]) -> bool {
        // Rows often repeat the one before.
        let mut latest = (u32::MAX, 0_u64, 0_u32);
        for (cell, id) in cells.iter().zip(ids) {
            let bits = key(*cell);
            if (latest.0, latest.1) != (*id, bits) {
                latest = (*id, bits, self.find(*id, bits));
            }
            *id = latest.2;
        }
        self.nodes.len() <= MOST_TUPLES
    }

    fn find(&mut self, before: u32, bits: u64) -> u32 {
        let node = (before, bits);
        *self.numbers.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        })
    }
}
