//! Dense products: the `gemm` crate for matrices, own loops for vectors and for a transposed tall matrix times a
//! narrow one, where a general product spends its time repacking.

#![allow(unsafe_code, reason = "the gemm crate takes raw pointers and strides")]

use crate::kernels::parallel::{PARALLEL_FROM, for_rows, map_ranges};
use crate::kernels::simd;
use crate::matrix::Matrix;
use crate::memory;

/// Up to this many columns on the right, a transposed left matrix is read once by rows.
const NARROW: usize = 16;

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

    fn row_stride(&self) -> isize {
        if self.transposed {
            1
        } else {
            self.cols as isize
        }
    }

    fn col_stride(&self) -> isize {
        if self.transposed {
            self.rows as isize
        } else {
            1
        }
    }

    /// The cells by rows of the meant matrix, copied only where they are not in that order.
    fn by_rows(&self) -> std::borrow::Cow<'a, [f64]> {
        if !self.transposed || self.rows == 1 || self.cols == 1 {
            return self.cells.into();
        }
        let stored = Matrix::dense(self.cols, self.rows, self.cells.to_vec());
        crate::kernels::reorg::transpose(&stored).to_cells().into()
    }
}

/// `a %*% b`; all sizes are at least one.
pub(super) fn product(a: Strided<'_>, b: Strided<'_>) -> Matrix {
    let (m, k, n) = (a.rows, a.cols, b.cols);
    // A vector is the same cells in either direction.
    let a_by_cols = a.transposed || m == 1;
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
        return crate::kernels::reorg::transpose(&Matrix::dense(n, m, by_result_columns));
    }
    general(a, b)
}

/// Rows of `x` (as many cells each as `v` has) times `v`.
fn matrix_vector(x: &[f64], v: &[f64]) -> Vec<f64> {
    let k = v.len();
    let mut out = memory::zeroed(x.len() / k.max(1));
    for_rows(&mut out, 1, k / 4 + 1, |first, part| {
        simd::rows_times_vector(&x[first * k..(first + part.len()) * k], v, part);
    });
    out
}

/// `t(X) W` by columns of the result, for X of `rows` x `k` and W of `rows` x `p`: `p` rows of `k` cells. Rows are
/// taken in fixed groups whose sums are added in order, so the number of threads does not show in the result.
fn transposed_narrow(x: &[f64], w: &[f64], rows: usize, k: usize, p: usize) -> Vec<f64> {
    let parts = map_ranges(rows, k * (p + 1) / 4 + 1, 16, |range| {
        let mut acc = memory::zeroed(k * p);
        simd::add_transposed_product(
            &x[range.start * k..range.end * k],
            &w[range.start * p..range.end * p],
            k,
            p,
            &mut acc,
        );
        acc
    });
    let mut parts = parts.into_iter();
    let mut total = parts.next().unwrap_or_else(|| memory::zeroed(k * p));
    for part in parts {
        simd::axpy(1.0, &part, &mut total);
    }
    total
}

fn general(a: Strided<'_>, b: Strided<'_>) -> Matrix {
    let (m, k, n) = (a.rows, a.cols, b.cols);
    let mut out = memory::zeroed(m * n);
    let flops = 2.0 * m as f64 * k as f64 * n as f64;
    let work = flops.max((m * n) as f64 * PARALLEL_FLOPS / PARALLEL_FROM as f64);
    let parallelism = if work < PARALLEL_FLOPS {
        gemm::Parallelism::None
    } else {
        gemm::Parallelism::Rayon(0)
    };
    // SAFETY: `out` holds m * n cells in rows of n; `a` and `b` hold as many cells as their shapes say (checked when
    // they were made) and their strides stay inside them; `out` is fresh, so nothing overlaps it.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            out.as_mut_ptr(),
            1,
            n as isize,
            false,
            a.cells.as_ptr(),
            a.col_stride(),
            a.row_stride(),
            b.cells.as_ptr(),
            b.col_stride(),
            b.row_stride(),
            0.0,
            1.0,
            false,
            false,
            false,
            parallelism,
        );
    }
    Matrix::dense(m, n, out)
}
