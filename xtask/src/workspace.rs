//! Where things lie in the checkout. It lists folders; what lies in files is not looked at.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The root of the checkout: the folder above this crate's manifest.
pub fn root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest
        .parent()
        .map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// The folders of the tree-sitter grammars, in the order of their names.
pub fn grammars() -> Result<Vec<PathBuf>> {
    let folder = root().join("grammars");
    let entries =
        std::fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("grammar.js").is_file())
        .collect();
    found.sort();
    anyhow::ensure!(
        !found.is_empty(),
        "{} holds no folder with a grammar.js",
        folder.display()
    );
    Ok(found)
}

/// The VS Code extension.
pub fn vscode() -> PathBuf {
    root().join("editor-extension/vscode")
}

/// The Neovim plugin.
pub fn neovim() -> PathBuf {
    root().join("editor-extension/neovim")
}

/// What cargo builds into.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Where tests of the editors leave screenshots and logs.
pub fn editor_output() -> PathBuf {
    target().join("editor-tests")
}

/// The scripts of a folder, those of folders in it left out, by name.
///
/// # Errors
/// It cannot be listed.
pub fn scripts(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "dml"))
        .collect();
    files.sort();
    Ok(files)
}
