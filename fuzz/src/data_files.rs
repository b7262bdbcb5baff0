//! Data files: any bytes in any format are read or refused, and what was read is the same after it was written and read again.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use sumac_runtime::Value;
use sumac_runtime::io::{
    Format, Gaps, Layout, ReadOptions, mtd_path, read, read_mtd, read_with, write,
};

use crate::bytes::Bytes;

/// What a file is called, and what its reader is told of the format.
const KINDS: [(&str, Option<&str>); 12] = [
    ("a.csv", None),
    ("a.mtx", None),
    ("a.npy", None),
    ("a.npz", None),
    ("a.smx", None),
    ("a.txt", None),
    ("a", Some("text")),
    ("a", Some("csv")),
    ("a", Some("mm")),
    ("a", Some("npy")),
    ("a", Some("npz")),
    ("a", Some("sumac")),
];

/// What only metadata say.
const DATA_TYPES: [Option<&str>; 4] = [None, None, Some("matrix"), Some("scalar")];
const VALUE_TYPES: [Option<&str>; 5] = [
    None,
    Some("double"),
    Some("int"),
    Some("boolean"),
    Some("string"),
];
const SEPARATORS: [Option<&str>; 4] = [None, Some(","), Some(";"), Some("::")];

/// A folder of this process.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("sumac-fuzz-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a temporary folder can be made");
    folder
});

/// The first byte is a kind of file, or says that the rest is an `.mtd` file beside a small one; the second to sixth are what the
/// reader is told.
pub fn check(data: &[u8]) {
    let mut bytes = Bytes(data);
    let kind = bytes.below(KINDS.len() + 1);
    let Some((name, format)) = KINDS.get(kind) else {
        metadata(bytes.0);
        return;
    };
    let path = FOLDER.join(name);
    let text = |text: Option<&str>| text.map(str::to_owned);
    // Zero says nothing.
    let size = |byte: u8| (byte > 0).then(|| usize::from(byte) - 1);
    let options = ReadOptions {
        data_type: text(bytes.one_of(&DATA_TYPES)),
        value_type: text(bytes.one_of(&VALUE_TYPES)),
        rows: size(bytes.next()),
        cols: size(bytes.next()),
        nnz: None,
        format: text(*format),
        header: bytes.one_of(&[None, Some(false), Some(true)]),
        sep: text(bytes.one_of(&SEPARATORS)),
    };
    let _ = fs::remove_file(mtd_path(&path));
    fs::write(&path, bytes.0).expect("a temporary file can be written");
    if let Ok(value) = read(&path, &options) {
        comes_back(&value);
    }
    let gaps = Gaps::default();
    let _ = read_with(&path, &options, &gaps);
}

/// The bytes as metadata of a small matrix.
fn metadata(bytes: &[u8]) {
    let path = FOLDER.join("small.csv");
    fs::write(&path, "1,2\n3,4\n").expect("a temporary file can be written");
    fs::write(mtd_path(&path), bytes).expect("a temporary file can be written");
    let _ = read_mtd(&path);
    if let Ok(value) = read(&path, &ReadOptions::default()) {
        comes_back(&value);
    }
}

/// Panics unless the value is the same after a way through each format.
fn comes_back(value: &Value) {
    let Some(matrix) = value.as_matrix() else {
        return;
    };
    // A matrix without cells has nothing to hold in text, and one with many takes longer than it is worth.
    if matrix.is_empty() || matrix.len() > 1 << 16 {
        return;
    }
    let all = [
        Format::Text,
        Format::Mm,
        Format::Csv,
        Format::Npy,
        Format::Npz,
        Format::Sumac,
    ];
    for format in all {
        let path = FOLDER.join("again");
        write(&path, value, format, &Layout::default()).expect("a matrix can be written");
        let again = again(&path, format);
        let again = again.as_matrix().expect("it was a matrix");
        assert_eq!(again.shape(), matrix.shape(), "{format:?}");
        let cells = matrix.to_cells().into_iter().zip(again.to_cells());
        for (old, new) in cells {
            let is_same = old == new || (old.is_nan() && new.is_nan());
            assert!(is_same, "{old:?} became {new:?} in {format:?}");
        }
    }
}

fn again(path: &Path, format: Format) -> Value {
    read(path, &ReadOptions::default()).unwrap_or_else(|error| panic!("as {format:?}: {error}"))
}
