//! Lines of a text file with their numbers; bytes that are no UTF-8 become errors at their line, never panics.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::error::{IoError, quote};

/// A text file read line by line.
pub(super) struct Lines {
    path: PathBuf,
    reader: BufReader<File>,
    buffer: Vec<u8>,
    number: usize,
}

impl Lines {
    pub(super) fn open(path: &Path) -> Result<Lines, IoError> {
        let file = File::open(path).map_err(IoError::system(path))?;
        let reader = BufReader::with_capacity(1 << 18, file);
        Ok(Lines {
            path: path.to_owned(),
            reader,
            buffer: Vec::new(),
            number: 0,
        })
    }

    /// The next line without its end; `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<&str>, IoError> {
        self.buffer.clear();
        let read = self
            .reader
            .read_until(b'\n', &mut self.buffer)
            .map_err(IoError::system(&self.path))?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        while matches!(self.buffer.last(), Some(b'\n' | b'\r')) {
            self.buffer.pop();
        }
        match std::str::from_utf8(&self.buffer) {
            Ok(line) => Ok(Some(line)),
            Err(_) => {
                let found = quote(&String::from_utf8_lossy(&self.buffer));
                Err(content(&self.path, self.number, "text in UTF-8", found))
            }
        }
    }

    /// An error at the line last read.
    pub(super) fn error(&self, expected: impl Into<String>, found: impl Into<String>) -> IoError {
        content(&self.path, self.number.max(1), expected, found)
    }

    /// The path and the number of the line last read: for errors while the line itself is borrowed.
    pub(super) fn place(&self) -> (PathBuf, usize) {
        (self.path.clone(), self.number)
    }
}

/// An error at a line.
pub(super) fn content(
    path: &Path,
    line: usize,
    expected: impl Into<String>,
    found: impl Into<String>,
) -> IoError {
    IoError::Content {
        path: path.to_owned(),
        line,
        expected: expected.into(),
        found: found.into(),
    }
}

/// A cell's number: as Rust and Java write it.
pub(super) fn number(text: &str) -> Option<f64> {
    match text.parse::<f64>() {
        Ok(x) => Some(x),
        Err(_) => match text {
            "TRUE" => Some(1.0),
            "FALSE" => Some(0.0),
            _ => None,
        },
    }
}
