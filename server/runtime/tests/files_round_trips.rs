//! What is written is read back, for any matrix and every format; what is cut off or changed anywhere never panics.

use std::path::Path;

use proptest::prelude::*;
use sumac_runtime::io::{Format, Layout, ReadOptions, read, write};
use sumac_runtime::{Matrix, Value};
use support::FORMATS;

mod support;

const SEPARATORS: [&str; 6] = [",", ";", "\t", " ", "::", ", "];

fn cell() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => Just(0.0),
        2 => any::<f64>(),
        1 => (-1000_i32..1000).prop_map(f64::from),
        1 => prop_oneof![
            Just(f64::NAN),
            Just(f64::INFINITY),
            Just(f64::NEG_INFINITY),
            Just(-0.0),
            Just(f64::from_bits(1)),
            Just(f64::MAX),
        ],
    ]
}

/// Any shape up to 6 x 6, of any density, in either format.
fn any_matrix() -> impl Strategy<Value = Matrix> {
    (0_usize..7, 0_usize..7, 0.0..1.0_f64, any::<bool>()).prop_flat_map(
        |(rows, cols, density, sparse)| {
            let cells = prop::collection::vec((cell(), 0.0..1.0_f64), rows * cols);
            cells.prop_map(move |cells| {
                let kept = |(value, chance): (f64, f64)| if chance < density { value } else { 0.0 };
                let m = Matrix::dense(rows, cols, cells.into_iter().map(kept).collect());
                if sparse { m.to_sparse() } else { m }
            })
        },
    )
}

fn layout() -> impl Strategy<Value = Layout> {
    (any::<bool>(), 0..SEPARATORS.len(), any::<bool>()).prop_map(|(header, sep, sparse)| Layout {
        header,
        sep: SEPARATORS[sep].to_owned(),
        sparse,
    })
}

/// Bit by bit; elsewhere than in our own format all NaN are one, and so are both zeros.
fn same(a: &Matrix, b: &Matrix, exact: bool) -> bool {
    let same_cell = |x: f64, y: f64| {
        x.to_bits() == y.to_bits() || (!exact && (x == y || (x.is_nan() && y.is_nan())))
    };
    a.shape() == b.shape()
        && std::iter::zip(a.to_cells(), b.to_cells()).all(|(x, y)| same_cell(x, y))
}

fn read_matrix(path: &Path) -> Matrix {
    match read(path, &ReadOptions::default()) {
        Ok(Value::Matrix(m)) => (*m).clone(),
        other => panic!("a matrix expected, found {other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_matrix_comes_back_in_every_format(m in any_matrix(), layout in layout()) {
        let folder = tempfile::tempdir().unwrap();
        for format in FORMATS {
            let path = folder.path().join("m");
            write(&path, &m.clone().into(), format, &layout).unwrap();
            let back = read_matrix(&path);
            let exact = format == Format::Sumac;
            prop_assert!(same(&m, &back, exact), "{:?}: {:?} became {:?}", format, m, back);
        }
    }
}

fn example() -> Matrix {
    Matrix::from_rows(&[
        &[0.0, 0.0, 1.5, 0.0, 0.0],
        &[0.0, 0.0, 0.0, 0.0, 0.0],
        &[-2e-9, 0.0, f64::NAN, 0.0, f64::INFINITY],
    ])
}

#[test]
fn a_file_cut_off_anywhere_never_panics() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m");
    for m in [example(), example().to_sparse()] {
        for format in FORMATS {
            write(&path, &m.clone().into(), format, &Layout::default()).unwrap();
            let bytes = std::fs::read(&path).unwrap();
            for length in 0..bytes.len() {
                std::fs::write(&path, &bytes[..length]).unwrap();
                let result = read(&path, &ReadOptions::default());
                let is_binary = matches!(format, Format::Npy | Format::Npz | Format::Sumac);
                assert!(
                    !is_binary || result.is_err(),
                    "{format:?} to {length} bytes"
                );
            }
        }
    }
}

#[test]
fn a_file_changed_anywhere_never_panics() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m");
    for m in [example(), example().to_sparse()] {
        for format in FORMATS {
            write(&path, &m.clone().into(), format, &Layout::default()).unwrap();
            let bytes = std::fs::read(&path).unwrap();
            for at in 0..bytes.len() {
                for byte in [0, 0xff, b'9', b'\n', bytes[at] ^ 1] {
                    let mut changed = bytes.clone();
                    changed[at] = byte;
                    std::fs::write(&path, &changed).unwrap();
                    // Whatever it says: it ends, and a matrix has the shape that stands in the metadata.
                    if let Ok(Value::Matrix(m)) = read(&path, &ReadOptions::default()) {
                        let announced = format == Format::Mm || m.shape() == (3, 5);
                        assert!(announced, "{format:?}, byte {at}: {:?}", m.shape());
                    }
                }
            }
        }
    }
}
