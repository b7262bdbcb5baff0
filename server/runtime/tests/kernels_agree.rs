//! Every kernel against a slow reference that knows only cells, over dense and sparse arguments of ragged shapes.
//!
//! Tolerance: 1e-12 relative to the sum of the magnitudes that go into a cell (exact for operators that only move or
//! map cells). Special values have tests of their own.

mod matrices;

use matrices::{assert_close, formats, matrix, size};
use proptest::prelude::*;
use sumac_la::Op;
use sumac_runtime::apply::apply;
use sumac_runtime::kernels::matmul::{Factor, matmul};
use sumac_runtime::kernels::scalar;
use sumac_runtime::{Matrix, Value};

fn by_cells(rows: usize, cols: usize, f: impl Fn(usize, usize) -> f64) -> Matrix {
    Matrix::dense(
        rows,
        cols,
        (0..rows * cols).map(|i| f(i / cols, i % cols)).collect(),
    )
}

fn magnitude(m: &Matrix) -> f64 {
    m.to_cells().iter().map(|x| x.abs()).sum()
}

/// `op` over shared arguments, which must stay as they are, and over owned ones, which may be changed in place: both
/// give the same bits.
#[track_caller]
fn apply_twice(op: Op, args: Vec<Value>) -> Value {
    let shared = apply(op, args.clone()).unwrap_or_else(|e| panic!("{op:?}: {e}"));
    let owned = apply(op, args).unwrap_or_else(|e| panic!("{op:?}: {e}"));
    if let (Value::Matrix(a), Value::Matrix(b)) = (&shared, &owned) {
        assert_eq!(
            (a.shape(), a.is_sparse()),
            (b.shape(), b.is_sparse()),
            "{op:?}"
        );
        // All NaNs count as one.
        let bits = |m: &Matrix| {
            m.to_cells()
                .into_iter()
                .map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() })
                .collect::<Vec<_>>()
        };
        assert_eq!(bits(a), bits(b), "{op:?}");
    }
    shared
}

#[track_caller]
fn run(op: Op, args: &[&Matrix]) -> Value {
    apply_twice(op, args.iter().map(|m| Value::from((*m).clone())).collect())
}

fn reference_product(a: &Matrix, b: &Matrix) -> Matrix {
    let (a, b) = (a.to_dense(), b.to_dense());
    by_cells(a.rows(), b.cols(), |i, j| {
        (0..a.cols()).map(|k| a.get(i, k) * b.get(k, j)).sum()
    })
}

fn reference_transpose(m: &Matrix) -> Matrix {
    by_cells(m.cols(), m.rows(), |i, j| m.get(j, i))
}

/// The operators of so many numbers that go cell by cell.
fn cellwise(arguments: usize) -> impl Iterator<Item = Op> {
    let ones = vec![1.0; arguments];
    let all = Op::ALL.iter().copied();
    all.filter(move |op| op.eval(&ones).is_some())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn products_of_all_formats_and_directions((a, b) in (size(), size(), size()).prop_flat_map(|(m, k, n)| (matrix(m, k), matrix(k, n)))) {
        let expected = reference_product(&a, &b);
        let scale = magnitude(&a) * 4.0;
        let (at, bt) = (reference_transpose(&a), reference_transpose(&b));
        for (x, xt) in formats(&a).iter().zip(&formats(&at)) {
            for (y, yt) in formats(&b).iter().zip(&formats(&bt)) {
                for (left, right) in [
                    (Factor::plain(x), Factor::plain(y)),
                    (Factor::transposed(xt), Factor::plain(y)),
                    (Factor::plain(x), Factor::transposed(yt)),
                    (Factor::transposed(xt), Factor::transposed(yt)),
                ] {
                    let what = format!("{left:?} times {right:?}");
                    assert_close(&matmul(left, right).unwrap(), &expected, scale, &what);
                }
            }
        }
    }

    #[test]
    fn cellwise_operators_with_every_broadcast(
        (a, b) in (size(), size(), 0..5_usize).prop_flat_map(|(m, n, case)| {
            let right = [(m, n), (1, n), (m, 1), (1, 1), (m, n)][case];
            let left = if case == 4 && m > 0 { (1, n) } else { (m, n) };
            (matrix(left.0, left.1), matrix(right.0, right.1))
        })
    ) {
        let rows = if a.rows() == 1 { b.rows() } else { a.rows() };
        let cols = if a.cols() == 1 { b.cols() } else { a.cols() };
        let at = |m: &Matrix, i: usize, j: usize| m.get(if m.rows() == 1 { 0 } else { i }, if m.cols() == 1 { 0 } else { j });
        for op in cellwise(2) {
            let expected = by_cells(rows, cols, |i, j| scalar::binary(op, at(&a, i, j), at(&b, i, j)).unwrap());
            for x in &formats(&a) {
                for y in &formats(&b) {
                    let found = run(op, &[x, y]);
                    assert_close(found.as_matrix().unwrap(), &expected, 0.0, &format!("{op:?} of {x:?} and {y:?}"));
                }
            }
        }
    }

    #[test]
    fn cellwise_operators_with_a_number_on_either_side((a, s) in (size(), size()).prop_flat_map(|(m, n)| (matrix(m, n), prop_oneof![Just(0.0), Just(1.0), Just(2.0), -3.0..3.0_f64]))) {
        for op in cellwise(2) {
            let left = by_cells(a.rows(), a.cols(), |i, j| scalar::binary(op, s, a.get(i, j)).unwrap());
            let right = by_cells(a.rows(), a.cols(), |i, j| scalar::binary(op, a.get(i, j), s).unwrap());
            for x in formats(&a) {
                let found = apply_twice(op, vec![Value::Double(s), x.clone().into()]);
                assert_close(found.as_matrix().unwrap(), &left, 0.0, &format!("{s} {op:?} {x:?}"));
                let found = apply_twice(op, vec![x.clone().into(), Value::Double(s)]);
                assert_close(found.as_matrix().unwrap(), &right, 0.0, &format!("{x:?} {op:?} {s}"));
            }
        }
    }

    #[test]
    fn operators_of_one_argument(a in (size(), size()).prop_flat_map(|(m, n)| matrix(m, n))) {
        for op in cellwise(1) {
            let expected = by_cells(a.rows(), a.cols(), |i, j| scalar::unary(op, a.get(i, j)).unwrap());
            for x in &formats(&a) {
                assert_close(run(op, &[x]).as_matrix().unwrap(), &expected, 0.0, &format!("{op:?} of {x:?}"));
            }
        }
    }

    #[test]
    fn aggregates(a in (size(), size()).prop_flat_map(|(m, n)| matrix(m, n))) {
        type Fold = fn(&[f64]) -> f64;
        let sum: Fold = |x| x.iter().sum();
        let mean: Fold = |x| x.iter().sum::<f64>() / x.len() as f64;
        let min: Fold = |x| x.iter().copied().fold(f64::INFINITY, f64::min);
        let max: Fold = |x| x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let rows: Vec<Vec<f64>> = (0..a.rows()).map(|i| (0..a.cols()).map(|j| a.get(i, j)).collect()).collect();
        let cols: Vec<Vec<f64>> = (0..a.cols()).map(|j| (0..a.rows()).map(|i| a.get(i, j)).collect()).collect();
        let scale = magnitude(&a);
        for x in &formats(&a) {
            for (f, [full, by_row, by_col]) in [
                (sum, [Op::Sum, Op::RowSums, Op::ColSums]),
                (mean, [Op::Mean, Op::RowMeans, Op::ColMeans]),
                (min, [Op::Min, Op::RowMins, Op::ColMins]),
                (max, [Op::Max, Op::RowMaxs, Op::ColMaxs]),
            ] {
                let one = Matrix::dense(1, 1, vec![f(&a.to_cells())]);
                let found = run(full, &[x]).as_number().unwrap();
                assert_close(&Matrix::dense(1, 1, vec![found]), &one, scale, &format!("{full:?} of {x:?}"));
                // Of a row or a column without cells every aggregate is 0.
                let of = |cells: &Vec<f64>| if cells.is_empty() { 0.0 } else { f(cells) };
                let expected = Matrix::dense(a.rows(), 1, rows.iter().map(of).collect());
                assert_close(run(by_row, &[x]).as_matrix().unwrap(), &expected, scale, &format!("{by_row:?} of {x:?}"));
                let expected = Matrix::dense(1, a.cols(), cols.iter().map(of).collect());
                assert_close(run(by_col, &[x]).as_matrix().unwrap(), &expected, scale, &format!("{by_col:?} of {x:?}"));
            }
            let product: f64 = a.to_cells().iter().product();
            assert!((run(Op::Prod, &[x]).as_number().unwrap() - product).abs() <= 1e-9 * product.abs());
        }
    }

    #[test]
    fn operators_that_move_cells(a in (size(), size()).prop_flat_map(|(m, n)| matrix(m, n))) {
        let (m, n) = a.shape();
        for x in &formats(&a) {
            let moved = |op| run(op, &[x]);
            assert_close(moved(Op::Transpose).as_matrix().unwrap(), &reference_transpose(&a), 0.0, "t");
            assert_close(moved(Op::Rev).as_matrix().unwrap(), &by_cells(m, n, |i, j| a.get(m - 1 - i, j)), 0.0, "rev");
            let args = vec![x.clone().into(), Value::Int(n as i64), Value::Int(m as i64)];
            let reshaped = apply(Op::Reshape, args).unwrap();
            assert_close(reshaped.as_matrix().unwrap(), &Matrix::dense(n, m, a.to_cells()), 0.0, "matrix");
            if n == 1 {
                let expected = by_cells(m, m, |i, j| if i == j { a.get(i, 0) } else { 0.0 });
                assert_close(moved(Op::Diag).as_matrix().unwrap(), &expected, 0.0, "diag");
            } else if m == n {
                assert_close(moved(Op::Diag).as_matrix().unwrap(), &by_cells(m, 1, |i, _| a.get(i, i)), 0.0, "diag");
                let trace: f64 = (0..m).map(|i| a.get(i, i)).sum();
                assert!((moved(Op::Trace).as_number().unwrap() - trace).abs() < 1e-12 * magnitude(&a).max(1.0));
            }
        }
    }

    #[test]
    fn binding((a, b, c) in (size(), size(), size()).prop_flat_map(|(m, n, p)| (matrix(m, n), matrix(m, p), matrix(p, n)))) {
        let (m, n) = a.shape();
        for x in &formats(&a) {
            for (y, z) in formats(&b).iter().zip(&formats(&c)) {
                let wide = by_cells(m, n + y.cols(), |i, j| if j < n { a.get(i, j) } else { b.get(i, j - n) });
                assert_close(run(Op::Cbind, &[x, y]).as_matrix().unwrap(), &wide, 0.0, "cbind");
                let tall = by_cells(m + z.rows(), n, |i, j| if i < m { a.get(i, j) } else { c.get(i - m, j) });
                assert_close(run(Op::Rbind, &[x, z]).as_matrix().unwrap(), &tall, 0.0, "rbind");
            }
        }
    }

    #[test]
    fn indexing_on_either_side(
        (a, patch, r, c) in (1..15_usize, 1..15_usize).prop_flat_map(|(m, n)| (matrix(m, n), 0..m, 0..m, 0..n, 0..n)).prop_flat_map(|(a, r0, r1, c0, c1)| {
            let (r, c) = (r0.min(r1)..r0.max(r1) + 1, c0.min(c1)..c0.max(c1) + 1);
            (Just(a), matrix(r.len(), c.len()), Just(r), Just(c))
        })
    ) {
        let bounds = [r.start + 1, r.end, c.start + 1, c.end].map(|x| Value::Int(x as i64));
        let cut = by_cells(r.len(), c.len(), |i, j| a.get(r.start + i, c.start + j));
        let set = by_cells(a.rows(), a.cols(), |i, j| {
            if r.contains(&i) && c.contains(&j) { patch.get(i - r.start, j - c.start) } else { a.get(i, j) }
        });
        for x in formats(&a) {
            let mut args = vec![Value::from(x.clone())];
            args.extend(bounds.clone());
            assert_close(apply(Op::RightIndex, args).unwrap().as_matrix().unwrap(), &cut, 0.0, "right index");
            for y in formats(&patch) {
                let mut args = vec![x.clone().into(), y.into()];
                args.extend(bounds.clone());
                assert_close(apply(Op::LeftIndex, args).unwrap().as_matrix().unwrap(), &set, 0.0, "left index");
            }
        }
    }

    #[test]
    fn choosing_by_condition((t, y, n) in (size(), size()).prop_flat_map(|(m, n)| (matrix(m, n), matrix(m, n), matrix(1, n)))) {
        prop_assume!(t.rows() > 0);
        let expected = by_cells(t.rows(), t.cols(), |i, j| if t.get(i, j) != 0.0 { y.get(i, j) } else { n.get(0, j) });
        for x in formats(&t) {
            assert_close(run(Op::IfElse, &[&x, &y.to_sparse(), &n]).as_matrix().unwrap(), &expected, 0.0, "ifelse");
            let with_numbers = apply(Op::IfElse, vec![x.into(), Value::Int(1), Value::Double(0.0)]).unwrap();
            assert_close(with_numbers.as_matrix().unwrap(), &by_cells(t.rows(), t.cols(), |i, j| f64::from(t.get(i, j) != 0.0)), 0.0, "ifelse");
        }
    }
}

#[test]
fn large_matrices_are_split_without_changing_the_result() {
    // Large enough for several tasks in each kernel; compared with exact sums of integers.
    let (m, n) = (1200, 400);
    let x = by_cells(m, n, |i, j| ((i * 7 + j * 3) % 5) as f64 - 2.0);
    let sparse = by_cells(m, n, |i, j| {
        if (i + j) % 9 == 0 {
            ((i + 2 * j) % 4) as f64 + 1.0
        } else {
            0.0
        }
    })
    .to_sparse();
    let exact = |m: &Matrix| m.to_cells().iter().sum::<f64>();
    assert_eq!(run(Op::Sum, &[&x]).as_number(), Some(exact(&x)));
    assert_eq!(run(Op::Sum, &[&sparse]).as_number(), Some(exact(&sparse)));
    for m in [&x, &sparse] {
        let sums = |op| exact(run(op, &[m]).as_matrix().unwrap());
        assert_eq!((sums(Op::RowSums), sums(Op::ColSums)), (exact(m), exact(m)));
        assert_eq!(
            run(
                Op::Transpose,
                &[run(Op::Transpose, &[m]).as_matrix().unwrap()]
            )
            .as_matrix(),
            Some(m)
        );
        assert_eq!(
            exact(run(Op::Add, &[m, &x]).as_matrix().unwrap()),
            exact(m) + exact(&x)
        );
    }
    for width in [1, 3, 8, 12, 40] {
        let v = by_cells(n, width, |i, j| ((i + j) % 3) as f64);
        let w = by_cells(m, width, |i, j| ((i * j) % 4) as f64 - 1.0);
        for a in [&x, &sparse] {
            assert_eq!(
                matmul(Factor::plain(a), Factor::plain(&v)).unwrap(),
                reference_product(a, &v),
                "{width}"
            );
            let at = reference_transpose(a);
            assert_eq!(
                matmul(Factor::transposed(a), Factor::plain(&w)).unwrap(),
                reference_product(&at, &w),
                "{width}"
            );
        }
    }
    let product = matmul(Factor::transposed(&sparse), Factor::plain(&sparse)).unwrap();
    assert_eq!(
        product,
        reference_product(&reference_transpose(&sparse), &sparse.to_dense())
    );
    let mixed = matmul(Factor::transposed(&x), Factor::plain(&sparse)).unwrap();
    assert_eq!(
        mixed,
        reference_product(&reference_transpose(&x), &sparse.to_dense())
    );
}

#[test]
fn nan_and_infinity_pass_as_systemds_has_them() {
    let m = Matrix::from_rows(&[&[1.0, f64::NAN], &[3.0, 4.0]]);
    for x in &formats(&m) {
        for op in [Op::Sum, Op::Min, Op::Max, Op::Mean] {
            assert!(run(op, &[x]).as_number().unwrap().is_nan(), "{op:?}");
        }
        assert_eq!(run(Op::RowMaxs, &[x]).as_matrix().unwrap().get(1, 0), 4.0);
        assert_eq!(run(Op::Round, &[x]).as_matrix().unwrap().get(0, 1), 0.0);
    }
    let zeros = Matrix::fill(2, 2, 0.0);
    let dense = run(Op::Mul, &[&m, &zeros.to_dense()]);
    assert!(
        dense.as_matrix().unwrap().get(0, 1).is_nan(),
        "dense zeros meet the NaN"
    );
    let sparse = run(Op::Mul, &[&m, &zeros.to_sparse()]);
    assert_eq!(
        sparse.as_matrix().unwrap().nnz(),
        0,
        "zeros that are not stored meet nothing"
    );
    let quotient = run(Op::Div, &[&zeros.to_sparse(), &zeros]);
    assert!(
        quotient
            .as_matrix()
            .unwrap()
            .to_cells()
            .iter()
            .all(|x| x.is_nan()),
        "0 / 0 is seen"
    );
}

#[test]
fn sparse_arguments_keep_sparse_results_where_zeros_stay_zeros() {
    let x = by_cells(50, 60, |i, j| if (i + j) % 11 == 0 { 2.0 } else { 0.0 }).to_sparse();
    let y = by_cells(50, 60, |i, j| (i + j) as f64 + 1.0);
    for op in [Op::Mul, Op::Div, Op::And] {
        assert!(
            run(op, &[&x, &y]).as_matrix().unwrap().is_sparse(),
            "{op:?}"
        );
    }
    assert!(run(Op::Mul, &[&y, &x]).as_matrix().unwrap().is_sparse());
    assert!(run(Op::Add, &[&x, &x]).as_matrix().unwrap().is_sparse());
    let squared = apply(Op::Pow, vec![x.clone().into(), Value::Int(2)]).unwrap();
    assert!(squared.as_matrix().unwrap().is_sparse());
    assert!(!run(Op::Exp, &[&x]).as_matrix().unwrap().is_sparse());
}

#[test]
fn arguments_that_do_not_fit_are_errors_with_both_shapes() {
    let (a, b) = (Matrix::fill(3, 4, 1.0), Matrix::fill(3, 5, 1.0));
    let error = |op, args: Vec<Value>| apply(op, args).unwrap_err().to_string();
    let both = || vec![a.clone().into(), b.clone().into()];
    assert_eq!(
        error(Op::MatMul, both()),
        "`%*%` cannot combine 3 x 4 with 3 x 5: columns of the left (4) must equal rows of the right (3)"
    );
    assert!(error(Op::Add, both()).contains("cannot combine 3 x 4 with 3 x 5"));
    assert!(error(Op::Rbind, both()).contains("columns must be equal"));
    assert_eq!(
        error(Op::Trace, vec![a.clone().into()]),
        "`trace` expects a square matrix, found 3 x 4"
    );
    let bounds = [1, 4, 1, 1].map(Value::Int);
    let args = [vec![a.clone().into()], bounds.to_vec()].concat();
    assert_eq!(
        error(Op::RightIndex, args),
        "index 1:4 is outside the 3 rows of `[…]`"
    );
    assert_eq!(
        error(Op::RowSums, vec![Value::Int(1)]),
        "`rowSums` expects a matrix, found an integer"
    );
}
