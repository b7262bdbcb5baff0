//! Products with a sparse factor: only stored cells are met. All loops walk rows, with 32-bit column indices.

use crate::kernels::parallel::{build_csr, for_rows, map_ranges};
use crate::kernels::simd;
use crate::matrix::{Csr, Matrix, SPARSE_BELOW};
use crate::memory;

/// Up to this many columns the row of the result is kept in registers.
const REGISTERS: usize = 16;

/// Bytes of private results that a transposed product may use at most, all parts together.
const PRIVATE_BYTES: usize = 64 << 20;

/// `x y` for dense `y` with `n` columns.
pub(super) fn sparse_dense(x: &Csr, y: &[f64], n: usize) -> Matrix {
    let mut out = memory::zeroed(x.rows() * n);
    let work = x.nnz() / x.rows().max(1) * (n / 4 + 1) + n;
    for_rows(&mut out, n, work, |first, part| {
        for (i, row_out) in part.chunks_exact_mut(n).enumerate() {
            let (cols, values) = x.row(first + i);
            match n {
                1 => row_out[0] = sparse_dot(cols, values, y),
                2..=4 => narrow_row::<4>(cols, values, y, row_out),
                5..=8 => narrow_row::<8>(cols, values, y, row_out),
                9..=REGISTERS => narrow_row::<REGISTERS>(cols, values, y, row_out),
                _ => {
                    for (&col, &value) in cols.iter().zip(values) {
                        simd::axpy(value, &y[col as usize * n..][..n], row_out);
                    }
                }
            }
        }
    });
    Matrix::dense(x.rows(), n, out)
}

fn sparse_dot(cols: &[u32], values: &[f64], v: &[f64]) -> f64 {
    let mut acc = [0.0; 4];
    let (col_chunks, value_chunks) = (cols.chunks_exact(4), values.chunks_exact(4));
    let rest: f64 = col_chunks
        .remainder()
        .iter()
        .zip(value_chunks.remainder())
        .map(|(&c, &x)| x * v[c as usize])
        .sum();
    for (c, x) in col_chunks.zip(value_chunks) {
        for l in 0..4 {
            acc[l] += x[l] * v[c[l] as usize];
        }
    }
    (acc[0] + acc[1]) + (acc[2] + acc[3]) + rest
}

/// One row of the result, at most `WIDTH` cells, accumulated in registers.
#[inline(always)]
fn narrow_row<const WIDTH: usize>(cols: &[u32], values: &[f64], y: &[f64], out: &mut [f64]) {
    let n = out.len();
    let mut acc = [0.0; WIDTH];
    for (&col, &value) in cols.iter().zip(values) {
        let start = col as usize * n;
        // Reading a full width past the row is harmless where it stays inside `y`; its sums are not stored.
        if let Some(row) = y.get(start..start + WIDTH) {
            for (a, b) in acc.iter_mut().zip(row) {
                *a += value * b;
            }
        } else {
            for (a, b) in acc.iter_mut().zip(&y[start..start + n]) {
                *a += value * b;
            }
        }
    }
    out.copy_from_slice(&acc[..n]);
}

/// `t(x) y` for dense `y` with `n` columns: each row of `y` is added to the rows that the stored cells name.
pub(super) fn transposed_sparse_dense(x: &Csr, y: &[f64], n: usize) -> Matrix {
    let size = x.cols() * n;
    let most = (PRIVATE_BYTES / (8 * size.max(1))).clamp(1, 8);
    let work = x.nnz() / x.rows().max(1) * (n / 4 + 1) + 1;
    // Private results cost `size` each: they pay only where the products are many more.
    let most = if x.nnz() * n < 8 * size { 1 } else { most };
    let mut parts = map_ranges(x.rows(), work, most, |range| {
        let mut acc = memory::zeroed(size);
        for row in range {
            let (cols, values) = x.row(row);
            let y_row = &y[row * n..][..n];
            for (&col, &value) in cols.iter().zip(values) {
                let target = &mut acc[col as usize * n..][..n];
                if n <= REGISTERS {
                    for (t, s) in target.iter_mut().zip(y_row) {
                        *t += value * s;
                    }
                } else {
                    simd::axpy(value, y_row, target);
                }
            }
        }
        acc
    })
    .into_iter();
    let mut total = parts.next().unwrap_or_else(|| memory::zeroed(size));
    for part in parts {
        simd::axpy(1.0, &part, &mut total);
    }
    Matrix::dense(x.cols(), n, total)
}

/// `x y` for dense `x`: each cell of a row of `x` brings in a row of `y`.
pub(super) fn dense_sparse(x: &[f64], y: &Csr) -> Matrix {
    let (k, n) = (y.rows(), y.cols());
    let m = x.len() / k;
    let mut out = memory::zeroed(m * n);
    for_rows(&mut out, n, y.nnz() + k + n, |first, part| {
        for (i, row_out) in part.chunks_exact_mut(n).enumerate() {
            for (j, &a) in x[(first + i) * k..][..k].iter().enumerate() {
                if a != 0.0 {
                    let (cols, values) = y.row(j);
                    for (&col, &value) in cols.iter().zip(values) {
                        row_out[col as usize] += a * value;
                    }
                }
            }
        }
    });
    Matrix::dense(m, n, out)
}

/// `x y` of two sparse matrices (Gustavson, ACM TOMS 4(3), 1978: row by row), dense where that is what comes out.
pub(super) fn sparse_sparse(x: &Csr, y: &Csr) -> Matrix {
    let (m, n) = (x.rows(), y.cols());
    let products: usize = x.iter().map(|(_, k, _)| y.row(k).0.len()).sum();
    if products as f64 >= SPARSE_BELOW * m as f64 * n as f64 || n == 1 {
        let mut out = memory::zeroed(m * n);
        for_rows(&mut out, n, products / m.max(1) + n, |first, part| {
            for (i, row_out) in part.chunks_exact_mut(n).enumerate() {
                add_row(x, y, first + i, |col, value| row_out[col as usize] += value);
            }
        });
        return Matrix::dense(m, n, out).settled();
    }
    let csr = build_csr(m, n, 4 * products / m.max(1) + 1, products, |range, out| {
        let mut sums = vec![0.0; n];
        // Marks by row number, so that nothing needs clearing between rows.
        let mut seen = vec![usize::MAX; n];
        let mut touched: Vec<u32> = Vec::new();
        for row in range {
            touched.clear();
            add_row(x, y, row, |col, value| {
                let at = col as usize;
                if seen[at] == row {
                    sums[at] += value;
                } else {
                    seen[at] = row;
                    sums[at] = value;
                    touched.push(col);
                }
            });
            touched.sort_unstable();
            for &col in &touched {
                out.push(col as usize, sums[col as usize]);
            }
            out.end_row();
        }
    });
    Matrix::from(csr).settled()
}

fn add_row(x: &Csr, y: &Csr, row: usize, mut add: impl FnMut(u32, f64)) {
    let (x_cols, x_values) = x.row(row);
    for (&k, &a) in x_cols.iter().zip(x_values) {
        let (cols, values) = y.row(k as usize);
        for (&col, &b) in cols.iter().zip(values) {
            add(col, a * b);
        }
    }
}
