//! Systems of equations and decompositions of dense matrices, by the library `faer`, with SystemDS's conventions.
//!
//! Where a decomposition leaves signs open, the entry of largest magnitude of each eigenvector and right singular vector
//! is positive (SystemDS leaves them as its algorithm ends). Sparse arguments are made dense; results are dense unless
//! their zeros call for the sparse format.

use sumac_decompose as decompose;
use sumac_decompose::Lu;

use crate::error::OpError;
use crate::matrix::Matrix;

/// How far a matrix may be from its transpose, beside its largest cell, to count as symmetric.
const SYMMETRIC_UP_TO: f64 = 1e-6;

fn by_cells(rows: usize, cols: usize, at: impl Fn(usize, usize) -> f64) -> Matrix {
    let cells = (0..rows * cols).map(|k| at(k / cols, k % cols));
    Matrix::dense(rows, cols, cells.collect()).settled()
}

fn square(op: &str, m: &Matrix) -> Result<usize, OpError> {
    if m.rows() == m.cols() {
        Ok(m.rows())
    } else {
        Err(OpError::argument(
            op,
            "a square matrix",
            format!("{} x {}", m.rows(), m.cols()),
        ))
    }
}

fn symmetric(op: &str, m: &Matrix) -> Result<usize, OpError> {
    let n = square(op, m)?;
    let cells = m.to_cells();
    let most = cells.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
    for i in 0..n {
        for j in 0..i {
            let (low, high) = (cells[i * n + j], cells[j * n + i]);
            if (low - high).abs() > SYMMETRIC_UP_TO * most {
                let found = format!(
                    "{low} in row {} and column {}, {high} across the diagonal",
                    i + 1,
                    j + 1
                );
                return Err(OpError::argument(op, "a symmetric matrix", found));
            }
        }
    }
    Ok(n)
}

/// Cells that the library cannot work with.
fn finite(op: &str, m: &Matrix) -> Result<(), OpError> {
    match m.to_cells().iter().find(|x| !x.is_finite()) {
        None => Ok(()),
        Some(x) => Err(OpError::argument(
            op,
            "finite cells",
            crate::format::number(*x),
        )),
    }
}

/// The decomposition that equations are solved with.
fn regular(op: &str, m: &Matrix) -> Result<Lu, OpError> {
    let lu = Lu::new(m.rows(), &m.to_cells());
    if lu.is_singular() {
        return Err(OpError::argument(op, "a regular matrix", "a singular one"));
    }
    Ok(lu)
}

/// The `x` with `a %*% x = b`.
///
/// # Errors
/// When `a` is not square or singular, or the rows differ.
pub fn solve(a: &Matrix, b: &Matrix) -> Result<Matrix, OpError> {
    square("solve", a)?;
    if a.rows() != b.rows() {
        return Err(OpError::shapes(
            "solve",
            a,
            b,
            "both must have equally many rows",
        ));
    }
    if a.is_empty() {
        return Ok(Matrix::dense(a.cols(), b.cols(), Vec::new()));
    }
    let x = regular("solve", a)?.solve(b.cols(), &b.to_cells());
    Ok(Matrix::dense(b.rows(), b.cols(), x).settled())
}

/// The inverse.
///
/// # Errors
/// When the matrix is not square or singular.
pub fn inverse(m: &Matrix) -> Result<Matrix, OpError> {
    let n = square("inv", m)?;
    if n == 0 {
        return Ok(m.clone());
    }
    let identity: Vec<f64> = (0..n * n)
        .map(|k| f64::from(u8::from(k / n == k % n)))
        .collect();
    let x = regular("inv", m)?.solve(n, &identity);
    Ok(Matrix::dense(n, n, x).settled())
}

/// The determinant; 1 of nothing.
///
/// # Errors
/// When the matrix is not square.
pub fn determinant(m: &Matrix) -> Result<f64, OpError> {
    match square("det", m)? {
        0 => Ok(1.0),
        n => Ok(decompose::determinant(n, &m.to_cells())),
    }
}

/// The lower triangle `L` with `L %*% t(L) = m`.
///
/// # Errors
/// When the matrix is not symmetric or not positive definite.
pub fn cholesky(m: &Matrix) -> Result<Matrix, OpError> {
    let n = symmetric("cholesky", m)?;
    if n == 0 {
        return Ok(m.clone());
    }
    match decompose::cholesky(n, &m.to_cells()) {
        Some(cells) => Ok(Matrix::dense(n, n, cells).settled()),
        None => Err(OpError::argument(
            "cholesky",
            "a positive definite matrix",
            "one that is not",
        )),
    }
}

/// `P`, `L` and `U` with `P %*% m = L %*% U`: rows exchanged, ones on the diagonal of `L`.
///
/// # Errors
/// When the matrix is not square or singular.
pub fn lu(m: &Matrix) -> Result<[Matrix; 3], OpError> {
    let n = square("lu", m)?;
    if n == 0 {
        return Ok([m.clone(), m.clone(), m.clone()]);
    }
    let lu = regular("lu", m)?;
    let (cells, from) = (lu.triangles(), lu.order());
    let one = |yes: bool| f64::from(u8::from(yes));
    Ok([
        by_cells(n, n, |i, j| one(from[i] == j)),
        by_cells(
            n,
            n,
            |i, j| {
                if j < i { cells[i * n + j] } else { one(i == j) }
            },
        ),
        by_cells(n, n, |i, j| if i <= j { cells[i * n + j] } else { 0.0 }),
    ])
}

/// Householder vectors `H` and the upper triangle `R`. Column `j` of `H` is scaled so that the reflection is
/// `I - h h' / h[j]`.
///
/// # Errors
/// When a cell is not finite.
pub fn qr(m: &Matrix) -> Result<[Matrix; 2], OpError> {
    finite("qr", m)?;
    let (rows, cols) = m.shape();
    let least = rows.min(cols);
    if m.is_empty() {
        return Ok([Matrix::dense(rows, 0, Vec::new()), m.clone()]);
    }
    let cells = decompose::householder(rows, cols, &m.to_cells());
    let at = |i: usize, j: usize| cells[i * cols + j];
    let tails: Vec<f64> = (0..least)
        .map(|j| (j + 1..rows).map(|i| at(i, j) * at(i, j)).sum())
        .collect();
    let h = by_cells(rows, least, |i, j| {
        // Half the square of a vector whose first entry is one, as a share.
        let scale = 2.0 / (1.0 + tails[j]);
        match i.cmp(&j) {
            std::cmp::Ordering::Less => 0.0,
            std::cmp::Ordering::Equal => scale,
            std::cmp::Ordering::Greater => scale * at(i, j),
        }
    });
    // Where nothing stands below the diagonal the library reflects nothing, and SystemDS turns the sign around.
    let r = by_cells(rows, cols, |i, j| {
        if i > j || i >= least {
            0.0
        } else if tails[i] == 0.0 {
            -at(i, j)
        } else {
            at(i, j)
        }
    });
    Ok([h, r])
}

/// The sign that makes the entry of largest magnitude of a column positive.
fn sign_of(column: impl Iterator<Item = f64>) -> f64 {
    let largest = column.fold(0.0_f64, |a, b| if b.abs() > a.abs() { b } else { a });
    if largest < 0.0 { -1.0 } else { 1.0 }
}

/// The eigenvalues in ascending order as a column, and their eigenvectors of length one as columns.
///
/// # Errors
/// When the matrix is not square, a cell is not finite, or an eigenvalue is not real.
pub fn eigen(m: &Matrix) -> Result<[Matrix; 2], OpError> {
    let n = square("eigen", m)?;
    finite("eigen", m)?;
    if n == 0 {
        return Ok([Matrix::dense(0, 1, Vec::new()), m.clone()]);
    }
    let cells = m.to_cells();
    let is_symmetric = symmetric("eigen", m).is_ok();
    let found = if is_symmetric {
        decompose::symmetric_eigen(n, &cells)
    } else {
        decompose::eigen(n, &cells)
    };
    let Some((values, vectors)) = found else {
        let expected = "a matrix whose eigenvalues can be found";
        return Err(OpError::argument("eigen", expected, "another"));
    };
    let size = values.iter().fold(0.0_f64, |a, z| a.max(z.0.abs()));
    if let Some((real, imaginary)) = values.iter().find(|z| z.1.abs() > 1e-10 * size) {
        return Err(OpError::argument(
            "eigen",
            "a matrix with real eigenvalues, as symmetric ones have",
            format!("the eigenvalue {real} + {imaginary}i"),
        ));
    }
    let values: Vec<f64> = values.iter().map(|z| z.0).collect();
    let at = |i: usize, j: usize| vectors[i * n + j];
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let scale: Vec<f64> = (0..n)
        .map(|j| {
            let square: f64 = (0..n).map(|i| at(i, j) * at(i, j)).sum();
            sign_of((0..n).map(|i| at(i, j))) / square.sqrt()
        })
        .collect();
    Ok([
        Matrix::dense(n, 1, order.iter().map(|&j| values[j]).collect()),
        by_cells(n, n, |i, j| at(i, order[j]) * scale[order[j]]),
    ])
}

/// `U`, the singular values on the diagonal of a square `S`, largest first, and `V`, with `U %*% S %*% t(V) = m`.
///
/// # Errors
/// When a cell is not finite.
pub fn svd(m: &Matrix) -> Result<[Matrix; 3], OpError> {
    finite("svd", m)?;
    let (rows, cols) = m.shape();
    let least = rows.min(cols);
    if m.is_empty() {
        let none = |rows| Matrix::dense(rows, 0, Vec::new());
        return Ok([none(rows), none(0), none(cols)]);
    }
    let Some((u, s, v)) = decompose::svd(rows, cols, &m.to_cells()) else {
        let expected = "a matrix whose singular values can be found";
        return Err(OpError::argument("svd", expected, "another"));
    };
    let signs: Vec<f64> = (0..least)
        .map(|j| sign_of((0..cols).map(|i| v[i * least + j])))
        .collect();
    Ok([
        by_cells(rows, least, |i, j| u[i * least + j] * signs[j]),
        by_cells(least, least, |i, j| if i == j { s[i] } else { 0.0 }),
        by_cells(cols, least, |i, j| v[i * least + j] * signs[j]),
    ])
}

/// The symmetric `s` with `s %*% s = m`.
///
/// # Errors
/// When the matrix is not symmetric, or has a negative eigenvalue.
pub fn square_root(m: &Matrix) -> Result<Matrix, OpError> {
    const OP: &str = "sqrtMatrixJava";
    let n = symmetric(OP, m)?;
    let [values, vectors] = eigen(m)?;
    let most = values
        .to_cells()
        .iter()
        .fold(0.0_f64, |a, b| a.max(b.abs()));
    if let Some(wrong) = values.to_cells().iter().find(|x| **x < -1e-12 * most) {
        return Err(OpError::argument(
            OP,
            "a matrix without negative eigenvalues",
            crate::format::number(*wrong),
        ));
    }
    let roots: Vec<f64> = values
        .to_cells()
        .iter()
        .map(|x| x.max(0.0).sqrt())
        .collect();
    let v = vectors.to_cells();
    Ok(by_cells(n, n, |i, j| {
        (0..n).map(|k| v[i * n + k] * roots[k] * v[j * n + k]).sum()
    }))
}
