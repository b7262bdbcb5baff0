//! Two sparse matrices of one shape, cell by cell: where both store one, or where either does.

use crate::kernels::parallel::build_csr;
use crate::matrix::Csr;

/// `f` of the cells that both store; elsewhere zero.
pub(super) fn intersect(x: &Csr, y: &Csr, f: impl Fn(f64, f64) -> f64 + Sync) -> Csr {
    let work = (x.nnz() + y.nnz()) / x.rows().max(1) + 1;
    build_csr(
        x.rows(),
        x.cols(),
        work,
        x.nnz().min(y.nnz()),
        |range, out| {
            for row in range {
                let ((xc, xv), (yc, yv)) = (x.row(row), y.row(row));
                let (mut i, mut j) = (0, 0);
                while i < xc.len() && j < yc.len() {
                    match xc[i].cmp(&yc[j]) {
                        std::cmp::Ordering::Less => i += 1,
                        std::cmp::Ordering::Greater => j += 1,
                        std::cmp::Ordering::Equal => {
                            out.push(xc[i] as usize, f(xv[i], yv[j]));
                            i += 1;
                            j += 1;
                        }
                    }
                }
                out.end_row();
            }
        },
    )
}

/// `f` of the cells that either stores; elsewhere zero.
pub(super) fn unite(x: &Csr, y: &Csr, f: impl Fn(f64, f64) -> f64 + Sync) -> Csr {
    let work = 2 * (x.nnz() + y.nnz()) / x.rows().max(1) + 1;
    build_csr(x.rows(), x.cols(), work, x.nnz() + y.nnz(), |range, out| {
        for row in range {
            let ((xc, xv), (yc, yv)) = (x.row(row), y.row(row));
            let (mut i, mut j) = (0, 0);
            while i < xc.len() || j < yc.len() {
                let left = xc.get(i).copied().unwrap_or(u32::MAX);
                let right = yc.get(j).copied().unwrap_or(u32::MAX);
                let col = left.min(right) as usize;
                let from_x = if left <= right && i < xc.len() {
                    xv[i]
                } else {
                    0.0
                };
                let from_y = if right <= left && j < yc.len() {
                    yv[j]
                } else {
                    0.0
                };
                i += usize::from(left <= right && i < xc.len());
                j += usize::from(right <= left && j < yc.len());
                out.push(col, f(from_x, from_y));
            }
            out.end_row();
        }
    })
}
