//! `.smx` files byte by byte: the layout is as documented, and each damage is named by its place.

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

fn doubles(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn example() -> Matrix {
    Matrix::from_rows(&[
        &[0.0, 0.0, 1.5, 0.0],
        &[0.0, 0.0, 0.0, 0.0],
        &[-2.0, 0.0, f64::INFINITY, 0.0],
    ])
}

/// A sparse `.smx` file of [`example`], written by hand; `change` is applied before the checksum is added.
fn smx(change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = b"\x89SMX\r\n\x1a\n\x01\x00\x00\x00S<\x00\x00".to_vec();
    for number in [3_u64, 4, 3, 0, 0, 0] {
        bytes.extend(number.to_le_bytes());
    }
    for start in [0_u64, 1, 1, 3] {
        bytes.extend(start.to_le_bytes());
    }
    for col in [2_u32, 0, 2, 0] {
        bytes.extend(col.to_le_bytes());
    }
    bytes.extend(doubles(&[1.5, -2.0, f64::INFINITY]));
    change(&mut bytes);
    let sum = crc32fast::hash(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

#[test]
fn our_own_format_is_as_documented() {
    let folder = Folder::new();
    let sparse = example().to_sparse();
    assert_eq!(folder.written(&sparse, Format::Sumac), smx(|_| {}));
    let path = folder.with("x.smx", smx(|_| {}));
    let m = matrix(&path);
    assert_eq!((&m, m.is_sparse()), (&example(), true));
    let dense = folder.written(&Matrix::from_rows(&[&[-0.0, 2.0]]), Format::Sumac);
    assert_eq!(dense[..16], *b"\x89SMX\r\n\x1a\n\x01\x00\x00\x00D<\x00\x00");
    assert_eq!(dense[64..80], doubles(&[-0.0, 2.0]));
    assert_eq!(dense.len(), 84);
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
fn broken_files_of_our_own_are_errors_at_their_byte() {
    let set = |at: usize, bytes: &'static [u8]| {
        smx(|file| file[at..at + bytes.len()].copy_from_slice(bytes))
    };
    let mut sum = smx(|_| {});
    *sum.last_mut().unwrap() ^= 1;
    let mut more = smx(|_| {});
    more.push(0);
    let large = |rows: u64, cols: u64, nnz: u64| {
        smx(|file| {
            for (at, number) in [(16, rows), (24, cols), (32, nnz)] {
                file[at..at + 8].copy_from_slice(&number.to_le_bytes());
            }
        })
    };
    let dense = smx(|file| {
        file.truncate(64);
        file[12] = b'D';
        file.extend(doubles(&[1.0; 12]));
    });
    check(
        "x.smx",
        &[
            ("magic", set(4, b"\n\n")),
            ("version", set(8, b"\x02")),
            ("kind", set(12, b"X")),
            ("byte order", set(13, b">")),
            ("reserved", set(15, b"\x01")),
            ("reserved later", set(47, b"\x01")),
            ("non-zeros", large(3, 4, 13)),
            ("overflow", large(u64::MAX, 4, 3)),
            ("columns", large(3, 1 << 33, 3)),
            ("memory", large(1 << 60, 4, 3)),
            ("many rows", large(1 << 24, 4, 3)),
            ("many non-zeros", large(3, 1 << 30, 1 << 30)),
            ("first pointer", set(64, b"\x01")),
            ("order of pointers", set(72, b"\x02")),
            ("high pointer", set(79, b"\x01")),
            ("last pointer", set(88, b"\x02")),
            ("column", set(96, b"\x04")),
            ("order of columns", set(104, b"\x00")),
            ("padding", set(109, b"\x01")),
            ("zero", set(112, &[0; 8])),
            ("negative zero", set(112, &[0, 0, 0, 0, 0, 0, 0, 0x80])),
            ("count of cells", dense),
            ("checksum", sum),
            ("more", more),
        ],
        &expect![[r#"
            magic: DIR/x.smx: byte 0: expected the magic bytes of a Sumac matrix, found `�SMX����`
            version: DIR/x.smx: byte 8: expected version 1, found 2
            kind: DIR/x.smx: byte 12: expected the kind `D` or `S`, found `X`
            byte order: DIR/x.smx: byte 13: expected the byte order `<`, found `>`
            reserved: DIR/x.smx: byte 15: expected 0, found 1
            reserved later: DIR/x.smx: byte 47: expected 0, found 1
            non-zeros: DIR/x.smx: byte 32: expected at most the 3 * 4 cells that there are, found 13 non-zeros
            overflow: DIR/x.smx: byte 32: expected at most the 18446744073709551615 * 4 cells that there are, found 3 non-zeros
            columns: DIR/x.smx: byte 16: expected a matrix that can be addressed, found 3 x 8589934592
            memory: DIR/x.smx: byte 16: expected a matrix that fits in memory, found 1152921504606846976 x 4
            many rows: DIR/x.smx: byte 140: expected a row pointer, found the end of the file
            many non-zeros: DIR/x.smx: byte 88: expected 1073741824, the number of non-zeros, found 3
            first pointer: DIR/x.smx: byte 64: expected 0, where the first row begins, found 1
            order of pointers: DIR/x.smx: byte 80: expected a row pointer from 2 to 3, found 1
            high pointer: DIR/x.smx: byte 72: expected a row pointer from 0 to 3, found 72057594037927937
            last pointer: DIR/x.smx: byte 88: expected 3, the number of non-zeros, found 2
            column: DIR/x.smx: byte 96: expected a column index from 0 to below 4, found 4
            order of columns: DIR/x.smx: byte 104: expected a column index from 1 to below 4, found 0
            padding: DIR/x.smx: byte 109: expected 0, found 1
            zero: DIR/x.smx: byte 112: expected a value that is not zero, found 0
            negative zero: DIR/x.smx: byte 112: expected a value that is not zero, found 0
            count of cells: DIR/x.smx: byte 32: expected 12 non-zeros, as there are, found 3
            checksum: DIR/x.smx: byte 136: expected the checksum 1510b5a5 of what stands before, found 1410b5a5
            more: DIR/x.smx: byte 140: expected the end of the data, found `�`
        "#]],
    );
}

#[test]
fn no_bit_of_our_own_format_flips_unseen() {
    let folder = Folder::new();
    for m in [example().to_sparse(), example()] {
        let bytes = folder.written(&m, Format::Sumac);
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut flipped = bytes.clone();
                flipped[at] ^= 1 << bit;
                let message = folder.error("x.smx", &flipped);
                let is_named = message.starts_with("DIR/x.smx: byte ")
                    // Without the magic bytes it is no such file but one of text.
                    || (at < 8 && message.contains("expected "));
                assert!(is_named, "byte {at}, bit {bit}: {message}");
            }
        }
    }
}
