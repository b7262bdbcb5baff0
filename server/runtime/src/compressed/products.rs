//! Products of a compressed matrix, or of its transpose, with a few columns.
//!
//! `X %*% V`: each distinct tuple is multiplied once, and each row adds up what its tuples gave. `t(X) %*% W`: the rows of W
//! are added by tuple, and each sum is multiplied once (Elgohary et al., PVLDB 9(12), 2016, section 3.3, with blocks of rows that
//! stay near while the groups take turns). Where that could differ from the product of all cells by more than rounding, nothing is
//! given: not next to infinities, and not where a zero would meet NaN.

use std::borrow::Cow;
use std::ops::Range;

use super::Compressed;
use super::group::{Coded, Group};
use super::rows::{BYTE_TUPLES, List, Rows};
use crate::kernels::matmul::{Factor, matmul};
use crate::kernels::parallel::{for_rows, map_ranges};
use crate::kernels::reorg::transpose;
use crate::kernels::simd;
use crate::matrix::{Matrix, View};
use crate::memory;

/// More columns are a matter of products of dense matrices.
const MOST_COLUMNS: usize = 16;

/// Parts of the rows that have sums of their own.
const PARTS: usize = 16;

/// Sums are spread over so many, for the next row often has the same tuple.
const BANKS: usize = 8;

/// The product of two factors of which one is compressed and the other one narrow; `None` where there is no short way.
/// Each cell is off by at most about `2 * k * 2^-53 * sum |a| |b|` for sums of `k` products.
#[must_use]
pub fn product(a: Factor<'_>, b: Factor<'_>) -> Option<Matrix> {
    let done = match (a.matrix.compressed(), b.matrix.compressed()) {
        (Some(x), _) => x.by(a.transposed, &*narrow(b, false)?, b.matrix.is_sparse())?,
        (None, Some(x)) => {
            // A X = t(t(X) t(A)).
            let done = x.by(!b.transposed, &*narrow(a, true)?, a.matrix.is_sparse())?;
            transpose(&done)
        }
        (None, None) => return None,
    };
    Some(if a.matrix.is_sparse() && b.matrix.is_sparse() {
        done.settled()
    } else {
        done
    })
}

/// The factor as it is meant, or its transpose where that is `transposed`, in dense cells; `None` where it has many columns.
fn narrow(factor: Factor<'_>, transposed: bool) -> Option<Cow<'_, Matrix>> {
    let m = factor.matrix;
    let turns = factor.transposed != transposed;
    let cols = if turns { m.rows() } else { m.cols() };
    if cols > MOST_COLUMNS {
        return None;
    }
    Some(if turns {
        Cow::Owned(transpose(m).to_dense())
    } else if m.is_sparse() || m.compressed().is_some() {
        Cow::Owned(m.to_dense())
    } else {
        Cow::Borrowed(m)
    })
}

fn cells(m: &Matrix) -> &[f64] {
    match m.view() {
        View::Dense(cells) => cells,
        View::Sparse(csr) => csr.values(),
    }
}

impl Compressed {
    /// `X V`, or with the transpose `t(X) V`. Of a sparse V, zeros skip what is beside them.
    fn by(&self, transposed: bool, v: &Matrix, was_sparse: bool) -> Option<Matrix> {
        let is_tame = cells(v).iter().all(|x| x.is_finite());
        let has = |test: fn(f64) -> bool| {
            let mut values = self.groups.iter().flat_map(Group::values);
            values.any(|x| test(*x))
        };
        let is_wild = |x: f64| !x.is_finite();
        if !is_tame || was_sparse && has(is_wild) || transposed && has(f64::is_infinite) {
            return None;
        }
        Some(if transposed {
            self.transposed_times(v)
        } else {
            self.times(v)
        })
    }

    /// `X V` for V of finite cells.
    fn times(&self, v: &Matrix) -> Matrix {
        let (p, v_cells) = (v.cols(), cells(v));
        let mut out = memory::zeroed(self.rows * p);
        let mut coded = Vec::new();
        for group in &self.groups {
            match group {
                Group::Coded(group) => coded.push((group, Table::new(group, v_cells, p))),
                Group::Plain(at, matrix) => {
                    let some = at.iter().flat_map(|col| &v_cells[*col as usize * p..][..p]);
                    let some = Matrix::dense(at.len(), p, some.copied().collect());
                    let done = matmul(Factor::plain(matrix), Factor::plain(&some));
                    let done = done.expect("a row for each column").to_dense();
                    simd::axpy(1.0, cells(&done), &mut out);
                }
            }
        }
        for_rows(&mut out, p, self.work(p), |first, part| {
            let range = first..first + part.len() / p;
            let mut byte_codes = Vec::new();
            for (group, table) in &coded {
                match (&*group.rows, p) {
                    (Rows::Bytes(codes), 1) => {
                        byte_codes.push((&codes[range.clone()], table.bytes()));
                    }
                    _ => add(group, table, range.clone(), p, part),
                }
            }
            add_byte_codes(&byte_codes, part);
        });
        Matrix::dense(self.rows, p, out)
    }

    /// `t(X) W` for W of finite cells, and X without infinities.
    fn transposed_times(&self, w: &Matrix) -> Matrix {
        let (p, w_cells) = (w.cols(), cells(w));
        let mut out = memory::zeroed(self.cols * p);
        let coded: Vec<&Coded> = self
            .groups
            .iter()
            .filter_map(|group| match group {
                Group::Coded(coded) => Some(coded),
                Group::Plain(..) => None,
            })
            .collect();
        // Many tuples have many sums: then few parts have some of their own.
        let tuples: usize = coded.iter().map(|group| group.counts.len()).sum();
        let parts = if tuples < self.rows / 8 { PARTS } else { 2 };
        let parts = map_ranges(self.rows, self.work(p), parts, |range| {
            let rows = &w_cells[range.start * p..range.end * p];
            let of = |group: &&Coded| sums(group, range.clone(), rows, p);
            coded.iter().map(of).collect::<Vec<Vec<f64>>>()
        });
        for (g, group) in coded.iter().enumerate() {
            let mut total = memory::zeroed(group.counts.len() * p);
            for part in &parts {
                simd::axpy(1.0, &part[g], &mut total);
            }
            for (tuple, sums) in group.tuples().zip(total.chunks_exact(p.max(1))) {
                for (col, value) in group.cols.iter().zip(tuple) {
                    simd::axpy(*value, sums, &mut out[*col as usize * p..][..p]);
                }
            }
        }
        for group in &self.groups {
            if let Group::Plain(at, matrix) = group {
                let done = matmul(Factor::transposed(matrix), Factor::plain(w));
                let done = done.expect("a row for each row").to_cells();
                for (col, row) in at.iter().zip(done.chunks_exact(p.max(1))) {
                    simd::axpy(1.0, row, &mut out[*col as usize * p..][..p]);
                }
            }
        }
        Matrix::dense(self.cols, p, out)
    }

    /// Units of work for a row of a product with `p` columns.
    fn work(&self, p: usize) -> usize {
        let of = |group: &Group| match group {
            Group::Coded(coded) => coded.rows.entries() as f64 / self.rows.max(1) as f64,
            Group::Plain(..) => 0.0,
        };
        let entries: f64 = self.groups.iter().map(of).sum();
        (0.4 * entries * p as f64) as usize + 1
    }
}

/// What a group's tuples give in a product: a row for each.
struct Table(Vec<f64>);

impl Table {
    fn new(group: &Coded, v: &[f64], p: usize) -> Table {
        // Codes of one byte find a place whatever they are.
        let places = match &*group.rows {
            Rows::Bytes(_) => BYTE_TUPLES,
            _ => group.counts.len(),
        };
        let mut table = vec![0.0; places * p];
        for (tuple, out) in group.tuples().zip(table.chunks_exact_mut(p.max(1))) {
            for (col, value) in group.cols.iter().zip(tuple) {
                simd::axpy(*value, &v[*col as usize * p..][..p], out);
            }
        }
        Table(table)
    }

    /// A place for each byte.
    fn bytes(&self) -> &[f64; BYTE_TUPLES] {
        self.0
            .first_chunk()
            .expect("a table of byte codes has a place for each byte")
    }

    fn row(&self, tuple: usize, p: usize) -> &[f64] {
        &self.0[tuple * p..][..p]
    }
}

/// Adds what the tuples of some rows give.
fn add(group: &Coded, table: &Table, range: Range<usize>, p: usize, out: &mut [f64]) {
    let plus = |out: &mut [f64], row: &[f64]| {
        for (to, x) in out.iter_mut().zip(row) {
            *to += x;
        }
    };
    if group.rows.has_rest() {
        let rest = table.row(group.last(), p);
        if rest.iter().any(|x| *x != 0.0) {
            // What lists do not name is laid out first: taking it away again would lose digits.
            let mut all: Vec<f64> = rest.repeat(range.len());
            group.rows.each_run(range, |id, run| {
                let row = table.row(id, p);
                for to in all[run.start * p..run.end * p].chunks_exact_mut(p) {
                    to.copy_from_slice(row);
                }
            });
            return plus(out, &all);
        }
    }
    match (&*group.rows, p) {
        (Rows::Offsets(places), 1) => places.each_list(
            range,
            |_| 1,
            |list| {
                let x = table.0[list.tuple];
                for row in list.rows {
                    out[list.place(*row)] += x;
                }
            },
        ),
        (_, 1) => group.rows.each_run(range, |id, run| {
            let x = table.0[id];
            out[run].iter_mut().for_each(|to| *to += x);
        }),
        _ => group.rows.each_run(range, |id, run| {
            let row = table.row(id, p);
            out[run.start * p..run.end * p]
                .chunks_exact_mut(p)
                .for_each(|to| plus(to, row));
        }),
    }
}

/// Adds, for each row, what each code stands for. Four groups at a time read and write the sums a quarter as often.
fn add_byte_codes(groups: &[(&[u8], &[f64; BYTE_TUPLES])], out: &mut [f64]) {
    let fours = groups.chunks_exact(4);
    for (codes, table) in fours.remainder() {
        for (to, code) in out.iter_mut().zip(*codes) {
            *to += table[usize::from(*code)];
        }
    }
    for four in fours {
        let [(a, ta), (b, tb), (c, tc), (d, td)] = four else {
            continue;
        };
        let codes = a.iter().zip(*b).zip(c.iter().zip(*d));
        for (to, ((a, b), (c, d))) in out.iter_mut().zip(codes) {
            let [a, b, c, d] = [a, b, c, d].map(|code| usize::from(*code));
            *to += (ta[a] + tb[b]) + (tc[c] + td[d]);
        }
    }
}

/// For each tuple, the sum of the rows of W that have it, among those of `range`; zeros for one of zeros that has no list.
fn sums(group: &Coded, range: Range<usize>, w: &[f64], p: usize) -> Vec<f64> {
    let mut sums = vec![0.0; group.counts.len() * p];
    let plus = |sums: &mut [f64], id: usize, row: &[f64]| {
        for (sum, x) in sums[id * p..][..p].iter_mut().zip(row) {
            *sum += x;
        }
    };
    match (&*group.rows, p) {
        (Rows::Bytes(codes), 1) => byte_sums(&codes[range.clone()], w, &mut sums),
        (Rows::Bytes(_) | Rows::Shorts(_), _) => {
            group.rows.each_run(range.clone(), |id, run| {
                plus(&mut sums, id, &w[run.start * p..][..p]);
            });
        }
        (Rows::Offsets(places), 1) => places.each_list(
            range.clone(),
            |_| 1,
            |list| sums[list.tuple] += list_sum(list, w),
        ),
        (Rows::Runs(..), 1) => {
            group.rows.each_run(range.clone(), |id, run| {
                sums[id] += match run.len() {
                    1 => w[run.start],
                    _ => simd::sum(&w[run]),
                };
            });
        }
        (Rows::Offsets(_) | Rows::Runs(..), _) => {
            group.rows.each_run(range.clone(), |id, run| {
                for row in w[run.start * p..run.end * p].chunks_exact(p) {
                    plus(&mut sums, id, row);
                }
            });
        }
    }
    if group.rows.has_rest() && group.rest().iter().any(|x| *x != 0.0) {
        // Only the rows that no list names: what is left of the sum of all would have lost digits.
        let mut others = w.to_vec();
        group
            .rows
            .each_run(range, |_, run| others[run.start * p..run.end * p].fill(0.0));
        for row in others.chunks_exact(p) {
            plus(&mut sums, group.last(), row);
        }
    }
    sums
}

/// The sum of the cells of `w` that a list names. Several sums side by side: an addition takes several cycles.
fn list_sum(list: List<'_>, w: &[f64]) -> f64 {
    let mut lanes = [0.0; BANKS];
    let (some, rest) = list.rows.as_chunks::<BANKS>();
    for rows in some {
        for (lane, row) in lanes.iter_mut().zip(rows) {
            *lane += w[list.place(*row)];
        }
    }
    for (lane, row) in lanes.iter_mut().zip(rest) {
        *lane += w[list.place(*row)];
    }
    lanes.iter().sum()
}

/// The sums of `w` by code.
fn byte_sums(codes: &[u8], w: &[f64], sums: &mut [f64]) {
    let mut banks = [[0.0; BYTE_TUPLES]; BANKS];
    let (some, rest) = codes.as_chunks::<BANKS>();
    let (w_some, w_rest) = w.as_chunks::<BANKS>();
    for (codes, w) in some.iter().zip(w_some) {
        let word = u64::from_le_bytes(*codes);
        for (bank, x) in w.iter().enumerate() {
            banks[bank][usize::from((word >> (8 * bank)) as u8)] += x;
        }
    }
    for (code, x) in rest.iter().zip(w_rest) {
        banks[0][usize::from(*code)] += x;
    }
    for (id, sum) in sums.iter_mut().enumerate() {
        *sum = banks.iter().map(|bank| bank[id]).sum();
    }
}
