//! The kernels that take a shortcut (register blocks, one pass over memory, half of a symmetric result) against the
//! plain definition, over the sizes at which their blocks begin and end, and over special values.
//!
//! Tolerance: `4 n 2^-53` of the sum of the magnitudes that go into a cell, for `n` terms.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sumac_la::Op;
use sumac_runtime::apply::apply;
use sumac_runtime::kernels::fused::{self, Program, Source};
use sumac_runtime::kernels::matmul::{Factor, chain, matmul};
use sumac_runtime::kernels::scalar;
use sumac_runtime::{Matrix, Value};

/// What cells are drawn from.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Cells {
    Random,
    Zero,
    /// Nine of ten are zero.
    Few,
    /// Some are NaN or infinite.
    Special,
}

const KINDS: [Cells; 4] = [Cells::Random, Cells::Zero, Cells::Few, Cells::Special];

fn cells(count: usize, kind: Cells, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut cell = || {
        let value = rng.random_range(-2.0..2.0);
        match kind {
            Cells::Random => value,
            Cells::Zero => 0.0,
            Cells::Few if rng.random_bool(0.9) => 0.0,
            Cells::Few => value,
            Cells::Special => match rng.random_range(0..200) {
                0 => f64::NAN,
                1 => f64::INFINITY,
                2 => f64::NEG_INFINITY,
                _ => value,
            },
        }
    };
    (0..count).map(|_| cell()).collect()
}

fn matrix(rows: usize, cols: usize, kind: Cells, seed: u64) -> Matrix {
    Matrix::dense(rows, cols, cells(rows * cols, kind, seed))
}

/// The product by its definition, and the sum of magnitudes of each cell.
fn reference(a: &Matrix, b: &Matrix) -> (Vec<f64>, Vec<f64>) {
    let (m, k, n) = (a.rows(), a.cols(), b.cols());
    let (a, b) = (a.to_cells(), b.to_cells());
    let terms = |i: usize| (0..k).map(move |l| (i / n * k + l, l * n + i % n));
    let sum = |i: usize| terms(i).map(|(x, y)| a[x] * b[y]).sum();
    let size = |i: usize| terms(i).map(|(x, y)| (a[x] * b[y]).abs()).sum();
    (
        (0..m * n).map(sum).collect(),
        (0..m * n).map(size).collect(),
    )
}

fn turned(m: &Matrix) -> Matrix {
    let (rows, cols) = m.shape();
    let cells = m.to_cells();
    let at = |i: usize| cells[i % rows * cols + i / rows];
    Matrix::dense(cols, rows, (0..rows * cols).map(at).collect())
}

#[track_caller]
fn assert_near(found: &Matrix, (expected, sizes): &(Vec<f64>, Vec<f64>), terms: usize, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (found, expected)) in found.to_cells().iter().zip(expected).enumerate() {
        let allowed = 4.0 * (terms + 1) as f64 * f64::EPSILON / 2.0 * sizes[i];
        let same = found == expected
            || found.is_nan() && expected.is_nan()
            || (found - expected).abs() <= allowed;
        assert!(same, "{what}: {found:e} for {expected:e} in cell {i}");
    }
}

#[test]
fn narrow_products_of_all_widths_and_ragged_sizes() {
    for (m, k) in [
        (0, 5),
        (1, 1),
        (1, 40),
        (3, 8),
        (4, 9),
        (7, 16),
        (13, 25),
        (66, 100),
        (5, 130),
        (11, 200),
        (9, 800),
        (10, 2100),
        (1, 1300),
        (1300, 1),
    ] {
        for p in 1..=18 {
            for kind in KINDS {
                let (x, v, w) = (
                    matrix(m, k, kind, 1),
                    matrix(k, p, kind, 2),
                    matrix(m, p, kind, 3),
                );
                let what = format!("{m} x {k}, {p} columns, {kind:?}");
                let plain = matmul(Factor::plain(&x), Factor::plain(&v)).unwrap();
                assert_near(&plain, &reference(&x, &v), k, &what);
                let by_turned = matmul(Factor::plain(&x), Factor::transposed(&turned(&v))).unwrap();
                assert_near(&by_turned, &reference(&x, &v), k, &what);
                let transposed = matmul(Factor::transposed(&x), Factor::plain(&w)).unwrap();
                assert_near(&transposed, &reference(&turned(&x), &w), m, &what);
            }
        }
    }
}

#[test]
fn a_matrix_times_itself_transposed_is_symmetric_to_the_last_bit() {
    for (m, k) in [
        (1, 1),
        (1, 9),
        (9, 1),
        (5, 8),
        (33, 17),
        (100, 64),
        (70, 100),
        (40, 257),
        (30, 530),
    ] {
        for kind in KINDS {
            let x = matrix(m, k, kind, 4);
            let found = matmul(Factor::transposed(&x), Factor::plain(&x)).unwrap();
            let what = format!("{m} x {k}, {kind:?}");
            assert_near(&found, &reference(&turned(&x), &x), m, &what);
            for i in 0..k {
                for j in 0..i {
                    let (a, b) = (found.get(i, j), found.get(j, i));
                    assert!(a.to_bits() == b.to_bits(), "{what}: {a:e} and {b:e}");
                }
            }
        }
    }
}

#[test]
fn chains_in_one_pass_with_and_without_weights() {
    for (m, n) in [
        (0, 3),
        (1, 1),
        (1, 20),
        (4, 15),
        (5, 16),
        (7, 17),
        (50, 33),
        (203, 100),
        (9, 104),
        (6, 105),
        (11, 600),
        (3, 8200),
    ] {
        for kind in KINDS {
            let (x, v, w) = (
                matrix(m, n, kind, 5),
                matrix(n, 1, kind, 6),
                matrix(m, 1, kind, 7),
            );
            // A NaN in the middle must not meet the zeros of the reference that a sparse matrix does not store.
            let formats = if kind == Cells::Special {
                vec![x.clone()]
            } else {
                vec![x.clone(), x.to_sparse()]
            };
            for weights in [None, Some(&w)] {
                let (inner, inner_size) = reference(&x, &v);
                let weight = |i: usize| weights.map_or(1.0, |w| w.get(i, 0));
                let by_weight = |cells: &[f64]| -> Vec<f64> {
                    cells
                        .iter()
                        .enumerate()
                        .map(|(i, c)| weight(i) * c)
                        .collect()
                };
                let middle = Matrix::dense(m, 1, by_weight(&inner));
                let (expected, _) = reference(&turned(&x), &middle);
                let magnitude = |m: &Matrix| {
                    Matrix::dense(
                        m.rows(),
                        m.cols(),
                        m.to_cells().iter().map(|c| c.abs()).collect(),
                    )
                };
                let sizes = reference(
                    &magnitude(&turned(&x)),
                    &magnitude(&Matrix::dense(m, 1, by_weight(&inner_size))),
                )
                .0;
                for x in &formats {
                    let found = chain(x, &v, weights).unwrap();
                    let what = format!("{m} x {n}, {kind:?}, weights {}", weights.is_some());
                    assert_near(&found, &(expected.clone(), sizes.clone()), m + n, &what);
                }
            }
        }
    }
    let x = matrix(3, 2, Cells::Random, 1);
    let error = chain(&x, &matrix(3, 1, Cells::Random, 1), None)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("3 x 1") && error.contains("must be 2 x 1"),
        "{error}"
    );
    let error = chain(&x, &matrix(2, 1, Cells::Random, 1), Some(&x))
        .unwrap_err()
        .to_string();
    assert!(error.contains("must be 3 x 1"), "{error}");
}

#[test]
fn sparse_products_of_all_widths_agree_with_dense_ones() {
    for (m, k) in [(1, 1), (1, 30), (30, 1), (9, 20), (64, 70), (33, 129)] {
        for kind in [Cells::Zero, Cells::Few, Cells::Random] {
            let x = matrix(m, k, kind, 8);
            let sparse = x.to_sparse();
            for p in [1, 2, 3, 4, 7, 8, 9, 10, 15, 16, 17, 40] {
                let (v, w, left) = (
                    matrix(k, p, Cells::Random, 9),
                    matrix(m, p, Cells::Random, 10),
                    matrix(p, m, Cells::Random, 11),
                );
                let what = format!("{m} x {k}, {p} columns, {kind:?}");
                let plain = matmul(Factor::plain(&sparse), Factor::plain(&v)).unwrap();
                assert_near(&plain, &reference(&x, &v), k, &what);
                let transposed = matmul(Factor::transposed(&sparse), Factor::plain(&w)).unwrap();
                assert_near(&transposed, &reference(&turned(&x), &w), m, &what);
                let from_left = matmul(Factor::plain(&left), Factor::plain(&sparse)).unwrap();
                assert_near(&from_left, &reference(&left, &x), m, &what);
                let few = matrix(k, p, Cells::Few, 12);
                let both = matmul(Factor::plain(&sparse), Factor::plain(&few.to_sparse())).unwrap();
                assert_near(&both, &reference(&x, &few), k, &what);
            }
        }
    }
}

#[test]
fn wide_sparse_products_keep_their_columns_in_order() {
    // Columns far apart, so that marks of several groups of columns are met; some sums cancel.
    for cols in [9000, 70_000] {
        far_apart(cols);
    }
}

fn far_apart(cols: usize) {
    let mut entries = Vec::new();
    for row in 0..40 {
        for i in 0..6 {
            let col = (row * 1237 + i * 2711) % cols;
            entries.push((row, col, if row % 2 == 0 { 1.0 } else { -1.0 }));
        }
    }
    let y = Matrix::from(sumac_runtime::Csr::from_entries(40, cols, entries));
    let x = matrix(25, 40, Cells::Few, 13);
    let found = matmul(Factor::plain(&x.to_sparse()), Factor::plain(&y)).unwrap();
    assert!(found.is_sparse());
    let csr = found.to_csr();
    for row in 0..25 {
        assert!(csr.row(row).0.windows(2).all(|w| w[0] < w[1]), "row {row}");
    }
    assert!(csr.values().iter().all(|v| *v != 0.0));
    assert_near(&found, &reference(&x, &y.to_dense()), 40, "wide");
}

/// The sum with the digits that rounding loses (Neumaier).
fn compensated(cells: &[f64]) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0);
    for &cell in cells {
        let next = sum + cell;
        lost += if sum.abs() >= cell.abs() {
            (sum - next) + cell
        } else {
            (cell - next) + sum
        };
        sum = next;
    }
    if sum.is_finite() { sum + lost } else { sum }
}

/// A program, and what it says of one cell of each input.
type Case = (&'static str, Program, fn(&[f64]) -> f64);

fn programs() -> Vec<Case> {
    let build = |steps: &[(Op, &[Source])]| {
        let mut program = Program::new(3);
        for (op, arguments) in steps {
            program.push(*op, arguments).unwrap();
        }
        program
    };
    let (x, y, z) = (Source::Input(0), Source::Input(1), Source::Input(2));
    let (number, step) = (Source::Number, Source::Step);
    vec![
        (
            "x * y * z",
            build(&[(Op::Mul, &[x, y]), (Op::Mul, &[step(0), z])]),
            |c| c[0] * c[1] * c[2],
        ),
        (
            "exp(x) * y + log(z + 3)",
            build(&[
                (Op::Exp, &[x]),
                (Op::Mul, &[step(0), y]),
                (Op::Add, &[z, number(3.0)]),
                (Op::Log, &[step(2)]),
                (Op::Add, &[step(1), step(3)]),
            ]),
            |c| c[0].exp() * c[1] + (c[2] + 3.0).ln(),
        ),
        ("x * y", build(&[(Op::Mul, &[x, y])]), |c| c[0] * c[1]),
        ("x + z", build(&[(Op::Add, &[x, z])]), |c| c[0] + c[2]),
        (
            "z * (x * y)",
            build(&[(Op::Mul, &[x, y]), (Op::Mul, &[z, step(0)])]),
            |c| c[0] * c[1] * c[2],
        ),
        (
            "(x * y) * (x * y)",
            build(&[(Op::Mul, &[x, y]), (Op::Mul, &[step(0), step(0)])]),
            |c| (c[0] * c[1]) * (c[0] * c[1]),
        ),
        (
            "(x * y) + (x * z), whose products are written down",
            build(&[
                (Op::Mul, &[x, y]),
                (Op::Mul, &[x, z]),
                (Op::Add, &[step(0), step(1)]),
            ]),
            |c| c[0] * c[1] + c[0] * c[2],
        ),
        (
            "(x + y) * z * abs(x), whose factors live long",
            build(&[
                (Op::Add, &[x, y]),
                (Op::Abs, &[x]),
                (Op::Mul, &[step(0), z]),
                (Op::Mul, &[step(2), step(1)]),
            ]),
            |c| (c[0] + c[1]) * c[2] * c[0].abs(),
        ),
        ("-x", build(&[(Op::Neg, &[x])]), |c| -c[0]),
        (
            "2 - tanh(sigmoid(x) > y) with values that live long",
            build(&[
                (Op::Sigmoid, &[x]),
                (Op::Mul, &[y, z]),
                (Op::Gt, &[step(0), y]),
                (Op::Tanh, &[step(2)]),
                (Op::Sub, &[number(2.0), step(3)]),
                (Op::Add, &[step(4), step(1)]),
                (Op::Max2, &[step(5), step(0)]),
            ]),
            |c| {
                let s = scalar::unary(Op::Sigmoid, c[0]).unwrap();
                let t = 2.0 - f64::from(u8::from(s > c[1])).tanh();
                scalar::binary(Op::Max2, t + c[1] * c[2], s).unwrap()
            },
        ),
        (
            "x^3 and 2^y",
            build(&[
                (Op::Pow, &[x, number(3.0)]),
                (Op::Pow, &[number(2.0), y]),
                (Op::Add, &[step(0), step(1)]),
            ]),
            |c| c[0].powi(3) + 2.0_f64.powf(c[1]),
        ),
    ]
}

#[test]
fn fused_operators_agree_with_cells_one_by_one() {
    for len in [0, 1, 7, 255, 256, 257, 1000, 300_001] {
        for kind in KINDS {
            let sides = [1, 2, 3].map(|seed| cells(len, kind, 20 + seed));
            let slices = sides.each_ref().map(|cells| fused::Cells::Full(cells));
            for (name, program, f) in programs() {
                let expected: Vec<f64> = (0..len)
                    .map(|i| f(&[sides[0][i], sides[1][i], sides[2][i]]))
                    .collect();
                let found = fused::cells(&program, &slices);
                for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    let same = found == expected
                        || found.is_nan() && expected.is_nan()
                        || (found - expected).abs() <= 1e-14 * expected.abs().max(1.0);
                    assert!(
                        same,
                        "{name}, {kind:?}: {found:e} for {expected:e} in cell {i}"
                    );
                }
                let size: f64 = expected.iter().map(|x| x.abs()).sum();
                let (found, expected) = (fused::sum(&program, &slices), compensated(&expected));
                let same = found == expected
                    || found.is_nan() && expected.is_nan()
                    || (found - expected).abs() <= 1e-13 * size.max(1.0);
                assert!(same, "sum of {name}, {kind:?}: {found:e} for {expected:e}");
            }
        }
    }
}

#[test]
fn fused_cells_are_bit_for_bit_those_of_the_operators() {
    let x = matrix(77, 31, Cells::Random, 30);
    let mut program = Program::new(1);
    let exp = program.push(Op::Exp, &[Source::Input(0)]).unwrap();
    program.push(Op::Mul, &[exp, Source::Input(0)]).unwrap();
    let shared: Value = x.clone().into();
    let exp = apply(Op::Exp, vec![shared.clone()]).unwrap();
    let product = apply(Op::Mul, vec![exp, shared]).unwrap();
    let fused = fused::cells(&program, &[fused::Cells::Full(&x.to_cells())]);
    assert_eq!(product.as_matrix().unwrap().to_cells(), fused);
}

#[test]
fn a_program_refuses_what_it_cannot_do() {
    let mut program = Program::new(1);
    for (op, arguments, expected) in [
        (Op::MatMul, vec![Source::Input(0); 2], "`%*%` of 2"),
        (Op::Exp, vec![Source::Input(0); 2], "`exp` of 2"),
        (Op::Exp, vec![Source::Input(1)], "Input(1)"),
        (Op::Add, vec![Source::Input(0), Source::Step(0)], "Step(0)"),
    ] {
        let error = program.push(op, &arguments).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert!(program.is_empty());
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let x = matrix(30_000, 40, Cells::Random, 40);
    let sparse = matrix(6000, 400, Cells::Few, 41).to_sparse();
    let (v, w, few) = (
        matrix(40, 1, Cells::Random, 42),
        matrix(30_000, 10, Cells::Random, 43),
        matrix(400, 300, Cells::Few, 44).to_sparse(),
    );
    let (weights, wide, long) = (
        matrix(30_000, 1, Cells::Random, 45),
        matrix(6000, 10, Cells::Random, 46),
        matrix(400, 1, Cells::Random, 47),
    );
    let all = || {
        let t = |m| Factor::transposed(m);
        let p = |m| Factor::plain(m);
        [
            chain(&x, &v, None),
            chain(&sparse, &long, None),
            matmul(p(&x), p(&v)),
            matmul(t(&x), p(&weights)),
            matmul(t(&w), p(&weights)),
            matmul(t(&x), p(&x)),
            matmul(t(&x), p(&w)),
            matmul(p(&sparse), p(&long)),
            matmul(t(&sparse), p(&wide)),
            matmul(p(&sparse), p(&few)),
        ]
        .map(|result| {
            let cells = result.unwrap().to_cells();
            cells.iter().map(|c| c.to_bits()).collect::<Vec<_>>()
        })
    };
    let pool = |threads| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
    };
    let one = pool(1).install(all);
    for threads in [2, 3, 5] {
        assert!(pool(threads).install(all) == one, "{threads} threads");
    }
}
