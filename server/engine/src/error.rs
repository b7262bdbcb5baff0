//! How a job can end other than by its result.

use serde::{Deserialize, Serialize};
use sumac_runtime::interp::RunError;
use thiserror::Error;

/// Why there is no result.
#[derive(Clone, PartialEq, Debug, Error, Serialize, Deserialize)]
pub enum EngineError {
    /// The worker could not be started.
    #[error("the worker `{program}` could not be started: {reason}")]
    Start {
        /// What was started.
        program: String,
        /// What the system said.
        reason: String,
    },
    /// The script did something that does not work, or stopped itself.
    #[error(transparent)]
    Script(#[from] RunError),
    /// The job cannot be done.
    #[error("{0}")]
    Failed(String),
    /// The memory limit was reached.
    #[error("out of memory: the limit is {}", megabytes(*.limit_bytes))]
    OutOfMemory {
        /// The limit, where there was one.
        limit_bytes: Option<u64>,
    },
    /// The pair fits into the memory limit at no scale.
    #[error("not started: {} are needed, {} are allowed, and the expression cannot be scaled down", megabytes(Some(*.needs_bytes)), megabytes(Some(*.limit_bytes)))]
    TooLarge {
        /// Bytes at full scale.
        needs_bytes: u64,
        /// Bytes allowed.
        limit_bytes: u64,
    },
    /// The time limit was reached.
    #[error("ended after {seconds} s, the time limit")]
    TimedOut {
        /// The limit.
        seconds: f64,
    },
    /// Called off.
    #[error("cancelled")]
    Cancelled,
    /// The worker ended without an answer.
    #[error("the worker ended without a result ({status}){}", if .detail.is_empty() { String::new() } else { format!(": {}", .detail) })]
    Crashed {
        /// Exit code or signal.
        status: String,
        /// The end of what it wrote to its error stream.
        detail: String,
    },
    /// The worker said something that is no message.
    #[error("the worker said what could not be understood: {0}")]
    Protocol(String),
}

fn megabytes(bytes: Option<u64>) -> String {
    bytes.map_or_else(
        || "the machine's memory".to_owned(),
        |b| format!("{:.0} MB", b as f64 / 1e6),
    )
}
