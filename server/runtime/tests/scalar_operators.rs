//! Every way in which a scalar operator is computed against `Op::eval`, over the numbers at the edges: cells one by one and many at
//! once, dense, sparse and compressed, owned and shared, beside a number, and as a part of a fused operator.

use sumac_cost::Machine;
use sumac_fusion::{Options, Policy, Rates, plan};
use sumac_la::{Dag, Op, ShapeRule, Type};
use sumac_runtime::apply::apply;
use sumac_runtime::compressed::{Compressed, GroupPlan};
use sumac_runtime::eval::eval_plan;
use sumac_runtime::fused::Prepared;
use sumac_runtime::{Cancel, Matrix, Value};

const EDGES: [f64; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    -2.5,
    2.0,
    -7.0,
    3.0,
    0.499_999_999_999_999_94,
    -0.1,
    1e-300,
    -1e-300,
    5e-324,
    1e300,
    -1e300,
    9_007_199_254_740_991.0,
    9_007_199_254_740_993.0,
    -4_503_599_627_370_497.5,
    1e19,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// The scalar operators of so many arguments.
fn operators(arity: usize) -> impl Iterator<Item = Op> {
    Op::ALL.iter().copied().filter(move |op| {
        let info = op.info();
        info.shape == ShapeRule::Cellwise && info.arity.accepts(arity)
    })
}

/// Functions of vectors differ from those of the library in the last digits.
fn is_same(a: f64, b: f64, zeros_have_signs: bool) -> bool {
    if a == 0.0 && b == 0.0 {
        return !zeros_have_signs || a.is_sign_negative() == b.is_sign_negative();
    }
    let is_close = b.is_finite() && (a - b).abs() <= 4.0 * f64::EPSILON * b.abs() + 1e-320;
    a == b || is_close || (a.is_nan() && b.is_nan())
}

/// So many cells, over and over: vectors have rests.
fn repeated(cells: &[f64], rows: usize, cols: usize) -> Matrix {
    let cells = (0..rows * cols).map(|i| cells[i % cells.len()]);
    Matrix::dense(rows, cols, cells.collect())
}

/// Holds a result against the function of the arguments' cells. Where a zero is not stored it has no sign.
#[track_caller]
fn check(what: &str, op: Op, found: &Value, args: &[&Matrix], zeros_have_signs: bool) {
    let found = found.matrix("a result").expect("a matrix");
    let (rows, cols) = found.shape();
    for i in 0..rows {
        for j in 0..cols {
            let read = |m: &&Matrix| m.get(i.min(m.rows() - 1), j.min(m.cols() - 1));
            let cells: Vec<f64> = args.iter().map(read).collect();
            let expected = op.eval(&cells).expect("a scalar operator");
            let got = found.get(i, j);
            // A zero that is not stored stays zero, whatever it is multiplied by.
            let is_skipped =
                op == Op::Mul && !zeros_have_signs && cells.contains(&0.0) && got == 0.0;
            if is_skipped {
                continue;
            }
            assert!(
                is_same(got, expected, zeros_have_signs && !found.is_sparse()),
                "{what}: {op:?} of {cells:?} is {got}, not {expected}"
            );
        }
    }
}

/// `op` of arguments as it is planned: with another operator behind it, so that there is something to fuse.
fn fused(op: Op, args: &[&Matrix]) -> Value {
    let mut dag = Dag::default();
    let inputs: Vec<_> = args
        .iter()
        .enumerate()
        .map(|(i, m)| {
            dag.input(
                &format!("x{i}"),
                Type::matrix(m.rows() as u64, m.cols() as u64),
            )
        })
        .collect();
    let result = dag.op(op, inputs).expect("shapes fit");
    let kept = dag.op(Op::Abs, [result]).expect("any shape fits");
    let back = dag.op(Op::Abs, [kept]).expect("any shape fits");
    let roots = [result, back];
    let options = Options {
        policy: Policy::FuseAll,
        ..Options::new(Rates::from(&Machine::default()))
    };
    let plan = plan(&dag, &roots, &options);
    let values: Vec<Value> = args.iter().map(|m| (*m).clone().into()).collect();
    let prepared = Prepared::default();
    let evaluated = eval_plan(
        (&dag, &roots),
        &plan,
        &values,
        &prepared,
        &Cancel::default(),
        &mut |_, _| (),
    );
    evaluated
        .expect("it can be evaluated")
        .values
        .swap_remove(0)
}

/// The same without negative zeros: a zero that is not stored has no sign.
fn unsigned(m: &Matrix) -> Matrix {
    let cells = m.to_cells().into_iter().map(|x| x + 0.0).collect();
    Matrix::dense(m.rows(), m.cols(), cells)
}

fn compressed(m: &Matrix) -> Matrix {
    let cols = (0..u32::try_from(m.cols()).expect("few columns")).collect();
    let groups = [GroupPlan {
        cols,
        encoding: Some(sumac_runtime::compressed::Encoding::Dictionary),
    }];
    Compressed::new(m, &groups).into()
}

#[test]
fn functions_of_one_number_are_those_of_the_algebra() {
    for op in operators(1) {
        for x in EDGES {
            let found = apply(op, vec![Value::Double(x)]).expect("it is there");
            let expected = op.eval(&[x]).expect("a scalar operator");
            assert!(
                is_same(found.as_number().unwrap(), expected, true),
                "{op:?} of {x}"
            );
        }
        for (rows, cols) in [(1, 1), (24, 1), (1, 24), (7, 11), (24, 37)] {
            let m = repeated(&EDGES, rows, cols);
            let shared: Value = m.clone().into();
            check(
                "shared",
                op,
                &apply(op, vec![shared.clone()]).unwrap(),
                &[&m],
                true,
            );
            check(
                "owned",
                op,
                &apply(op, vec![m.clone().into()]).unwrap(),
                &[&m],
                true,
            );
            drop(shared);
            let m = unsigned(&m);
            let sparse = m.to_sparse();
            check(
                "sparse",
                op,
                &apply(op, vec![sparse.into()]).unwrap(),
                &[&m],
                false,
            );
            check(
                "compressed",
                op,
                &apply(op, vec![compressed(&m).into()]).unwrap(),
                &[&m],
                false,
            );
            check("fused", op, &fused(op, &[&m]), &[&m], false);
        }
    }
}

#[test]
fn functions_of_two_numbers_are_those_of_the_algebra() {
    let n = EDGES.len();
    let pairs = n * n;
    let a = Matrix::dense(n, n, (0..pairs).map(|i| EDGES[i / n]).collect());
    let b = Matrix::dense(n, n, (0..pairs).map(|i| EDGES[i % n]).collect());
    let (column, row) = (repeated(&EDGES, n, 1), repeated(&EDGES, 1, n));
    for op in operators(2) {
        let run =
            |x: &Matrix, y: &Matrix| apply(op, vec![x.clone().into(), y.clone().into()]).unwrap();
        check("dense", op, &run(&a, &b), &[&a, &b], true);
        check("a row", op, &run(&a, &row), &[&a, &row], true);
        check("a column", op, &run(&b, &column), &[&b, &column], true);
        check("fused", op, &fused(op, &[&a, &b]), &[&a, &b], false);
        for y in EDGES {
            let number = Matrix::fill(1, 1, y);
            let with = |values: Vec<Value>| apply(op, values).expect("it is there");
            for x in EDGES {
                let found = with(vec![Value::Double(x), Value::Double(y)]);
                let expected = op.eval(&[x, y]).expect("a scalar operator");
                let found = found.as_number().expect("a number");
                assert!(
                    is_same(found, expected, true),
                    "{op:?} of {x} and {y}: {found}, not {expected}"
                );
            }
            let m = repeated(&EDGES, 5, 13);
            let right = with(vec![m.clone().into(), Value::Double(y)]);
            check("a number on the right", op, &right, &[&m, &number], true);
            let left = with(vec![Value::Double(y), m.clone().into()]);
            check("a number on the left", op, &left, &[&number, &m], true);
            let m = unsigned(&m);
            let in_groups = with(vec![compressed(&m).into(), Value::Double(y)]);
            check("compressed", op, &in_groups, &[&m, &number], false);
            let sparse = with(vec![m.to_sparse().into(), Value::Double(y)]);
            check("sparse", op, &sparse, &[&m, &number], false);
        }
    }
}
