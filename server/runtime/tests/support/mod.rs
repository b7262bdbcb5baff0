//! A folder of data files for one test, and what reading them gives.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::path::{Path, PathBuf};

use sumac_runtime::io::{Format, IoError, Layout, ReadOptions, read, write};
use sumac_runtime::{Matrix, Value};

/// Every format that is read and written.
pub const FORMATS: [Format; 6] = [
    Format::Text,
    Format::Mm,
    Format::Csv,
    Format::Npy,
    Format::Npz,
    Format::Sumac,
];

/// A folder that is gone after the test.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A file of these bytes.
    pub fn with(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// What a matrix is written as.
    pub fn written(&self, m: &Matrix, format: Format) -> Vec<u8> {
        let path = self.path("written");
        write(&path, &m.clone().into(), format, &Layout::default()).unwrap();
        std::fs::read(path).unwrap()
    }

    /// What is wrong with a file of these bytes.
    #[track_caller]
    pub fn error(&self, name: &str, bytes: &[u8]) -> String {
        error(&self.with(name, bytes), &ReadOptions::default())
    }
}

/// The matrix in a file.
#[track_caller]
pub fn matrix(path: &Path, options: &ReadOptions) -> Matrix {
    match read(path, options).unwrap_or_else(|error| panic!("{error}")) {
        Value::Matrix(m) => (*m).clone(),
        other => panic!("a matrix expected, found {other:?}"),
    }
}

/// What is wrong with a file.
#[track_caller]
pub fn error(path: &Path, options: &ReadOptions) -> String {
    said(path, &read(path, options).expect_err("a broken file"))
}

/// A message. It begins with the path, which differs from run to run.
pub fn said(path: &Path, error: &IoError) -> String {
    let folder = path.parent().unwrap().display().to_string();
    error.to_string().replace(&folder, "DIR")
}
