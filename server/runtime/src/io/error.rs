//! What can be wrong with a data file. Every message names the file, the line or the byte where there is one, what was
//! expected and what was found. A message never quotes more than a few characters of the file.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file that could not be read or written.
#[derive(Debug, Error)]
pub enum IoError {
    /// The system refused.
    #[error("{path}: {source}", path = .path.display())]
    System {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// This process may not write there.
    #[error(
        "{path}: this run may not write there{why}; it may write {allowed}; `--allow-write DIR` allows another folder",
        path = .path.display(),
        why = reason(.why),
        allowed = folders(.allowed)
    )]
    NotAllowed {
        /// The file.
        path: PathBuf,
        /// The folders below which it may write, and the files.
        allowed: Vec<PathBuf>,
        /// Why not, where the folder is none of the reasons.
        why: String,
    },
    /// Nothing may be written, for nothing would stop this process if it wrote elsewhere.
    #[error(
        "{path}: nothing is written here, because this system cannot keep a run from writing elsewhere (Linux can, from 5.13 on, with Landlock); `--unconfined` lets it write, with no more than Sumac's own checks",
        path = .path.display()
    )]
    Unconfined {
        /// The file.
        path: PathBuf,
    },
    /// The text is not what the format asks for.
    #[error("{path}:{line}: expected {expected}, found {found}", path = .path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What should stand there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// The bytes are not what the format asks for.
    #[error("{path}: byte {offset}: expected {expected}, found {found}", path = .path.display())]
    Bytes {
        /// The file; a member of an archive as a file below it.
        path: PathBuf,
        /// The place, from 0.
        offset: u64,
        /// What should stand there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// The metadata beside the file does not say enough, or contradicts it.
    #[error("{path}: expected {expected}, found {found}", path = .path.display())]
    Meta {
        /// The file.
        path: PathBuf,
        /// What should be known.
        expected: String,
        /// What is known.
        found: String,
    },
}

/// Folders for a message.
fn folders(all: &[PathBuf]) -> String {
    if all.is_empty() {
        return "nowhere".to_owned();
    }
    let all: Vec<String> = all.iter().map(|at| at.display().to_string()).collect();
    format!("below {}", all.join(", "))
}

fn reason(why: &str) -> String {
    if why.is_empty() {
        return String::new();
    }
    format!(" ({why})")
}

impl IoError {
    pub(crate) fn system(path: &Path) -> impl FnOnce(std::io::Error) -> IoError + '_ {
        move |source| IoError::System {
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn meta(
        path: &Path,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> IoError {
        IoError::Meta {
            path: path.to_owned(),
            expected: expected.into(),
            found: found.into(),
        }
    }

    /// An error at a line, from 1.
    pub(crate) fn content(
        path: &Path,
        line: usize,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> IoError {
        IoError::Content {
            path: path.to_owned(),
            line,
            expected: expected.into(),
            found: found.into(),
        }
    }

    /// An error at a byte, from 0.
    pub(crate) fn bytes(
        path: &Path,
        offset: u64,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> IoError {
        IoError::Bytes {
            path: path.to_owned(),
            offset,
            expected: expected.into(),
            found: found.into(),
        }
    }
}

/// The longest piece of a file that a message quotes.
const QUOTED: usize = 40;

/// A piece of a file for a message: short, and without control characters.
pub(crate) fn quote(text: &str) -> String {
    let clean: String = text
        .chars()
        .take(QUOTED)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();
    let dots = if text.chars().nth(QUOTED).is_some() {
        "…"
    } else {
        ""
    };
    format!("`{clean}{dots}`")
}

/// As [`quote`], of bytes that need not be text.
pub(crate) fn quote_bytes(bytes: &[u8]) -> String {
    // No character has more than four bytes.
    let start = &bytes[..bytes.len().min(4 * (QUOTED + 1))];
    quote(&String::from_utf8_lossy(start))
}
