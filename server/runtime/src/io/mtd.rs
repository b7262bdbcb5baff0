//! The `.mtd` files that SystemDS keeps beside data: JSON with type, shape and format.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::error::IoError;

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
}

impl Format {
    /// The format that DML calls `name`.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Format> {
        match name {
            "text" => Some(Format::Text),
            "mm" => Some(Format::Mm),
            "csv" => Some(Format::Csv),
            _ => None,
        }
    }

    /// How DML calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Mm => "mm",
            Format::Csv => "csv",
        }
    }
}

/// What an `.mtd` file says; what it does not say is `None`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Mtd {
    /// `matrix`, `scalar` or `frame`.
    pub data_type: Option<String>,
    /// `double`, `int`, `boolean`, `string`.
    pub value_type: Option<String>,
    /// Rows.
    pub rows: Option<usize>,
    /// Columns.
    pub cols: Option<usize>,
    /// Non-zero cells.
    pub nnz: Option<usize>,
    /// The format by its name; also of formats that cannot be read here.
    pub format: Option<String>,
    /// Whether a CSV file begins with a line of names.
    pub header: Option<bool>,
    /// What separates the cells of a CSV file.
    pub sep: Option<String>,
}

/// The `.mtd` file of a data file.
#[must_use]
pub fn path_of(data: &Path) -> PathBuf {
    let mut name = data.as_os_str().to_owned();
    name.push(".mtd");
    PathBuf::from(name)
}

/// What the `.mtd` file of `data` says; `None` where there is none.
///
/// # Errors
/// When it cannot be read or is no JSON object.
pub fn read(data: &Path) -> Result<Option<Mtd>, IoError> {
    let path = path_of(data);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(IoError::system(&path)(error)),
    };
    let json: Json = serde_json::from_str(&text).map_err(|error| IoError::Content {
        path: path.clone(),
        line: error.line(),
        expected: "JSON".to_owned(),
        found: error.to_string(),
    })?;
    let Json::Object(map) = json else {
        return Err(IoError::meta(&path, "a JSON object", "another JSON value"));
    };
    // SystemDS writes numbers and truth values, people often write them as strings: both are read.
    let text = |key: &str| {
        map.get(key).map(|value| match value {
            Json::String(s) => s.clone(),
            other => other.to_string(),
        })
    };
    let count = |key: &str| match text(key) {
        None => Ok(None),
        // SystemDS writes -1 for what it does not know.
        Some(t) if t == "-1" => Ok(None),
        Some(t) => {
            let n = t
                .parse::<usize>()
                .map_err(|_| IoError::meta(&path, format!("`{key}` to be a whole number"), t))?;
            Ok(Some(n))
        }
    };
    let header = match text("header")
        .as_deref()
        .map(str::to_ascii_lowercase)
        .as_deref()
    {
        None => None,
        Some("true") => Some(true),
        Some("false") => Some(false),
        Some(other) => return Err(IoError::meta(&path, "`header` to be true or false", other)),
    };
    Ok(Some(Mtd {
        data_type: text("data_type"),
        value_type: text("value_type"),
        rows: count("rows")?,
        cols: count("cols")?,
        nnz: count("nnz")?,
        format: text("format"),
        header,
        sep: text("sep"),
    }))
}

/// Writes the `.mtd` file of `data`.
///
/// # Errors
/// When the system refuses.
pub(super) fn write(data: &Path, mtd: &Mtd) -> Result<(), IoError> {
    let mut map = Map::new();
    let mut put = |key: &str, value: Option<Json>| {
        if let Some(value) = value {
            map.insert(key.to_owned(), value);
        }
    };
    put("data_type", mtd.data_type.clone().map(Json::from));
    put("value_type", mtd.value_type.clone().map(Json::from));
    put("rows", mtd.rows.map(Json::from));
    put("cols", mtd.cols.map(Json::from));
    put("nnz", mtd.nnz.map(Json::from));
    put("format", mtd.format.clone().map(Json::from));
    put("header", mtd.header.map(Json::from));
    put("sep", mtd.sep.clone().map(Json::from));
    let path = path_of(data);
    let text = format!("{:#}\n", Json::Object(map));
    std::fs::write(&path, text).map_err(IoError::system(&path))
}
