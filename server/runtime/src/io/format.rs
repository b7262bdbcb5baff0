//! The formats of data files: how each is called, begins and is told from the others, and where its metadata stand. Must read no file.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{npy_header, npz, sumac};

/// How the cells are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Lines `row column value`, non-zero cells only.
    Text,
    /// Matrix Market.
    Mm,
    /// A line for each row, cells separated.
    Csv,
    /// NumPy's `.npy`: one array.
    Npy,
    /// NumPy's `.npz`: a matrix as `scipy.sparse.save_npz` saves it, or one array.
    Npz,
    /// Sumac's own `.smx`: dense or sparse, bit by bit.
    Sumac,
}

/// All formats and how DML calls them. The last three are Sumac's own addition.
const NAMES: [(Format, &str); 6] = [
    (Format::Text, "text"),
    (Format::Mm, "mm"),
    (Format::Csv, "csv"),
    (Format::Npy, "npy"),
    (Format::Npz, "npz"),
    (Format::Sumac, "sumac"),
];

impl Format {
    /// The format that DML calls `name`.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Format> {
        let row = NAMES.iter().find(|(_, known)| *known == name)?;
        Some(row.0)
    }

    /// What a message says is expected where no format of these names is found.
    #[must_use]
    pub fn expected() -> String {
        let [others @ .., last] = NAMES.map(|(_, name)| name);
        format!("format {} or {last}", others.join(", "))
    }

    /// How DML calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        let row = NAMES.iter().find(|(format, _)| *format == self);
        row.map_or("text", |(_, name)| name)
    }
}

/// How files of a format begin.
const BEGINNINGS: [(&[u8], Format); 4] = [
    (b"%%matrixmarket", Format::Mm),
    (npy_header::MAGIC, Format::Npy),
    (npz::MAGIC, Format::Npz),
    (sumac::MAGIC, Format::Sumac),
];

/// What files of a format are called by habit.
pub(super) const EXTENSIONS: [(&str, Format); 5] = [
    ("csv", Format::Csv),
    ("mtx", Format::Mm),
    ("npy", Format::Npy),
    ("npz", Format::Npz),
    ("smx", Format::Sumac),
];

/// The format of a file that begins like this, where its first bytes tell.
pub(crate) fn begins_as(start: &[u8]) -> Option<Format> {
    let begins = |with: &[u8]| {
        let start = start.get(..with.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(with))
    };
    let row = BEGINNINGS.iter().find(|(with, _)| begins(with))?;
    Some(row.1)
}

/// The `.mtd` file of a data file.
#[must_use]
pub fn path_of(data: &Path) -> PathBuf {
    let mut name = data.as_os_str().to_owned();
    name.push(".mtd");
    PathBuf::from(name)
}
