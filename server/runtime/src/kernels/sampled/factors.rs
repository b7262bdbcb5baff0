//! Products of two factors in the cells that a sparse matrix stores: a row of the left factor times rows of the right one,
//! wherever they lie.
//!
//! A cell's product is the same number whichever cells are computed beside it, and in whichever order.

#![allow(
    unsafe_code,
    reason = "calling a function compiled for more features needs proof that the machine has them"
)]

use super::Stored;
use crate::kernels::simd::{self, multiversion};
use crate::kernels::simd_avx512::is_there;
use crate::kernels::{parallel, sampled_avx512};
use crate::matrix::Csr;
use crate::memory;

/// Sums that grow side by side in the product of two rows.
pub(in crate::kernels) const LANES: usize = 8;

/// Cells of the right factor that stay in the second cache beside what is computed of them.
const BLOCK: usize = 1 << 16;

/// The factors of a product, row by row. Where rows of the right one are read often, each begins where a line of the caches does.
/// A product is the same number either way.
#[derive(Debug)]
pub struct Factors<'a> {
    left: &'a [f64],
    right: Side<'a>,
    /// Cells of a row of the left factor.
    pub(super) inner: usize,
    /// Cells from a row of the right factor to the next one.
    pub(super) width: usize,
}

#[derive(Debug)]
enum Side<'a> {
    AsItIs(&'a [f64]),
    /// After so many cells that are skipped.
    Copied(Vec<f64>, usize),
}

impl<'a> Factors<'a> {
    /// From m rows of the left factor and n columns of the right one, each of `inner` cells, for so many cells of the
    /// product.
    #[must_use]
    pub fn new(left: &'a [f64], right: &'a [f64], inner: usize, cells: usize) -> Factors<'a> {
        /// A copy costs as much as so many reads of what is copied.
        const READS: usize = 128;
        let rows = right.len().checked_div(inner).unwrap_or(0);
        let fits = inner.is_multiple_of(LANES) && before_line(right) == 0;
        let (right, width) = if fits || cells < READS * rows {
            (Side::AsItIs(right), inner)
        } else {
            let width = inner.next_multiple_of(LANES);
            (Side::copied(right, inner, width), width)
        };
        Factors {
            left,
            right,
            inner,
            width,
        }
    }

    pub(super) fn right(&self) -> &[f64] {
        self.right.cells()
    }

    /// Columns whose rows of the right factor are read together.
    fn block(&self) -> usize {
        (BLOCK / self.width.max(1)).max(1)
    }

    /// Whether so many cells in so many rows are enough to go through the right factor block by block: it is larger than the
    /// second cache, each of its rows is read more than once, and the row of the left factor is kept for a while.
    pub(super) fn pays_in_blocks(&self, cells: usize, rows: usize, cols: usize) -> bool {
        /// Reads of a row of the right factor, and of one of the left factor in each block.
        const READS: (usize, usize) = (2, 16);
        self.right().len() > 2 * BLOCK
            && cells >= READS.0 * cols
            && cells * self.block() >= READS.1 * rows * cols
    }

    /// The products at some cells that `driver` stores. Meanwhile their values are asked for, which are read next.
    pub(super) fn products(&self, driver: &Csr, stored: &Stored, out: &mut [f64]) {
        let mut rows = 0;
        stored.each_row(driver, |_, _| rows += 1);
        if self.pays_in_blocks(out.len(), rows, driver.cols()) {
            return self.products_in_blocks(driver, stored, rows, out);
        }
        let at = stored.cells.start;
        stored.each_row(driver, |row, cells| {
            /// Rows ahead: as far as columns are asked for ahead where a row has one cell.
            const AHEAD: usize = 8;
            let later = (row + AHEAD) * self.inner;
            simd::prefetch(self.left, later..later + self.inner);
            simd::prefetch(driver.values(), cells.clone());
            let to = &mut out[cells.start - at..cells.end - at];
            self.products_of_row(row, (driver, cells.start), to);
        });
    }

    /// The same, for a block of columns after the other in all rows, so that all rows but the first find what they read of the
    /// right factor in a near cache.
    fn products_in_blocks(&self, driver: &Csr, stored: &Stored, rows: usize, out: &mut [f64]) {
        let start = stored.cells.start;
        let step = self.block();
        let blocks = driver.cols().div_ceil(step);
        // Where each block begins in a row, and where the last one ends.
        let mut bounds = Vec::with_capacity(rows * (blocks + 1));
        stored.each_row(driver, |_, cells| {
            bounds.push(cells.start);
            let mut at = cells.start;
            for block in 1..blocks {
                let left = &driver.col_indices()[at..cells.end];
                at += left.partition_point(|col| (*col as usize) < block * step);
                bounds.push(at);
            }
            bounds.push(cells.end);
        });
        for block in 0..blocks {
            let mut bounds = bounds.chunks_exact(blocks + 1);
            stored.each_row(driver, |row, _| {
                let Some([from, to]) = bounds.next().map(|row| [row[block], row[block + 1]]) else {
                    return;
                };
                if from < to {
                    let to = &mut out[from - start..to - start];
                    self.products_of_row(row, (driver, from), to);
                }
            });
        }
    }

    /// Products of a row of the left factor at the stored cells from the number `first` on, one for each result. The cells behind them
    /// are the next ones that will be asked for.
    fn products_of_row(&self, row: usize, (driver, first): (&Csr, usize), out: &mut [f64]) {
        let left = &self.left[row * self.inner..][..self.inner];
        let right = (self.right(), self.width);
        if !sampled_avx512::products(left, right, (driver, first), out) {
            products(left, right, &driver.col_indices()[first..], out);
        }
    }

    /// The products at the stored cells of `driver`, times the right factor. Each row of that is read once for both; `None` where the
    /// machine or the size of the rows does not allow that.
    pub(super) fn times_right(&self, driver: &Csr) -> Option<Vec<f64>> {
        let (n, starts) = (self.inner, driver.row_starts());
        if n == 0 || n > sampled_avx512::MOST_ADDED || !is_there() {
            return None;
        }
        let work = driver.nnz() / driver.rows().max(1) * (2 + n / 2) + n;
        let mut out = memory::for_overwriting(driver.rows() * n);
        parallel::for_rows(&mut out, n, work, |first, part| {
            part.fill(0.0);
            for (row, sums) in (first..).zip(part.chunks_exact_mut(n)) {
                let left = &self.left[row * n..][..n];
                let cells = (driver, starts[row]..starts[row + 1]);
                sampled_avx512::add_products(left, (self.right(), self.width), cells, sums);
            }
        });
        Some(out)
    }
}

/// Cells before the first one that begins a line of the caches.
fn before_line(cells: &[f64]) -> usize {
    let bytes = cells.as_ptr().addr().wrapping_neg() % size_of::<[f64; LANES]>();
    bytes / size_of::<f64>()
}

impl Side<'_> {
    /// Rows of `width` cells that begin where a line does: the `inner` ones that are there, then zeros.
    fn copied(cells: &[f64], inner: usize, width: usize) -> Side<'static> {
        let len = cells.len() / inner * width;
        let mut out = memory::for_overwriting(len + LANES - 1);
        let skip = before_line(&out);
        out.truncate(skip + len);
        parallel::for_rows(&mut out[skip..], width, width, |first, part| {
            let rows = cells[first * inner..].chunks_exact(inner);
            for (to, from) in part.chunks_exact_mut(width).zip(rows) {
                to[..inner].copy_from_slice(from);
                to[inner..].fill(0.0);
            }
        });
        Side::Copied(out, skip)
    }

    fn cells(&self) -> &[f64] {
        match self {
            Side::AsItIs(cells) => cells,
            Side::Copied(cells, skip) => &cells[*skip..],
        }
    }
}

impl Drop for Side<'_> {
    fn drop(&mut self) {
        if let Side::Copied(cells, _) = self {
            memory::recycle(std::mem::take(cells));
        }
    }
}

multiversion! {
    /// `out[i] = sum over j of u[j] * v[cols[i] * width + j]` for rows of `width` cells of `v`. Columns behind those of the results are
    /// the next ones that will be asked for.
    fn products = products_body(u: &[f64], v: (&[f64], usize), cols: &[u32], out: &mut [f64]);
}

#[inline(always)]
fn products_body<const FUSED: bool>(
    u: &[f64],
    (v, width): (&[f64], usize),
    cols: &[u32],
    out: &mut [f64],
) {
    /// Rows are fetched so many cells ahead: they lie anywhere.
    const AHEAD: usize = 8;
    let k = u.len();
    let (u, u_rest) = u.as_chunks::<LANES>();
    for (i, (to, col)) in out.iter_mut().zip(cols).enumerate() {
        if let Some(later) = cols.get(i + AHEAD) {
            let later = *later as usize * width;
            simd::prefetch(v, later..later + k);
        }
        let (v, v_rest) = v[*col as usize * width..][..k].as_chunks::<LANES>();
        let mut sums = [0.0; LANES];
        for (a, b) in u.iter().zip(v) {
            for lane in 0..LANES {
                sums[lane] = add_product::<FUSED>(a[lane], b[lane], sums[lane]);
            }
        }
        for ((sum, a), b) in sums.iter_mut().zip(u_rest).zip(v_rest) {
            *sum = add_product::<FUSED>(*a, *b, *sum);
        }
        let [a, b, c, d, e, f, g, h] = sums;
        *to = ((a + e) + (c + g)) + ((b + f) + (d + h));
    }
}

#[inline(always)]
fn add_product<const FUSED: bool>(a: f64, b: f64, sum: f64) -> f64 {
    if FUSED {
        a.mul_add(b, sum)
    } else {
        sum + a * b
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{Matrix, View};

    fn numbers(len: usize, step: usize) -> Vec<f64> {
        (0..len)
            .map(|i| (i * step % 1009) as f64 / 17.0 - 30.0)
            .collect()
    }

    #[test]
    fn products_in_blocks_are_those_of_the_rows_alone_bit_for_bit() {
        let (rows, cols) = (60, 1500);
        // The last rows store nothing.
        let is_stored = |i: usize| i / cols < 57 && (i * 7 % 23 < 9);
        let cells = (0..rows * cols).map(|i| f64::from(u8::from(is_stored(i))));
        let x = Matrix::dense(rows, cols, cells.collect()).to_sparse();
        let View::Sparse(driver) = x.view() else {
            panic!("it was made sparse");
        };
        for (inner, reads) in [(100, 0), (100, 1 << 20), (104, 1 << 20), (170, 0)] {
            let (u, v) = (numbers(rows * inner, 31), numbers(cols * inner, 37));
            let factors = Factors::new(&u, &v, inner, reads);
            assert!(factors.pays_in_blocks(driver.nnz(), rows, cols), "{inner}");
            let mut found = vec![f64::NAN; driver.nnz()];
            let at = |cells| Stored::of(driver, cells);
            factors.products(driver, &at(0..driver.nnz()), &mut found);
            let plain = Factors::new(&u, &v, inner, 0);
            let mut expected = vec![f64::NAN; driver.nnz()];
            for row in driver.row_starts().windows(2) {
                plain.products(driver, &at(row[0]..row[1]), &mut expected[row[0]..row[1]]);
            }
            assert_eq!(found, expected, "{inner} cells, {reads} reads");
            // A part that begins and ends within rows.
            let some = 333..driver.nnz() - 222;
            factors.products(driver, &at(some.clone()), &mut found[some.clone()]);
            assert_eq!(found[some.clone()], expected[some], "{inner} cells");
        }
    }

    #[test]
    fn copied_rows_begin_where_lines_do() {
        let cells = numbers(7 * 13, 3);
        let side = Side::copied(&cells, 13, 16);
        assert_eq!(before_line(side.cells()), 0);
        for (row, from) in side.cells().chunks(16).zip(cells.chunks(13)) {
            assert_eq!((&row[..13], &row[13..]), (from, [0.0; 3].as_slice()));
        }
    }
}
