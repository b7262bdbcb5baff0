//! Sumac's own format (`.smx`): what is written is read back bit by bit, dense cells or compressed sparse rows.
//!
//! All numbers are little-endian. A header of 64 bytes, then the arrays, then a checksum:
//!
//! | byte | bytes | what |
//! |---|---|---|
//! | 0 | 8 | magic: `89 53 4D 58 0D 0A 1A 0A` (`\x89SMX\r\n\x1a\n`), which transfers as text damage |
//! | 8 | 4 | version: 1 |
//! | 12 | 1 | kind: `D` dense, `S` sparse |
//! | 13 | 1 | byte order: `<`, little-endian |
//! | 14 | 2 | 0 |
//! | 16 | 8 | rows |
//! | 24 | 8 | columns |
//! | 32 | 8 | non-zero cells |
//! | 40 | 24 | 0 |
//! | 64 | | dense: `rows * columns` cells of 8 bytes, row after row |
//! | 64 | | sparse: `rows + 1` row pointers of 8 bytes; a column index of 4 bytes for each non-zero, then 0 to a multiple of 8; a value of 8 bytes for each non-zero |
//! | last | 4 | CRC-32 of all bytes before it |
//!
//! Row pointers ascend from 0 to the number of non-zeros, columns ascend strictly within a row, and no value of a
//! sparse file is zero. A reader checks all of it, and that nothing follows. It never fills in what is missing.

use std::io::{BufReader, Read, Write};
use std::path::Path;

use crc32fast::Hasher;

use super::bytes::{Source, put};
use super::error::{IoError, quote_bytes};
use super::open::open_regular;
use super::room;
use crate::matrix::{Csr, Matrix, View};

/// How every file begins.
pub(super) const MAGIC: &[u8; 8] = b"\x89SMX\r\n\x1a\n";

const VERSION: u32 = 1;
const DENSE: u8 = b'D';
const SPARSE: u8 = b'S';
const LITTLE: u8 = b'<';
/// Where the header says how many non-zeros there are.
const NNZ_AT: u64 = 32;

/// Something read or written, with the checksum of all its bytes so far.
struct Summed<T> {
    inner: T,
    crc: Hasher,
}

impl<T> Summed<T> {
    fn new(inner: T) -> Summed<T> {
        Summed {
            inner,
            crc: Hasher::new(),
        }
    }

    fn sum(&self) -> u32 {
        self.crc.clone().finalize()
    }
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.crc.update(&buffer[..read]);
        Ok(read)
    }
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.crc.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}

/// What a header says.
struct Header {
    kind: u8,
    rows: usize,
    cols: usize,
    nnz: usize,
}

/// Reads a file; the matrix has the format that it was written with.
///
/// # Errors
/// When the file is damaged or ends too early.
pub(super) fn read(path: &Path) -> Result<Matrix, IoError> {
    let file = open_regular(path).map_err(IoError::system(path))?;
    let length = file.metadata().map_or(u64::MAX, |meta| meta.len());
    let mut source = Source::new(Summed::new(BufReader::new(file)), path, length);
    let header = header(&mut source)?;
    let matrix = match header.kind {
        DENSE => dense(&mut source, &header)?,
        _ => sparse(&mut source, &header)?,
    };
    let computed = source.reader().sum();
    let at = source.at();
    let stated = u32::from_le_bytes(source.array("a checksum")?);
    if computed != stated {
        let expected = format!("the checksum {computed:08x} of what stands before");
        return Err(source.error(at, expected, format!("{stated:08x}")));
    }
    source.end()?;
    Ok(matrix)
}

/// Writes a matrix in the format that it has.
///
/// # Errors
/// When the system refuses.
pub(super) fn write(out: &mut dyn Write, m: &Matrix) -> std::io::Result<()> {
    let mut out = Summed::new(out);
    let kind = if m.is_sparse() { SPARSE } else { DENSE };
    out.write_all(MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    out.write_all(&[kind, LITTLE, 0, 0])?;
    for number in [m.rows(), m.cols(), m.nnz(), 0, 0, 0] {
        out.write_all(&(number as u64).to_le_bytes())?;
    }
    match m.view() {
        View::Dense(cells) => put(&mut out, cells.iter().map(|x| x.to_le_bytes()))?,
        View::Sparse(csr) => {
            let starts = csr.row_starts().iter();
            put(&mut out, starts.map(|&start| (start as u64).to_le_bytes()))?;
            let cols = (0..csr.rows()).flat_map(|row| csr.row(row).0);
            put(&mut out, cols.map(|col| col.to_le_bytes()))?;
            if csr.nnz() % 2 == 1 {
                out.write_all(&[0; 4])?;
            }
            put(&mut out, csr.values().iter().map(|x| x.to_le_bytes()))?;
        }
    }
    let sum = out.sum();
    out.inner.write_all(&sum.to_le_bytes())
}

fn header<R: Read>(source: &mut Source<R>) -> Result<Header, IoError> {
    let magic: [u8; 8] = source.array("the magic bytes of a Sumac matrix")?;
    if &magic != MAGIC {
        let found = quote_bytes(&magic);
        return Err(source.error(0, "the magic bytes of a Sumac matrix", found));
    }
    let version = u32::from_le_bytes(source.array("a version")?);
    if version != VERSION {
        return Err(source.error(8, format!("version {VERSION}"), version.to_string()));
    }
    let [kind, order] = source.array("kind and byte order")?;
    if kind != DENSE && kind != SPARSE {
        return Err(source.error(12, "the kind `D` or `S`", quote_bytes(&[kind])));
    }
    if order != LITTLE {
        return Err(source.error(13, "the byte order `<`", quote_bytes(&[order])));
    }
    zeros::<_, 2>(source)?;
    let mut size = |what| -> Result<usize, IoError> {
        let at = source.at();
        let size = u64::from_le_bytes(source.array(what)?);
        usize::try_from(size).map_err(|_| source.error(at, "a size", size.to_string()))
    };
    let (rows, cols, nnz) = (size("rows")?, size("columns")?, size("non-zeros")?);
    zeros::<_, 24>(source)?;
    if rows.checked_mul(cols).is_none_or(|cells| nnz > cells) {
        let expected = format!("at most the {rows} * {cols} cells that there are");
        return Err(source.error(NNZ_AT, expected, format!("{nnz} non-zeros")));
    }
    let cells = if kind == DENSE { rows * cols } else { 0 };
    if let Some((expected, found)) = room::refusal(rows, cols, cells) {
        return Err(source.error(16, expected, found));
    }
    Ok(Header {
        kind,
        rows,
        cols,
        nnz,
    })
}

/// `N` bytes that must be 0.
fn zeros<R: Read, const N: usize>(source: &mut Source<R>) -> Result<(), IoError> {
    let at = source.at();
    let bytes: [u8; N] = source.array("0")?;
    match bytes.iter().position(|&byte| byte != 0) {
        None => Ok(()),
        Some(index) => Err(source.error(at + index as u64, "0", bytes[index].to_string())),
    }
}

fn dense<R: Read>(source: &mut Source<R>, header: &Header) -> Result<Matrix, IoError> {
    let count = header.rows * header.cols;
    let cells = source.numbers(count, "a cell", |bytes| Ok(f64::from_le_bytes(bytes)))?;
    let m = Matrix::dense(header.rows, header.cols, cells.values);
    if m.nnz() != header.nnz {
        let expected = format!("{} non-zeros, as there are", m.nnz());
        return Err(source.error(NNZ_AT, expected, header.nnz.to_string()));
    }
    Ok(m)
}

fn sparse<R: Read>(source: &mut Source<R>, header: &Header) -> Result<Matrix, IoError> {
    let Header {
        rows, cols, nnz, ..
    } = *header;
    // What does not fit a usize is larger than any number of non-zeros.
    let pointer = |bytes| Ok(usize::try_from(u64::from_le_bytes(bytes)).unwrap_or(usize::MAX));
    let starts = source.numbers(rows + 1, "a row pointer", pointer)?;
    if starts.values[0] != 0 {
        return Err(starts.error(
            0,
            "0, where the first row begins",
            starts.values[0].to_string(),
        ));
    }
    for (row, pair) in starts.values.windows(2).enumerate() {
        if pair[0] > pair[1] || pair[1] > nnz {
            let expected = format!("a row pointer from {} to {nnz}", pair[0]);
            return Err(starts.error(row + 1, expected, pair[1].to_string()));
        }
    }
    if starts.values[rows] != nnz {
        let expected = format!("{nnz}, the number of non-zeros");
        return Err(starts.error(rows, expected, starts.values[rows].to_string()));
    }
    let columns = source.numbers(nnz, "a column index", |bytes| Ok(u32::from_le_bytes(bytes)))?;
    for pair in starts.values.windows(2) {
        let mut least = 0;
        for (at, &col) in columns.values[..pair[1]].iter().enumerate().skip(pair[0]) {
            if (col as usize) < least || col as usize >= cols {
                let expected = format!("a column index from {least} to below {cols}");
                return Err(columns.error(at, expected, col.to_string()));
            }
            least = col as usize + 1;
        }
    }
    if nnz % 2 == 1 {
        zeros::<_, 4>(source)?;
    }
    let values = source.numbers(nnz, "a value", |bytes| match f64::from_le_bytes(bytes) {
        0.0 => Err(("a value that is not zero", "0".to_owned())),
        value => Ok(value),
    })?;
    let csr = Csr::from_parts(rows, cols, starts.values, columns.values, values.values);
    Ok(Matrix::from(csr))
}
