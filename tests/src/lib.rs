//! Tests that look at the workspace as a whole: its architecture, and the scripts that come with it.
//!
//! What several of these tests need stands here; everything else lives in `tests/tests/` and `tests/benches/`.

pub mod damaged;

use std::path::{Path, PathBuf};

/// The scripts in `fixtures/`, in the order of their names.
///
/// # Panics
/// The folder cannot be read.
#[must_use]
pub fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the fixtures are there")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "dml"))
        .collect();
    paths.sort();
    paths
}
