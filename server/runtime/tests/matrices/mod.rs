//! Matrices for tests against slow references: ragged shapes, many zeros, both formats.
#![allow(dead_code, reason = "each test file uses a part of it")]

use proptest::prelude::*;
use sumac_runtime::Matrix;

/// Small numbers, about half of them zero, of a given shape.
pub fn matrix(rows: usize, cols: usize) -> impl Strategy<Value = Matrix> {
    let cell =
        prop_oneof![3 => Just(0.0), 4 => -4.0..4.0_f64, 1 => (-2..3_i32).prop_map(f64::from)];
    proptest::collection::vec(cell, rows * cols)
        .prop_map(move |cells| Matrix::dense(rows, cols, cells))
}

/// Nothing, one, few, some.
pub fn size() -> impl Strategy<Value = usize> {
    prop_oneof![2 => 0..3_usize, 4 => 3..20_usize, 1 => 30..40_usize]
}

/// Dense and sparse.
pub fn formats(m: &Matrix) -> [Matrix; 2] {
    [m.to_dense(), m.to_sparse()]
}

/// Equal shapes, and cells equal up to 1e-12 of `scale`.
#[track_caller]
pub fn assert_close(found: &Matrix, expected: &Matrix, scale: f64, what: &str) {
    assert_eq!(found.shape(), expected.shape(), "{what}");
    for row in 0..found.rows() {
        for col in 0..found.cols() {
            let (a, b) = (found.get(row, col), expected.get(row, col));
            let same =
                a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-12 * scale.max(1.0);
            assert!(same, "{what}: {a} and {b} at ({row}, {col})");
        }
    }
}
