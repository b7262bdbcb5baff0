//! LA DAGs evaluated as a whole.

use sumac_la::{Dag, NodeId, Op, Type};
use sumac_runtime::fused::Planner;
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
        let found = result.values[0].as_matrix().unwrap().get(row, col);
        assert!((found - expected).abs() < 1e-14, "{found} and {expected}");
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

/// The values of all roots, each operator alone.
fn one_by_one(dag: &Dag, inputs: &[Value]) -> Vec<Value> {
    let mut values: Vec<Option<Value>> = vec![None; dag.len()];
    for id in dag.reachable(dag.roots()) {
        let value = match dag.node(id) {
            sumac_la::Node::Input(n) => inputs[*n as usize].clone(),
            sumac_la::Node::Num(bits) => Value::Double(f64::from_bits(*bits)),
            sumac_la::Node::Op(op, args) => {
                let args = args.iter().map(|arg| values[arg.index()].clone().unwrap());
                sumac_runtime::apply::apply(*op, args.collect()).unwrap()
            }
        };
        values[id.index()] = Some(value);
    }
    let root = |id: &sumac_la::NodeId| values[id.index()].clone().unwrap();
    dag.roots().iter().map(root).collect()
}

#[test]
fn sums_in_one_pass_are_the_sums_of_what_the_operators_give() {
    for (rows, cols, sparsity, shared) in [
        (100, 60, 1.0, false),
        (100, 60, 1.0, true),
        (100, 60, 0.05, false),
        (3, 4, 1.0, false),
        (0, 4, 1.0, false),
    ] {
        let mut d = Dag::default();
        let x = d.input("X", Type::matrix(rows, cols));
        let y = d.input("Y", Type::sparse(rows, cols, sparsity));
        let row = d.input("r", Type::matrix(1, cols));
        let s = d.input("s", Type::scalar());
        // sum(exp(X * s) * Y + 1), sum(X * r), sum((X > 0) * Y): a program, a repeated row, a part that may be sparse.
        let (zero, one) = (d.num(0.0), d.num(1.0));
        let scaled = d.op(Op::Mul, [x, s]).unwrap();
        let exp = d.op(Op::Exp, [scaled]).unwrap();
        let product = d.op(Op::Mul, [exp, y]).unwrap();
        let more = d.op(Op::Add, [product, one]).unwrap();
        let by_row = d.op(Op::Mul, [x, row]).unwrap();
        let positive = d.op(Op::Gt, [x, zero]).unwrap();
        let chosen = d.op(Op::Mul, [positive, y]).unwrap();
        for cells in [more, by_row, chosen] {
            let sum = d.op(Op::Sum, [cells]).unwrap();
            d.push_root(sum);
        }
        if shared {
            d.push_root(exp);
        }
        let values = inputs(&d);
        let found = eval(&d, &values).unwrap();
        for (found, expected) in found.iter().zip(one_by_one(&d, &values)) {
            match (found.as_number(), expected.as_number()) {
                (Some(a), Some(b)) => {
                    assert!((a - b).abs() <= 1e-12 * b.abs().max(1.0), "{a} and {b}");
                }
                _ => assert_eq!(*found, expected),
            }
        }
    }
}

#[test]
fn a_chain_of_products_never_writes_down_what_is_inside() {
    for (weighted, swapped, shared) in [
        (false, false, false),
        (true, false, false),
        (true, true, false),
        (true, false, true),
    ] {
        let mut d = Dag::default();
        let x = d.input("X", Type::matrix(4000, 20));
        let v = d.input("v", Type::matrix(20, 1));
        let w = d.input("w", Type::matrix(4000, 1));
        let inner = d.op(Op::MatMul, [x, v]).unwrap();
        let sides = if swapped { [inner, w] } else { [w, inner] };
        let middle = if weighted {
            d.op(Op::Mul, sides).unwrap()
        } else {
            inner
        };
        let transposed = d.op(Op::Transpose, [x]).unwrap();
        let chain = d.op(Op::MatMul, [transposed, middle]).unwrap();
        d.push_root(chain);
        if shared {
            d.push_root(inner);
        }
        let values = inputs(&d);
        let cancel = Cancel::default();
        let result = Planner::default().eval(&d, &values, &cancel, &mut |_, _| ());
        let result = result.unwrap();
        let expected = one_by_one(&d, &values);
        for row in 0..20 {
            let at = |value: &Value| value.as_matrix().unwrap().get(row, 0);
            let (a, b) = (at(&result.values[0]), at(&expected[0]));
            assert!((a - b).abs() <= 1e-9, "{a} and {b}");
        }
        let given: u64 = values.iter().map(Value::bytes).sum();
        let own = result.peak_bytes - given;
        assert_eq!(own == 20 * 8, !shared, "{own} bytes beside the inputs");
    }
}

#[test]
fn kernels_that_were_cancelled_leave_their_work() {
    let ones = Value::from(Matrix::fill(2000, 1000, 1.0));
    let sum = || {
        sumac_runtime::apply::apply(Op::Sum, vec![ones.clone()])
            .unwrap()
            .as_number()
    };
    let cancel = Cancel::default();
    assert_eq!(sumac_runtime::cancel::during(&cancel, sum), Some(2e6));
    cancel.cancel();
    assert_eq!(
        sumac_runtime::cancel::during(&cancel, sum),
        Some(0.0),
        "no part was added"
    );
    assert_eq!(sum(), Some(2e6), "nobody else is disturbed");
    // Results of called-off kernels have their shapes, dense and sparse.
    let sparse = Value::from(Matrix::fill(2000, 1000, 0.0));
    let mut thousand = Matrix::fill(1000, 1000, 0.0).to_dense().into_cells();
    thousand.iter_mut().step_by(7).for_each(|cell| *cell = 1.0);
    let few = Value::from(Matrix::dense(1000, 1000, thousand).settled());
    sumac_runtime::cancel::during(&cancel, || {
        for (op, args, shape) in [
            (Op::Transpose, vec![ones.clone()], (1000, 2000)),
            (Op::MatMul, vec![ones.clone(), few.clone()], (2000, 1000)),
            (Op::MatMul, vec![few.clone(), few.clone()], (1000, 1000)),
            (Op::Mul, vec![few.clone(), few.clone()], (1000, 1000)),
            (Op::Add, vec![sparse.clone(), ones.clone()], (2000, 1000)),
        ] {
            let result = sumac_runtime::apply::apply(op, args).unwrap();
            assert_eq!(result.as_matrix().unwrap().shape(), shape, "{op:?}");
        }
    });
}
