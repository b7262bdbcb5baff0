//! Dense products: the `gemm` crate for matrices, own loops for vectors and for a transposed tall matrix times a
//! narrow one, where a general product spends its time repacking.

#![allow(unsafe_code, reason = "the gemm crate takes raw pointers and strides")]

use crate::cancel::Current;
use crate::kernels::parallel::{PARALLEL_FROM, for_rows, map_ranges};
use crate::kernels::simd::Pairwise;
use crate::kernels::simd_avx512;
use crate::kernels::simd_avx512_transposed::{self, Sums};
use crate::kernels::{reorg, simd, simd_avx512_rows, simd_narrow, simd_sums};
use crate::matrix::Matrix;
use crate::memory;

/// Up to this many columns on the right, a transposed left matrix is read once by rows.
const NARROW: usize = 16;

/// Cells of a narrow right matrix that stay in a core's cache while rows go by.
const NEAR_CELLS: usize = 1 << 16;

/// From this many columns on, the product of a matrix with its own transpose is made of blocks of general products.
const BLOCK: usize = 256;

/// FLOPs after which a product asks whether it was cancelled, and the fewest rows that are worth a panel.
const PANEL_FLOPS: f64 = 2e10;
const LEAST_PANEL: usize = 256;

/// FLOPs that one thread does in about the time from which threads pay.
const PARALLEL_FLOPS: f64 = 3e7;

/// Cells with a stride between rows and between columns.
#[derive(Clone, Copy)]
pub(super) struct Strided<'a> {
    cells: &'a [f64],
    rows: usize,
    cols: usize,
    transposed: bool,
}

impl<'a> Strided<'a> {
    /// `shape` is the one meant, after transposing.
    pub(super) fn new(
        cells: &'a [f64],
        (rows, cols): (usize, usize),
        transposed: bool,
    ) -> Strided<'a> {
        assert_eq!(cells.len(), rows * cols, "{rows} x {cols} cells expected");
        Strided {
            cells,
            rows,
            cols,
            transposed,
        }
    }

    fn row_stride(&self) -> usize {
        if self.transposed { 1 } else { self.cols }
    }

    fn col_stride(&self) -> usize {
        if self.transposed { self.rows } else { 1 }
    }

    /// The cells by columns of the meant matrix, copied only where they are not in that order.
    fn by_columns(&self) -> std::borrow::Cow<'a, [f64]> {
        Strided {
            rows: self.cols,
            cols: self.rows,
            transposed: !self.transposed,
            ..*self
        }
        .by_rows()
    }

    /// The cells by rows of the meant matrix, copied only where they are not in that order.
    fn by_rows(&self) -> std::borrow::Cow<'a, [f64]> {
        if !self.transposed || self.rows == 1 || self.cols == 1 {
            return self.cells.into();
        }
        let stored = Matrix::dense(self.cols, self.rows, self.cells.to_vec());
        reorg::transpose(&stored).to_cells().into()
    }
}

/// `a %*% b`; all sizes are at least one.
pub(super) fn product(a: Strided<'_>, b: Strided<'_>) -> Matrix {
    let (m, k, n) = (a.rows, a.cols, b.cols);
    if a.transposed && !b.transposed && m > 1 && std::ptr::eq(a.cells, b.cells) && m == n {
        return Matrix::dense(m, m, with_itself(a.cells, k, m));
    }
    // A vector is the same cells in either direction.
    let a_by_cols = a.transposed || m == 1;
    if m == 1 && n == 1 {
        return Matrix::dense(1, 1, vec![vector_vector(a.cells, b.cells)]);
    }
    if n == 1 && (!a.transposed || k == 1) {
        return Matrix::dense(m, 1, matrix_vector(a.cells, b.cells));
    }
    if m == 1 && b.transposed {
        return Matrix::dense(1, n, matrix_vector(b.cells, a.cells));
    }
    if m == 1 {
        // x B = t(t(B) x): B is read once by rows.
        return Matrix::dense(1, n, transposed_narrow(b.cells, a.cells, k, n, 1));
    }
    if a_by_cols && n <= NARROW {
        let w = b.by_rows();
        let by_result_columns = transposed_narrow(a.cells, &w, k, m, n);
        return reorg::transpose(&Matrix::dense(n, m, by_result_columns));
    }
    if !a.transposed
        && n <= simd_avx512::MOST_COLUMNS
        && k >= 8
        && k * n <= NEAR_CELLS
        && simd_avx512::is_there()
    {
        return Matrix::dense(m, n, plain_narrow(a.cells, &b.by_rows(), k, n));
    }
    if !a.transposed && n > 1 && n <= simd_narrow::FEW && k * n <= NEAR_CELLS {
        return Matrix::dense(m, n, along_few_columns(a.cells, &b.by_columns(), k, n));
    }
    general(a, b)
}

/// `X V` for X with rows of `k` cells and the few columns of V, one after the other.
fn along_few_columns(x: &[f64], columns: &[f64], k: usize, n: usize) -> Vec<f64> {
    let mut out = memory::for_overwriting(x.len() / k * n);
    for_rows(&mut out, n, k * n / 8 + 1, |first, part| {
        let rows = &x[first * k..][..part.len() / n * k];
        simd_narrow::rows_of_tile_times_few(rows, columns, (k, n), &[], part);
    });
    out
}

/// `X V` for X with rows of `k` cells and V of `k` x `n`, small enough to stay near.
fn plain_narrow(x: &[f64], v: &[f64], k: usize, n: usize) -> Vec<f64> {
    let packed = simd_avx512::packed_transpose(v, k, n);
    let mut out = memory::for_overwriting(x.len() / k * n);
    for_rows(&mut out, n, k * n / 16 + 1, |first, part| {
        let rows = &x[first * k..][..part.len() / n * k];
        simd_avx512::rows_times_narrow(rows, &packed, k, n, part);
    });
    out
}

/// `t(X) X` for X of `rows` x `k`: half of the products, the others are the same.
fn with_itself(x: &[f64], rows: usize, k: usize) -> Vec<f64> {
    let mut out = if k <= BLOCK && simd_avx512::is_there() {
        let parts = map_ranges(rows, k * k / 32 + 1, 16, |range| {
            let rows = &x[range.start * k..range.end * k];
            let mut acc = memory::zeroed(k * k);
            simd_avx512_transposed::add_transposed_product(rows, rows, k, k, &mut acc, Sums::Upper);
            acc
        });
        added(parts, k * k)
    } else {
        let mut out = memory::zeroed(k * k);
        for first in (0..k).step_by(BLOCK) {
            let height = BLOCK.min(k - first);
            let mut block = Block {
                cells: &mut out[first * k + first..],
                rows: height,
                cols: k - first,
                stride: k,
            };
            // Columns from `first` on: the first of them as rows of the result, all of them as its columns.
            let columns = &x[first..];
            general_into(&mut block, rows, (columns, 1, k), (columns, k, 1));
        }
        out
    };
    for i in 1..k {
        for j in 0..i {
            out[i * k + j] = out[j * k + i];
        }
    }
    out
}

/// The sum of matrices of this many cells, one after the other.
fn added(parts: Vec<Vec<f64>>, cells: usize) -> Vec<f64> {
    let mut parts = parts.into_iter();
    let mut total = parts.next().unwrap_or_else(|| memory::zeroed(cells));
    for part in parts {
        simd::axpy(1.0, &part, &mut total);
    }
    total
}

/// The sum of the products of as many cells, by pairs of halves over blocks.
fn vector_vector(x: &[f64], y: &[f64]) -> f64 {
    const BLOCK: usize = 512;
    let far = x.len() > NEAR_CELLS;
    let parts = map_ranges(x.len(), 1, usize::MAX, |range| {
        let (x, y) = (&x[range.clone()], &y[range]);
        let mut total = Pairwise::default();
        for (x, y) in x.chunks(BLOCK).zip(y.chunks(BLOCK)) {
            total.add(simd_sums::of_products(x, y, [far; 2]));
        }
        total.total()
    });
    simd::sum(&parts)
}

/// Rows of `x` (as many cells each as `v` has) times `v`.
fn matrix_vector(x: &[f64], v: &[f64]) -> Vec<f64> {
    let k = v.len();
    let mut out = memory::zeroed(x.len() / k.max(1));
    for_rows(&mut out, 1, k / 4 + 1, |first, part| {
        let rows = &x[first * k..(first + part.len()) * k];
        if !simd_avx512_rows::rows_times_vector(rows, v, part) {
            simd::rows_times_vector(rows, v, part);
        }
    });
    out
}

/// `t(X) W` by columns of the result, for X of `rows` x `k` and W of `rows` x `p`: `p` rows of `k` cells. Rows are
/// taken in fixed groups whose sums are added in order, so the number of threads does not show in the result.
fn transposed_narrow(x: &[f64], w: &[f64], rows: usize, k: usize, p: usize) -> Vec<f64> {
    let parts = map_ranges(rows, k * (p + 1) / 4 + 1, 16, |range| {
        let (x, w) = (
            &x[range.start * k..range.end * k],
            &w[range.start * p..range.end * p],
        );
        let mut acc = memory::zeroed(k * p);
        let done = if p == 1 {
            simd_avx512_rows::add_transposed_times_vector(x, w, &mut acc)
        } else {
            simd_avx512_transposed::add_transposed_product(x, w, k, p, &mut acc, Sums::All)
        };
        if !done {
            simd::add_transposed_product(x, w, k, p, &mut acc);
        }
        acc
    });
    added(parts, k * p)
}

fn general(a: Strided<'_>, b: Strided<'_>) -> Matrix {
    let (m, k, n) = (a.rows, a.cols, b.cols);
    let mut out = memory::for_overwriting(m * n);
    let mut block = Block {
        cells: &mut out,
        rows: m,
        cols: n,
        stride: n,
    };
    general_into(
        &mut block,
        k,
        (a.cells, a.row_stride(), a.col_stride()),
        (b.cells, b.row_stride(), b.col_stride()),
    );
    Matrix::dense(m, n, out)
}

/// Where a product goes: rows of `cols` cells, `stride` apart.
struct Block<'a> {
    cells: &'a mut [f64],
    rows: usize,
    cols: usize,
    stride: usize,
}

/// Sets the block to `a b`, both given by their cells and the distances between rows and between columns. All sizes
/// are at least one; `k` is the number of columns of `a`.
fn general_into(
    out: &mut Block<'_>,
    k: usize,
    (a, a_row, a_col): (&[f64], usize, usize),
    (b, b_row, b_col): (&[f64], usize, usize),
) {
    let (m, n) = (out.rows, out.cols);
    let last =
        |rows: usize, row: usize, cols: usize, col: usize| (rows - 1) * row + (cols - 1) * col;
    assert!(
        last(m, a_row, k, a_col) < a.len(),
        "the left cells are there"
    );
    assert!(
        last(k, b_row, n, b_col) < b.len(),
        "the right cells are there"
    );
    assert!(
        last(m, out.stride, n, 1) < out.cells.len() && out.stride >= n,
        "the result has room"
    );
    let flops = 2.0 * m as f64 * k as f64 * n as f64;
    let work = flops.max((m * n) as f64 * PARALLEL_FLOPS / PARALLEL_FROM as f64);
    let parallelism = if work < PARALLEL_FLOPS {
        gemm::Parallelism::None
    } else {
        gemm::Parallelism::Rayon(0)
    };
    // A product that takes long is made in panels of rows, so that it can be cancelled between them.
    let panels = ((flops / PANEL_FLOPS).ceil() as usize).clamp(1, m.div_ceil(LEAST_PANEL));
    let height = m.div_ceil(panels);
    let current = Current::here();
    for first in (0..m).step_by(height) {
        if current.is_cancelled() {
            return;
        }
        let rows = height.min(m - first);
        let cells = &mut out.cells[first * out.stride..];
        let a = &a[first * a_row..];
        // SAFETY: it was just checked that the last cell of each factor and of the result, and so all of them, lie inside
        // their slices; the result is borrowed alone, so nothing overlaps it.
        unsafe {
            gemm::gemm(
                rows,
                n,
                k,
                cells.as_mut_ptr(),
                1,
                out.stride as isize,
                false,
                a.as_ptr(),
                a_col as isize,
                a_row as isize,
                b.as_ptr(),
                b_col as isize,
                b_row as isize,
                0.0,
                1.0,
                false,
                false,
                false,
                parallelism,
            );
        }
    }
}
