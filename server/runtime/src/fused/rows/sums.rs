//! `t(A) %*% B` over the rows of tiles.

use super::tile::Tile;
use crate::kernels::{matmul, simd, simd_avx512_rows, simd_avx512_transposed};
use crate::matrix::Matrix;
use crate::memory;

/// The sums of a part. The wider side lies along the rows of `cells`.
pub(super) struct Sums {
    /// Columns of A.
    left: usize,
    /// Columns of B.
    right: usize,
    /// `right` rows of `left` cells where `transposed`, else `left` rows of `right` cells.
    cells: Vec<f64>,
    transposed: bool,
}

impl Sums {
    /// All zero. Where A is sparse, each of its cells is met with a row of B.
    pub(super) fn new(left: usize, right: usize, is_sparse: bool) -> Sums {
        Sums {
            left,
            right,
            cells: memory::zeroed(left * right),
            transposed: left >= right && !is_sparse,
        }
    }

    /// Adds the rows of a tile.
    pub(super) fn add(&mut self, tile: &Tile<'_>, left: usize, right: usize) {
        if self.left * self.right == 0 {
            return;
        }
        if let Some(csr) = tile.sparse(left) {
            let (first, cells) = (tile.first(), tile.cells(right));
            let rows = first..first + tile.count();
            matmul::add_transposed_times_dense(csr, rows, &cells, self.right, &mut self.cells);
            return;
        }
        let (wide, narrow) = if self.transposed {
            (left, right)
        } else {
            (right, left)
        };
        let (k, p) = if self.transposed {
            (self.left, self.right)
        } else {
            (self.right, self.left)
        };
        let weights = tile.cells(narrow);
        if let Some(csr) = tile.sparse(wide) {
            for (i, weights) in weights.chunks_exact(p).enumerate() {
                let (cols, values) = csr.row(tile.first() + i);
                for (sums, weight) in self.cells.chunks_exact_mut(k).zip(weights) {
                    for (col, value) in cols.iter().zip(values) {
                        sums[*col as usize] += value * weight;
                    }
                }
            }
            return;
        }
        let rows = tile.cells(wide);
        let (rows, weights) = (&rows[..], &weights[..]);
        let next = tile.ahead();
        if p == 1 {
            simd::prefetch(next, 0..next.len());
        }
        if p == 1 && simd_avx512_rows::add_transposed_times_vector(rows, weights, &mut self.cells) {
            return;
        }
        let (all, sums) = (simd_avx512_transposed::Sums::All, &mut self.cells);
        if tile.is_far(wide)
            && simd_avx512_transposed::add_transposed_product(rows, weights, k, p, sums, all)
        {
            return;
        }
        let shape = (k, p);
        if !simd_avx512_transposed::add_transposed_product_of_tile(
            rows, weights, shape, sums, all, next,
        ) {
            simd::add_transposed_product(rows, weights, k, p, &mut self.cells);
        }
    }

    /// The sums of all parts, in their order.
    pub(super) fn total(parts: Vec<Sums>, left: usize, right: usize) -> Matrix {
        let mut parts = parts.into_iter();
        let mut total = parts
            .next()
            .unwrap_or_else(|| Sums::new(left, right, false));
        for part in parts {
            simd::axpy(1.0, &part.cells, &mut total.cells);
        }
        if !total.transposed {
            return Matrix::dense(left, right, total.cells);
        }
        let mut cells = memory::zeroed(left * right);
        for (j, row) in total.cells.chunks_exact(left.max(1)).enumerate() {
            for (i, x) in row.iter().enumerate() {
                cells[i * right + j] = *x;
            }
        }
        Matrix::dense(left, right, cells)
    }
}
