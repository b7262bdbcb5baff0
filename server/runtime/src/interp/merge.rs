//! What iterations side by side made of one variable, put together: what a piece changed wins over what was there
//! before the loop, and what pieces only added to is the sum of all.

use std::sync::Arc;

use crate::matrix::{Csr, CsrBuilder, Matrix, View};
use crate::value::{Column, Frame, List, Value};

/// `now`, which holds what earlier pieces did to `before`, with what `new` changed of `before`. With `adds`, the
/// differences are added up.
///
/// # Errors
/// When a value has another kind or size than before the loop.
pub(super) fn merge(before: &Value, now: Value, new: Value, adds: bool) -> Result<Value, String> {
    if is_same(before, &new) {
        return Ok(now);
    }
    let misfit = |found: &Value| {
        format!(
            "it was {} before the loop, and an iteration made it {}",
            before.describe(),
            found.describe()
        )
    };
    match (before, now, new) {
        (Value::Matrix(before), Value::Matrix(now), Value::Matrix(new))
            if before.shape() == new.shape() =>
        {
            // Nothing was merged yet: the piece's own value is the result.
            if Arc::ptr_eq(before, &now) {
                return Ok(Value::Matrix(new));
            }
            let now = Arc::try_unwrap(now).unwrap_or_else(|shared| (*shared).clone());
            Ok(if adds {
                sum(before, now, &new)
            } else {
                changed(before, now, &new)
            }
            .into())
        }
        (Value::Frame(before), Value::Frame(now), Value::Frame(new))
            if (before.rows(), before.cols()) == (new.rows(), new.cols()) =>
        {
            frames(before, &now, &new).map(Value::from)
        }
        (Value::List(before), Value::List(now), Value::List(new)) if before.len() == new.len() => {
            Ok(lists(before, &now, &new).into())
        }
        (_, _, new) => Err(misfit(&new)),
    }
}

/// Whether nobody wrote to it: the very same value.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Matrix(a), Value::Matrix(b)) => Arc::ptr_eq(a, b),
        (Value::Frame(a), Value::Frame(b)) => Arc::ptr_eq(a, b),
        (Value::List(a), Value::List(b)) => Arc::ptr_eq(a, b),
        (a, b) => a == b,
    }
}

/// NaN is NaN.
fn differs(a: f64, b: f64) -> bool {
    a != b && !(a.is_nan() && b.is_nan())
}

fn changed(before: &Matrix, now: Matrix, new: &Matrix) -> Matrix {
    if let (View::Sparse(b), View::Sparse(o), View::Sparse(n)) =
        (before.view(), now.view(), new.view())
    {
        return changed_sparse(b, o, n);
    }
    let (rows, cols) = before.shape();
    let mut cells = now.into_cells();
    let (before, new) = (before.to_dense(), new.to_dense());
    if let (View::Dense(before), View::Dense(new)) = (before.view(), new.view()) {
        for ((cell, before), new) in cells.iter_mut().zip(before).zip(new) {
            if differs(*before, *new) {
                *cell = *new;
            }
        }
    }
    Matrix::dense(rows, cols, cells)
}

fn changed_sparse(before: &Csr, now: &Csr, new: &Csr) -> Matrix {
    let (rows, cols) = (before.rows(), before.cols());
    let mut out = CsrBuilder::new(rows, cols, now.nnz().max(new.nnz()));
    for row in 0..rows {
        let sides = [before.row(row), now.row(row), new.row(row)];
        let mut at = [0; 3];
        loop {
            let heads = [0, 1, 2].map(|side| sides[side].0.get(at[side]).copied());
            let Some(col) = heads.into_iter().flatten().min() else {
                break;
            };
            let mut value = [0.0; 3];
            for side in 0..3 {
                if heads[side] == Some(col) {
                    value[side] = sides[side].1[at[side]];
                    at[side] += 1;
                }
            }
            let [before, now, new] = value;
            out.push(col as usize, if differs(before, new) { new } else { now });
        }
        out.end_row();
    }
    Matrix::from(out.finish()).settled()
}

fn sum(before: &Matrix, now: Matrix, new: &Matrix) -> Matrix {
    let (rows, cols) = before.shape();
    let mut cells = now.into_cells();
    let (before, new) = (before.to_dense(), new.to_dense());
    if let (View::Dense(before), View::Dense(new)) = (before.view(), new.view()) {
        for ((cell, before), new) in cells.iter_mut().zip(before).zip(new) {
            *cell = *cell + *new - *before;
        }
    }
    Matrix::dense(rows, cols, cells).settled()
}

fn frames(before: &Frame, now: &Frame, new: &Frame) -> Result<Frame, String> {
    let columns = before
        .columns()
        .iter()
        .zip(now.columns())
        .zip(new.columns())
        .map(|((before, now), new)| {
            let (old, mut cells, new) = (before.texts(), now.texts(), new.texts());
            for ((cell, old), new) in cells.iter_mut().zip(&old).zip(new) {
                if *old != new {
                    *cell = new;
                }
            }
            Column::of_texts(now.name().clone(), now.ty(), cells).map_err(|e| e.to_string())
        });
    let columns = columns.collect::<Result<Vec<Column>, String>>()?;
    Frame::new(columns).map_err(|error| error.to_string())
}

/// The first piece that changed an entry wins.
fn lists(before: &List, now: &List, new: &List) -> List {
    let mut out = now.clone();
    for (at, old) in before.values().iter().enumerate() {
        let untouched = now
            .values()
            .get(at)
            .is_some_and(|value| is_same(old, value));
        if untouched && !is_same(old, &new.values()[at]) {
            out.set(at, new.values()[at].clone());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(cells: &[f64]) -> Value {
        Matrix::dense(1, cells.len(), cells.to_vec()).into()
    }

    fn merged(before: &Value, pieces: &[Value], adds: bool) -> Value {
        pieces.iter().fold(before.clone(), |now, new| {
            merge(before, now, new.clone(), adds).unwrap()
        })
    }

    #[test]
    fn each_piece_gives_the_cells_that_it_changed() {
        let before = value(&[1.0, 2.0, f64::NAN, 4.0]);
        let pieces = [
            value(&[9.0, 2.0, f64::NAN, 4.0]),
            value(&[1.0, 0.0, f64::NAN, 4.0]),
            value(&[1.0, 2.0, f64::NAN, f64::NAN]),
        ];
        let Value::Matrix(all) = merged(&before, &pieces, false) else {
            panic!("a matrix");
        };
        let cells = all.to_cells();
        assert_eq!(cells[..2], [9.0, 0.0]);
        assert!(cells[2].is_nan() && cells[3].is_nan());
    }

    #[test]
    fn sparse_and_dense_merge_alike() {
        let m = |cells: [f64; 6]| Matrix::dense(2, 3, cells.to_vec());
        let before = m([0.0, 5.0, 0.0, 0.0, 0.0, 7.0]);
        let new = [
            m([1.0, 5.0, 0.0, 0.0, 0.0, 7.0]),
            m([0.0, 0.0, 0.0, 0.0, 0.0, 7.0]),
            m([0.0, 5.0, 0.0, 0.0, 3.0, 8.0]),
        ];
        for adds in [false, true] {
            let dense = merged(&before.clone().into(), &new.clone().map(Value::from), adds);
            let sparse = merged(
                &before.to_sparse().into(),
                &new.clone().map(|n| n.to_sparse().into()),
                adds,
            );
            assert_eq!(dense, sparse);
            assert_eq!(
                dense,
                m([1.0, 0.0, 0.0, 0.0, 3.0, 8.0]).into(),
                "the changes do not overlap"
            );
        }
    }

    #[test]
    fn what_is_only_added_to_is_summed() {
        let before = value(&[10.0, 0.0]);
        let pieces = [value(&[11.0, 1.0]), value(&[12.0, 0.5])];
        assert_eq!(merged(&before, &pieces, true), value(&[13.0, 1.5]));
    }

    #[test]
    fn another_shape_is_refused() {
        let before = value(&[1.0, 2.0]);
        let error = merge(&before, before.clone(), value(&[1.0]), false).unwrap_err();
        assert!(
            error.contains("1 x 2") && error.contains("1 x 1"),
            "{error}"
        );
    }

    #[test]
    fn the_first_change_of_an_entry_wins() {
        let list = |values: [i64; 3]| Value::from(List::new(values.map(Value::Int).to_vec()));
        let pieces = [list([9, 2, 3]), list([8, 2, 7])];
        assert_eq!(merged(&list([1, 2, 3]), &pieces, false), list([9, 2, 7]));
    }
}
