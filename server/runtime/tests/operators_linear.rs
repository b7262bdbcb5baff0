//! Decompositions multiplied together again, systems of equations solved, and distributions against known values.
//! Tolerance: 1e-10 relative for products of decompositions, 1e-9 for distributions.

mod matrices;

use matrices::matrix;
use proptest::prelude::*;
use sumac_runtime::Matrix;
use sumac_runtime::kernels::distributions::{Distribution, Parameters};
use sumac_runtime::kernels::linear::{
    cholesky, determinant, eigen, inverse, lu, qr, solve, square_root, svd,
};
use sumac_runtime::kernels::matmul::{Factor, matmul};
use sumac_runtime::kernels::reorg::transpose;

fn times(a: &Matrix, b: &Matrix) -> Matrix {
    matmul(Factor::plain(&a.to_dense()), Factor::plain(&b.to_dense())).unwrap()
}

#[track_caller]
fn near(a: &Matrix, b: &Matrix, within: f64) {
    assert_eq!(a.shape(), b.shape());
    for (x, y) in a.to_cells().iter().zip(b.to_cells()) {
        assert!((x - y).abs() <= within, "{x} and {y} in {a:?} and {b:?}");
    }
}

fn identity(n: usize) -> Matrix {
    Matrix::dense(
        n,
        n,
        (0..n * n)
            .map(|i| f64::from(u8::from(i / n == i % n)))
            .collect(),
    )
}

/// Far from singular: the diagonal outweighs its row.
fn regular(m: &Matrix) -> Matrix {
    let n = m.rows();
    let cells = m.to_cells().into_iter().enumerate();
    let cells = cells.map(|(i, x)| {
        if i / n == i % n {
            x + 5.0 * n as f64
        } else {
            x
        }
    });
    Matrix::dense(n, n, cells.collect())
}

fn symmetric(m: &Matrix) -> Matrix {
    let (a, b) = (m.to_cells(), transpose(m).to_cells());
    Matrix::dense(
        m.rows(),
        m.cols(),
        a.iter().zip(b).map(|(x, y)| x + y).collect(),
    )
}

/// `Q %*% R` from what `qr` gives: reflections in the order of their columns, applied to the triangle.
fn from_reflections(h: &Matrix, r: &Matrix) -> Matrix {
    let (rows, cols) = r.shape();
    let mut out = r.to_cells();
    for j in (0..h.cols()).rev() {
        let v: Vec<f64> = (0..rows).map(|i| h.get(i, j)).collect();
        for c in 0..cols {
            let dot: f64 = (0..rows).map(|i| v[i] * out[i * cols + c]).sum();
            for i in 0..rows {
                out[i * cols + c] -= dot / v[j] * v[i];
            }
        }
    }
    Matrix::dense(rows, cols, out)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn equations_are_solved(m in (1..12_usize).prop_flat_map(|n| matrix(n, n)), cols in 1..4_usize) {
        let n = m.rows();
        let a = regular(&m);
        let x = Matrix::dense(n, cols, (0..n * cols).map(|i| i as f64 - 3.0).collect());
        near(&solve(&a, &times(&a, &x)).unwrap(), &x, 1e-9);
        near(&solve(&a.to_sparse(), &times(&a, &x)).unwrap(), &x, 1e-9);
        near(&times(&a, &inverse(&a).unwrap()), &identity(n), 1e-10);
        let [p, l, u] = lu(&a).unwrap();
        near(&times(&p, &a), &times(&l, &u), 1e-10);
        let diagonal: f64 = (0..n).map(|i| u.get(i, i)).product();
        let det = determinant(&a).unwrap();
        prop_assert!((det.abs() - diagonal.abs()).abs() <= 1e-10 * det.abs());
    }

    #[test]
    fn products_of_decompositions_are_the_matrix(
        m in (1..12_usize, 1..12_usize).prop_flat_map(|(r, c)| matrix(r, c)),
    ) {
        let [u, s, v] = svd(&m).unwrap();
        near(&times(&times(&u, &s), &transpose(&v.to_dense())), &m, 1e-10);
        let values: Vec<f64> = (0..s.rows()).map(|i| s.get(i, i)).collect();
        prop_assert!(values.windows(2).all(|pair| pair[0] >= pair[1]) && values.iter().all(|x| *x >= 0.0));
        let [h, r] = qr(&m).unwrap();
        near(&from_reflections(&h, &r), &m, 1e-10);
    }

    #[test]
    fn symmetric_matrices_have_their_own_decompositions(
        m in (1..12_usize).prop_flat_map(|n| matrix(n, n)),
    ) {
        let a = symmetric(&m);
        let [values, vectors] = eigen(&a).unwrap();
        let scaled: Vec<f64> = vectors.to_cells().iter().enumerate()
            .map(|(i, x)| x * values.get(i % a.cols(), 0)).collect();
        near(&times(&a, &vectors), &Matrix::dense(a.rows(), a.cols(), scaled), 1e-10);
        near(&times(&transpose(&vectors.to_dense()), &vectors), &identity(a.rows()), 1e-10);
        prop_assert!(values.to_cells().windows(2).all(|pair| pair[0] <= pair[1]));
        let positive = regular(&regular(&a));
        let l = cholesky(&positive).unwrap();
        near(&times(&l, &transpose(&l.to_dense())), &positive, 1e-10);
        let root = square_root(&positive).unwrap();
        near(&times(&root, &root), &positive, 1e-10);
    }
}

#[test]
fn reflections_and_permutations_are_those_of_systemds() {
    let a = Matrix::from_rows(&[&[4.0, 1.0, 2.0], &[1.0, 5.0, 3.0], &[2.0, 3.0, 6.0]]);
    let [h, r] = qr(&a).unwrap();
    let expected = Matrix::from_rows(&[
        &[1.872_871_560_944, 0.0, 0.0],
        &[0.218_217_890_236, 1.913_565_420_300, 0.0],
        &[0.436_435_780_472, 0.406_691_803_252, 2.0],
    ]);
    near(&h, &expected, 1e-11);
    let expected = Matrix::from_rows(&[
        &[-4.582_575_694_956, -3.273_268_353_540, -5.019_011_475_428],
        &[0.0, -4.928_053_803_046, -3.768_511_731_741],
        &[0.0, 0.0, -3.099_652_099_390],
    ]);
    near(&r, &expected, 1e-11);
    let b = Matrix::from_rows(&[&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0], &[7.0, 8.0, 10.0]]);
    let [p, l, _] = lu(&b).unwrap();
    assert_eq!(p.to_cells(), [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    near(
        &l,
        &Matrix::from_rows(&[
            &[1.0, 0.0, 0.0],
            &[1.0 / 7.0, 1.0, 0.0],
            &[4.0 / 7.0, 0.5, 1.0],
        ]),
        1e-12,
    );
    assert!((determinant(&a).unwrap() - 70.0).abs() < 1e-12);
    let [values, _] = eigen(&a).unwrap();
    near(
        &values,
        &Matrix::from_rows(&[
            &[2.194_397_167_422],
            &[3.386_770_156_608],
            &[9.418_832_675_970],
        ]),
        1e-11,
    );
}

#[test]
fn what_cannot_be_decomposed_is_said() {
    let wide = Matrix::fill(2, 3, 1.0);
    let singular = Matrix::fill(2, 2, 1.0);
    let rotation = Matrix::from_rows(&[&[0.0, 1.0], &[-1.0, 0.0]]);
    let cases = [
        (solve(&wide, &wide).err(), "square"),
        (inverse(&singular).err(), "regular"),
        (lu(&singular).err(), "regular"),
        (cholesky(&rotation).err(), "symmetric"),
        (
            cholesky(&Matrix::from_rows(&[&[1.0, 2.0], &[2.0, 1.0]])).err(),
            "positive definite",
        ),
        (eigen(&rotation).err(), "real eigenvalues"),
        (svd(&Matrix::fill(2, 2, f64::NAN)).err(), "finite"),
        (
            solve(&singular, &Matrix::fill(3, 1, 1.0)).err(),
            "equally many rows",
        ),
    ];
    for (error, words) in cases {
        let error = error.unwrap().to_string();
        assert!(error.contains(words), "{error}: {words} expected");
    }
    let empty = Matrix::dense(0, 0, vec![]);
    assert_eq!(determinant(&empty).unwrap(), 1.0);
    assert!(inverse(&empty).is_ok() && lu(&empty).is_ok() && solve(&empty, &empty).is_ok());
    assert!(svd(&empty).is_ok() && qr(&empty).is_ok() && eigen(&empty).is_ok());
}

#[test]
fn distributions_have_the_values_that_systemds_prints() {
    let of =
        |name: &str, parameters: Parameters| Distribution::new("cdf", name, &parameters).unwrap();
    let none = Parameters::default();
    let df = |df: f64| Parameters {
        df: Some(df),
        ..none
    };
    let f = Parameters {
        df1: Some(3.0),
        df2: Some(10.0),
        ..none
    };
    let upper = Parameters {
        mean: Some(1.0),
        sd: Some(2.0),
        ..none
    };
    let rate = |rate: f64| Parameters {
        rate: Some(rate),
        ..none
    };
    #[rustfmt::skip]
    let probabilities = [
        ("normal", none, 0.5, true, 0.691_462_461_274_013),
        ("normal", upper, 1.96, false, 0.315_613_696_516_222_6),
        ("t", df(5.0), 2.0, true, 0.949_030_260_585_070_9),
        ("f", f, 2.0, true, 0.821_992_592_624_823_9),
        ("chisq", df(2.0), 3.0, true, 0.776_869_839_851_569_7),
        ("exp", none, 1.5, true, 0.776_869_839_851_570_2),
        ("exp", rate(0.5), 1.5, true, 0.527_633_447_258_985_3),
    ];
    for (name, parameters, x, lower, expected) in probabilities {
        let found = of(name, parameters).probability(x, lower);
        assert!(
            (found - expected).abs() <= 1e-9 * expected,
            "{name}: {found}, {expected}"
        );
    }
    #[rustfmt::skip]
    let quantiles = [
        ("normal", none, 0.975, 1.959_963_984_540_054),
        ("t", df(5.0), 0.9, 1.475_884_048_381_851_4),
        ("t", df(4.0), 0.5, 0.0),
        ("f", f, 0.9, 2.727_673_141_133_653_4),
        ("chisq", df(4.0), 0.9, 7.779_440_339_436_999_5),
        ("exp", rate(2.0), 0.3, 0.178_337_471_969_366_22),
    ];
    for (name, parameters, p, expected) in quantiles {
        let found = of(name, parameters).quantile("icdf", p).unwrap();
        assert!(
            (found - expected).abs() <= 1e-9 * expected.abs(),
            "{name}: {found}, {expected}"
        );
        let there = of(name, parameters).probability(found, true);
        assert!(
            (there - p).abs() < 1e-11,
            "{name}: {there} at the quantile of {p}"
        );
    }
    for (name, parameters) in [
        ("normal", none),
        ("t", df(3.0)),
        ("chisq", df(1.0)),
        ("f", f),
        ("exp", none),
    ] {
        let d = of(name, parameters);
        assert!(d.probability(f64::NAN, true).is_nan());
        assert_eq!(d.quantile("icdf", 1.0).unwrap(), f64::INFINITY);
        for p in [1e-12, 0.3, 1.0 - 1e-12] {
            let x = d.quantile("icdf", p).unwrap();
            let back = if p > 0.5 {
                1.0 - d.probability(x, false)
            } else {
                d.probability(x, true)
            };
            assert!((back - p).abs() <= 1e-6 * p, "{name}: {back} for {p}");
        }
    }
    let error = Distribution::new("pt", "t", &none).unwrap_err().to_string();
    assert!(error.contains("`df`"), "{error}");
    assert!(Distribution::new("cdf", "cauchy", &none).is_err());
    assert!(of("normal", none).quantile("qnorm", 1.5).is_err());
}

/// Their work is shared out by the threads, so that last digits differ, and no more than those.
#[test]
fn decompositions_by_any_number_of_threads_are_near_each_other() {
    let n = 160;
    // Numbers that repeat nowhere, without a seed of a library.
    let cell = |i: usize| ((i * i + 7 * i) % 1009) as f64 / 1009.0 - 0.5;
    let m = Matrix::dense(n, n, (0..n * n).map(cell).collect());
    let all = || {
        let [values, _] = eigen(&symmetric(&m)).unwrap();
        let [_, singular, _] = svd(&m).unwrap();
        let [_, r] = qr(&m).unwrap();
        [values, singular, r, inverse(&regular(&m)).unwrap()]
    };
    let by = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(all)
    };
    let one = by(1);
    for threads in [2, 3, 5] {
        for (several, single) in by(threads).iter().zip(&one) {
            let cells = single.to_cells();
            let largest = cells.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            assert!(largest > 0.0);
            near(several, single, 1e-10 * largest);
        }
    }
}
