//! Operators over compressed matrices give what they give over plain ones, NaN and infinities included; those that have a way of
//! their own leave the cells alone.

use sumac_la::Op;
use sumac_runtime::apply::apply;
use sumac_runtime::kernels::matmul::{Factor, chain, matmul};
use sumac_runtime::{Matrix, Value};

use crate::{Beside, ENCODINGS, Numbers, assert_near, compressed, matrix};

const SHAPES: [(usize, usize); 8] = [
    (0, 3),
    (3, 0),
    (1, 1),
    (1, 6),
    (8, 1),
    (300, 11),
    (70_000, 3),
    (5000, 40),
];

/// Each shape in each encoding, with and without what is no finite number: the plain matrix, the compressed one and a name.
fn each(mut test: impl FnMut(&Matrix, &Matrix, &str)) {
    for (seed, (rows, cols)) in (1..).zip(SHAPES) {
        for beside in [Beside::Nothing, Beside::NaN, Beside::Infinity] {
            for is_sparse in [false, true] {
                let m = matrix(seed, rows, cols, beside, is_sparse);
                for encoding in ENCODINGS {
                    let name =
                        format!("{rows} x {cols}, {beside:?}, {encoding:?}, sparse: {is_sparse}");
                    test(&m, &compressed(&m, encoding), &name);
                }
            }
        }
    }
}

fn vectors(rows: usize, cols: usize, seed: u64) -> Vec<Matrix> {
    let mut numbers = Numbers::new(seed);
    let mut of = |beside: Option<f64>| {
        let mut cells: Vec<f64> = (0..rows * cols)
            .map(|_| numbers.below(9) as f64 / 4.0 - 1.0)
            .collect();
        if let (Some(x), Some(last)) = (beside, cells.last_mut()) {
            *last = x;
        }
        Matrix::dense(rows, cols, cells)
    };
    vec![of(None), of(Some(f64::NAN)), of(Some(f64::INFINITY))]
}

fn is_untouched(c: &Matrix) -> bool {
    c.bytes() == c.compressed().expect("compressed").bytes()
}

#[test]
fn products_with_a_few_columns_are_those_of_the_cells() {
    each(|m, c, name| {
        let (rows, cols) = m.shape();
        let magnitude = 2.0 * rows.max(cols).max(1) as f64;
        for p in [1, 3] {
            for (i, v) in vectors(cols, p, 3).iter().enumerate() {
                let (x, v) = (Factor::plain(c), Factor::plain(v));
                let expected = matmul(Factor::plain(m), v).unwrap();
                let found = matmul(x, v).unwrap();
                assert_near(&found, &expected, magnitude, &format!("X V of {name}, {i}"));
                assert_eq!(found.is_sparse(), expected.is_sparse());
            }
            for (i, w) in vectors(rows, p, 4).iter().enumerate() {
                let (x, w) = (Factor::transposed(c), Factor::plain(w));
                let expected = matmul(Factor::transposed(m), w).unwrap();
                let found = matmul(x, w).unwrap();
                assert_near(
                    &found,
                    &expected,
                    magnitude,
                    &format!("t(X) W of {name}, {i}"),
                );
            }
            for (i, w) in vectors(p, rows, 5).iter().enumerate() {
                let expected = matmul(Factor::plain(w), Factor::plain(m)).unwrap();
                let found = matmul(Factor::plain(w), Factor::plain(c)).unwrap();
                assert_near(&found, &expected, magnitude, &format!("W X of {name}, {i}"));
            }
            for (i, v) in vectors(cols, p, 6).iter().enumerate() {
                let (v, plain) = (Factor::transposed(v), Factor::transposed(m));
                let expected = matmul(v, plain).unwrap();
                let found = matmul(v, Factor::transposed(c)).unwrap();
                assert_near(
                    &found,
                    &expected,
                    magnitude,
                    &format!("t(V) t(X) of {name}, {i}"),
                );
            }
        }
    });
}

#[test]
fn a_zero_of_a_sparse_vector_meets_nothing_in_a_compressed_matrix_either() {
    each(|m, c, name| {
        let v = vectors(m.cols(), 1, 3)[0].to_sparse();
        let expected = matmul(Factor::plain(m), Factor::plain(&v)).unwrap();
        let found = matmul(Factor::plain(c), Factor::plain(&v)).unwrap();
        assert_near(&found, &expected, 2.0 * m.cols().max(1) as f64, name);
    });
}

#[test]
fn a_product_with_itself_by_way_of_a_vector_is_that_of_the_cells() {
    each(|m, c, name| {
        let (rows, cols) = m.shape();
        let v = &vectors(cols, 1, 3)[0];
        for w in [
            None,
            Some(&vectors(rows, 1, 4)[0]),
            Some(&vectors(rows, 1, 4)[1]),
        ] {
            let expected = chain(m, v, w).unwrap();
            let found = chain(c, v, w).unwrap();
            let magnitude = 4.0 * (rows * cols).max(1) as f64;
            assert_near(&found, &expected, magnitude, name);
        }
    });
}

#[test]
fn aggregates_are_those_of_the_cells_and_leave_them_alone() {
    let numbers = [Op::Sum, Op::Mean, Op::Min, Op::Max];
    let lines = [
        Op::RowSums,
        Op::RowMeans,
        Op::RowMins,
        Op::RowMaxs,
        Op::ColSums,
        Op::ColMeans,
        Op::ColMins,
        Op::ColMaxs,
    ];
    each(|m, c, name| {
        let magnitude = 2.0 * m.len().max(1) as f64;
        let of = |op: Op, m: &Matrix| apply(op, vec![m.clone().into()]).unwrap();
        for op in numbers {
            let (found, expected) = (of(op, c), of(op, m));
            let cell = |value: Value| Matrix::fill(1, 1, value.as_number().unwrap());
            assert_near(
                &cell(found),
                &cell(expected),
                magnitude,
                &format!("{op:?} of {name}"),
            );
        }
        for op in lines {
            let (found, expected) = (of(op, c), of(op, m));
            let (found, expected) = (found.as_matrix().unwrap(), expected.as_matrix().unwrap());
            assert_near(found, expected, magnitude, &format!("{op:?} of {name}"));
            assert_eq!(found.is_sparse(), expected.is_sparse(), "{op:?} of {name}");
        }
        assert!(is_untouched(c), "{name}");
    });
}

#[test]
fn cellwise_operators_with_numbers_keep_the_groups_and_give_the_same_cells() {
    let unary = [
        Op::Exp,
        Op::Abs,
        Op::Neg,
        Op::Not,
        Op::Sqrt,
        Op::Round,
        Op::Sigmoid,
        Op::Log,
    ];
    let binary = [
        (Op::Pow, 2.0),
        (Op::Mul, -1.5),
        (Op::Mul, f64::NAN),
        (Op::Mul, 0.0),
        (Op::Add, 1.0),
        (Op::Div, 0.0),
        (Op::Sub, 0.0),
        (Op::Ne, 0.0),
        (Op::Gt, 0.5),
        (Op::Eq, f64::NAN),
        (Op::Min2, 0.25),
        (Op::Mod, 0.5),
    ];
    each(|m, c, name| {
        let same = |found: &Value, expected: &Value, what: &str| {
            let (found, expected) = (found.as_matrix().unwrap(), expected.as_matrix().unwrap());
            assert!(found.compressed().is_some(), "{what}");
            assert_eq!(found.is_sparse(), expected.is_sparse(), "{what}");
            assert_eq!(found.nnz(), expected.nnz(), "{what}");
            assert_near(found, expected, 1.0, what);
        };
        // Shared and owned: the second may be changed in place.
        let kept: Value = c.clone().into();
        for op in unary {
            let what = format!("{op:?} of {name}");
            let expected = apply(op, vec![m.clone().into()]).unwrap();
            same(&apply(op, vec![kept.clone()]).unwrap(), &expected, &what);
            same(
                &apply(op, vec![c.clone().into()]).unwrap(),
                &expected,
                &what,
            );
        }
        for (op, x) in binary {
            let what = format!("{op:?} with {x} of {name}");
            let x = Value::Double(x);
            let expected = apply(op, vec![m.clone().into(), x.clone()]).unwrap();
            same(
                &apply(op, vec![kept.clone(), x.clone()]).unwrap(),
                &expected,
                &what,
            );
            let expected = apply(op, vec![x.clone(), m.clone().into()]).unwrap();
            same(
                &apply(op, vec![x, c.clone().into()]).unwrap(),
                &expected,
                &what,
            );
        }
        assert!(is_untouched(kept.as_matrix().unwrap()), "{name}");
    });
}

#[test]
fn operators_without_a_way_of_their_own_read_the_cells() {
    each(|m, c, name| {
        let (rows, cols) = m.shape();
        let unary = |op: Op, m: &Matrix| apply(op, vec![m.clone().into()]).unwrap();
        for op in [Op::Transpose, Op::Rev, Op::Prod] {
            let (found, expected) = (unary(op, c), unary(op, m));
            match (found.as_matrix(), expected.as_matrix()) {
                (Some(found), Some(expected)) => assert_near(found, expected, 0.0, name),
                _ => assert_near(
                    &Matrix::fill(1, 1, found.as_number().unwrap()),
                    &Matrix::fill(1, 1, expected.as_number().unwrap()),
                    1.0,
                    name,
                ),
            }
        }
        let column = vectors(rows, 1, 8)[0].clone();
        for other in [column, m.clone()] {
            if other.cols() == 1 || other.cols() == cols {
                let of = |m: &Matrix| {
                    apply(Op::Mul, vec![m.clone().into(), other.clone().into()]).unwrap()
                };
                let (found, expected) = (of(c), of(m));
                assert_near(
                    found.as_matrix().unwrap(),
                    expected.as_matrix().unwrap(),
                    0.0,
                    name,
                );
            }
        }
        let wide = vectors(cols, 20, 9).remove(0);
        let found = matmul(Factor::plain(c), Factor::plain(&wide)).unwrap();
        let expected = matmul(Factor::plain(m), Factor::plain(&wide)).unwrap();
        assert_near(&found, &expected, 1.0, name);
    });
}

#[test]
fn products_with_a_vector_leave_the_cells_alone() {
    for encoding in ENCODINGS {
        let m = matrix(3, 5000, 11, Beside::Nothing, false);
        let c = compressed(&m, encoding);
        let (v, w) = (&vectors(11, 1, 1)[0], &vectors(5000, 1, 2)[0]);
        matmul(Factor::plain(&c), Factor::plain(v)).unwrap();
        matmul(Factor::transposed(&c), Factor::plain(w)).unwrap();
        assert!(is_untouched(&c), "{encoding:?}");
        // Next to an infinity the order of additions shows: the cells themselves are needed.
        matmul(Factor::plain(&c), Factor::plain(&vectors(11, 1, 1)[2])).unwrap();
        assert!(
            !is_untouched(&c),
            "{encoding:?}: the plain cells count as memory"
        );
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let m = matrix(9, 200_000, 12, Beside::Nothing, false);
    for (encoding, cols) in ENCODINGS.into_iter().flat_map(|of| [(of, 1), (of, 2)]) {
        let (v, w) = (&vectors(12, cols, 1)[0], &vectors(200_000, cols, 2)[0]);
        let c = compressed(&m, encoding);
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| {
                let right = matmul(Factor::plain(&c), Factor::plain(v)).unwrap();
                let left = matmul(Factor::transposed(&c), Factor::plain(w)).unwrap();
                (right.to_cells(), left.to_cells())
            })
        };
        assert_eq!(run(1), run(3), "{encoding:?}, {cols} columns");
    }
}
