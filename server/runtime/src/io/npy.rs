//! NumPy's `.npy` files: one array of plain numbers. Versions 1.0, 2.0 and 3.0 are read, both byte orders, rows or
//! columns first; version 1.0 is written, little-endian, rows first.
//!
//! No dimension gives a 1 x 1 matrix, one a column. Integers beyond 2^53 become the nearest double. It never reads
//! pickled objects.

use std::io::{BufReader, Read, Write};
use std::path::Path;

use ndarray::{Array2, ShapeBuilder};

use super::bytes::{Mismatch, Numbers, Source, put};
use super::error::{IoError, quote_bytes};
use super::npy_header::{self, Header, Kind, MAGIC};
use super::open::open_regular;
use super::{room, rows};
use crate::matrix::Matrix;

/// Headers longer than this are not read; NumPy itself refuses them beyond 10,000 bytes.
const MAX_HEADER: usize = 1 << 16;

/// Reads a file with one array.
///
/// # Errors
/// When it is none, or not of plain numbers in at most two dimensions.
pub(super) fn read(path: &Path) -> Result<Matrix, IoError> {
    let file = open_regular(path).map_err(IoError::system(path))?;
    let length = file.metadata().map_or(u64::MAX, |meta| meta.len());
    let mut source = Source::new(BufReader::new(file), path, length);
    matrix(&mut source)
}

/// Writes all cells.
///
/// # Errors
/// When the system refuses.
pub(super) fn write(out: &mut dyn Write, m: &Matrix) -> std::io::Result<()> {
    out.write_all(&npy_header::write("<f8", &[m.rows(), m.cols()]))?;
    rows::try_each(m, |cells| put(out, cells.iter().map(|x| x.to_le_bytes())))
}

/// An array as a matrix; nothing may follow it.
///
/// # Errors
/// As [`read`].
pub(super) fn matrix<R: Read>(source: &mut Source<R>) -> Result<Matrix, IoError> {
    let header = header(source)?;
    let (rows, cols) = match *header.shape.as_slice() {
        [] => (1, 1),
        [rows] => (rows, 1),
        [rows, cols] => (rows, cols),
        _ => {
            let found = format!("{} dimensions", header.shape.len());
            return Err(source.error(0, "an array of at most 2 dimensions", found));
        }
    };
    if let Some((expected, found)) = room::refusal(rows, cols, rows.saturating_mul(cols)) {
        return Err(source.error(0, expected, found));
    }
    let cells = numbers(source, &header, rows * cols)?.values;
    source.end()?;
    if header.fortran && header.shape.len() == 2 {
        let columns = Array2::from_shape_vec((rows, cols).f(), cells)
            .map_err(|error| source.error(0, "a shape that fits the cells", error.to_string()))?;
        return Ok(Matrix::from_array(columns).settled());
    }
    Ok(Matrix::dense(rows, cols, cells).settled())
}

/// An array of one dimension.
///
/// # Errors
/// When it is no such array of plain numbers.
pub(super) fn vector<R: Read>(source: &mut Source<R>) -> Result<Numbers<f64>, IoError> {
    let (header, count) = vector_header(source)?;
    let numbers = numbers(source, &header, count)?;
    source.end()?;
    Ok(numbers)
}

/// An array of one dimension of integers that are not negative.
///
/// # Errors
/// When it is no such array.
pub(super) fn indices<R: Read>(source: &mut Source<R>) -> Result<Numbers<usize>, IoError> {
    let (header, count) = vector_header(source)?;
    let signed = match header.kind {
        Kind::Int => true,
        Kind::Unsigned => false,
        _ => return Err(source.error(0, "integers", "cells of another type")),
    };
    let numbers = match header.size {
        1 => integers::<_, 1>(source, &header, count, signed),
        2 => integers::<_, 2>(source, &header, count, signed),
        4 => integers::<_, 4>(source, &header, count, signed),
        _ => integers::<_, 8>(source, &header, count, signed),
    }?;
    source.end()?;
    Ok(numbers)
}

/// An array without dimensions whose only cell is text in ASCII.
///
/// # Errors
/// When it is no such array.
pub(super) fn word<R: Read>(source: &mut Source<R>) -> Result<String, IoError> {
    let header = header(source)?;
    let width = match header.kind {
        Kind::Bytes => 1,
        Kind::Unicode => 4,
        _ => return Err(source.error(0, "text", "cells of another type")),
    };
    if !header.shape.is_empty() || header.size > MAX_HEADER {
        return Err(source.error(0, "one short word", "more"));
    }
    let bytes = source.vec(header.size * width, "text")?;
    source.end()?;
    // A character beyond ASCII leaves a byte that no format's name has.
    let letters = bytes.into_iter().filter(|&byte| byte != 0).collect();
    Ok(String::from_utf8(letters).unwrap_or_else(|error| quote_bytes(error.as_bytes())))
}

fn header<R: Read>(source: &mut Source<R>) -> Result<Header, IoError> {
    let magic: [u8; 6] = source.array("the magic string `\\x93NUMPY`")?;
    if &magic != MAGIC {
        let found = quote_bytes(&magic);
        return Err(source.error(0, "the magic string `\\x93NUMPY`", found));
    }
    let [major, minor] = source.array("a version")?;
    let length = match (major, minor) {
        (1, 0) => usize::from(u16::from_le_bytes(source.array("the header's length")?)),
        (2 | 3, 0) => u32::from_le_bytes(source.array("the header's length")?) as usize,
        _ => {
            let found = format!("{major}.{minor}");
            return Err(source.error(6, "version 1.0, 2.0 or 3.0", found));
        }
    };
    if length > MAX_HEADER {
        let expected = format!("a header of at most {MAX_HEADER} bytes");
        return Err(source.error(8, expected, format!("{length} bytes")));
    }
    let start = source.at();
    let text = source.vec(length, "the header")?;
    npy_header::parse(&text)
        .map_err(|flaw| source.error(start + flaw.at as u64, flaw.expected, flaw.found))
}

fn vector_header<R: Read>(source: &mut Source<R>) -> Result<(Header, usize), IoError> {
    let header = header(source)?;
    match *header.shape.as_slice() {
        [count] => Ok((header, count)),
        _ => {
            let found = format!("{} dimensions", header.shape.len());
            Err(source.error(0, "an array of 1 dimension", found))
        }
    }
}

fn numbers<R: Read>(
    source: &mut Source<R>,
    header: &Header,
    count: usize,
) -> Result<Numbers<f64>, IoError> {
    match (header.kind, header.size) {
        (Kind::Bytes | Kind::Unicode, _) => Err(source.error(0, "numbers", "text")),
        // By far the most common type has no branches.
        (Kind::Float, 8) if !header.big_endian => {
            source.numbers(count, "a cell", |bytes| Ok(f64::from_le_bytes(bytes)))
        }
        (_, 1) => doubles::<_, 1>(source, header, count),
        (_, 2) => doubles::<_, 2>(source, header, count),
        (_, 4) => doubles::<_, 4>(source, header, count),
        (_, _) => doubles::<_, 8>(source, header, count),
    }
}

fn doubles<R: Read, const N: usize>(
    source: &mut Source<R>,
    header: &Header,
    count: usize,
) -> Result<Numbers<f64>, IoError> {
    let kind = header.kind;
    source.numbers(count, "a cell", |bytes: [u8; N]| {
        let wide = widened(bytes, header.big_endian, kind == Kind::Int);
        Ok(match kind {
            Kind::Int => i64::from_le_bytes(wide) as f64,
            Kind::Float if N == 8 => f64::from_le_bytes(wide),
            Kind::Float => f64::from(f32::from_bits(u64::from_le_bytes(wide) as u32)),
            Kind::Bool if wide[0] > 1 => return Err(("0 or 1", wide[0].to_string())),
            _ => u64::from_le_bytes(wide) as f64,
        })
    })
}

fn integers<R: Read, const N: usize>(
    source: &mut Source<R>,
    header: &Header,
    count: usize,
    signed: bool,
) -> Result<Numbers<usize>, IoError> {
    source.numbers(count, "an integer", |bytes: [u8; N]| {
        let wide = widened(bytes, header.big_endian, signed);
        let number = if signed {
            usize::try_from(i64::from_le_bytes(wide)).ok()
        } else {
            usize::try_from(u64::from_le_bytes(wide)).ok()
        };
        number.ok_or_else(|| -> Mismatch {
            (
                "an integer of at least 0",
                i64::from_le_bytes(wide).to_string(),
            )
        })
    })
}

/// The same number in eight bytes, little-endian.
fn widened<const N: usize>(mut bytes: [u8; N], big_endian: bool, signed: bool) -> [u8; 8] {
    if big_endian {
        bytes.reverse();
    }
    let negative = signed && bytes[N - 1] & 0x80 != 0;
    let mut wide = [if negative { 0xff } else { 0 }; 8];
    wide[..N].copy_from_slice(&bytes);
    wide
}
