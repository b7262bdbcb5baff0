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

/// `t(X) %*% (X %*% V)` by its definition.
fn slow_gram_times(x: &Matrix, v: &Matrix) -> Matrix {
    let ((rows, k), p) = (x.shape(), v.cols());
    let mut cells = vec![0.0; k * p];
    for i in 0..rows {
        for c in 0..p {
            let product: f64 = (0..k).map(|j| x.get(i, j) * v.get(j, c)).sum();
            for j in 0..k {
                cells[j * p + c] += x.get(i, j) * product;
            }
        }
    }
    Matrix::dense(k, p, cells)
}

#[test]
fn rows_that_are_fetched_as_they_are_read_give_what_the_definition_says() {
    // Small whole numbers: their sums are exact, whatever the order.
    let numbers = |len: usize, step: usize| -> Vec<f64> {
        (0..len).map(|i| (i * step % 11) as f64 - 5.0).collect()
    };
    let prepared = Prepared::default();
    for rows in [0, 1, 4, 39, 41, 83, 300] {
        for k in [1, 7, 8, 9, 50, 64, 100, 501] {
            for p in [1, 2, 3, 4, 5, 6, 9, 16, 17, 70] {
                let x = Matrix::dense(rows, k, numbers(rows * k, 7));
                let v = Matrix::dense(k, p, numbers(k * p, 5));
                let expected = slow_gram_times(&x, &v);
                let v = Value::from(v);
                for x in [x.to_sparse(), x] {
                    let what = format!("{rows} x {k}, {p} columns, sparse: {}", x.is_sparse());
                    let found = run(&gram_times(), &[&x.into(), &v], &prepared).unwrap();
                    assert_eq!(found, Some(vec![expected.clone().into()]), "{what}");
                }
            }
        }
    }
}

/// `t(X) %*% (P * Q)`: only the sums over rows read X.
fn weighted_rows(is_column: bool) -> Arc<Kernel> {
    let weights = if is_column {
        Access::Column
    } else {
        Access::Cells
    };
    Arc::new(Kernel {
        template: Template::Row,
        slots: vec![Access::Cells, weights, weights],
        steps: vec![
            Step::Slot(0),
            Step::Slot(1),
            Step::Slot(2),
            Step::Cell(Op::Mul, [1, 2].into_iter().collect()),
        ],
        outputs: vec![Output {
            step: 3,
            finish: Finish::Sums(0),
        }],
        drivers: Vec::new(),
    })
}

#[test]
fn a_matrix_that_only_the_sums_read_gives_what_the_definition_says() {
    // Small whole numbers: their sums are exact, whatever the order. Tiles have up to 256 rows.
    let numbers = |len: usize, step: usize| -> Vec<f64> {
        (0..len).map(|i| (i * step % 11) as f64 - 5.0).collect()
    };
    let prepared = Prepared::default();
    for rows in [0, 1, 3, 255, 256, 257, 700] {
        for (k, p) in [
            (1, 1),
            (9, 1),
            (100, 1),
            (501, 1),
            (1, 4),
            (8, 3),
            (100, 4),
            (3, 70),
        ] {
            let (a, b) = (numbers(rows * p, 5), numbers(rows * p, 3));
            let x = Matrix::dense(rows, k, numbers(rows * k, 7));
            let mut cells = vec![0.0; k * p];
            for i in 0..rows {
                for j in 0..k {
                    for c in 0..p {
                        cells[j * p + c] += x.get(i, j) * a[i * p + c] * b[i * p + c];
                    }
                }
            }
            let expected = Value::from(Matrix::dense(k, p, cells));
            let [a, b] = [a, b].map(|cells| Value::from(Matrix::dense(rows, p, cells)));
            for x in [x.to_sparse(), x] {
                let x = Value::from(x);
                let kernel = weighted_rows(p == 1);
                let found = run(&kernel, &[&x, &a, &b], &prepared).unwrap();
                assert_eq!(found, Some(vec![expected.clone()]), "{rows} x {k}, {p}");
            }
        }
    }
}

#[test]
fn a_weight_that_is_no_number_reaches_every_sum() {
    let prepared = Prepared::default();
    for p in [1, 4] {
        let x = Value::from(Matrix::fill(300, 10, 1.0).to_dense());
        let mut cells = vec![1.0; 300 * p];
        cells[299 * p] = f64::NAN;
        let (a, b) = (
            Value::from(Matrix::dense(300, p, cells)),
            Value::from(Matrix::fill(300, p, 2.0).to_dense()),
        );
        let kernel = weighted_rows(p == 1);
        let found = run(&kernel, &[&x, &a, &b], &prepared).unwrap().unwrap();
        let found = found[0].as_matrix().unwrap();
        for row in 0..10 {
            assert!(found.get(row, 0).is_nan());
            assert!((1..p).all(|col| found.get(row, col) == 600.0));
        }
    }
}

#[test]
fn a_cell_that_is_no_number_reaches_the_columns_that_it_meets() {
    let prepared = Prepared::default();
    for p in [2, 5, 6] {
        let mut cells = vec![1.0; 50 * 20];
        cells[49 * 20 + 19] = f64::NAN;
        let inputs = [
            Value::from(Matrix::dense(50, 20, cells)),
            Matrix::fill(20, p, 0.0).to_dense().into(),
        ];
        let found = run(&gram_times(), &[&inputs[0], &inputs[1]], &prepared).unwrap();
        let found = found.unwrap()[0].as_matrix().unwrap().to_cells();
        assert!(found.iter().all(|cell| cell.is_nan()), "{p} columns");
    }
}

/// `(X * (U %*% t(V))) %*% W`, with the cells of a sparse X alone.
fn sampled_times() -> Arc<Kernel> {
    Arc::new(Kernel {
        template: Template::Outer,
        slots: vec![Access::Cells, Access::Whole, Access::Whole, Access::Whole],
        steps: vec![
            Step::Slot(0),
            Step::Product(1, 2),
            Step::Cell(Op::Mul, [0, 1].into_iter().collect()),
        ],
        outputs: vec![Output {
            step: 2,
            finish: Finish::RightProduct(3),
        }],
        drivers: vec![0],
    })
}

#[test]
fn a_sampled_product_is_multiplied_as_it_comes_whatever_its_factors_are() {
    let prepared = Prepared::default();
    let number = |i: usize, step: usize| (i * step % 23) as f64 - 11.0;
    let made = |rows: usize, cols: usize, step: usize| -> Vec<f64> {
        (0..rows * cols).map(|i| number(i, step)).collect()
    };
    // Rows of no cell, of one, and one of more than are gathered at a time.
    let (m, n, rank) = (9, 5000, 3);
    let x: Vec<f64> = (0..m * n)
        .map(|at| match (at / n, at % n) {
            (0 | 7, _) => 0.0,
            (3, col) if col % 2 == 0 => number(at, 5),
            (row, col) if col == row * 11 => 2.0,
            _ => 0.0,
        })
        .collect();
    let (u, v) = (made(m, rank, 7), made(n, rank, 3));
    for cols in [1, 2, 8, 20, 64, 65] {
        for odd in [1.0, f64::INFINITY, f64::NAN] {
            let mut w = made(n, cols, 13);
            // Of a column where a row of X has a cell, and U V none.
            w[2 * cols] = odd;
            let mut expected = vec![0.0; m * cols];
            for (at, x) in x.iter().enumerate() {
                let (i, j) = (at / n, at % n);
                let product: f64 = (0..rank).map(|k| u[i * rank + k] * v[j * rank + k]).sum();
                // As products of sparse matrices have it: a zero meets nothing.
                if x * product != 0.0 {
                    for c in 0..cols {
                        expected[i * cols + c] += x * product * w[j * cols + c];
                    }
                }
            }
            let inputs: [Value; 4] = [
                Matrix::dense(m, n, x.clone()).to_sparse().into(),
                Matrix::dense(m, rank, u.clone()).into(),
                Matrix::dense(n, rank, v.clone()).into(),
                Matrix::dense(n, cols, w).into(),
            ];
            let [x, u, v, w] = &inputs;
            let found = run(&sampled_times(), &[x, u, v, w], &prepared).unwrap();
            let found = found.unwrap()[0].as_matrix().unwrap().to_cells();
            for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let near = (found - expected).abs() <= 1e-9 * expected.abs().max(1.0);
                let same = found == expected || found.is_nan() && expected.is_nan();
                assert!(
                    near || same,
                    "{cols} columns, {odd} at {at}: {found} for {expected}"
                );
            }
        }
    }
}

/// `(X * (U %*% t(V))) %*% V`, or with `X != 0` for `X`.
fn sampled_times_its_factor(is_mask: bool) -> Arc<Kernel> {
    let mut steps = vec![Step::Slot(0), Step::Product(1, 2)];
    let mut weight = 0;
    if is_mask {
        steps.push(Step::Number(0.0_f64.to_bits()));
        steps.push(Step::Cell(Op::Ne, [0, 2].into_iter().collect()));
        weight = 3;
    }
    steps.push(Step::Cell(Op::Mul, [weight, 1].into_iter().collect()));
    Arc::new(Kernel {
        template: Template::Outer,
        slots: vec![Access::Cells, Access::Whole, Access::Whole],
        outputs: vec![Output {
            step: steps.len() - 1,
            finish: Finish::RightProduct(2),
        }],
        steps,
        drivers: vec![0],
    })
}

#[test]
fn a_sampled_product_times_its_own_factor_gives_what_the_definition_says() {
    let prepared = Prepared::default();
    // Small whole numbers: their sums are exact, whatever the order.
    let numbers = |len: usize, step: usize| -> Vec<f64> {
        (0..len).map(|i| (i * step % 11) as f64 - 5.0).collect()
    };
    // Rows without cells, and one of more than are gathered at a time.
    let (m, n) = (40, 900);
    let stored = |at: usize| match at / n {
        0 | 7 | 39 => false,
        3 => at.is_multiple_of(2),
        _ => at * 7 % 41 == 3,
    };
    let x: Vec<f64> = (0..m * n)
        .map(|at| {
            if stored(at) {
                (at % 3) as f64 - 3.0
            } else {
                0.0
            }
        })
        .collect();
    for rank in [1, 2, 7, 8, 20, 24, 64, 65] {
        let (u, v) = (numbers(m * rank, 7), numbers(n * rank, 5));
        for is_mask in [false, true] {
            let mut expected = vec![0.0; m * rank];
            for at in (0..m * n).filter(|at| x[*at] != 0.0) {
                let (u, v) = (&u[at / n * rank..][..rank], &v[at % n * rank..][..rank]);
                let product: f64 = u.iter().zip(v).map(|(a, b)| a * b).sum();
                let weight = if is_mask { 1.0 } else { x[at] };
                for (sum, v) in expected[at / n * rank..][..rank].iter_mut().zip(v) {
                    *sum += weight * product * v;
                }
            }
            let inputs: [Value; 3] = [
                Matrix::dense(m, n, x.clone()).to_sparse().into(),
                Matrix::dense(m, rank, u.clone()).into(),
                Matrix::dense(n, rank, v.clone()).into(),
            ];
            let kernel = sampled_times_its_factor(is_mask);
            let found = run(&kernel, &inputs.each_ref(), &prepared).unwrap();
            let expected = Matrix::dense(m, rank, expected);
            assert_eq!(
                found,
                Some(vec![expected.into()]),
                "{rank} columns, mask: {is_mask}"
            );
        }
    }
}

/// Steps over `X / rowMaxs(X)`, and what each reads on its left and its right: the value so far, a number, `X` itself, or the
/// number `c` that the kernel is given.
const SHIFTS: [(Op, [char; 2]); 12] = [
    (Op::Mul, ['v', 'n']),
    (Op::Mul, ['n', 'v']),
    (Op::Add, ['v', 'n']),
    (Op::Sub, ['v', 'n']),
    (Op::Sub, ['n', 'v']),
    (Op::Add, ['n', 'v']),
    (Op::Mul, ['v', 'c']),
    (Op::Sub, ['c', 'v']),
    // Something that is no chain in between, and a value that is read twice.
    (Op::Max2, ['v', 'x']),
    (Op::Mul, ['v', 'v']),
    (Op::Mul, ['v', 'n']),
    (Op::Neg, ['v', ' ']),
];

/// The cells after all steps, and the kernel that computes them.
fn shifted(x: &Matrix, c: f64) -> (Vec<u64>, Arc<Kernel>) {
    let (rows, cols) = x.shape();
    let mut cells = Vec::new();
    let mut steps = vec![
        Step::Slot(0),
        Step::Slot(1),
        Step::Fold(Op::RowMaxs, 0),
        Step::Cell(Op::Div, [0, 2].into_iter().collect()),
    ];
    for i in 0..rows {
        let row: Vec<f64> = (0..cols).map(|j| x.get(i, j)).collect();
        let largest = row.iter().fold(f64::NEG_INFINITY, |a, b| {
            if b.is_nan() || a.is_nan() {
                f64::NAN
            } else {
                a.max(*b)
            }
        });
        cells.extend(row.iter().map(|x| x / largest));
    }
    let mut value = 3;
    for (i, (op, args)) in SHIFTS.iter().enumerate() {
        let number = 0.7 + i as f64;
        let mut numbers = Vec::new();
        for arg in args.iter().filter(|arg| **arg != ' ') {
            numbers.push(match arg {
                'v' => value,
                'x' => 0,
                'c' => 1,
                _ => {
                    steps.push(Step::Number(number.to_bits()));
                    steps.len() - 1
                }
            });
        }
        steps.push(Step::Cell(*op, numbers.into_iter().collect()));
        value = steps.len() - 1;
        for (at, cell) in cells.iter_mut().enumerate() {
            let [a, b] = args.map(|arg| match arg {
                'v' => *cell,
                'x' => x.get(at / cols, at % cols),
                'c' => c,
                _ => number,
            });
            *cell = match op {
                Op::Mul => a * b,
                Op::Add => a + b,
                Op::Sub => a - b,
                Op::Neg => -a,
                _ if a.is_nan() || b.is_nan() => f64::NAN,
                _ => a.max(b),
            };
        }
    }
    let kernel = Kernel {
        template: Template::Row,
        slots: vec![Access::Cells, Access::Scalar],
        steps,
        outputs: vec![Output {
            step: value,
            finish: Finish::Keep,
        }],
        drivers: Vec::new(),
    };
    (bits(cells), Arc::new(kernel))
}

/// Of numbers that are no numbers only that they are none.
fn bits(cells: Vec<f64>) -> Vec<u64> {
    let of = |x: f64| if x.is_nan() { f64::NAN } else { x }.to_bits();
    cells.into_iter().map(of).collect()
}

#[test]
fn steps_that_are_taken_together_give_what_they_give_one_by_one() {
    let prepared = Prepared::default();
    for (rows, cols) in [(0, 3), (1, 1), (3, 21), (21, 100), (300, 7), (5, 2500)] {
        for special in [None, Some(f64::NAN), Some(f64::INFINITY), Some(-0.0)] {
            let mut cells: Vec<f64> = (0..rows * cols)
                .map(|i| (i * 37 % 101) as f64 / 7.0 + 0.1)
                .collect();
            if let (Some(special), Some(cell)) = (special, cells.last_mut()) {
                *cell = special;
            }
            let x = Matrix::dense(rows, cols, cells);
            let (expected, kernel) = shifted(&x, -1.3);
            let inputs = [Value::from(x), Value::Double(-1.3)];
            let found = run(&kernel, &[&inputs[0], &inputs[1]], &prepared).unwrap();
            if rows == 0 {
                assert!(found.is_none(), "sums of nothing are left to the operators");
                continue;
            }
            let found = found.expect("it suits dense rows");
            let found = bits(found[0].as_matrix().unwrap().to_cells());
            assert_eq!(found, expected, "{rows} x {cols}, {special:?}");
        }
    }
}
