//! What all faults share: chance, how long an answer may take, and how a folder is kept.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use rand_chacha::ChaCha8Rng;

/// What is done by chance in a fault.
pub(super) type Dice = ChaCha8Rng;

/// So long may an answer or an end take behind a fault.
pub(super) const PROMPT: Duration = Duration::from_secs(2);

/// Copies a folder; what is neither folder nor file is left out.
pub(super) fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)?.flatten() {
        let (path, kind) = (entry.path(), entry.file_type()?);
        let there = to.join(entry.file_name());
        if kind.is_dir() {
            copy(&path, &there)?;
        } else if kind.is_file() {
            fs::copy(&path, &there).with_context(|| path.display().to_string())?;
        }
    }
    Ok(())
}
