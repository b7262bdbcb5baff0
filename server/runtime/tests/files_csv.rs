//! CSV files: what stands where no number does, what separates cells, and which lines are rows.

use sumac_runtime::Matrix;
use sumac_runtime::io::{Gaps, ReadOptions, read_with};
use support::{Folder, error, matrix, said};

mod support;

fn gaps(fill: Option<bool>, default: Option<f64>, words: &str) -> Gaps {
    Gaps {
        fill,
        default,
        na_strings: Some(Gaps::words(words)),
    }
}

#[track_caller]
fn csv(folder: &Folder, text: &str, sep: &str, gaps: &Gaps) -> Result<Matrix, String> {
    let path = folder.with("g.csv", text);
    let options = ReadOptions {
        sep: Some(sep.to_owned()),
        ..ReadOptions::default()
    };
    match read_with(&path, &options, gaps) {
        Ok(value) => Ok(value.as_matrix().unwrap().clone()),
        Err(error) => Err(said(&path, &error)),
    }
}

#[test]
fn empty_cells_and_words_for_nan_are_what_the_caller_says() {
    let folder = Folder::new();
    let none = Gaps::default();
    let zeros = Matrix::from_rows(&[&[1.0, 0.0], &[0.0, 2.0]]);
    assert_eq!(csv(&folder, "1,\n , 2\n", ",", &none), Ok(zeros));
    let fives = Matrix::from_rows(&[&[1.0, 5.0], &[5.0, 2.0]]);
    let filled = gaps(None, Some(5.0), "");
    assert_eq!(csv(&folder, "1,\n,2\n", ",", &filled), Ok(fives));
    assert_eq!(
        csv(&folder, "1,3\n,2\n", ",", &gaps(Some(false), None, "")),
        Err(
            "DIR/g.csv:2: expected a number, because fill is FALSE, found an empty cell".to_owned()
        )
    );
    let words = gaps(None, None, "NA\u{b7}-999\u{b7}\u{b7}n/a");
    assert_eq!(words.na_strings.as_ref().unwrap().len(), 3);
    let m = csv(&folder, "NA,1\n-999,2\nn/a,-998\n", ",", &words).unwrap();
    assert!((0..3).all(|row| m.get(row, 0).is_nan()));
    assert_eq!((m.get(1, 1), m.get(2, 1)), (2.0, -998.0));
    assert!(csv(&folder, "NA,1\n", ",", &none).is_err());
}

#[test]
fn an_mtd_file_says_what_gaps_are_unless_the_caller_does() {
    let folder = Folder::new();
    let path = folder.with("x.csv", "NA;\n");
    folder.with(
        "x.csv.mtd",
        r#"{"format": "csv", "sep": ";", "fill": true, "default": "2.5", "naStrings": "NA\u00b7-"}"#,
    );
    let m = matrix(&path, &ReadOptions::default());
    assert!(m.get(0, 0).is_nan());
    assert_eq!(m.get(0, 1), 2.5);
    let seven = Gaps {
        default: Some(7.0),
        ..Gaps::default()
    };
    let m = read_with(&path, &ReadOptions::default(), &seven).unwrap();
    assert_eq!(m.as_matrix().unwrap().get(0, 1), 7.0);
    folder.with("x.csv.mtd", r#"{"format": "csv", "default": "much"}"#);
    assert_eq!(
        error(&path, &ReadOptions::default()),
        "DIR/x.csv.mtd: expected `default` to be a number, found `much`"
    );
}

#[test]
fn any_string_separates_cells() {
    let folder = Folder::new();
    let none = Gaps::default();
    let expected = Matrix::from_rows(&[&[1.0, 0.0, -2.5], &[0.0, 0.0, 0.0]]);
    for sep in ["|", "::", "\t", " ", ", ", "e", "-", "\u{e9}"] {
        let text = format!("1{sep}{sep}0-2.5\n{sep}{sep}\n").replace("0-2.5", "@");
        // A separator that is part of numbers is still the separator.
        let cell = if sep == "-" { "2.5" } else { "-2.5" };
        let m = csv(&folder, &text.replace('@', cell), sep, &none).unwrap();
        if sep == "-" {
            assert_eq!(m.get(0, 2), 2.5);
        } else {
            assert_eq!(m, expected, "{sep:?}");
        }
    }
    assert_eq!(
        csv(&folder, "\"1\",2\n", ",", &none),
        Err(
            "DIR/g.csv:1: expected a number without quotes, because this is a matrix, found `\"1\"`"
                .to_owned()
        )
    );
}

#[test]
fn empty_lines_are_rows_only_where_rows_are_announced() {
    let folder = Folder::new();
    let column = folder.with("c.csv", "1\n\n3\n\n\n");
    let none = ReadOptions::default();
    let options = |rows| ReadOptions {
        rows: Some(rows),
        ..ReadOptions::default()
    };
    assert_eq!(matrix(&column, &none).to_cells(), [1.0, 3.0]);
    assert_eq!(matrix(&column, &options(3)).to_cells(), [1.0, 0.0, 3.0]);
    assert_eq!(
        matrix(&column, &options(4)).to_cells(),
        [1.0, 0.0, 3.0, 0.0]
    );
    assert_eq!(
        error(&column, &options(2)),
        "DIR/c.csv:5: expected 2 rows, found 3 rows"
    );
    let wide = folder.with("w.csv", "\n1,2\n\n3,4\n\n");
    assert_eq!(matrix(&wide, &options(2)).shape(), (2, 2));
}
