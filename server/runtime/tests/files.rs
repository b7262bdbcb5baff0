//! Data files: what is written is read back, what SystemDS writes is read, what is broken is an error at its line.

use sumac_runtime::io::{Format, Layout, ReadOptions, mtd_path, read, read_mtd, write};
use sumac_runtime::{Matrix, Value};
use support::{FORMATS, Folder, error, matrix};

mod support;

fn shape(rows: usize, cols: usize) -> ReadOptions {
    ReadOptions {
        rows: Some(rows),
        cols: Some(cols),
        ..ReadOptions::default()
    }
}

#[test]
fn every_format_gives_the_matrix_back() {
    let folder = Folder::new();
    let sparse =
        Matrix::from_rows(&[&[0.0, 0.0, 1.5], &[0.0, 0.0, 0.0], &[-2e-9, 0.0, 0.0]]).to_sparse();
    let dense = Matrix::from_rows(&[&[1.0, 0.1], &[f64::INFINITY, 1e300], &[0.0, -0.5]]);
    let column = Matrix::from_rows(&[&[0.0], &[2.0], &[0.0]]);
    for m in [sparse, dense, column] {
        for format in FORMATS {
            let layouts = [
                Layout::default(),
                Layout {
                    header: true,
                    sep: ";".to_owned(),
                    sparse: true,
                },
            ];
            for layout in layouts {
                let path = folder.path("m");
                let _ = std::fs::remove_file(mtd_path(&path));
                write(&path, &m.clone().into(), format, &layout).unwrap();
                assert_eq!(
                    matrix(&path, &ReadOptions::default()),
                    m,
                    "{format:?} {layout:?}"
                );
            }
        }
    }
}

#[test]
fn text_cells_that_were_cut_off_are_no_matrix() {
    let folder = Folder::new();
    let path = folder.path("x.ijv");
    let m = Matrix::from_rows(&[&[1.0, 2.5], &[0.0, 4.0]]);
    write(&path, &m.clone().into(), Format::Text, &Layout::default()).unwrap();
    let whole = std::fs::read_to_string(&path).unwrap();
    let (begin, _) = whole.split_at(whole.rfind("2 2").unwrap());
    std::fs::write(&path, begin).unwrap();
    let told = error(&path, &ReadOptions::default());
    assert!(
        told.contains("3 non-zero cells, as the .mtd file says, found 2 cells"),
        "{told}"
    );
    // More lines than cells that are not zero are no sign of it, and without metadata nobody can tell.
    std::fs::write(&path, format!("{whole}2 1 0\n")).unwrap();
    assert_eq!(matrix(&path, &ReadOptions::default()), m);
    std::fs::write(&path, begin).unwrap();
    std::fs::remove_file(mtd_path(&path)).unwrap();
    let options = ReadOptions {
        format: Some("text".to_owned()),
        ..shape(2, 2)
    };
    assert_eq!(matrix(&path, &options).nnz(), 2);
}

#[test]
fn the_files_look_as_systemds_writes_them() {
    let folder = Folder::new();
    let m: Value = Matrix::from_rows(&[&[1.0, 2.5], &[0.0, 4.0], &[1e-7, f64::NAN]]).into();
    let text = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap();
    write(&folder.path("x.txt"), &m, Format::Text, &Layout::default()).unwrap();
    assert_eq!(
        text("x.txt"),
        "1 1 1.0\n1 2 2.5\n2 2 4.0\n3 1 1.0E-7\n3 2 NaN\n"
    );
    write(&folder.path("x.csv"), &m, Format::Csv, &Layout::default()).unwrap();
    assert_eq!(text("x.csv"), "1.0,2.5\n0,4.0\n1.0E-7,NaN\n");
    let layout = Layout {
        header: true,
        sep: ";".to_owned(),
        sparse: true,
    };
    write(&folder.path("y.csv"), &m, Format::Csv, &layout).unwrap();
    assert_eq!(text("y.csv"), "C1;C2\n1.0;2.5\n;4.0\n1.0E-7;NaN\n");
    let mtd = read_mtd(&folder.path("y.csv")).unwrap().unwrap();
    assert_eq!(
        (mtd.rows, mtd.cols, mtd.nnz, mtd.header),
        (Some(3), Some(2), Some(5), Some(true))
    );
    assert_eq!(
        (mtd.sep.as_deref(), mtd.format.as_deref()),
        (Some(";"), Some("csv"))
    );
    write(&folder.path("x.mtx"), &m, Format::Mm, &Layout::default()).unwrap();
    assert!(
        text("x.mtx")
            .starts_with("%%MatrixMarket matrix coordinate real general\n3 2 5\n1 1 1.0\n")
    );
    assert!(!mtd_path(&folder.path("x.mtx")).exists());
}

#[test]
fn scalars_keep_their_kind() {
    let folder = Folder::new();
    for value in [
        Value::Double(7.5),
        Value::Int(-3),
        Value::Bool(true),
        Value::text("two words"),
    ] {
        let path = folder.path("s.txt");
        write(&path, &value, Format::Text, &Layout::default()).unwrap();
        assert_eq!(read(&path, &ReadOptions::default()).unwrap(), value);
    }
}

#[test]
fn matrix_market_in_all_its_kinds() {
    let folder = Folder::new();
    let none = ReadOptions::default();
    let banner = "%%MatrixMarket matrix";
    let symmetric = folder.with(
        "a",
        format!("{banner} coordinate integer symmetric\n% a comment\n\n2 2 2\n1 1 5\n2 1 3\n"),
    );
    assert_eq!(
        matrix(&symmetric, &none),
        Matrix::from_rows(&[&[5.0, 3.0], &[3.0, 0.0]])
    );
    let skew = folder.with(
        "b",
        format!("{banner} coordinate real skew-symmetric\n2 2 1\n2 1 3\n"),
    );
    assert_eq!(
        matrix(&skew, &none),
        Matrix::from_rows(&[&[0.0, -3.0], &[3.0, 0.0]])
    );
    let pattern = folder.with(
        "c",
        format!("{banner} coordinate pattern general\r\n2 3 2\r\n1 3\r\n2 1\r\n"),
    );
    assert_eq!(
        matrix(&pattern, &none),
        Matrix::from_rows(&[&[0.0, 0.0, 1.0], &[1.0, 0.0, 0.0]])
    );
    let array = folder.with(
        "d",
        format!("{banner} array real general\n2 3\n1\n2\n3\n4\n5\n6\n"),
    );
    assert_eq!(
        matrix(&array, &none),
        Matrix::from_rows(&[&[1.0, 3.0, 5.0], &[2.0, 4.0, 6.0]])
    );
    let lower = folder.with(
        "e",
        format!("{banner} array real symmetric\n2 2\n1\n2\n3\n"),
    );
    assert_eq!(
        matrix(&lower, &none),
        Matrix::from_rows(&[&[1.0, 2.0], &[2.0, 3.0]])
    );
    let strict = folder.with("f", format!("{banner} array real skew-symmetric\n2 2\n7\n"));
    assert_eq!(
        matrix(&strict, &none),
        Matrix::from_rows(&[&[0.0, -7.0], &[7.0, 0.0]])
    );
    let empty = folder.with("g", format!("{banner} coordinate real general\n0 5 0\n"));
    assert_eq!(matrix(&empty, &none).shape(), (0, 5));
}

#[test]
fn broken_files_are_errors_at_their_line() {
    let folder = Folder::new();
    let none = ReadOptions::default();
    let mm = |text: &str| {
        error(
            &folder.with(
                "m.mtx",
                format!("%%MatrixMarket matrix coordinate real general\n{text}"),
            ),
            &none,
        )
    };
    assert_eq!(
        mm("2 2\n"),
        "DIR/m.mtx:2: expected `rows columns entries`, found `2 2`"
    );
    assert_eq!(
        mm("2 2 1\n1 x 3\n"),
        "DIR/m.mtx:3: expected `row column value`, found `1 x 3`"
    );
    assert_eq!(
        mm("2 2 1\n3 1 3\n"),
        "DIR/m.mtx:3: expected a cell of 2 x 2, found `3 1 3`"
    );
    assert_eq!(
        mm("2 2 1\n0 1 3\n"),
        "DIR/m.mtx:3: expected a cell of 2 x 2, found `0 1 3`"
    );
    assert_eq!(
        mm("2 2 2\n1 1 3\n"),
        "DIR/m.mtx:3: expected 2 entries, as the header says, found 1 entries"
    );
    assert_eq!(
        mm(""),
        "DIR/m.mtx:1: expected a line of sizes, found the end of the file"
    );
    let complex = folder.with(
        "z.mtx",
        "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n",
    );
    assert!(error(&complex, &none).contains("real|integer|pattern"));
    let random = folder.with("r.csv", [0xff, 0xfe, 0x00, b'\n', 0x80]);
    assert!(error(&random, &none).starts_with("DIR/r.csv:1: expected text in UTF-8"));
    let comments = folder.with(
        "k.mtx",
        "%%MatrixMarket matrix coordinate real general\n% a\n\n2 2 2\n%b\n1 1 1\n\n1 2 x\n",
    );
    assert!(error(&comments, &none).starts_with("DIR/k.mtx:8: "));
    let ragged = folder.with("a.csv", "1,2\n3\n");
    assert_eq!(
        error(&ragged, &none),
        "DIR/a.csv:2: expected 2 cells, found 1 cells"
    );
    let word = folder.with("b.csv", "1,2\n3,four\n");
    assert_eq!(
        error(&word, &none),
        "DIR/b.csv:2: expected a number, found `four`"
    );
    let short = folder.with("c.csv", "1,2\n");
    assert_eq!(
        error(&short, &shape(2, 2)),
        "DIR/c.csv:1: expected 2 rows, found 1 rows"
    );
    let cells = folder.with("t.txt", "1 1 1.0\n9 1 2.0\n");
    assert_eq!(
        error(&cells, &shape(2, 2)),
        "DIR/t.txt:2: expected a cell of 2 x 2, found `9 1 2.0`"
    );
    assert!(
        error(&cells, &none)
            .contains("expected rows and cols (in the .mtd file or as arguments of read)")
    );
    assert!(error(&folder.path("missing.csv"), &none).starts_with("DIR/missing.csv: "));
}

#[test]
fn metadata_that_makes_no_sense_is_named() {
    let folder = Folder::new();
    let none = ReadOptions::default();
    let data = folder.with("x.csv", "1,2\n");
    folder.with("x.csv.mtd", "{ \"rows\": 1,\n oops }");
    assert!(error(&data, &none).starts_with("DIR/x.csv.mtd:2: expected JSON, found "));
    folder.with("x.csv.mtd", "{ \"rows\": \"many\" }");
    assert_eq!(
        error(&data, &none),
        "DIR/x.csv.mtd: expected `rows` to be a whole number, found `many`"
    );
    folder.with(
        "x.csv.mtd",
        "{ \"format\": \"binary\", \"rows\": 1, \"cols\": 2 }",
    );
    assert_eq!(
        error(&data, &none),
        "DIR/x.csv: expected format text, mm, csv, npy, npz or sumac, found binary"
    );
    folder.with("x.csv.mtd", "{ \"rows\": \"1\", \"cols\": -1, \"header\": \"FALSE\", \"format\": \"csv\", \"author\": \"a\" }");
    assert_eq!(matrix(&data, &none), Matrix::from_rows(&[&[1.0, 2.0]]));
    let stated = ReadOptions {
        format: Some("csv".to_owned()),
        ..shape(3, 2)
    };
    assert!(
        error(&data, &stated).contains("expected 3 rows"),
        "what the caller says wins"
    );
}

#[test]
fn a_cell_that_occurs_twice_is_summed() {
    let folder = Folder::new();
    let expected = Matrix::from_rows(&[&[0.0, 7.0, 0.0], &[0.0, 0.0, 0.0]]);
    let cells = folder.with("t", "1 2 3.0\n2 3 1\n1 2 4\n2 3 -1\n");
    assert_eq!(matrix(&cells, &shape(2, 3)), expected);
    let mm = folder.with(
        "m",
        "%%MatrixMarket matrix coordinate integer general\n2 3 2\n1 2 3\n1 2 4\n",
    );
    assert_eq!(matrix(&mm, &ReadOptions::default()), expected);
    let both = folder.with(
        "s",
        "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 3\n1 2 4\n",
    );
    let expected = Matrix::from_rows(&[&[0.0, 7.0], &[7.0, 0.0]]);
    assert_eq!(matrix(&both, &ReadOptions::default()), expected);
}

#[test]
fn what_systemds_writes_for_an_empty_matrix_is_read() {
    let folder = Folder::new();
    let empty = folder.with("t", "0 0 0\n");
    let m = matrix(&empty, &shape(3, 4));
    assert_eq!((m.shape(), m.nnz()), ((3, 4), 0));
    let empty = folder.with(
        "m",
        "%%MatrixMarket matrix coordinate real general\n3 4 0\n0 0 0\n",
    );
    assert_eq!(matrix(&empty, &ReadOptions::default()).shape(), (3, 4));
    let path = folder.path("w");
    let zero: Value = Matrix::fill(3, 4, 0.0).into();
    write(&path, &zero, Format::Text, &Layout::default()).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "0 0 0\n");
}

#[test]
fn a_format_is_told_by_how_a_file_begins_and_then_by_its_name() {
    let folder = Folder::new();
    let m: Value = Matrix::from_rows(&[&[1.0, 2.0]]).into();
    for format in [Format::Mm, Format::Npy, Format::Npz, Format::Sumac] {
        let path = folder.path("unnamed");
        write(&path, &m, format, &Layout::default()).unwrap();
        let _ = std::fs::remove_file(mtd_path(&path));
        assert_eq!(
            read(&path, &ReadOptions::default()).unwrap(),
            m,
            "{format:?}"
        );
    }
    let broken = folder.with("x.npy", "1,2,3,4\n");
    assert!(
        error(&broken, &ReadOptions::default())
            .starts_with("DIR/x.npy: byte 0: expected the magic")
    );
}

#[test]
fn metadata_of_what_stood_there_before_does_not_stay() {
    let folder = Folder::new();
    let path = folder.path("m");
    let layout = Layout::default();
    let write_rows = |rows: usize, format| {
        write(&path, &Matrix::fill(rows, 2, 1.0).into(), format, &layout).unwrap();
    };
    write_rows(3, Format::Csv);
    write_rows(5, Format::Mm);
    assert_eq!(matrix(&path, &ReadOptions::default()).rows(), 5);
    write_rows(4, Format::Npy);
    let mtd = read_mtd(&path).unwrap().unwrap();
    assert_eq!((mtd.rows, mtd.format.as_deref()), (Some(4), Some("npy")));
    assert_eq!((mtd.nnz, mtd.sep), (Some(8), None));
}

#[test]
fn large_text_files_do_not_depend_on_the_number_of_threads() {
    let folder = Folder::new();
    let mut text = String::from("%%MatrixMarket matrix coordinate real general\n5000 700 400000\n");
    let mut state = 1_u64;
    for _ in 0..400_000 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let (row, col) = ((state >> 33) % 5000 + 1, (state >> 20) % 700 + 1);
        let value = (state >> 11) as f64 / 1e15;
        text.push_str(&format!("{row} {col} {value}\n"));
    }
    let path = folder.with("big.mtx", &text);
    let none = ReadOptions::default();
    let all = matrix(&path, &none);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let one = pool.unwrap().install(|| matrix(&path, &none));
    assert_eq!((all.nnz(), all.is_sparse()), (one.nnz(), true));
    assert!(all == one, "the order of sums is that of the file");
    let csv = folder.path("big.csv");
    write(&csv, &all.clone().into(), Format::Csv, &Layout::default()).unwrap();
    assert!(matrix(&csv, &none) == all);
    text.push_str("1 1\n");
    let broken = folder.with("broken.mtx", &text);
    assert_eq!(
        error(&broken, &none),
        "DIR/broken.mtx:400003: expected `row column value`, found `1 1`"
    );
}
