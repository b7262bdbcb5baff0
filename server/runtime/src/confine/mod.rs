//! What this process may do to the rest of the machine: write below stated folders, and open no connection.
//!
//! Every file that is written is asked about here first, so that a refusal says what is allowed and why. On Linux the
//! kernel refuses as well (Landlock), whatever the rest of the program does. It can never be lifted again, and reading
//! is not restricted. Who is asked for what is allowed is a person: a script or a file of a workspace never is.

mod closed;
mod existing;
mod new_file;
mod system;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::io::IoError;

pub(crate) use new_file::NewFile;

/// What may be written.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Writable {
    /// Folders below which data may be written.
    pub folders: Vec<PathBuf>,
    /// Files that may be written, and others beside them whose names begin with theirs.
    pub files: Vec<PathBuf>,
    /// Files that were given to be read: they are not written, whatever else is allowed.
    pub inputs: Vec<PathBuf>,
    /// Whether files may be written where the system does not see to it that nothing else is.
    pub without_system: bool,
}

impl Writable {
    /// Folders, and nothing else.
    #[must_use]
    pub fn below(folders: impl IntoIterator<Item = PathBuf>) -> Writable {
        Writable {
            folders: folders.into_iter().collect(),
            ..Writable::default()
        }
    }

    /// The same with every path as the system has it.
    fn resolved(&self) -> std::io::Result<Writable> {
        let folders = self.folders.iter().map(|folder| {
            let told = |error: std::io::Error| {
                let message = format!("{} cannot be written to: {error}", folder.display());
                std::io::Error::new(error.kind(), message)
            };
            let resolved = std::fs::canonicalize(folder).map_err(told)?;
            refused(&resolved).map(|()| resolved)
        });
        let mut files = Vec::new();
        for file in &self.files {
            // A link that leads nowhere opens nothing.
            let Ok(file) = meant(file) else { continue };
            refused(file.parent().unwrap_or(&file))?;
            files.push(file);
        }
        Ok(Writable {
            folders: folders.collect::<Result<_, _>>()?,
            files,
            inputs: self
                .inputs
                .iter()
                .filter_map(|input| std::fs::canonicalize(input).ok())
                .collect(),
            without_system: self.without_system,
        })
    }

    /// The folders that the kernel must leave open for this. Paths are canonical.
    fn opened(&self) -> Vec<PathBuf> {
        let beside = self.files.iter().filter_map(|file| file.parent());
        let mut all = self.folders.clone();
        all.extend(beside.map(Path::to_path_buf).filter(|at| at.is_dir()));
        all.sort();
        all.dedup();
        all
    }

    /// Whether a file may be written, wherever links on the way lead.
    fn allows(&self, path: &Path, what: What) -> Result<(), IoError> {
        let meant = meant(path).map_err(IoError::system(path))?;
        let why_not = match what {
            What::Data => self.refusal(&meant).or_else(|| existing::foreign(&meant)),
            What::Metadata => match data_of(&meant) {
                Some(data) => self.refusal(&data).or_else(|| existing::unusable(&meant)),
                None => Some("a link leads from there to what is no metadata"),
            },
        };
        match why_not {
            None => Ok(()),
            Some(why) => Err(IoError::NotAllowed {
                path: path.to_owned(),
                allowed: self.folders.iter().chain(&self.files).cloned().collect(),
                why: why.to_owned(),
            }),
        }
    }

    /// Why a file is not written by its place and its name alone; empty where nobody opened its folder. The path is
    /// canonical.
    fn refusal(&self, meant: &Path) -> Option<&'static str> {
        if self.inputs.iter().any(|input| input == meant) {
            return Some("it was given to be read");
        }
        let below = self
            .folders
            .iter()
            .filter_map(|folder| meant.strip_prefix(folder).ok());
        // The innermost folder that is open: what is above it was looked at when it was opened.
        let inside = below.min_by_key(|rest| rest.components().count());
        let beside = self.files.iter().any(|file| is_beside(meant, file));
        let names = match inside {
            _ if beside => Path::new(meant.file_name().unwrap_or_default()),
            Some(rest) => rest,
            None => return Some(""),
        };
        names
            .iter()
            .find_map(closed::name)
            .or_else(|| closed::tool_on(meant))
    }
}

/// What is to be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    Data,
    /// The `.mtd` file of data.
    Metadata,
}

/// The data file that a `.mtd` file describes.
fn data_of(metadata: &Path) -> Option<PathBuf> {
    let is_metadata = metadata.extension().is_some_and(|ending| ending == "mtd");
    is_metadata.then(|| metadata.with_extension(""))
}

/// Whether a file lies beside another and its name begins with the other's: `out.csv` and `out.csv.mtd`.
fn is_beside(file: &Path, named: &Path) -> bool {
    let begins = |name: &std::ffi::OsStr| {
        let name = name.as_encoded_bytes();
        let named = named.file_name().unwrap_or_default().as_encoded_bytes();
        !named.is_empty() && name.starts_with(named)
    };
    file.parent() == named.parent() && file.file_name().is_some_and(begins)
}

/// Why a folder is never opened for writing, whoever asks; `None` where it can be.
#[must_use]
pub fn closed_folder(folder: &Path) -> Option<&'static str> {
    closed::folder(&meant(folder).ok()?)
}

fn refused(folder: &Path) -> std::io::Result<()> {
    match closed::folder(folder) {
        None => Ok(()),
        Some(why) => Err(std::io::Error::new(
            std::io::ErrorKind::PermissionDenied,
            format!("{} is never opened for writing: {why}", folder.display()),
        )),
    }
}

/// What this process may write; not set: anything anywhere.
static WRITABLE: OnceLock<Confined> = OnceLock::new();

#[derive(Debug)]
struct Confined {
    writable: Writable,
    enforced: Enforced,
}

impl Confined {
    fn allows(&self, path: &Path, what: What) -> Result<(), IoError> {
        if self.enforced == Enforced::ByUs && !self.writable.without_system {
            return Err(IoError::Unconfined {
                path: path.to_owned(),
            });
        }
        self.writable.allows(path, what)
    }
}

/// Who sees to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Enforced {
    /// The kernel refuses whatever is not allowed.
    ByTheSystem,
    /// The system offers nothing of the kind: only what is written by [`crate::io`] is looked at.
    ByUs,
}

/// From now on this process, and threads that it has not started yet, may write only what is allowed, and may not
/// connect to or listen on the network (TCP). Where the kernel knows only a part of this, that part holds; where it
/// knows nothing of it, nothing is written unless that is allowed as well.
///
/// # Errors
/// A folder is not there or never opened, the process is confined already, or the system fails.
pub fn confine(writable: &Writable) -> std::io::Result<Enforced> {
    confine_by(writable, system::restrict)
}

fn confine_by(
    writable: &Writable,
    restrict: impl FnOnce(&[PathBuf]) -> std::io::Result<Enforced>,
) -> std::io::Result<Enforced> {
    if WRITABLE.get().is_some() {
        return Err(std::io::Error::other("this process is confined already"));
    }
    let writable = writable.resolved()?;
    let enforced = restrict(&writable.opened())?;
    WRITABLE
        .set(Confined { writable, enforced })
        .map_err(|_| std::io::Error::other("this process is confined already"))?;
    Ok(enforced)
}

/// Whether this process may write there, wherever links on the way lead.
///
/// # Errors
/// It may not; the message says where it may.
fn may_write(path: &Path, what: What) -> Result<(), IoError> {
    WRITABLE
        .get()
        .map_or(Ok(()), |known| known.allows(path, what))
}

/// Removes the `.mtd` file at a path, if there is one.
///
/// # Errors
/// It may not be written, or the system refuses.
pub(crate) fn remove_metadata(path: &Path) -> Result<(), IoError> {
    new_file::OldFile::metadata(path)?.map_or(Ok(()), new_file::OldFile::remove)
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
mod tests;
