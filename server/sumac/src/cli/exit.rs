//! How a command ends: its exit code, and what is wrong with a command line.

use std::process::ExitCode;

/// How a command ended: the exit code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Exit {
    /// Done; nothing was found that should not be there.
    Done = 0,
    /// Something was found, or failed.
    Found = 1,
    /// It could not be decided.
    Undecided = 2,
    /// The command line was wrong.
    Usage = 64,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// A command line that makes no sense, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Usage(pub String);

impl From<String> for Usage {
    fn from(message: String) -> Self {
        Usage(message)
    }
}
