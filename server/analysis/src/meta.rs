//! Metadata of data files: `.mtd` files and Matrix Market headers. It must never read a data value.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// What a metadata file or a header says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Meta {
    /// Number of rows.
    pub rows: Option<u64>,
    /// Number of columns.
    pub cols: Option<u64>,
    /// Number of non-zero cells.
    pub nnz: Option<u64>,
    /// `csv`, `text`, `mm`, `binary`, …
    pub format: Option<String>,
    /// `matrix`, `frame`, `scalar`, `list`.
    pub data_type: Option<String>,
    /// `double`, `int`, …
    pub value_type: Option<String>,
    /// Whether a CSV file begins with a header line.
    pub header: Option<bool>,
    /// What separates a CSV file's cells.
    pub sep: Option<String>,
}

/// Why a metadata file or header cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{}:{line}: expected {expected}, found {found}", path.display())]
pub struct MetaError {
    /// The file.
    pub path: PathBuf,
    /// Its line, from 1.
    pub line: usize,
    /// What should stand there.
    pub expected: String,
    /// What does.
    pub found: String,
}

/// The banner of a Matrix Market file.
pub const BANNER: &str = "%%MatrixMarket";

/// Reads an `.mtd` file.
///
/// # Errors
/// It is no JSON object, or a size is no number.
pub fn parse_mtd(path: &Path, bytes: &[u8]) -> Result<Meta, MetaError> {
    let error = |line: usize, expected: &str, found: String| MetaError {
        path: path.to_owned(),
        line,
        expected: expected.to_owned(),
        found,
    };
    let value: serde_json::Value = serde_json::from_slice(bytes).map_err(|e| {
        error(
            e.line().max(1),
            "a JSON object of metadata",
            shown(bytes, e.line()),
        )
    })?;
    let serde_json::Value::Object(map) = value else {
        return Err(error(1, "a JSON object of metadata", shown(bytes, 1)));
    };
    let line_of = |key: &str| {
        let text = String::from_utf8_lossy(bytes);
        let at = text.find(&format!("\"{key}\"")).unwrap_or(0);
        text[..at].matches('\n').count() + 1
    };
    let size = |key: &str| match map.get(key) {
        None | Some(serde_json::Value::Null) => Ok(None),
        Some(value) => {
            let number = match value {
                serde_json::Value::String(text) => text.trim().parse::<i64>().ok(),
                other => other.as_i64(),
            };
            match number {
                Some(n) if n >= 0 => Ok(u64::try_from(n).ok()),
                // SystemDS writes -1 for a size that it does not know.
                Some(-1) => Ok(None),
                _ => Err(error(
                    line_of(key),
                    &format!("a number for `{key}`"),
                    short(&value.to_string()),
                )),
            }
        }
    };
    let text = |key: &str| map.get(key).and_then(|v| v.as_str()).map(str::to_owned);
    Ok(Meta {
        rows: size("rows")?,
        cols: size("cols")?,
        nnz: size("nnz")?,
        format: text("format"),
        data_type: text("data_type"),
        value_type: text("value_type"),
        header: map.get("header").and_then(|v| match v {
            serde_json::Value::String(s) => s.to_ascii_lowercase().parse().ok(),
            other => other.as_bool(),
        }),
        sep: text("sep"),
    })
}

/// Reads the banner, the comments and the size line of a Matrix Market file from its first bytes.
///
/// A symmetric file stores one half only; its number of non-zeros is then an upper bound.
///
/// # Errors
/// The banner or the size line is not as the format asks for.
pub fn parse_matrix_market(path: &Path, prefix: &[u8]) -> Result<Meta, MetaError> {
    let error = |line: usize, expected: &str, found: String| MetaError {
        path: path.to_owned(),
        line,
        expected: expected.to_owned(),
        found,
    };
    let mut lines = prefix
        .split(|b| *b == b'\n')
        .map(|l| l.strip_suffix(b"\r").unwrap_or(l));
    let banner = lines.next().unwrap_or_default();
    let wanted = "`%%MatrixMarket matrix coordinate|array …`";
    let banner_text = String::from_utf8_lossy(banner).to_ascii_lowercase();
    let words: Vec<&str> = banner_text.split_whitespace().collect();
    let coordinate = match words.as_slice() {
        ["%%matrixmarket", "matrix", "coordinate", ..] => true,
        ["%%matrixmarket", "matrix", "array", ..] => false,
        _ => return Err(error(1, wanted, shown(prefix, 1))),
    };
    let field = words.get(3).copied().unwrap_or("real");
    let symmetric = matches!(
        words.get(4),
        Some(&("symmetric" | "skew-symmetric" | "hermitian"))
    );
    let expected = if coordinate {
        "`rows columns nonzeros`"
    } else {
        "`rows columns`"
    };
    let Some((at, line)) = lines
        .enumerate()
        .find(|(_, line)| !line.starts_with(b"%") && !line.iter().all(u8::is_ascii_whitespace))
    else {
        return Err(error(2, expected, "the end of the header".to_owned()));
    };
    let text = String::from_utf8_lossy(line);
    let numbers: Option<Vec<u64>> = text.split_whitespace().map(|w| w.parse().ok()).collect();
    let (rows, cols, stored) = match (numbers.as_deref(), coordinate) {
        (Some([rows, cols, nnz]), true) => (*rows, *cols, Some(*nnz)),
        (Some([rows, cols]), false) => (*rows, *cols, None),
        _ => return Err(error(at + 2, expected, format!("`{}`", short(&text)))),
    };
    let cells = rows.saturating_mul(cols);
    let nnz = stored.map(|n| {
        if symmetric {
            n.saturating_mul(2).min(cells)
        } else {
            n
        }
    });
    Ok(Meta {
        rows: Some(rows),
        cols: Some(cols),
        nnz,
        format: Some("mm".to_owned()),
        data_type: Some("matrix".to_owned()),
        value_type: Some(if field == "integer" { "int" } else { "double" }.to_owned()),
        ..Meta::default()
    })
}

/// Line `line` of a file as it may be shown to a person. A script can name any file: of one that is neither data nor metadata
/// nothing is repeated.
fn shown(bytes: &[u8], line: usize) -> String {
    if !bytes.is_empty() && is_text(bytes) && !is_of_data(bytes) {
        return "text of another kind".to_owned();
    }
    let line = bytes
        .split(|b| *b == b'\n')
        .nth(line.saturating_sub(1))
        .unwrap_or_default();
    let start = &line[..line.len().min(200)];
    match std::str::from_utf8(start) {
        _ if bytes.is_empty() => "an empty file".to_owned(),
        Ok(text) if is_text(start) => format!("`{}`", short(text)),
        _ => "binary data".to_owned(),
    }
}

/// Whether the first line is text.
fn is_text(bytes: &[u8]) -> bool {
    let line = first_line(bytes);
    std::str::from_utf8(&line[..line.len().min(200)]).is_ok_and(|text| {
        !text
            .chars()
            .any(|c| c.is_control() && c != '\t' && c != '\r')
    })
}

/// Whether a file begins as metadata, as a header or with nothing but numbers.
fn is_of_data(bytes: &[u8]) -> bool {
    const NUMBERS: &[u8] = b"0123456789+-.eE,;| \t\r";
    matches!(
        bytes.trim_ascii_start().first(),
        None | Some(b'{' | b'[' | b'%')
    ) || first_line(bytes).iter().all(|byte| NUMBERS.contains(byte))
}

fn first_line(bytes: &[u8]) -> &[u8] {
    bytes.split(|b| *b == b'\n').next().unwrap_or_default()
}

fn short(text: &str) -> String {
    let text = text.trim();
    if text.chars().count() <= 40 {
        return text.to_owned();
    }
    text.chars().take(40).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_mtd_file_gives_sizes_and_format() {
        let text = br#"{"data_type": "matrix", "rows": 5, "cols": "7", "nnz": -1, "format": "csv", "header": "TRUE", "sep": ";"}"#;
        let meta = parse_mtd(Path::new("A.mtd"), text).unwrap();
        assert_eq!((meta.rows, meta.cols, meta.nnz), (Some(5), Some(7), None));
        assert_eq!((meta.header, meta.sep.as_deref()), (Some(true), Some(";")));
    }

    #[test]
    fn a_broken_mtd_file_names_file_line_expected_and_found() {
        let of = |bytes: &[u8]| {
            parse_mtd(Path::new("A.mtd"), bytes)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            of(b"{\"rows\": 3,\n \"cols\": many}"),
            "A.mtd:2: expected a JSON object of metadata, found `\"cols\": many}`"
        );
        assert_eq!(
            of(b"\x00\xff\x13"),
            "A.mtd:1: expected a JSON object of metadata, found binary data"
        );
        assert_eq!(
            of(b""),
            "A.mtd:1: expected a JSON object of metadata, found an empty file"
        );
        assert_eq!(
            of(b"[]"),
            "A.mtd:1: expected a JSON object of metadata, found `[]`"
        );
        assert_eq!(
            of(b"{\n\"rows\": \"x\"}"),
            "A.mtd:2: expected a number for `rows`, found \"x\""
        );
    }

    #[test]
    fn a_matrix_market_header_gives_sizes() {
        let text =
            b"%%MatrixMarket matrix coordinate real general\n% a comment\n\n3 4 5\n1 1 2.0\n";
        let meta = parse_matrix_market(Path::new("a.mtx"), text).unwrap();
        assert_eq!(
            (meta.rows, meta.cols, meta.nnz),
            (Some(3), Some(4), Some(5))
        );
        let symmetric = b"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n";
        assert_eq!(
            parse_matrix_market(Path::new("a.mtx"), symmetric)
                .unwrap()
                .nnz,
            Some(4)
        );
    }

    #[test]
    fn a_broken_matrix_market_header_says_where() {
        let of = |text: &[u8]| {
            parse_matrix_market(Path::new("a.mtx"), text)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            of(b"1,2,3\n"),
            "a.mtx:1: expected `%%MatrixMarket matrix coordinate|array …`, found `1,2,3`"
        );
        assert_eq!(
            of(b"%%MatrixMarket matrix coordinate real general\n% c\n3 x 5\n"),
            "a.mtx:3: expected `rows columns nonzeros`, found `3 x 5`"
        );
    }

    /// A script can name any file as its data, or as a link.
    #[test]
    fn nothing_is_repeated_of_what_is_neither_data_nor_metadata() {
        for text in [
            "hunter2\n",
            "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r\n",
            "export TOKEN=abc\n{\n",
            "  password: x\n",
            "ssh-ed25519 AAAAC3\n",
        ] {
            for error in [
                parse_mtd(Path::new("A.mtd"), text.as_bytes()).unwrap_err(),
                parse_matrix_market(Path::new("a.mtx"), text.as_bytes()).unwrap_err(),
            ] {
                assert_eq!(error.found, "text of another kind", "{text}");
            }
        }
    }
}
