//! Any function of two numbers over pairs of cells, with repeated scalars, rows and columns.
//!
//! For operators that are no row of `sumac-la`'s table; those have faster loops in `cell`.

use crate::error::OpError;
use crate::kernels::cell::Operand;
use crate::matrix::Matrix;
use crate::memory;

/// `f` of each pair of cells; `op` is named in errors.
///
/// # Errors
/// When the shapes neither agree nor repeat.
pub fn zip(
    op: &str,
    a: Operand<'_>,
    b: Operand<'_>,
    f: impl Fn(f64, f64) -> f64,
) -> Result<Matrix, OpError> {
    let owned = [a, b].map(|side| match side {
        Operand::Scalar(x) => ((1, 1), vec![x]),
        Operand::Matrix(m) => (m.shape(), m.to_cells()),
    });
    let [(left, x), (right, y)] = &owned;
    let join = |m: usize, n: usize| match (m, n) {
        (m, n) if m == n => Some(m),
        (1, n) | (n, 1) => Some(n),
        _ => None,
    };
    let (Some(rows), Some(cols)) = (join(left.0, right.0), join(left.1, right.1)) else {
        return Err(OpError::Shapes {
            op: op.to_owned(),
            left: format!("{} x {}", left.0, left.1),
            right: format!("{} x {}", right.0, right.1),
            rule: "shapes must be equal, or one a scalar, a row or a column vector that fits"
                .to_owned(),
        });
    };
    let at = |shape: &(usize, usize), row: usize, col: usize| {
        (if shape.0 == 1 { 0 } else { row }) * shape.1 + if shape.1 == 1 { 0 } else { col }
    };
    let mut out = memory::zeroed(rows * cols);
    for (row, cells) in out.chunks_exact_mut(cols.max(1)).enumerate() {
        for (col, cell) in cells.iter_mut().enumerate() {
            *cell = f(x[at(left, row, col)], y[at(right, row, col)]);
        }
    }
    Ok(Matrix::dense(rows, cols, out).settled())
}
