//! The scripts of a checkout of apache/systemds.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Every `.dml` file below the checkout, in the order of their paths.
///
/// # Errors
/// A folder cannot be listed, or there is no such file.
pub(crate) fn scripts(checkout: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![checkout.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder)
            .with_context(|| format!("cannot list {}", folder.display()))?;
        for entry in entries {
            let entry = entry?;
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "dml") {
                found.push(path);
            }
        }
    }
    anyhow::ensure!(
        !found.is_empty(),
        "{} holds no .dml file: expected a checkout of apache/systemds",
        checkout.display()
    );
    found.sort();
    Ok(found)
}
