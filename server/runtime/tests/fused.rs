//! Fused operators by their kernels: what does not fit is said, what does not suit is declined, and small kernels give what
//! their text says.

use std::sync::Arc;

use sumac_fusion::{Access, Finish, Kernel, Output, Step, Template};
use sumac_la::Op;
use sumac_runtime::fused::{Prepared, run};
use sumac_runtime::{Matrix, Value};

/// `sum(X * v)` for a row vector `v`.
fn weighted_sum() -> Arc<Kernel> {
    Arc::new(Kernel {
        template: Template::Cell,
        slots: vec![Access::Cells, Access::Row],
        steps: vec![
            Step::Slot(0),
            Step::Slot(1),
            Step::Cell(Op::Mul, [0, 1].into_iter().collect()),
        ],
        outputs: vec![Output {
            step: 2,
            finish: Finish::All(Op::Sum),
        }],
        drivers: vec![0],
    })
}

/// `t(X) %*% (X %*% V)`.
fn gram_times() -> Arc<Kernel> {
    Arc::new(Kernel {
        template: Template::Row,
        slots: vec![Access::Cells, Access::Whole],
        steps: vec![Step::Slot(0), Step::Times(0, 1)],
        outputs: vec![Output {
            step: 1,
            finish: Finish::Sums(0),
        }],
        drivers: Vec::new(),
    })
}

fn value(rows: &[&[f64]]) -> Value {
    Matrix::from_rows(rows).into()
}

#[test]
fn dense_and_sparse_inputs_give_the_same() {
    let prepared = Prepared::default();
    let x = Matrix::from_rows(&[&[1.0, 0.0, 2.0], &[0.0, 0.0, 0.0], &[0.0, 3.0, 0.0]]);
    let v = value(&[&[2.0, 10.0, 0.5]]);
    let narrow = value(&[&[1.0, 2.0], &[0.5, 1.0], &[1.0, 0.0]]);
    for x in [x.to_dense(), x.to_sparse()] {
        let x = Value::from(x);
        let sum = run(&weighted_sum(), &[&x, &v], &prepared).unwrap();
        assert_eq!(sum, Some(vec![Value::Double(33.0)]));
        let product = run(&gram_times(), &[&x, &narrow], &prepared).unwrap();
        let expected = value(&[&[3.0, 2.0], &[4.5, 9.0], &[6.0, 4.0]]);
        assert_eq!(product, Some(vec![expected]));
    }
    let statistics = prepared.statistics();
    assert_eq!((statistics.lookups, statistics.hits), (2, 1));
}

#[test]
fn shapes_that_do_not_fit_are_errors_that_name_them() {
    let prepared = Prepared::default();
    let x = value(&[&[1.0, 2.0], &[3.0, 4.0]]);
    let v = value(&[&[1.0, 2.0, 3.0]]);
    let error = run(&weighted_sum(), &[&x, &v], &prepared).unwrap_err();
    assert!(error.to_string().contains("1 x 3"), "{error}");
    let error = run(&gram_times(), &[&x, &Value::Double(2.0)], &prepared).unwrap_err();
    assert!(error.to_string().contains("a matrix"), "{error}");
    // A factor with other rows than X has columns: the operators one by one say what is wrong.
    assert_eq!(run(&gram_times(), &[&x, &v], &prepared).unwrap(), None);
}

#[test]
fn matrices_without_rows_have_results() {
    let prepared = Prepared::default();
    let x = Value::from(Matrix::fill(0, 3, 0.0));
    let narrow = value(&[&[1.0, 2.0], &[0.5, 1.0], &[1.0, 0.0]]);
    let product = run(&gram_times(), &[&x, &narrow], &prepared).unwrap();
    assert_eq!(
        product,
        Some(vec![Matrix::fill(3, 2, 0.0).to_dense().into()])
    );
}
