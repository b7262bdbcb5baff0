//! LA DAGs evaluated as a whole.

use sumac_la::{Dag, NodeId, Op, Type};
use sumac_runtime::synthesize::{Range, synthesize};
use sumac_runtime::{Cancel, EvalError, Matrix, Value, eval, eval_measured};

fn inputs(dag: &Dag) -> Vec<Value> {
    let make = |(i, input): (usize, &sumac_la::Input)| {
        synthesize(&input.ty, i as u64, Range::Signed).unwrap()
    };
    dag.inputs().iter().enumerate().map(make).collect()
}

/// `sum((X - U %*% t(V))^2)` and its expansion, as two roots.
fn loss() -> Dag {
    let mut d = Dag::default();
    let x = d.input("X", Type::sparse(60, 50, 0.05));
    let u = d.input("U", Type::matrix(60, 4));
    let v = d.input("V", Type::matrix(50, 4));
    let two = d.num(2.0);
    let mut op = |op: Op, args: &[NodeId]| d.op(op, args.iter().copied()).unwrap();
    let (ut, vt) = (op(Op::Transpose, &[u]), op(Op::Transpose, &[v]));
    let uv = op(Op::MatMul, &[u, vt]);
    let e = op(Op::Sub, &[x, uv]);
    let square = op(Op::Pow, &[e, two]);
    let direct = op(Op::Sum, &[square]);
    let (x2, xv) = (op(Op::Pow, &[x, two]), op(Op::MatMul, &[x, v]));
    let uxv = op(Op::Mul, &[u, xv]);
    let (uu, vv) = (op(Op::MatMul, &[ut, u]), op(Op::MatMul, &[vt, v]));
    let uuvv = op(Op::Mul, &[uu, vv]);
    let (a, b, c) = (
        op(Op::Sum, &[x2]),
        op(Op::Sum, &[uxv]),
        op(Op::Sum, &[uuvv]),
    );
    let b2 = op(Op::Mul, &[two, b]);
    let ab = op(Op::Sub, &[a, b2]);
    let expanded = op(Op::Add, &[ab, c]);
    d.push_root(direct);
    d.push_root(expanded);
    d
}

#[test]
fn equal_expressions_have_equal_values() {
    let dag = loss();
    let values = eval(&dag, &inputs(&dag)).unwrap();
    let (a, b) = (
        values[0].as_number().unwrap(),
        values[1].as_number().unwrap(),
    );
    assert!(a > 0.0 && (a - b).abs() < 1e-11 * a, "{a} and {b}");
}

#[test]
fn values_are_freed_at_their_last_use() {
    // A chain of ten, which neither works in place nor keeps a step: never more than the input and two steps.
    let mut d = Dag::default();
    let x = d.input("X", Type::matrix(100, 100));
    let mut y = x;
    for _ in 0..10 {
        y = d.op(Op::Rev, [y]).unwrap();
    }
    d.push_root(y);
    let result = eval_measured(&d, &inputs(&d), &Cancel::default()).unwrap();
    assert_eq!(result.peak_bytes, 3 * 80_000);
}

#[test]
fn cellwise_operators_work_in_the_cells_of_a_value_that_nobody_else_needs() {
    let mut d = Dag::default();
    let x = d.input("X", Type::matrix(100, 100));
    let r = d.input("r", Type::matrix(1, 100));
    let s = d.input("S", Type::sparse(100, 100, 0.01));
    let one = d.num(1.5);
    // 1.5 - (exp(X + 1.5) * r) - S: after the first step every step has the same cells.
    let a = d.op(Op::Add, [x, one]).unwrap();
    let b = d.op(Op::Exp, [a]).unwrap();
    let c = d.op(Op::Mul, [b, r]).unwrap();
    let e = d.op(Op::Sub, [one, c]).unwrap();
    let f = d.op(Op::Sub, [e, s]).unwrap();
    d.push_root(f);
    let values = inputs(&d);
    let given: u64 = values.iter().map(Value::bytes).sum();
    let before = values[0].clone();
    let result = eval_measured(&d, &values, &Cancel::default()).unwrap();
    assert_eq!(result.peak_bytes, given + 80_000);
    assert_eq!(values[0], before, "inputs are never changed");
    let at = |i: usize, row, col| values[i].as_matrix().unwrap().get(row, col);
    for (row, col) in [(0, 0), (7, 42), (99, 99)] {
        let expected = 1.5 - (at(0, row, col) + 1.5).exp() * at(1, 0, col) - at(2, row, col);
        assert_eq!(
            result.values[0].as_matrix().unwrap().get(row, col),
            expected
        );
    }
}

#[test]
fn a_transpose_is_formed_only_where_somebody_needs_its_cells() {
    let mut d = Dag::default();
    let x = d.input("X", Type::matrix(200, 100));
    let t = d.op(Op::Transpose, [x]).unwrap();
    let product = d.op(Op::MatMul, [t, x]).unwrap();
    d.push_root(product);
    let x_value = inputs(&d);
    let lazy = eval_measured(&d, &x_value, &Cancel::default()).unwrap();
    assert_eq!(lazy.peak_bytes, 160_000 + 80_000);
    d.push_root(t);
    let formed = eval_measured(&d, &x_value, &Cancel::default()).unwrap();
    assert_eq!(formed.peak_bytes, 2 * 160_000 + 80_000);
    assert_eq!(formed.values[0], lazy.values[0]);
    assert_eq!(formed.values[1].as_matrix().unwrap().shape(), (100, 200));
}

#[test]
fn left_indexing_changes_the_last_owner_in_place_and_spares_others() {
    let mut d = Dag::default();
    let x = d.input("X", Type::matrix(3, 3));
    let (one, nine) = (d.num(1.0), d.num(9.0));
    let y = d.op(Op::Add, [x, one]).unwrap();
    let z = d.op(Op::LeftIndex, [y, nine, one, one, one, one]).unwrap();
    d.push_root(z);
    let zero = vec![Value::from(Matrix::fill(3, 3, 0.0).to_dense())];
    let in_place = eval_measured(&d, &zero, &Cancel::default()).unwrap();
    assert_eq!(in_place.peak_bytes, 2 * 72 + 72 - 72);
    d.push_root(y);
    let shared = eval(&d, &zero).unwrap();
    assert_eq!(shared[0].as_matrix().unwrap().get(0, 0), 9.0);
    assert_eq!(shared[1].as_matrix().unwrap().get(0, 0), 1.0);
    assert_eq!(zero[0].as_matrix().unwrap().get(0, 0), 0.0);
}

#[test]
fn failures_name_the_expression_and_the_input() {
    let mut d = Dag::default();
    let x = d.input("X", Type::unknown_matrix());
    let y = d.input("Y", Type::unknown_matrix());
    let sum = d.op(Op::Add, [x, y]).unwrap();
    d.push_root(sum);
    let (a, b): (Value, Value) = (
        Matrix::fill(2, 3, 1.0).into(),
        Matrix::fill(3, 2, 1.0).into(),
    );
    let error = eval(&d, &[a.clone(), b]).unwrap_err().to_string();
    assert!(
        error.contains("2 x 3 with 3 x 2") && error.ends_with("(in `X + Y`)"),
        "{error}"
    );
    assert!(matches!(
        eval(&d, std::slice::from_ref(&a)),
        Err(EvalError::MissingInput { .. })
    ));
    assert!(matches!(
        eval(&d, &[a.clone(), Value::text("no")]),
        Err(EvalError::InputKind { .. })
    ));
    let cancel = Cancel::default();
    cancel.cancel();
    assert_eq!(
        eval_measured(&d, &[a.clone(), a], &cancel).unwrap_err(),
        EvalError::Cancelled
    );
}
