//! Decompositions of dense arrays by the library faer, behind plain slices.
//!
//! A crate of its own because faer is generic: its code is compiled where it is used, which takes minutes, and here that
//! is done once. Arrays are row after row. Nothing here knows matrices, scripts or conventions of signs and orders, and
//! nothing panics on cells, whatever they are; sizes must fit the slices.
#![forbid(unsafe_code)]

use faer::linalg::solvers::Solve;
use faer::{Mat, MatRef, Side};

fn to_faer(rows: usize, cols: usize, cells: &[f64]) -> Mat<f64> {
    assert_eq!(cells.len(), rows * cols, "{rows} x {cols} cells expected");
    Mat::from_fn(rows, cols, |i, j| cells[i * cols + j])
}

fn from_faer(m: MatRef<'_, f64>) -> Vec<f64> {
    let (rows, cols) = (m.nrows(), m.ncols());
    (0..rows * cols).map(|k| m[(k / cols, k % cols)]).collect()
}

/// `P A = L U` of a square array, with the largest entry of each column as pivot.
pub struct Lu {
    size: usize,
    found: faer::linalg::solvers::PartialPivLu<f64>,
}

impl Lu {
    /// Decomposes `size * size` cells.
    ///
    /// # Panics
    /// When there are not as many cells.
    #[must_use]
    pub fn new(size: usize, cells: &[f64]) -> Lu {
        Lu {
            size,
            found: to_faer(size, size, cells).partial_piv_lu(),
        }
    }

    /// Whether a pivot is zero: no system of equations has one solution then.
    #[must_use]
    pub fn is_singular(&self) -> bool {
        let u = self.found.U();
        (0..self.size).any(|i| u[(i, i)] == 0.0)
    }

    /// The product of the pivots, with the sign of the exchanges of rows. 0 as soon as a pivot is: what the library divides by it
    /// is no number.
    #[must_use]
    pub fn determinant(&self) -> f64 {
        if self.is_singular() {
            return 0.0;
        }
        let u = self.found.U();
        let product: f64 = (0..self.size).map(|i| u[(i, i)]).product();
        if self.is_odd() { -product } else { product }
    }

    /// Whether an odd number of exchanges of two rows gives the order.
    fn is_odd(&self) -> bool {
        let mut order = self.order();
        let mut odd = false;
        for i in 0..order.len() {
            while order[i] != i {
                let place = order[i];
                order.swap(i, place);
                odd = !odd;
            }
        }
        odd
    }

    /// The strict lower triangle of `L` and the upper one of `U`, in one array.
    #[must_use]
    pub fn triangles(&self) -> Vec<f64> {
        let (l, u, n) = (self.found.L(), self.found.U(), self.size);
        let at = |i: usize, j: usize| if j < i { l[(i, j)] } else { u[(i, j)] };
        (0..n * n).map(|k| at(k / n, k % n)).collect()
    }

    /// Which row of the array each row of the product is, from 0.
    #[must_use]
    pub fn order(&self) -> Vec<usize> {
        self.found.P().arrays().0.to_vec()
    }

    /// The solution for each of `cols` columns.
    ///
    /// # Panics
    /// When there are not `size * cols` cells.
    #[must_use]
    pub fn solve(&self, cols: usize, right: &[f64]) -> Vec<f64> {
        from_faer(self.found.solve(to_faer(self.size, cols, right)).as_ref())
    }
}

/// The determinant of a square array.
///
/// # Panics
/// When there are not `size * size` cells.
#[must_use]
pub fn determinant(size: usize, cells: &[f64]) -> f64 {
    Lu::new(size, cells).determinant()
}

/// The lower triangle of Cholesky's decomposition, zeros above; `None` where the array is not positive definite.
///
/// # Panics
/// When there are not `size * size` cells.
#[must_use]
pub fn cholesky(size: usize, cells: &[f64]) -> Option<Vec<f64>> {
    let found = to_faer(size, size, cells).llt(Side::Lower).ok()?;
    let l = found.L();
    let at = |i: usize, j: usize| if j <= i { l[(i, j)] } else { 0.0 };
    Some((0..size * size).map(|k| at(k / size, k % size)).collect())
}

/// The Householder vectors below the diagonal (their first entry is one) and the triangle `R` on and above it, in one
/// array of the same shape. A column with nothing below its diagonal is not reflected.
///
/// # Panics
/// When there are not `rows * cols` cells.
#[must_use]
pub fn householder(rows: usize, cols: usize, cells: &[f64]) -> Vec<f64> {
    let found = to_faer(rows, cols, cells).qr();
    let (v, r) = (found.Q_basis(), found.R());
    let at = |i: usize, j: usize| if j < i { v[(i, j)] } else { r[(i, j)] };
    (0..rows * cols).map(|k| at(k / cols, k % cols)).collect()
}

/// Eigenvalues as real and imaginary parts, and the real parts of the eigenvectors as columns.
pub type Eigen = (Vec<(f64, f64)>, Vec<f64>);

/// Of a symmetric array, of which the lower triangle is read; `None` where nothing converged.
///
/// # Panics
/// When there are not `size * size` cells.
#[must_use]
pub fn symmetric_eigen(size: usize, cells: &[f64]) -> Option<Eigen> {
    let found = to_faer(size, size, cells)
        .self_adjoint_eigen(Side::Lower)
        .ok()?;
    let values = (0..size).map(|i| (found.S()[i], 0.0)).collect();
    Some((values, from_faer(found.U())))
}

/// Of any square array; `None` where nothing converged.
///
/// # Panics
/// When there are not `size * size` cells.
#[must_use]
pub fn eigen(size: usize, cells: &[f64]) -> Option<Eigen> {
    let found = to_faer(size, size, cells).eigen().ok()?;
    let values = (0..size).map(|i| found.S()[i]).map(|z| (z.re, z.im));
    let vectors = found.U();
    let cells = (0..size * size).map(|k| vectors[(k / size, k % size)].re);
    Some((values.collect(), cells.collect()))
}

/// `U` (`rows * least`), the singular values from the largest on, and `V` (`cols * least`), where `least` is the smaller
/// size; `None` where nothing converged.
///
/// # Panics
/// When there are not `rows * cols` cells.
#[must_use]
pub fn svd(rows: usize, cols: usize, cells: &[f64]) -> Option<(Vec<f64>, Vec<f64>, Vec<f64>)> {
    let found = to_faer(rows, cols, cells).thin_svd().ok()?;
    let values = (0..rows.min(cols)).map(|i| found.S()[i]).collect();
    Some((from_faer(found.U()), values, from_faer(found.V())))
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: [f64; 4] = [4.0, 1.0, 2.0, 3.0];

    #[test]
    fn arrays_are_row_after_row_on_the_way_there_and_back() {
        let lu = Lu::new(2, &A);
        assert!(!lu.is_singular());
        assert_eq!(lu.order(), [0, 1]);
        assert_eq!(lu.triangles(), [4.0, 1.0, 0.5, 2.5]);
        let x = lu.solve(1, &[6.0, 8.0]);
        assert!((x[0] - 1.0).abs() < 1e-14 && (x[1] - 2.0).abs() < 1e-14);
        assert!((determinant(2, &A) - 10.0).abs() < 1e-14);
        assert_eq!(determinant(2, &[0.0, 1.0, 1.0, 0.0]), -1.0);
        let permuted = [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0];
        assert_eq!(determinant(3, &permuted), 2.0);
        assert_eq!(
            cholesky(2, &[4.0, 2.0, 2.0, 5.0]).unwrap(),
            [2.0, 0.0, 1.0, 2.0]
        );
        assert!(cholesky(2, &[1.0, 2.0, 2.0, 1.0]).is_none());
        let (values, _) = eigen(2, &[0.0, 1.0, -1.0, 0.0]).unwrap();
        assert!(
            values
                .iter()
                .all(|z| z.0.abs() < 1e-14 && (z.1.abs() - 1.0).abs() < 1e-14)
        );
        let (u, s, v) = svd(2, 3, &[3.0, 0.0, 0.0, 0.0, 2.0, 0.0]).unwrap();
        assert_eq!((u.len(), s.len(), v.len()), (4, 2, 6));
        assert!((s[0] - 3.0).abs() < 1e-14 && (s[1] - 2.0).abs() < 1e-14);
        assert!(Lu::new(2, &[1.0, 2.0, 2.0, 4.0]).is_singular());
    }
}
