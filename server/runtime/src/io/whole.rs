//! Files that take their place in one step, for callers that hold all bytes: whoever looks meanwhile, or after this process was
//! killed, finds what stood there before, and nothing beside it. Must never follow what is laid there meanwhile.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::path::Path;

use super::IoError;
use crate::confine::NewFile;

/// Puts bytes at a place where only this user may read them. What is kept is not pushed to the disk: it can be made again.
///
/// # Errors
/// The system refuses.
pub fn keep_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = NewFile::data(path).map_err(of_system)?;
    file.write_all(bytes)?;
    if let Some(permissions) = private() {
        file.set_permissions(permissions)?;
    }
    file.keep().map_err(of_system)
}

/// Puts bytes in the place of a file, if that still `is_as_expected` when they are on the disk. Who may do what with the file, and whose
/// it is, stays.
///
/// # Errors
/// There is no such file, it is not as expected, it has several names (hard links), of which only one could get the bytes in one step,
/// it belongs to somebody who could not be kept as its owner, or the system refuses.
pub fn replace(
    path: &Path,
    bytes: &[u8],
    is_as_expected: impl FnOnce() -> io::Result<()>,
) -> io::Result<()> {
    let old = fs::metadata(path)?;
    let mut file = NewFile::data(path).map_err(of_system)?;
    file.write_all(bytes)?;
    #[cfg(unix)]
    keep_owner(&old, &file)?;
    file.set_permissions(old.permissions())?;
    file.sync()?;
    // As late as can be.
    is_as_expected()?;
    file.keep().map_err(of_system)
}

/// Gives a file that is to take the place of another one its owner and group.
#[cfg(unix)]
fn keep_owner(old: &fs::Metadata, new: &NewFile) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;

    if old.nlink() > 1 {
        return Err(io::Error::other(format!(
            "the file has {} names (hard links), and only this one would get the new text; it is left as it is, so copy the file, or \
             make the change that is printed without writing",
            old.nlink()
        )));
    }
    new.set_owner(old.uid(), old.gid()).map_err(|error| {
        let why = "the file belongs to another user or group, which could not be kept; it is left as it is";
        io::Error::new(error.kind(), why)
    })
}

#[cfg(unix)]
fn private() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    Some(Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn private() -> Option<Permissions> {
    None
}

/// The caller names the file itself.
fn of_system(error: IoError) -> io::Error {
    match error {
        IoError::System { source, .. } => source,
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn a_file_is_replaced_only_if_it_is_as_expected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.dml");
        fs::write(&path, "old").unwrap();
        let refused = replace(&path, b"new", || Err(io::Error::other("typed meanwhile")));
        assert_eq!(refused.unwrap_err().to_string(), "typed meanwhile");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        replace(&path, b"new", || Ok(())).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(replace(&folder.path().join("no"), b"", || Ok(())).is_err());
        assert_eq!(names(folder.path()), ["a.dml"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn until_it_takes_its_place_nothing_stands_beside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.dml");
        fs::write(&path, "old").unwrap();
        // Whoever is killed by now leaves nothing behind.
        replace(&path, b"new", || {
            assert_eq!(names(folder.path()), ["a.dml"]);
            Ok(())
        })
        .unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn what_is_kept_is_the_users_alone_and_a_script_stays_a_program() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        keep_private(&path, b"1").unwrap();
        assert_eq!(mode(), 0o600);
        fs::set_permissions(&path, Permissions::from_mode(0o750)).unwrap();
        replace(&path, b"2", || Ok(())).unwrap();
        assert_eq!(mode(), 0o750);
    }
}
