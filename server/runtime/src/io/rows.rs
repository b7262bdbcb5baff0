//! A matrix's rows with all their cells, one after another, whatever its format. Never holds more than one row more
//! than the matrix itself does.

use crate::matrix::{Matrix, View};

/// Gives `f` each row, all its cells.
///
/// # Errors
/// The first of `f`.
pub(super) fn try_each<E>(m: &Matrix, mut f: impl FnMut(&[f64]) -> Result<(), E>) -> Result<(), E> {
    match m.view() {
        View::Dense(cells) => {
            (0..m.rows()).try_for_each(|row| f(&cells[row * m.cols()..][..m.cols()]))
        }
        View::Sparse(csr) => {
            let mut buffer = vec![0.0; m.cols()];
            (0..m.rows()).try_for_each(|row| {
                let (cols, values) = csr.row(row);
                for (&col, &value) in cols.iter().zip(values) {
                    buffer[col as usize] = value;
                }
                let result = f(&buffer);
                cols.iter().for_each(|&col| buffer[col as usize] = 0.0);
                result
            })
        }
    }
}
