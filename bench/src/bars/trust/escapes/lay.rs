//! Lays the files of an escape into its world: links, pipes, programs and all that makes a workspace hostile. Judges nothing.

use std::fs;
use std::path::Path;

use anyhow::Result;

use super::escape::Put;
use super::world::Places;

/// Lays one thing.
///
/// # Errors
/// The system makes no such file.
pub(super) fn lay(places: &Places, put: &Put) -> Result<()> {
    let at = |path: &str| places.work().join(places.fill(path));
    match put {
        Put::Text(path, text) => write(&at(path), places.fill(text).as_bytes()),
        Put::Bytes(path, bytes) => write(&at(path), bytes),
        Put::Link(path, to) => {
            // In the place of what lies in every workspace.
            let _ = fs::remove_file(at(path));
            link(Path::new(&places.fill(to)), &at(path))
        }
        Put::Hard(path, to) => Ok(fs::hard_link(at(to), at(path))?),
        Put::Folder(path) => Ok(fs::create_dir_all(at(path))?),
        Put::Pipe(path) => {
            let _ = fs::remove_file(at(path));
            let made = std::process::Command::new("mkfifo")
                .arg(at(path))
                .status()?;
            anyhow::ensure!(made.success(), "mkfifo: {made}");
            Ok(())
        }
        Put::Socket(path) => socket(&at(path)),
        Put::Program(path, text) => {
            write(&at(path), places.fill(text).as_bytes())?;
            executable(&at(path))
        }
        Put::Hollow(path, length) => {
            write(&at(path), b"")?;
            Ok(fs::OpenOptions::new()
                .write(true)
                .open(at(path))?
                .set_len(*length)?)
        }
        // What was compiled must be there first.
        Put::PlantedObjects { .. } => Ok(()),
    }
}

pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    Ok(fs::write(path, bytes)?)
}

#[cfg(unix)]
pub(super) fn link(to: &Path, path: &Path) -> Result<()> {
    Ok(std::os::unix::fs::symlink(to, path)?)
}

#[cfg(unix)]
pub(super) fn executable(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(fs::set_permissions(
        path,
        fs::Permissions::from_mode(0o755),
    )?)
}

#[cfg(unix)]
fn socket(path: &Path) -> Result<()> {
    std::os::unix::net::UnixListener::bind(path)?;
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn link(_: &Path, path: &Path) -> Result<()> {
    anyhow::bail!("{}: escapes are laid on Linux only", path.display())
}

#[cfg(not(unix))]
pub(super) fn executable(path: &Path) -> Result<()> {
    link(path, path)
}

#[cfg(not(unix))]
fn socket(path: &Path) -> Result<()> {
    link(path, path)
}
