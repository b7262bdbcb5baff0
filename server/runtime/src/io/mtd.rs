//! The `.mtd` files that SystemDS keeps beside data: JSON with type, shape and format. Keys that are not known are
//! skipped; what the data file itself says is not looked at.

use std::io::Write as _;
use std::path::Path;

use serde_json::{Map, Value as Json};

use super::csv::Gaps;
use super::error::{IoError, quote};
use super::format::path_of;
use super::open::text_at_most;
use crate::confine::NewFile;

/// Bytes that a `.mtd` file has at most: a schema of a million columns fits.
const MOST_BYTES: u64 = 16 << 20;

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

/// What the `.mtd` file of `data` says; `None` where there is none.
///
/// # Errors
/// When it cannot be read or is no JSON object.
pub fn read(data: &Path) -> Result<Option<Mtd>, IoError> {
    Ok(read_all(data)?.map(|(mtd, _)| mtd))
}

/// As [`read`], with what it says of a CSV file's cells that are no numbers.
///
/// # Errors
/// As [`read`].
pub(super) fn read_all(data: &Path) -> Result<Option<(Mtd, Gaps)>, IoError> {
    let path = path_of(data);
    let text = match text_at_most(&path, MOST_BYTES) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(IoError::system(&path)(error)),
    };
    let json: Json = serde_json::from_str(&text)
        .map_err(|error| IoError::content(&path, error.line(), "JSON", error.to_string()))?;
    let Json::Object(map) = json else {
        return Err(IoError::meta(&path, "a JSON object", "another JSON value"));
    };
    let keys = Keys { path: &path, map };
    let mtd = Mtd {
        data_type: keys.text("data_type"),
        value_type: keys.text("value_type"),
        rows: keys.count("rows")?,
        cols: keys.count("cols")?,
        nnz: keys.count("nnz")?,
        format: keys.text("format"),
        header: keys.truth("header")?,
        sep: keys.text("sep"),
    };
    let gaps = Gaps {
        fill: keys.truth("fill")?,
        default: keys.number("default")?,
        na_strings: keys.text("naStrings").map(|joined| Gaps::words(&joined)),
    };
    Ok(Some((mtd, gaps)))
}

/// The keys of one file. SystemDS writes numbers and truth values, people often write them as strings: both are read.
struct Keys<'a> {
    path: &'a Path,
    map: Map<String, Json>,
}

impl Keys<'_> {
    fn text(&self, key: &str) -> Option<String> {
        self.map.get(key).map(|value| match value {
            Json::String(s) => s.clone(),
            other => other.to_string(),
        })
    }

    fn count(&self, key: &str) -> Result<Option<usize>, IoError> {
        match self.text(key) {
            None => Ok(None),
            // SystemDS writes -1 for what it does not know.
            Some(t) if t == "-1" => Ok(None),
            Some(t) => match t.parse() {
                Ok(n) => Ok(Some(n)),
                Err(_) => Err(self.wrong(key, "a whole number", &t)),
            },
        }
    }

    fn number(&self, key: &str) -> Result<Option<f64>, IoError> {
        let Some(text) = self.text(key) else {
            return Ok(None);
        };
        match super::scan::number(text.as_bytes()) {
            Some(number) => Ok(Some(number)),
            None => Err(self.wrong(key, "a number", &text)),
        }
    }

    fn truth(&self, key: &str) -> Result<Option<bool>, IoError> {
        let Some(text) = self.text(key) else {
            return Ok(None);
        };
        match text.to_ascii_lowercase().as_str() {
            "true" => Ok(Some(true)),
            "false" => Ok(Some(false)),
            _ => Err(self.wrong(key, "true or false", &text)),
        }
    }

    fn wrong(&self, key: &str, expected: &str, found: &str) -> IoError {
        IoError::meta(self.path, format!("`{key}` to be {expected}"), quote(found))
    }
}

/// Begins the `.mtd` file of `data`.
///
/// # Errors
/// When the system refuses.
pub(super) fn begin(data: &Path, mtd: &Mtd) -> Result<NewFile, IoError> {
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
    begin_text(data, &Json::Object(map))
}

/// The `.mtd` file of `data` as it stands there; `None` where it cannot be read.
pub(crate) fn json_of(data: &Path) -> Option<Json> {
    let text = text_at_most(&path_of(data), MOST_BYTES).ok()?;
    serde_json::from_str(&text).ok()
}

/// Begins the `.mtd` file of `data` with this JSON.
///
/// # Errors
/// When the system refuses.
pub(crate) fn begin_text(data: &Path, json: &Json) -> Result<NewFile, IoError> {
    let mut file = NewFile::metadata(&path_of(data))?;
    writeln!(file, "{json:#}").map_err(IoError::system(data))?;
    Ok(file)
}
