//! What is decompressed is what was compressed.

use proptest::prelude::*;
use sumac_runtime::compressed::{self, Compressed, Encoding, GroupPlan};
use sumac_runtime::{Csr, Matrix};

use crate::{Beside, ENCODINGS, bits, compressed, grouped, matrix};

const SHAPES: [(usize, usize); 9] = [
    (0, 0),
    (0, 3),
    (3, 0),
    (1, 1),
    (1, 7),
    (9, 1),
    (257, 5),
    (1000, 12),
    (65_537, 2),
];

#[test]
fn every_cell_comes_back_bit_for_bit_in_every_encoding() {
    for (seed, (rows, cols)) in (1..).zip(SHAPES) {
        for beside in [Beside::Nothing, Beside::NaN, Beside::Infinity] {
            for is_sparse in [false, true] {
                let m = matrix(seed, rows, cols, beside, is_sparse);
                for encoding in ENCODINGS {
                    let c = compressed(&m, encoding);
                    let what =
                        format!("{rows} x {cols}, {beside:?}, {encoding:?}, sparse: {is_sparse}");
                    assert_eq!(c.shape(), m.shape(), "{what}");
                    assert_eq!(c.is_sparse(), m.is_sparse(), "{what}");
                    assert_eq!(c.nnz(), m.nnz(), "{what}");
                    assert_eq!(bits(&c), bits(&m), "{what}");
                    let plain = c.compressed().unwrap().decompress();
                    assert_eq!(plain.is_sparse(), m.is_sparse(), "{what}");
                    assert_eq!(bits(&plain), bits(&m), "{what}");
                    if beside != Beside::NaN {
                        assert_eq!(c, m, "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_cell_is_found_without_the_others() {
    for encoding in ENCODINGS {
        for is_sparse in [false, true] {
            let m = matrix(5, 70_000, 3, Beside::Nothing, is_sparse);
            let c = compressed(&m, encoding);
            for row in [0, 1, 65_535, 65_536, 69_999] {
                for col in 0..3 {
                    assert_eq!(
                        c.get(row, col).to_bits(),
                        m.get(row, col).to_bits(),
                        "{encoding:?}"
                    );
                }
            }
            assert!(c.bytes() < m.bytes() + 10_000, "nothing was decompressed");
        }
    }
}

#[test]
fn all_zeros_and_all_equal_cells_take_next_to_nothing() {
    for value in [0.0, 7.5] {
        let m = Matrix::dense(10_000, 4, vec![value; 40_000]);
        let c = Matrix::from(compressed::compress(&m).expect("it is smaller"));
        assert!(c.bytes() < 2000, "{} bytes", c.bytes());
        assert_eq!(bits(&c), bits(&m));
    }
    let empty = Matrix::from(Csr::zero(10_000, 4));
    let c = compressed(&empty, None);
    assert!(c.is_sparse());
    assert_eq!((c.nnz(), c.to_csr()), (0, empty.to_csr()));
}

#[test]
fn a_column_of_too_many_values_stays_as_it_is() {
    let rows = 70_000;
    let cells = (0..rows)
        .flat_map(|row| [row as f64, (row % 3) as f64])
        .collect();
    let m = Matrix::dense(rows, 2, cells);
    let plan: Vec<GroupPlan> = (0..2)
        .map(|col| GroupPlan {
            cols: vec![col],
            encoding: Some(Encoding::Dictionary),
        })
        .collect();
    let c = Compressed::new(&m, &plan);
    let counts: Vec<(Encoding, usize)> = c.encodings().into_iter().collect();
    assert_eq!(
        counts,
        [(Encoding::Dictionary, 1), (Encoding::Uncompressed, 1)]
    );
    assert_eq!(bits(&c.decompress()), bits(&m));
}

#[test]
#[should_panic(expected = "each column is in one group")]
fn a_column_without_a_group_is_refused() {
    let _ = Compressed::new(&Matrix::fill(3, 3, 1.0), &grouped(2, None));
}

#[test]
fn the_encoding_follows_the_data() {
    let rows = 100_000;
    let column =
        |cell: &dyn Fn(usize) -> f64| Matrix::dense(rows, 1, (0..rows).map(cell).collect());
    let scattered = |row: usize| row.wrapping_mul(2_654_435_761) >> 7;
    for (cell, expected) in [
        (
            (&|row| (scattered(row) % 50) as f64) as &dyn Fn(usize) -> f64,
            Encoding::Dictionary,
        ),
        (
            &|row| f64::from(u8::from(scattered(row) % 50 == 0)),
            Encoding::Offsets,
        ),
        (&|row| (row / 1000) as f64, Encoding::Runs),
    ] {
        let found = compressed::compress(&column(cell)).expect("it is smaller");
        assert_eq!(
            found.encodings().into_keys().collect::<Vec<_>>(),
            [expected]
        );
    }
    let noise = column(&|row| (scattered(row) as f64).sqrt());
    assert!(
        compressed::compress(&noise).is_none(),
        "there is nothing to gain"
    );
}

#[test]
fn columns_that_go_together_are_encoded_together() {
    let rows = 60_000;
    let scattered = |row: usize| row.wrapping_mul(2_654_435_761) >> 7;
    // Two columns that say the same, one with a mind of its own, and five of which exactly one is set.
    let of_row = |row: usize| {
        let (kind, other) = (scattered(row) % 40, scattered(row + rows) % 200);
        let mut cells = vec![kind as f64, (kind * kind) as f64, other as f64];
        cells.extend((0..5).map(|k| f64::from(u8::from(scattered(row + 2 * rows) % 5 == k))));
        cells
    };
    let m = Matrix::dense(rows, 8, (0..rows).flat_map(of_row).collect());
    let estimate = compressed::estimate(&m);
    let groups: Vec<&[u32]> = estimate
        .plan
        .iter()
        .map(|group| group.cols.as_slice())
        .collect();
    assert!(groups.len() <= 3, "{groups:?}");
    assert!(
        groups
            .iter()
            .any(|cols| cols.contains(&0) && cols.contains(&1)),
        "{groups:?}"
    );
    assert!(
        groups
            .iter()
            .any(|cols| (3..8).all(|col| cols.contains(&col))),
        "{groups:?}"
    );
    let c = Compressed::new(&m, &estimate.plan);
    let off = c.bytes() as f64 / estimate.bytes;
    assert!(
        (0.9..1.1).contains(&off),
        "{} bytes, {} expected",
        c.bytes(),
        estimate.bytes
    );
    assert!(c.bytes() * 20 < m.bytes());
    assert_eq!(bits(&c.decompress()), bits(&m));
}

proptest! {
    #[test]
    fn any_bits_come_back(
        cols in 1_usize..6,
        cells in prop::collection::vec(prop_oneof![
            Just(0.0), Just(-0.0), Just(1.0), Just(f64::INFINITY), Just(f64::NAN), any::<f64>(),
        ], 0..400),
        encoding in 0_usize..5,
    ) {
        let rows = cells.len() / cols;
        let m = Matrix::dense(rows, cols, cells[..rows * cols].to_vec());
        let c = compressed(&m, ENCODINGS[encoding]);
        prop_assert_eq!(bits(&c), bits(&m));
        prop_assert_eq!(bits(&c.compressed().unwrap().decompress()), bits(&m));
        let sparse = m.to_sparse();
        let c = compressed(&sparse, ENCODINGS[encoding]);
        prop_assert_eq!(bits(&c), bits(&sparse));
        prop_assert_eq!(c.to_csr().values().len(), sparse.nnz());
    }
}
