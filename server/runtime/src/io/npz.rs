//! NumPy's `.npz` files: zip archives of `.npy` files, stored or deflated. Read are a matrix as
//! `scipy.sparse.save_npz` saves it in the formats csr, csc and coo, and an archive with exactly one array. Written is
//! csr, whatever the matrix's own format, so that the kind of file does not depend on the data.
//!
//! Columns of a row may come in any order, and cells that occur twice are summed, as SciPy does. Nothing is unpacked
//! to disk.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufReader, Seek, Write};
use std::path::Path;

use zip::read::ZipFile;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::assemble::{Entries, assemble};
use super::bytes::{Numbers, Source, put};
use super::error::{IoError, quote};
use super::open::open_regular;
use super::{npy, npy_header, room};
use crate::matrix::{Csr, Matrix};

/// The most that deflate expands a byte to.
const MAX_RATIO: u64 = 1032;

type Archive = ZipArchive<BufReader<File>>;

/// How `save_npz` keeps the cells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// Rows after rows, columns within.
    Csr,
    /// Columns after columns, rows within.
    Csc,
    /// Row and column of each cell.
    Coo,
}

const LAYOUTS: [(&str, Layout); 3] = [
    ("csr", Layout::Csr),
    ("csc", Layout::Csc),
    ("coo", Layout::Coo),
];

/// Reads an archive.
///
/// # Errors
/// When it is damaged, or holds something else than a matrix.
pub(super) fn read(path: &Path) -> Result<Matrix, IoError> {
    let file = open_regular(path).map_err(IoError::system(path))?;
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(damaged(path))?;
    let names: Vec<String> = archive
        .file_names()
        .map(|name| name.map(Cow::into_owned))
        .collect::<Result<_, _>>()
        .map_err(damaged(path))?;
    if names.iter().any(|name| name == "format.npy") {
        return sparse(&mut archive, path);
    }
    match names.as_slice() {
        [name] => npy::matrix(&mut member(&mut archive, path, name)?),
        _ => {
            let mut found = names;
            found.sort_unstable();
            let found = format!("{} arrays: {}", found.len(), quote(&found.join(", ")));
            let expected = "one array, or a matrix as scipy.sparse.save_npz saves it";
            Err(IoError::meta(path, expected, found))
        }
    }
}

fn damaged(path: &Path) -> impl FnOnce(ZipError) -> IoError + '_ {
    move |error| match error {
        ZipError::Io(source) if source.kind() != std::io::ErrorKind::UnexpectedEof => {
            IoError::system(path)(source)
        }
        other => IoError::meta(path, "a zip archive of .npy files", other.to_string()),
    }
}

/// Bytes that the members have at most, whatever they claim.
fn inflated(archive: &mut Archive) -> u64 {
    let members = archive.len();
    let length = |index: usize| {
        let file = archive.by_index_raw(index).ok()?;
        Some(
            file.size()
                .min(file.compressed_size().saturating_mul(MAX_RATIO)),
        )
    };
    (0..members).filter_map(length).fold(0, u64::saturating_add)
}

/// One member of the archive, to be read.
fn member<'a>(
    archive: &'a mut Archive,
    path: &Path,
    name: &str,
) -> Result<Source<ZipFile<'a, BufReader<File>>>, IoError> {
    let file = archive.by_name(name).map_err(|error| match error {
        ZipError::FileNotFound => IoError::meta(path, format!("the array {name}"), "none"),
        other => damaged(path)(other),
    })?;
    let possible = file.compressed_size().saturating_mul(MAX_RATIO);
    let length = file.size().min(possible);
    Ok(Source::new(file, &path.join(name), length))
}

fn sparse(archive: &mut Archive, path: &Path) -> Result<Matrix, IoError> {
    let name = npy::word(&mut member(archive, path, "format.npy")?)?;
    let Some(&(_, layout)) = LAYOUTS.iter().find(|(known, _)| *known == name) else {
        let path = path.join("format.npy");
        return Err(IoError::meta(&path, "csr, csc or coo", quote(&name)));
    };
    let shape = npy::indices(&mut member(archive, path, "shape.npy")?)?;
    let &[rows, cols] = shape.values.as_slice() else {
        return Err(shape.error(0, "2 sizes", shape.values.len().to_string()));
    };
    let length = inflated(archive);
    if let Some((expected, found)) = room::claim_refusal(rows, cols, 0, length) {
        return Err(shape.error(0, expected, found));
    }
    let values = npy::vector(&mut member(archive, path, "data.npy")?)?.values;
    let mut column = |name: &str, limit: usize| -> Result<Numbers<usize>, IoError> {
        let indices = npy::indices(&mut member(archive, path, name)?)?;
        below(&indices, limit)?;
        same_length(&indices, values.len())?;
        Ok(indices)
    };
    let (row_of, col_of) = match layout {
        Layout::Coo => (
            column("row.npy", rows)?.values,
            column("col.npy", cols)?.values,
        ),
        Layout::Csr => {
            let minor = column("indices.npy", cols)?.values;
            (major(archive, path, rows, minor.len())?, minor)
        }
        Layout::Csc => {
            let minor = column("indices.npy", rows)?.values;
            let major = major(archive, path, cols, minor.len())?;
            (minor, major)
        }
    };
    let mut entries = Entries::with_capacity(values.len());
    for ((row, col), value) in row_of.into_iter().zip(col_of).zip(values) {
        entries.push(row, col, value);
    }
    Ok(assemble(rows, cols, &[entries]))
}

fn below(indices: &Numbers<usize>, limit: usize) -> Result<(), IoError> {
    match indices.values.iter().position(|&index| index >= limit) {
        None => Ok(()),
        Some(at) => {
            let found = indices.values[at].to_string();
            Err(indices.error(at, format!("an index below {limit}"), found))
        }
    }
}

fn same_length(indices: &Numbers<usize>, expected: usize) -> Result<(), IoError> {
    let found = indices.values.len();
    if found == expected {
        return Ok(());
    }
    let expected = format!("{expected} indices, as many as data.npy has values");
    Err(indices.error(0, expected, found.to_string()))
}

/// The row (or column) of each of `count` cells, from the pointers to where each of `lines` rows (or columns) begins.
fn major(
    archive: &mut Archive,
    path: &Path,
    lines: usize,
    count: usize,
) -> Result<Vec<usize>, IoError> {
    let pointers = npy::indices(&mut member(archive, path, "indptr.npy")?)?;
    let starts = pointers.values.as_slice();
    if starts.len() != lines + 1 {
        let expected = format!("{} pointers", lines + 1);
        return Err(pointers.error(0, expected, starts.len().to_string()));
    }
    if starts[0] != 0 {
        return Err(pointers.error(0, "0, where the first begins", starts[0].to_string()));
    }
    if let Some(at) = starts.windows(2).position(|pair| pair[0] > pair[1]) {
        let expected = format!("at least {}, because pointers ascend", starts[at]);
        return Err(pointers.error(at + 1, expected, starts[at + 1].to_string()));
    }
    if starts[lines] != count {
        let expected = format!("{count}, the number of indices");
        return Err(pointers.error(lines, expected, starts[lines].to_string()));
    }
    let mut major = Vec::with_capacity(count);
    for line in 0..lines {
        major.resize(starts[line + 1], line);
    }
    Ok(major)
}

/// Writes the non-zero cells as `save_npz` does, deflated.
///
/// # Errors
/// When the system refuses.
pub(super) fn write(out: &mut (impl Write + Seek), m: &Matrix) -> std::io::Result<()> {
    let csr = m.to_csr();
    let mut zip = ZipWriter::new(out);
    // SciPy's own choice of index type.
    let largest = csr.nnz().max(csr.rows()).max(csr.cols());
    if i32::try_from(largest).is_ok() {
        indices(&mut zip, &csr, "<i4", |index| (index as u32).to_le_bytes())?;
    } else {
        indices(&mut zip, &csr, "<i8", |index| (index as u64).to_le_bytes())?;
    }
    let word = std::iter::once(*b"csr");
    array(&mut zip, "format", "|S3", &[], word)?;
    let shape = [csr.rows(), csr.cols()].map(|size| (size as u64).to_le_bytes());
    array(&mut zip, "shape", "<i8", &[2], shape.into_iter())?;
    let values = csr.values().iter().map(|value| value.to_le_bytes());
    array(&mut zip, "data", "<f8", &[csr.nnz()], values)?;
    zip.finish()?;
    Ok(())
}

/// Writes column indices and row pointers.
fn indices<W: Write + Seek, const N: usize>(
    zip: &mut ZipWriter<W>,
    csr: &Csr,
    descr: &str,
    encode: impl Fn(usize) -> [u8; N],
) -> std::io::Result<()> {
    let cols = (0..csr.rows()).flat_map(|row| csr.row(row).0);
    let cols = cols.map(|&col| encode(col as usize));
    array(zip, "indices", descr, &[csr.nnz()], cols)?;
    let starts = csr.row_starts().iter().map(|&start| encode(start));
    array(zip, "indptr", descr, &[csr.rows() + 1], starts)
}

/// Writes one array as a member of the archive.
fn array<W: Write + Seek, const N: usize>(
    zip: &mut ZipWriter<W>,
    name: &str,
    descr: &str,
    shape: &[usize],
    items: impl Iterator<Item = [u8; N]>,
) -> std::io::Result<()> {
    let header = npy_header::write(descr, shape);
    let bytes = shape.iter().product::<usize>() * N + header.len();
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .large_file(u32::try_from(bytes).is_err());
    zip.start_file(format!("{name}.npy"), options)?;
    zip.write_all(&header)?;
    put(zip, items)
}

/// Whether a file that begins so is an archive.
pub(super) const MAGIC: &[u8; 4] = b"PK\x03\x04";
