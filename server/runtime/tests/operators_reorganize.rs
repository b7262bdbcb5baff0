//! Order, selection, tables and quantiles against slow references, dense and sparse. All results are exact.

mod matrices;

use matrices::{formats, matrix, size};
use proptest::prelude::*;
use sumac_runtime::Matrix;
use sumac_runtime::kernels::cell::Operand;
use sumac_runtime::kernels::classes::meet;
use sumac_runtime::kernels::contingency::table;
use sumac_runtime::kernels::extremes::Direction;
use sumac_runtime::kernels::pairs::zip;
use sumac_runtime::kernels::select::{
    channels, contains, contains_row, remove_empty, replace, roll, triangle, unique,
};
use sumac_runtime::kernels::sorting::{Sorted, order, take_rows};

fn rows_of(m: &Matrix) -> Vec<Vec<f64>> {
    (0..m.rows())
        .map(|row| (0..m.cols()).map(|col| m.get(row, col)).collect())
        .collect()
}

fn column(cells: &[f64]) -> Matrix {
    Matrix::dense(cells.len(), 1, cells.to_vec())
}

proptest! {
    #[test]
    fn rows_are_ordered_and_ties_keep_their_order(
        m in (size(), 1..5_usize).prop_flat_map(|(r, c)| matrix(r, c)),
        decreasing in any::<bool>(),
    ) {
        // Rounded, so that there are ties.
        let m = Matrix::dense(m.rows(), m.cols(), m.to_cells().iter().map(|x| x.round()).collect());
        let by: Vec<f64> = (1..=m.cols()).map(|c| c as f64).collect();
        for m in formats(&m) {
            let found = order(&m, &by, decreasing).unwrap();
            let rows = rows_of(&m);
            for pair in found.windows(2) {
                let (a, b) = (&rows[pair[0]], &rows[pair[1]]);
                let (a, b) = if decreasing { (b, a) } else { (a, b) };
                prop_assert!(a < b || a == b && pair[0] < pair[1]);
            }
            let taken: Vec<Vec<f64>> = found.iter().map(|&row| rows[row].clone()).collect();
            prop_assert_eq!(rows_of(&take_rows(&m, &found)), taken);
        }
        prop_assert!(order(&m, &[m.cols() as f64 + 1.0], false).is_err());
    }

    #[test]
    fn what_is_empty_is_removed(
        m in (size(), size()).prop_flat_map(|(r, c)| matrix(r, c)),
        some in proptest::collection::vec(any::<bool>(), 40),
    ) {
        let kept = |keep: &dyn Fn(usize, &[f64]) -> bool| -> Vec<Vec<f64>> {
            let rows = rows_of(&m).into_iter().enumerate();
            rows.filter(|(at, row)| keep(*at, row)).map(|(_, row)| row).collect()
        };
        let full = kept(&|_, row| row.iter().any(|x| *x != 0.0));
        let chosen = kept(&|at, _| some[at]);
        let select: Vec<f64> = some[..m.rows()].iter().map(|yes| f64::from(u8::from(*yes))).collect();
        let transposed = sumac_runtime::kernels::reorg::transpose;
        for m in formats(&m) {
            let found = remove_empty(&m, true, None, false).unwrap();
            prop_assert_eq!(rows_of(&found), full.clone());
            let found = remove_empty(&transposed(&m), false, None, false).unwrap();
            prop_assert_eq!(rows_of(&transposed(&found)), full.clone());
            let found = remove_empty(&m, true, Some(&column(&select)), false).unwrap();
            prop_assert_eq!(rows_of(&found), chosen.clone());
        }
    }

    #[test]
    fn triangles_replacements_and_rolls_look_at_each_cell(
        m in (size(), size()).prop_flat_map(|(r, c)| matrix(r, c)),
        shift in -50..50_i64,
        flags in any::<[bool; 3]>(),
    ) {
        let [lower, diagonal, values] = flags;
        let (rows, cols) = m.shape();
        let by_cells = |f: &dyn Fn(usize, usize) -> f64| {
            Matrix::dense(rows, cols, (0..rows * cols).map(|i| f(i / cols, i % cols)).collect())
        };
        let triangle_of = by_cells(&|i, j| {
            let inside = if i == j { diagonal } else { (j < i) == lower };
            match (inside, values) {
                (false, _) => 0.0,
                (true, true) => m.get(i, j),
                (true, false) => 1.0,
            }
        });
        let rolled = by_cells(&|i, j| {
            m.get((i as i64 - shift).rem_euclid(rows as i64) as usize, j)
        });
        let replaced = |pattern: f64| by_cells(&|i, j| if m.get(i, j) == pattern { 7.5 } else { m.get(i, j) });
        for sparse in formats(&m) {
            prop_assert_eq!(&triangle(&sparse, lower, diagonal, values), &triangle_of);
            prop_assert_eq!(&roll(&sparse, shift), &rolled);
            for pattern in [0.0, 1.0] {
                prop_assert_eq!(&replace(&sparse, pattern, 7.5), &replaced(pattern));
                prop_assert_eq!(contains(&sparse, pattern), m.to_cells().contains(&pattern));
            }
        }
    }

    #[test]
    fn tables_count_pairs(
        pairs in proptest::collection::vec((1..6_usize, 1..9_usize, 0..4_i32), 0..60),
        shape in proptest::option::of((0..7_usize, 0..9_usize)),
    ) {
        let side = |f: fn(&(usize, usize, i32)) -> f64| column(&pairs.iter().map(f).collect::<Vec<_>>());
        let (a, b, w) = (side(|p| p.0 as f64), side(|p| p.1 as f64 + 0.5), side(|p| f64::from(p.2)));
        let found = table(Operand::Matrix(&a), Operand::Matrix(&b), Operand::Matrix(&w), shape).unwrap();
        let most = |f: fn(&(usize, usize, i32)) -> usize| pairs.iter().map(f).max().unwrap_or(0);
        let (rows, cols) = shape.unwrap_or((most(|p| p.0), most(|p| p.1)));
        prop_assert_eq!(found.shape(), (rows, cols));
        for row in 0..rows {
            for col in 0..cols {
                let here = pairs.iter().filter(|p| (p.0, p.1) == (row + 1, col + 1));
                prop_assert_eq!(found.get(row, col), f64::from(here.map(|p| p.2).sum::<i32>()));
            }
        }
    }

    #[test]
    fn each_row_gives_its_own_values_once(
        m in (size(), size()).prop_flat_map(|(r, c)| matrix(r, c)),
    ) {
        let m = Matrix::dense(m.rows(), m.cols(), m.to_cells().iter().map(|x| x.round() + 9.0).collect());
        let values = |cells: &[f64]| {
            let mut sorted: Vec<f64> = cells.iter().copied().filter(|x| *x != 0.0).collect();
            sorted.sort_by(f64::total_cmp);
            sorted.dedup();
            sorted
        };
        for m in formats(&m) {
            let found = unique(&m, Direction::Rows);
            prop_assert_eq!(found.rows(), m.rows());
            for (before, after) in rows_of(&m).iter().zip(rows_of(&found)) {
                prop_assert_eq!(values(before), values(&after));
            }
            prop_assert_eq!(values(&unique(&m, Direction::All).to_cells()), values(&m.to_cells()));
        }
    }

    #[test]
    fn unweighted_quantiles_are_ranks_of_the_sorted_values(
        cells in proptest::collection::vec(0.5..9.0_f64, 1..30),
        p in 0.01..1.0_f64,
    ) {
        let mut sorted = cells.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = (p * cells.len() as f64).ceil() as usize;
        let found = Sorted::new("quantile", &column(&cells), None).unwrap();
        prop_assert_eq!(found.quantile(p, false), sorted[rank - 1]);
        let ones = Matrix::fill(cells.len(), 1, 1.0);
        let weighted = Sorted::new("quantile", &column(&cells), Some(&ones)).unwrap();
        prop_assert_eq!(found.quantile(p, true), weighted.quantile(p, true));
    }
}

#[test]
fn quantiles_are_those_of_systemds() {
    let of = |cells: &[f64]| Sorted::new("quantile", &column(cells), None).unwrap();
    let six = of(&[6.0, 2.0, 3.0, 1.0, 5.0, 4.0]);
    for (p, expected) in [
        (0.01, 1.5),
        (0.1, 1.5),
        (0.2, 2.5),
        (0.34, 3.5),
        (0.5, 3.5),
        (0.9, 6.0),
        (1.0, 6.0),
        (0.0, 1.0),
    ] {
        assert_eq!(six.quantile(p, true), expected, "{p}");
    }
    let seven = of(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    for (p, expected) in [(0.1, 1.0), (0.3, 3.0), (0.5, 4.0), (0.9, 7.0)] {
        assert_eq!(seven.quantile(p, true), expected, "{p}");
    }
    assert_eq!(of(&[0.0, 0.0, 1.0, 1.0]).quantile(0.5, true), 0.0);
    assert_eq!(of(&[0.0, 0.0, 1.0, 1.0, 2.0, 5.0]).quantile(0.5, true), 1.0);
    assert_eq!(of(&[0.0, 5.0, 7.0, 10.0, -3.0]).quantile(0.2, true), -3.0);
    let (x, w) = (
        column(&[1.0, 5.0, 7.0, 10.0]),
        column(&[1.0, 2.0, 2.0, 1.0]),
    );
    let weighted = Sorted::new("quantile", &x, Some(&w)).unwrap();
    for (p, expected) in [
        (0.01, 3.0),
        (0.167, 5.0),
        (0.5, 6.0),
        (0.51, 7.0),
        (0.75, 7.0),
        (0.84, 10.0),
        (0.0, 1.0),
    ] {
        assert_eq!(weighted.quantile(p, true), expected, "weighted {p}");
    }
    let error = Sorted::new("quantile", &x, Some(&column(&[1.5; 4])))
        .err()
        .unwrap();
    assert!(error.to_string().contains("whole numbers"), "{error}");
}

#[test]
fn means_between_quartiles_are_those_of_systemds() {
    let of = |cells: &[f64]| {
        let sorted = Sorted::new("interQuartileMean", &column(cells), None).unwrap();
        sorted.interquartile_mean()
    };
    assert_eq!(of(&[1.0, 5.0, 7.0, 10.0]), 6.0);
    assert!((of(&[0.0, 5.0, 7.0, 10.0, -3.0]) - 4.1).abs() < 1e-12);
    assert_eq!(of(&(1..=12).map(f64::from).collect::<Vec<_>>()), 6.5);
    assert!((of(&[0.0, 0.0, 1.0, 1.0, 2.0, 5.0, 0.5]) - 6.0 / 7.0).abs() < 1e-12);
    assert_eq!(of(&[1.0]), 1.0);
}

#[test]
fn different_values_come_in_the_order_of_systemds() {
    let m = Matrix::from_rows(&[&[1.0, 3.0], &[2.0, 1.0], &[3.0, 9.0]]);
    assert_eq!(unique(&m, Direction::All).to_cells(), [1.0, 2.0, 9.0, 3.0]);
    let m = Matrix::from_rows(&[&[1.0, 1.0, 2.0], &[2.0, 1.0, 1.0]]);
    assert_eq!(
        unique(&m, Direction::Cols),
        Matrix::from_rows(&[&[1.0, 1.0, 2.0], &[2.0, 0.0, 1.0]])
    );
    let thirds: Vec<f64> = (1..=40).map(|k| f64::from(k) / 3.0).collect();
    let order = [
        1, 6, 16, 40, 37, 13, 9, 22, 28, 25, 19, 34, 31, 8, 12, 5, 15, 11, 18, 21, 4, 24, 10, 27,
        30, 33, 36, 7, 39, 2, 3, 32, 20, 35, 26, 23, 29, 14, 38, 17,
    ];
    let expected: Vec<f64> = order.iter().map(|&k| f64::from(k) / 3.0).collect();
    assert_eq!(
        unique(&column(&thirds), Direction::All).to_cells(),
        expected
    );
}

#[test]
fn a_row_is_contained_where_some_row_equals_it() {
    let m = Matrix::from_rows(&[&[1.0, 2.0], &[3.0, 4.0], &[0.0, f64::NAN], &[0.0, 0.0]]);
    for m in [m.to_dense(), m.to_sparse()] {
        for (row, is_there) in [
            ([3.0, 4.0], true),
            ([2.0, 3.0], false),
            ([4.0, 3.0], false),
            ([0.0, f64::NAN], true),
            ([-0.0, 0.0], true),
        ] {
            assert_eq!(
                contains_row(&m, &Matrix::from_rows(&[&row])).unwrap(),
                is_there,
                "{row:?}"
            );
        }
        for (rows, cols) in [(2, 1), (1, 3), (1, 1), (2, 2)] {
            assert!(contains_row(&m, &Matrix::fill(rows, cols, 1.0)).is_err());
        }
    }
}

#[test]
fn nan_is_ordered_last_equals_itself_in_replace_and_fills_a_row() {
    let m = column(&[3.0, f64::NAN, 2.0, 5.0, 0.0]);
    assert_eq!(order(&m, &[1.0], false).unwrap(), [4, 2, 0, 3, 1]);
    assert_eq!(order(&m, &[1.0], true).unwrap(), [3, 0, 2, 4, 1]);
    assert_eq!(replace(&m, f64::NAN, 7.0).get(1, 0), 7.0);
    assert!(contains(&m, f64::NAN) && !contains(&m, 9.0));
    let m = Matrix::from_rows(&[&[f64::NAN, 0.0], &[0.0, 0.0]]);
    assert_eq!(remove_empty(&m, true, None, true).unwrap().rows(), 1);
}

#[test]
fn where_nothing_is_left_one_row_of_zeros_is_unless_told_otherwise() {
    let zero = Matrix::fill(3, 2, 0.0);
    assert_eq!(
        remove_empty(&zero, true, None, true).unwrap(),
        Matrix::fill(1, 2, 0.0)
    );
    assert_eq!(
        remove_empty(&zero, true, None, false).unwrap().shape(),
        (0, 2)
    );
    assert_eq!(
        remove_empty(&zero, false, None, true).unwrap(),
        Matrix::fill(3, 1, 0.0)
    );
}

#[test]
fn wrong_arguments_are_named() {
    let m = Matrix::fill(3, 2, 1.0);
    let short = column(&[1.0]);
    let error = remove_empty(&m, true, Some(&short), true)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("3 x 2") && error.contains("1 x 1"),
        "{error}"
    );
    let zero = column(&[0.0, 1.0, 1.0]);
    let scalar = Operand::Scalar(1.0);
    let error = table(Operand::Matrix(&zero), scalar, scalar, None)
        .unwrap_err()
        .to_string();
    assert!(error.contains("numbers from 1, found 0"), "{error}");
    assert!(table(scalar, scalar, scalar, None).is_err());
    let error = channels("bias_add", &m, &column(&[1.0; 3]), |a, b| a + b).unwrap_err();
    assert!(error.to_string().contains("divide"), "{error}");
    let error = zip(
        "bitwAnd",
        Operand::Matrix(&m),
        Operand::Matrix(&zero.to_dense()),
        |a, _| a,
    );
    assert!(error.is_ok(), "a column fits");
    let error = zip(
        "bitwAnd",
        Operand::Matrix(&m),
        Operand::Matrix(&column(&[1.0; 2])),
        |a, _| a,
    );
    assert!(error.unwrap_err().to_string().contains("bitwAnd"));
}

#[test]
fn classes_of_two_labellings_meet() {
    let a = Matrix::from_rows(&[&[1.0, 1.0, 2.0, 0.0], &[3.0, 3.0, 3.0, 3.0]]);
    let b = Matrix::from_rows(&[&[5.0, 6.0, 5.0, 5.0], &[7.0, 7.0, 0.0, 8.0]]);
    for (a, b) in formats(&a).iter().zip(formats(&b)) {
        let [labels, sizes] = meet(a, &b).unwrap();
        let here = |row: usize| (0..4).map(|c| labels.get(row, c)).collect::<Vec<_>>();
        // Three pairs in the first row, two in the second; the order of labels is the table's.
        let mut first = here(0);
        assert_eq!(first.pop(), Some(0.0));
        first.sort_by(f64::total_cmp);
        assert_eq!(first, [1.0, 2.0, 3.0]);
        let second = here(1);
        assert!(second[0] == second[1] && second[2] == 0.0 && second[3] != second[0]);
        assert_eq!(sizes.to_cells(), [1.0, 1.0, 1.0, 0.0, 2.0, 2.0, 0.0, 1.0]);
    }
    let one = Matrix::fill(1, 4, 1.0);
    assert_eq!(
        meet(&a, &one).unwrap()[1].to_cells(),
        [2.0, 2.0, 1.0, 0.0, 4.0, 4.0, 4.0, 4.0]
    );
    assert!(
        meet(&one, &b)
            .unwrap_err()
            .to_string()
            .contains("rowClassMeet")
    );
}

#[test]
fn channels_are_neighbouring_columns() {
    let m = Matrix::dense(2, 4, (1..=8).map(f64::from).collect());
    let found = channels("bias_add", &m, &column(&[10.0, 20.0]), |a, b| a + b).unwrap();
    assert_eq!(
        found.to_cells(),
        [11.0, 12.0, 23.0, 24.0, 15.0, 16.0, 27.0, 28.0]
    );
}

#[test]
fn a_table_of_millions_of_rows_and_columns_costs_its_pairs_only() {
    let a = column(&[1e6, 5.0, 1e6]);
    let found = table(
        Operand::Matrix(&a),
        Operand::Matrix(&a),
        Operand::Scalar(1.0),
        None,
    )
    .unwrap();
    assert_eq!((found.shape(), found.nnz()), ((1_000_000, 1_000_000), 2));
    assert_eq!(found.get(999_999, 999_999), 2.0);
}
