//! Folders that are one user's alone: what lies there was put there by this user, or by who may do anything.

use std::path::Path;

/// Makes a folder that only this user may write to, where there is none, and sees to it that it is one.
///
/// # Errors
/// It is somebody else's, or others may put files there: in words for people.
pub fn folder(folder: &Path) -> Result<(), String> {
    make(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let resolved =
        std::fs::canonicalize(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    // Whoever may write to a folder above can put another one in its place.
    resolved
        .ancestors()
        .try_for_each(|above| check(above, above == resolved))
}

#[cfg(unix)]
fn make(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
}

#[cfg(not(unix))]
fn make(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)
}

#[cfg(unix)]
fn check(folder: &Path, is_own: bool) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt as _;
    const STICKY: u32 = 0o1000;
    // A group above is a matter of how the home folder is kept; here nobody but the user writes.
    let others_write: u32 = if is_own { 0o022 } else { 0o002 };
    let about = std::fs::symlink_metadata(folder)
        .map_err(|error| format!("{}: {error}", folder.display()))?;
    let user = rustix::process::geteuid().as_raw();
    let is_ours = about.uid() == user || (!is_own && about.uid() == 0);
    if !is_ours {
        return Err(format!("{} belongs to another user", folder.display()));
    }
    // In a folder above that all may write to, such as /tmp, none may move what is another's.
    let is_open = about.mode() & others_write != 0 && (is_own || about.mode() & STICKY == 0);
    if is_open {
        return Err(format!("others may write to {}", folder.display()));
    }
    Ok(())
}

#[cfg(not(unix))]
fn check(_: &Path, _: bool) -> Result<(), String> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{Permissions, create_dir, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_folder_that_others_may_write_to_is_not_taken() {
        let place = tempfile::tempdir().unwrap();
        let own = place.path().join("cache/nests");
        assert_eq!(folder(&own), Ok(()));
        assert_eq!(own.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(folder(&own), Ok(()), "the second time");
        set_permissions(&own, Permissions::from_mode(0o777)).unwrap();
        assert!(folder(&own).unwrap_err().contains("others may write"));
        set_permissions(&own, Permissions::from_mode(0o1777)).unwrap();
        assert!(folder(&own).is_err(), "a planted file is loaded from there");
    }

    #[test]
    fn a_folder_below_one_that_others_may_write_to_is_not_taken() {
        let place = tempfile::tempdir().unwrap();
        let open = place.path().join("open");
        create_dir(&open).unwrap();
        set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
        assert!(folder(&open.join("nests")).is_err());
        set_permissions(&open, Permissions::from_mode(0o1777)).unwrap();
        assert_eq!(folder(&open.join("nests")), Ok(()), "as /tmp is");
        let link = place.path().join("link");
        std::os::unix::fs::symlink(open.join("nests"), &link).unwrap();
        assert_eq!(folder(&link), Ok(()), "links are followed");
    }
}
