//! Running aggregates, products, places of extremes, distinct values and moments against slow references that know only
//! cells. Tolerance: 1e-12 of the largest magnitude involved. Special values have tests of their own.

mod matrices;

use matrices::{assert_close, formats, matrix, size};
use proptest::prelude::*;
use sumac_runtime::Matrix;
use sumac_runtime::kernels::cumulative::{Running, along, down, sum_product};
use sumac_runtime::kernels::extremes::{
    Direction, col_products, distinct, row_index, row_products,
};
use sumac_runtime::kernels::moments::{
    GroupFunction, col_variances, covariance, grouped, moment, row_variances, variance,
    weighted_mean,
};

fn columns(m: &Matrix, f: impl Fn(&[f64]) -> Vec<f64>) -> Matrix {
    let columns: Vec<Vec<f64>> = (0..m.cols())
        .map(|col| f(&(0..m.rows()).map(|row| m.get(row, col)).collect::<Vec<_>>()))
        .collect();
    let rows = columns.first().map_or(m.rows(), Vec::len);
    let cells = (0..rows).flat_map(|row| columns.iter().map(move |c| c[row]));
    Matrix::dense(rows, m.cols(), cells.collect())
}

fn transposed(m: &Matrix) -> Matrix {
    sumac_runtime::kernels::reorg::transpose(&m.to_dense())
}

fn sample_variance(cells: &[f64]) -> f64 {
    if cells.len() == 1 {
        return 0.0;
    }
    let n = cells.len() as f64;
    let mean = cells.iter().sum::<f64>() / n;
    cells.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0)
}

/// What a running aggregate is of the cells so far.
type Fold = fn(&[f64]) -> f64;

proptest! {
    #[test]
    fn running_aggregates_are_prefix_aggregates(
        m in (size(), size()).prop_flat_map(|(r, c)| matrix(r, c)),
    ) {
        let cases: [(Running, Fold); 4] = [
            (Running::Sum, |x| x.iter().sum()),
            (Running::Product, |x| x.iter().product()),
            (Running::Min, |x| x.iter().copied().fold(f64::INFINITY, f64::min)),
            (Running::Max, |x| x.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
        ];
        for (running, whole) in cases {
            let expected = columns(&m, |c| (1..=c.len()).map(|n| whole(&c[..n])).collect());
            let scale = expected.to_cells().iter().fold(200.0_f64, |a, b| a.max(b.abs()));
            for m in formats(&m) {
                assert_close(&down(running, &m), &expected, scale, "down");
            }
        }
        let expected = transposed(&down(Running::Sum, &transposed(&m)));
        for m in formats(&m) {
            assert_close(&along(&m), &expected, 200.0, "along");
        }
    }

    #[test]
    fn products_and_variances_of_rows_are_those_of_columns_of_the_transpose(
        m in (1..9_usize, 1..20_usize).prop_flat_map(|(r, c)| matrix(r, c)),
    ) {
        let products = columns(&m, |c| vec![c.iter().product()]);
        let variances = columns(&m, |c| vec![sample_variance(c)]);
        for m in formats(&m) {
            assert_close(&col_products(&m), &products, 4f64.powi(9), "colProds");
            assert_close(&col_variances(&m), &variances, 200.0, "colVars");
        }
        for t in formats(&transposed(&m)) {
            assert_close(&row_products(&t), &transposed(&products), 4f64.powi(9), "rowProds");
            assert_close(&row_variances(&t), &transposed(&variances), 200.0, "rowVars");
        }
    }

    #[test]
    fn the_last_of_equal_extremes_counts(
        m in (size(), 1..20_usize).prop_flat_map(|(r, c)| matrix(r, c)),
    ) {
        let place = |best: fn(f64, f64) -> f64, start: f64| {
            let cells = (0..m.rows()).map(|row| {
                let cells: Vec<f64> = (0..m.cols()).map(|col| m.get(row, col)).collect();
                let best = cells.iter().copied().fold(start, best);
                (cells.iter().rposition(|&x| x == best).unwrap() + 1) as f64
            });
            Matrix::dense(m.rows(), 1, cells.collect())
        };
        let largest = place(f64::max, f64::NEG_INFINITY);
        let smallest = place(f64::min, f64::INFINITY);
        for m in formats(&m) {
            prop_assert_eq!(&row_index(&m, true), &largest);
            prop_assert_eq!(&row_index(&m, false), &smallest);
        }
    }

    #[test]
    fn distinct_values_are_counted_once(
        m in (size(), size()).prop_flat_map(|(r, c)| matrix(r, c)),
    ) {
        let count = |cells: &[f64]| {
            let mut sorted = cells.to_vec();
            sorted.sort_by(f64::total_cmp);
            sorted.dedup();
            sorted.len() as f64
        };
        for m in formats(&m) {
            let all = distinct(&m, Direction::All).as_scalar();
            prop_assert_eq!(all, Some(count(&m.to_cells())));
            let cols = columns(&m, |c| vec![count(c)]);
            let found = distinct(&m, Direction::Cols);
            if m.cols() > 0 {
                prop_assert_eq!(found, cols);
            }
            let rows = distinct(&transposed(&m), Direction::Rows);
            prop_assert_eq!(transposed(&rows).to_cells(), distinct(&m, Direction::Cols).to_cells());
        }
    }

    #[test]
    fn weights_are_repetitions(
        cells in proptest::collection::vec((-4.0..4.0_f64, 1..4_usize), 2..20),
    ) {
        let n = cells.len();
        let x = Matrix::dense(n, 1, cells.iter().map(|c| c.0).collect());
        let w = Matrix::dense(n, 1, cells.iter().map(|c| c.1 as f64).collect());
        let repeated: Vec<f64> = cells.iter().flat_map(|c| vec![c.0; c.1]).collect();
        let repeated = Matrix::dense(repeated.len(), 1, repeated);
        for order in [0.0, 2.0, 3.0, 4.0] {
            let (a, b) = (
                moment(&x, Some(&w), order).unwrap(),
                moment(&repeated, None, order).unwrap(),
            );
            prop_assert!((a - b).abs() < 1e-9, "order {order}: {a} and {b}");
            let mean = repeated.to_cells().iter().sum::<f64>() / repeated.rows() as f64;
            let slow = repeated.to_cells().iter().map(|v| (v - mean).powi(order as i32)).sum::<f64>()
                / repeated.rows() as f64;
            let slow = if order == 0.0 { mean } else { slow };
            prop_assert!((b - slow).abs() < 1e-9, "order {order}: {b} and {slow}");
        }
        prop_assert!((weighted_mean(&x, &w).unwrap() - moment(&x, Some(&w), 0.0).unwrap()).abs() < 1e-12);
        let own = covariance(&repeated, &repeated, None).unwrap();
        prop_assert!((own - variance(&repeated)).abs() < 1e-9);
        let weighted = covariance(&x, &x, Some(&w)).unwrap();
        prop_assert!((own - weighted).abs() < 1e-9, "{own} and {weighted}");
    }
}

#[test]
fn a_large_common_offset_costs_no_digits() {
    let x = Matrix::dense(4, 1, [1.0, 2.0, 3.0, 4.0].map(|x| x + 1e9).to_vec());
    assert!((variance(&x) - 5.0 / 3.0).abs() < 1e-6);
}

#[test]
fn nan_runs_on_and_is_nowhere_an_extreme() {
    let m = Matrix::from_rows(&[&[1.0], &[f64::NAN], &[0.0], &[2.0]]);
    for running in [Running::Sum, Running::Product, Running::Min, Running::Max] {
        let cells = down(running, &m).to_cells();
        assert_eq!(cells[0], 1.0);
        assert!(
            cells[1..].iter().all(|x| x.is_nan()),
            "{running:?}: {cells:?}"
        );
    }
    let m = Matrix::from_rows(&[&[f64::NAN, 3.0, 1.0], &[f64::NAN, f64::NAN, f64::NAN]]);
    assert_eq!(row_index(&m, true).to_cells(), [2.0, 1.0]);
    assert_eq!(row_index(&m, false).to_cells(), [3.0, 1.0]);
    assert_eq!(
        distinct(&m, Direction::All).as_scalar(),
        Some(3.0),
        "all NaN are one value"
    );
}

#[test]
fn infinite_sums_stay_infinite() {
    let m = Matrix::from_rows(&[&[1.0], &[f64::INFINITY], &[2.0]]);
    assert_eq!(
        down(Running::Sum, &m).to_cells(),
        [1.0, f64::INFINITY, f64::INFINITY]
    );
}

#[test]
fn a_running_sum_of_products_needs_two_columns() {
    let m = Matrix::from_rows(&[&[1.0, 2.0], &[3.0, 4.0], &[5.0, 6.0]]);
    assert_eq!(sum_product(&m).unwrap().to_cells(), [1.0, 7.0, 47.0]);
    let error = sum_product(&Matrix::fill(2, 3, 1.0))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("two columns") && error.contains("2 x 3"),
        "{error}"
    );
}

#[test]
fn groups_are_aggregated_as_in_systemds() {
    let target = Matrix::dense(5, 1, vec![10.0, 20.0, 30.0, 40.0, 50.0]);
    let groups = Matrix::dense(5, 1, vec![1.0, 2.0, 1.0, 3.0, 5.0]);
    let weights = Matrix::dense(5, 1, vec![1.0, 2.0, 1.0, 3.0, 1.0]);
    let of = |function, weights: Option<&Matrix>, count| {
        grouped(&target, &groups, weights, function, count)
            .unwrap()
            .to_cells()
    };
    assert_eq!(
        of(GroupFunction::Sum, None, None),
        [40.0, 20.0, 40.0, 0.0, 50.0]
    );
    assert_eq!(
        of(GroupFunction::Count, None, None),
        [2.0, 1.0, 1.0, 0.0, 1.0]
    );
    assert_eq!(
        of(GroupFunction::Mean, None, None),
        [20.0, 20.0, 40.0, 0.0, 50.0]
    );
    assert_eq!(
        of(GroupFunction::Variance, None, None),
        [200.0, 0.0, 0.0, 0.0, 0.0]
    );
    assert_eq!(
        of(GroupFunction::Sum, Some(&weights), None),
        [40.0, 40.0, 120.0, 0.0, 50.0]
    );
    assert_eq!(
        of(GroupFunction::Sum, None, Some(7)),
        [40.0, 20.0, 40.0, 0.0, 50.0, 0.0, 0.0]
    );
    assert_eq!(of(GroupFunction::Sum, None, Some(2)), [40.0, 20.0]);
    let moments = of(GroupFunction::Moment(2), None, None);
    assert_eq!(moments[0], 100.0);
    assert!(moments[3].is_nan());
    let zero = Matrix::fill(5, 1, 0.0);
    let error = grouped(&target, &zero, None, GroupFunction::Sum, None).unwrap_err();
    assert!(error.to_string().contains("groups from 1"), "{error}");
}
