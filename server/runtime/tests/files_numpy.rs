//! `.npy` and `.npz` files byte by byte: what NumPy and SciPy write is read, what is written is what they write, and
//! each damage is named by its place.

use std::path::Path;

use expect_test::{Expect, expect};
use sumac_runtime::Matrix;
use sumac_runtime::io::{Format, ReadOptions};
use support::Folder;

mod support;

#[track_caller]
fn matrix(path: &Path) -> Matrix {
    support::matrix(path, &ReadOptions::default())
}

/// A `.npy` file of version 1.0 with any header text.
fn npy_of(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

fn npy(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header =
        format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    npy_of(&header, data)
}

fn bytes_of<const N: usize, T>(numbers: &[T], encode: impl Fn(&T) -> [u8; N]) -> Vec<u8> {
    numbers.iter().flat_map(encode).collect()
}

fn doubles(numbers: &[f64]) -> Vec<u8> {
    bytes_of(numbers, |x| x.to_le_bytes())
}

fn ints(numbers: &[i32]) -> Vec<u8> {
    bytes_of(numbers, |x| x.to_le_bytes())
}

/// An archive of stored members, as Python's `zipfile` writes it for NumPy: sizes in the local headers are in the
/// extra field of Zip64.
fn stored_zip(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    for (name, data) in members {
        let offset = out.len() as u32;
        let crc = crc32fast::hash(data).to_le_bytes();
        let name_length = (name.len() as u16).to_le_bytes();
        // Signature, version 4.5, no flags, stored, midnight, 1 January 1980.
        out.extend(b"PK\x03\x04\x2d\x00\x00\x00\x00\x00\x00\x00\x21\x00");
        out.extend(crc);
        out.extend([0xff; 8]);
        out.extend(name_length);
        out.extend([20, 0]);
        out.extend(name.as_bytes());
        out.extend([1, 0, 16, 0]);
        out.extend((data.len() as u64).to_le_bytes());
        out.extend((data.len() as u64).to_le_bytes());
        out.extend(data);
        directory.extend(b"PK\x01\x02\x2d\x03\x2d\x00\x00\x00\x00\x00\x00\x00\x21\x00");
        directory.extend(crc);
        directory.extend((data.len() as u32).to_le_bytes());
        directory.extend((data.len() as u32).to_le_bytes());
        directory.extend(name_length);
        directory.extend([0; 8]);
        directory.extend(0x0180_0000_u32.to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let start = out.len() as u32;
    let count = (members.len() as u16).to_le_bytes();
    out.extend(&directory);
    out.extend(b"PK\x05\x06\x00\x00\x00\x00");
    out.extend(count);
    out.extend(count);
    out.extend((directory.len() as u32).to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0, 0]);
    out
}

#[test]
fn an_array_is_written_as_numpy_writes_it() {
    let folder = Folder::new();
    let m = Matrix::from_rows(&[&[0.0, 1.0, 2.0], &[3.0, -4.5, f64::INFINITY]]);
    let mut expected = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    expected.extend(b"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }");
    expected.resize(127, b' ');
    expected.push(b'\n');
    expected.extend(doubles(&[0.0, 1.0, 2.0, 3.0, -4.5, f64::INFINITY]));
    assert_eq!(folder.written(&m, Format::Npy), expected);
    assert_eq!(folder.written(&m.to_sparse(), Format::Npy), expected);
    // The header always ends at a multiple of 64.
    let wide = folder.written(&Matrix::fill(0, 123_456_789, 0.0), Format::Npy);
    assert_eq!((wide.len(), wide[127]), (128, b'\n'));
}

#[test]
fn every_plain_type_is_read_in_both_byte_orders() {
    let folder = Folder::new();
    let check = |descr: &str, data: &[u8], expected: [f64; 2]| {
        let path = folder.with("x.npy", npy(descr, "False", "(1, 2)", data));
        let m = matrix(&path);
        assert_eq!((m.rows(), m.to_cells()), (1, expected.to_vec()), "{descr}");
    };
    macro_rules! both_orders {
        ($letter:literal, $type:ty, $a:expr, $b:expr) => {
            let numbers: [$type; 2] = [$a, $b];
            let size = size_of::<$type>();
            let expected = numbers.map(|x| x as f64);
            let little = bytes_of(&numbers, |x| x.to_le_bytes());
            let big = bytes_of(&numbers, |x| x.to_be_bytes());
            check(&format!("<{}{size}", $letter), &little, expected);
            check(&format!(">{}{size}", $letter), &big, expected);
        };
    }
    both_orders!("f", f64, -0.1, f64::MIN_POSITIVE);
    both_orders!("f", f32, 1.5e-40, f32::NEG_INFINITY);
    both_orders!("i", i8, i8::MIN, 5);
    both_orders!("i", i16, i16::MIN, 258);
    both_orders!("i", i32, i32::MIN, 16_909_060);
    both_orders!("i", i64, i64::MIN, 1 << 53);
    both_orders!("u", u8, u8::MAX, 5);
    both_orders!("u", u16, u16::MAX, 258);
    both_orders!("u", u32, u32::MAX, 16_909_060);
    both_orders!("u", u64, u64::MAX, 1 << 53);
    check("|b1", &[1, 0], [1.0, 0.0]);
    check("|i1", &[0xff, 1], [-1.0, 1.0]);
}

#[test]
fn orders_dimensions_and_versions() {
    let folder = Folder::new();
    let read = |bytes: &[u8]| matrix(&folder.with("x.npy", bytes));
    let six = doubles(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let rows_first = Matrix::from_rows(&[&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]]);
    let cols_first = Matrix::from_rows(&[&[1.0, 3.0, 5.0], &[2.0, 4.0, 6.0]]);
    assert_eq!(read(&npy("<f8", "False", "(2, 3)", &six)), rows_first);
    assert_eq!(read(&npy("<f8", "True", "(2, 3)", &six)), cols_first);
    assert_eq!(read(&npy("<f8", "False", "(6,)", &six)).shape(), (6, 1));
    assert_eq!(read(&npy("<f8", "True", "(6,)", &six)).shape(), (6, 1));
    assert_eq!(read(&npy("<f8", "False", "(2L, 3L)", &six)), rows_first);
    let one = read(&npy("<f8", "False", "()", &doubles(&[7.0])));
    assert_eq!((one.shape(), one.get(0, 0)), ((1, 1), 7.0));
    assert_eq!(read(&npy("<f8", "True", "(0, 4)", &[])).shape(), (0, 4));
    assert_eq!(read(&npy("<f8", "False", "(4, 0)", &[])).shape(), (4, 0));
    // Keys in any order, double quotes, no last comma.
    let other = r#"{"shape":(2,3),"fortran_order":False,"descr":"<f8"}"#;
    assert_eq!(read(&npy_of(other, &six)), rows_first);
    // Versions 2.0 and 3.0 have a length of four bytes.
    for major in [2, 3] {
        let mut bytes = b"\x93NUMPY".to_vec();
        bytes.extend([major, 0]);
        bytes.extend((other.len() as u32).to_le_bytes());
        bytes.extend(other.as_bytes());
        bytes.extend(&six);
        assert_eq!(read(&bytes), rows_first);
    }
}

/// The matrix of all sparse examples, and the arrays that keep it.
fn example() -> Matrix {
    Matrix::from_rows(&[
        &[0.0, 0.0, 1.5, 0.0],
        &[0.0, 0.0, 0.0, 0.0],
        &[-2.0, 0.0, f64::INFINITY, 0.0],
    ])
}

fn save_npz(format: &str, arrays: &[(&str, Vec<u8>)], shape: &[i32]) -> Vec<u8> {
    let mut members: Vec<(String, Vec<u8>)> = Vec::new();
    let tuple = |length: usize| format!("({length},)");
    for (name, data) in arrays {
        let descr = if *name == "data" { "<f8" } else { "<i4" };
        let length = data.len() / if *name == "data" { 8 } else { 4 };
        let array = npy(descr, "False", &tuple(length), data);
        members.push((format!("{name}.npy"), array));
    }
    let descr = format!("|S{}", format.len());
    let word = npy(&descr, "False", "()", format.as_bytes());
    members.push(("format.npy".to_owned(), word));
    let sizes = npy("<i4", "False", &tuple(shape.len()), &ints(shape));
    members.push(("shape.npy".to_owned(), sizes));
    let members: Vec<(&str, Vec<u8>)> = members
        .iter()
        .map(|(name, data)| (name.as_str(), data.clone()))
        .collect();
    stored_zip(&members)
}

fn csr_arrays() -> [(&'static str, Vec<u8>); 3] {
    [
        ("indices", ints(&[2, 0, 2])),
        ("indptr", ints(&[0, 1, 1, 3])),
        ("data", doubles(&[1.5, -2.0, f64::INFINITY])),
    ]
}

#[test]
fn a_sparse_matrix_of_scipy_is_read_in_its_three_formats() {
    let folder = Folder::new();
    let check = |format: &str, arrays: &[(&str, Vec<u8>)]| {
        let path = folder.with("x.npz", save_npz(format, arrays, &[3, 4]));
        assert_eq!(matrix(&path), example(), "{format}");
    };
    check("csr", &csr_arrays());
    check(
        "csc",
        &[
            ("indices", ints(&[2, 0, 2])),
            ("indptr", ints(&[0, 1, 1, 3, 3])),
            ("data", doubles(&[-2.0, 1.5, f64::INFINITY])),
        ],
    );
    check(
        "coo",
        &[
            ("row", ints(&[2, 0, 2, 2])),
            ("col", ints(&[2, 2, 0, 0])),
            ("data", doubles(&[f64::INFINITY, 1.5, -3.0, 1.0])),
        ],
    );
    // SciPy does not always sort columns, and sums what occurs twice.
    check(
        "csr",
        &[
            ("indices", ints(&[2, 2, 0, 3, 0])),
            ("indptr", ints(&[0, 1, 1, 5])),
            ("data", doubles(&[1.5, f64::INFINITY, -1.0, 0.0, -1.0])),
        ],
    );
    // Text of four bytes a character is how SciPy wrote the format before 1.0.
    let members = csr_arrays().map(|(name, data)| {
        let (descr, size) = if name == "data" {
            ("<f8", 8)
        } else {
            ("<i4", 4)
        };
        let shape = format!("({},)", data.len() / size);
        (format!("{name}.npy"), npy(descr, "False", &shape, &data))
    });
    let mut all: Vec<(&str, Vec<u8>)> = members
        .iter()
        .map(|(name, data)| (name.as_str(), data.clone()))
        .collect();
    let letters = bytes_of(&['c', 's', 'r'], |&c| (c as u32).to_le_bytes());
    all.push(("format.npy", npy("<U3", "False", "()", &letters)));
    all.push(("shape.npy", npy("<i4", "False", "(2,)", &ints(&[3, 4]))));
    assert_eq!(matrix(&folder.with("u.npz", stored_zip(&all))), example());
}

#[test]
fn an_archive_with_one_array_is_that_array() {
    let folder = Folder::new();
    let array = npy("<f8", "False", "(2, 1)", &doubles(&[1.0, 2.0]));
    let path = folder.with("x.npz", stored_zip(&[("arr_0.npy", array)]));
    assert_eq!(matrix(&path), Matrix::from_rows(&[&[1.0], &[2.0]]));
}

#[test]
fn a_written_archive_has_the_arrays_of_save_npz() {
    let folder = Folder::new();
    for m in [example(), example().to_sparse()] {
        let bytes = folder.written(&m, Format::Npz);
        assert_eq!(bytes, folder.written(&m, Format::Npz), "deterministic");
        let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
        let mut member = |name: &str| {
            let mut data = Vec::new();
            std::io::Read::read_to_end(&mut archive.by_name(name).unwrap(), &mut data).unwrap();
            data
        };
        let header = |text: &str| {
            let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
            bytes.extend(text.as_bytes());
            bytes.resize(127, b' ');
            bytes.push(b'\n');
            bytes
        };
        let int =
            |shape| format!("{{'descr': '<i4', 'fortran_order': False, 'shape': ({shape},), }}");
        assert_eq!(
            member("indices.npy"),
            [header(&int(3)), ints(&[2, 0, 2])].concat()
        );
        assert_eq!(
            member("indptr.npy"),
            [header(&int(4)), ints(&[0, 1, 1, 3])].concat()
        );
        let mut word = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        word.extend(b"{'descr': '|S3', 'fortran_order': False, 'shape': (), }");
        // Without a dimension there is no room for its digits, so that the header is shorter.
        word.resize(127, b' ');
        word.extend(b"\ncsr");
        assert_eq!(member("format.npy"), word);
        let shape = "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }";
        let sizes = bytes_of(&[3_i64, 4], |x| x.to_le_bytes());
        assert_eq!(member("shape.npy"), [header(shape), sizes].concat());
        let data = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }";
        assert_eq!(
            member("data.npy"),
            [header(data), doubles(&[1.5, -2.0, f64::INFINITY])].concat()
        );
        assert_eq!(archive.len(), 5);
    }
}

fn check(name: &str, cases: &[(&str, Vec<u8>)], expected: &Expect) {
    let folder = Folder::new();
    let mut text = String::new();
    for (case, bytes) in cases {
        text += &format!("{case}: {}\n", folder.error(name, bytes));
    }
    expected.assert_eq(&text);
}

#[test]
fn broken_arrays_are_errors_at_their_byte() {
    let eight = doubles(&[1.0]);
    let header = |text: &str| npy_of(text, &eight);
    let case = |descr, shape| npy(descr, "False", shape, &eight);
    let mut version = case("<f8", "(1,)");
    version[6] = 4;
    let mut long = b"\x93NUMPY\x02\x00".to_vec();
    long.extend(u32::MAX.to_le_bytes());
    let mut more = case("<f8", "(1,)");
    more.push(b'!');
    check(
        "x.npy",
        &[
            ("magic", b"NUMPY!\x01\x00".to_vec()),
            ("empty", b"\x93NUM".to_vec()),
            ("version", version),
            ("long header", long),
            ("no dictionary", header("[]")),
            ("unknown key", header("{'descr': '<f8', 'colour': 1}")),
            ("no key", header("{'descr': '<f8', 'fortran_order': False}")),
            ("no colon", header("{'descr' '<f8'}")),
            ("no comma", header("{'descr': '<f8' 'shape': ()}")),
            ("open", header("{'descr': '<f8")),
            ("order", header("{'fortran_order': false}")),
            (
                "after",
                header("{'descr': '<f8', 'fortran_order': False, 'shape': ()} 1"),
            ),
            ("objects", case("|O", "(1,)")),
            ("half", case("<f2", "(4,)")),
            ("complex", case("<c16", "(1,)")),
            ("text", case("<U2", "(1,)")),
            ("native order", case("=f8", "(1,)")),
            (
                "structure",
                header("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}"),
            ),
            ("dimensions", case("<f8", "(1, 1, 1)")),
            ("negative size", case("<f8", "(-1,)")),
            ("overflow", case("<f8", "(99999999999999999999,)")),
            ("large", case("<f8", "(4000000000, 4000000000)")),
            ("memory", case("<f8", "(1000000000000000000, 2)")),
            ("short", case("<f8", "(2,)")),
            ("long", more),
            ("truth", npy("|b1", "False", "(2,)", &[1, 2])),
        ],
        &expect![[r#"
            magic: DIR/x.npy: byte 0: expected the magic string `\x93NUMPY`, found `NUMPY!`
            empty: DIR/x.npy: byte 4: expected the magic string `\x93NUMPY`, found the end of the file
            version: DIR/x.npy: byte 6: expected version 1.0, 2.0 or 3.0, found 4.0
            long header: DIR/x.npy: byte 8: expected a header of at most 65536 bytes, found 4294967295 bytes
            no dictionary: DIR/x.npy: byte 10: expected `{`, found `[]`
            unknown key: DIR/x.npy: byte 27: expected the key descr, fortran_order or shape, found `'colour': 1}`
            no key: DIR/x.npy: byte 50: expected the key shape, found the end of the header
            no colon: DIR/x.npy: byte 19: expected `:`, found `'<f8'}`
            no comma: DIR/x.npy: byte 26: expected `,` or `}`, found `'shape': ()}`
            open: DIR/x.npy: byte 20: expected a plain type: b1, i1 to i8, u1 to u8, f4 or f8, found `'<f8`
            order: DIR/x.npy: byte 28: expected True or False, found `false}`
            after: DIR/x.npy: byte 64: expected the end of the header, found `1`
            objects: DIR/x.npy: byte 20: expected a plain type: b1, i1 to i8, u1 to u8, f4 or f8, found `'|O', 'fortran_order': False, 'shape': (…`
            half: DIR/x.npy: byte 20: expected a plain type: b1, i1 to i8, u1 to u8, f4 or f8, found `'<f2', 'fortran_order': False, 'shape': …`
            complex: DIR/x.npy: byte 20: expected a plain type: b1, i1 to i8, u1 to u8, f4 or f8, found `'<c16', 'fortran_order': False, 'shape':…`
            text: DIR/x.npy: byte 0: expected numbers, found text
            native order: DIR/x.npy: byte 20: expected a plain type: b1, i1 to i8, u1 to u8, f4 or f8, found `'=f8', 'fortran_order': False, 'shape': …`
            structure: DIR/x.npy: byte 20: expected a plain type: b1, i1 to i8, u1 to u8, f4 or f8, found `[('a', '<f8')], 'fortran_order': False, …`
            dimensions: DIR/x.npy: byte 0: expected an array of at most 2 dimensions, found 3 dimensions
            negative size: DIR/x.npy: byte 61: expected a size, found `-1,), }`
            overflow: DIR/x.npy: byte 61: expected a size, found `99999999999999999999,), }`
            large: DIR/x.npy: byte 0: expected a matrix that fits in memory, found 4000000000 x 4000000000
            memory: DIR/x.npy: byte 0: expected a matrix that fits in memory, found 1000000000000000000 x 2
            short: DIR/x.npy: byte 76: expected a cell, found the end of the file
            long: DIR/x.npy: byte 76: expected the end of the data, found `!`
            truth: DIR/x.npy: byte 69: expected 0 or 1, found 2
        "#]],
    );
}

#[test]
fn broken_archives_are_errors_at_their_array() {
    let with = |index: usize, data: Vec<u8>| {
        let mut arrays = csr_arrays();
        arrays[index].1 = data;
        save_npz("csr", &arrays, &[3, 4])
    };
    let array = npy("<f8", "False", "(1,)", &doubles(&[1.0]));
    let mut damaged = stored_zip(&[("arr_0.npy", array.clone())]);
    let at = damaged
        .windows(8)
        .position(|w| w == doubles(&[1.0]))
        .unwrap();
    damaged[at + 7] ^= 1;
    let coo = [
        ("row", ints(&[0, 3])),
        ("col", ints(&[0, 0])),
        ("data", doubles(&[1.0, 2.0])),
    ];
    let negative = [
        ("row", ints(&[-1])),
        ("col", ints(&[0])),
        ("data", doubles(&[1.0])),
    ];
    check(
        "x.npz",
        &[
            ("no archive", b"PK\x03\x04 and nothing else".to_vec()),
            ("no arrays", stored_zip(&[])),
            (
                "two arrays",
                stored_zip(&[("b.npy", array.clone()), ("a.npy", array.clone())]),
            ),
            ("no array", stored_zip(&[("a.txt", b"text".to_vec())])),
            ("checksum", damaged),
            ("format", save_npz("bsr", &csr_arrays(), &[3, 4])),
            (
                "no data",
                stored_zip(&[
                    ("format.npy", npy("|S3", "False", "()", b"csr")),
                    ("shape.npy", npy("<i4", "False", "(2,)", &ints(&[3, 4]))),
                ]),
            ),
            ("format is a number", stored_zip(&[("format.npy", array)])),
            ("one size", save_npz("csr", &csr_arrays(), &[3])),
            ("large", save_npz("csr", &csr_arrays(), &[3, i32::MIN])),
            ("column", with(0, ints(&[2, 0, 4]))),
            ("few columns", with(0, ints(&[2, 0]))),
            ("pointers", with(1, ints(&[0, 1, 3]))),
            ("first pointer", with(1, ints(&[1, 1, 1, 3]))),
            ("order of pointers", with(1, ints(&[0, 2, 1, 3]))),
            ("last pointer", with(1, ints(&[0, 1, 1, 2]))),
            ("row of coo", save_npz("coo", &coo, &[3, 4])),
            ("negative row", save_npz("coo", &negative, &[3, 4])),
        ],
        &expect![[r#"
            no archive: DIR/x.npz: expected a zip archive of .npy files, found invalid Zip archive: Could not find EOCD
            no arrays: DIR/x.npz: expected one array, or a matrix as scipy.sparse.save_npz saves it, found 0 arrays: ``
            two arrays: DIR/x.npz: expected one array, or a matrix as scipy.sparse.save_npz saves it, found 2 arrays: `a.npy, b.npy`
            no array: DIR/x.npz/a.txt: byte 4: expected the magic string `\x93NUMPY`, found the end of the file
            checksum: DIR/x.npz/arr_0.npy: byte 76: expected undamaged data, found Invalid checksum
            format: DIR/x.npz/format.npy: expected csr, csc or coo, found `bsr`
            no data: DIR/x.npz: expected the array data.npy, found none
            format is a number: DIR/x.npz/format.npy: byte 0: expected text, found cells of another type
            one size: DIR/x.npz/shape.npy: byte 68: expected 2 sizes, found 1
            large: DIR/x.npz/shape.npy: byte 72: expected an integer of at least 0, found -2147483648
            column: DIR/x.npz/indices.npy: byte 76: expected an index below 4, found 4
            few columns: DIR/x.npz/indices.npy: byte 68: expected 3 indices, as many as data.npy has values, found 2
            pointers: DIR/x.npz/indptr.npy: byte 68: expected 4 pointers, found 3
            first pointer: DIR/x.npz/indptr.npy: byte 68: expected 0, where the first begins, found 1
            order of pointers: DIR/x.npz/indptr.npy: byte 76: expected at least 2, because pointers ascend, found 1
            last pointer: DIR/x.npz/indptr.npy: byte 80: expected 3, the number of indices, found 2
            row of coo: DIR/x.npz/row.npy: byte 72: expected an index below 3, found 3
            negative row: DIR/x.npz/row.npy: byte 68: expected an integer of at least 0, found -1
        "#]],
    );
}
