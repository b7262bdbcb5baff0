//! What this process may do to the rest of the machine: write below stated folders, and open no connection.
//!
//! Every file that is written is asked about here first, so that a refusal says what is allowed. On Linux the kernel
//! refuses as well (Landlock), whatever the rest of the program does. It can never be lifted again, and reading is not
//! restricted.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::io::IoError;

/// Folders below which this process may write; not set: anywhere.
static WRITABLE: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// Who sees to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Enforced {
    /// The kernel refuses whatever is not allowed.
    ByTheSystem,
    /// The system offers nothing of the kind: only what is written by [`crate::io`] is looked at.
    ByUs,
}

/// From now on this process, and threads that it has not started yet, may write only below the folders in `writable`,
/// and may not connect to or listen on the network (TCP). Where the kernel knows only a part of this, that part holds.
///
/// # Errors
/// A folder is not there, the process is confined already, or the system fails.
pub fn confine(writable: &[PathBuf]) -> std::io::Result<Enforced> {
    let resolved: Vec<PathBuf> = writable
        .iter()
        .map(|folder| {
            let told = |error: std::io::Error| {
                let message = format!("{} cannot be written to: {error}", folder.display());
                std::io::Error::new(error.kind(), message)
            };
            std::fs::canonicalize(folder).map_err(told)
        })
        .collect::<Result<_, _>>()?;
    if WRITABLE.set(resolved.clone()).is_err() {
        return Err(std::io::Error::other("this process is confined already"));
    }
    restrict(&resolved)
}

#[cfg(target_os = "linux")]
fn restrict(writable: &[PathBuf]) -> std::io::Result<Enforced> {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError,
        RulesetStatus, path_beneath_rules,
    };
    const KNOWN: ABI = ABI::V5;
    let restricted = || -> Result<RulesetStatus, RulesetError> {
        let writes = AccessFs::from_write(KNOWN);
        let rules = Ruleset::default()
            .handle_access(writes)?
            .handle_access(AccessNet::from_all(KNOWN))?
            .create()?
            .add_rules(path_beneath_rules(writable, writes))?;
        Ok(rules.restrict_self()?.ruleset)
    };
    match restricted().map_err(std::io::Error::other)? {
        RulesetStatus::NotEnforced => Ok(Enforced::ByUs),
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => {
            Ok(Enforced::ByTheSystem)
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn restrict(_: &[PathBuf]) -> std::io::Result<Enforced> {
    Ok(Enforced::ByUs)
}

/// Whether this process may write the file at `path`, wherever links on the way lead.
///
/// # Errors
/// It may not; the message says where it may.
pub fn may_write(path: &Path) -> Result<(), IoError> {
    match WRITABLE.get() {
        None => Ok(()),
        Some(writable) => is_below(path, writable),
    }
}

fn is_below(path: &Path, writable: &[PathBuf]) -> Result<(), IoError> {
    let meant = meant(path).map_err(IoError::system(path))?;
    if writable.iter().any(|folder| meant.starts_with(folder)) {
        return Ok(());
    }
    Err(IoError::NotAllowed {
        path: path.to_owned(),
        allowed: writable.to_vec(),
    })
}

/// The place that a path leads to: the part of it that is there with its links resolved, and the rest.
fn meant(path: &Path) -> std::io::Result<PathBuf> {
    let mut there = std::path::absolute(path)?;
    let mut rest: Vec<OsString> = Vec::new();
    loop {
        match std::fs::canonicalize(&there) {
            Ok(resolved) => return Ok(rest.iter().rev().fold(resolved, |at, part| at.join(part))),
            // A link that leads nowhere yet would be followed when the file is made.
            Err(error) if there.is_symlink() => return Err(error),
            Err(error) => match (there.file_name(), there.parent()) {
                (Some(name), Some(parent)) => {
                    rest.push(name.to_owned());
                    there = parent.to_owned();
                }
                // `..` behind what is not there.
                _ => return Err(error),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_below_an_allowed_folder_may_be_written_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let inside = root.join("out");
        std::fs::create_dir_all(inside.join("deep")).unwrap();
        let allowed = [inside.clone()];
        let may = |path: &str| is_below(&root.join(path), &allowed).is_ok();
        for path in [
            "out/a.csv",
            "out/deep/b.csv",
            "out/new/c.csv",
            "out/deep/../d.csv",
            "out",
        ] {
            assert!(may(path), "{path}");
        }
        for path in [
            "a.csv",
            "outside/a.csv",
            "out/../a.csv",
            "out/new/../../a.csv",
        ] {
            assert!(!may(path), "{path}");
        }
        let told = is_below(&root.join("a.csv"), &allowed)
            .unwrap_err()
            .to_string();
        assert!(
            told.contains("a.csv") && told.contains(&*inside.to_string_lossy()),
            "{told}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let inside = root.join("out");
        std::fs::create_dir(&inside).unwrap();
        std::os::unix::fs::symlink(&root, inside.join("up")).unwrap();
        std::os::unix::fs::symlink(root.join("gone"), inside.join("gone")).unwrap();
        std::os::unix::fs::symlink(&inside, root.join("in")).unwrap();
        let allowed = [inside.clone()];
        assert!(is_below(&inside.join("up/a.csv"), &allowed).is_err());
        assert!(is_below(&inside.join("gone"), &allowed).is_err());
        assert!(is_below(&root.join("in/a.csv"), &allowed).is_ok());
    }
}
