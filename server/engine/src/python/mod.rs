//! The person's own Python as an engine that times: two NumPy expressions against each other, with their NumPy, their
//! linear algebra library and their threads.
//!
//! It runs only when a person asks, and evaluates only what stands in their file or what our own writer made of it.
//! Never: a Python that a workspace brings, unless the workspace is trusted; a file of the workspace, not even by
//! an import (Python is isolated, and works in an empty folder of its own); an import of anything but NumPy, SciPy and
//! a few modules of the standard library; a process that outlives its job. Nothing is installed, and no file is kept.
//!
//! Isolated means Python's `-I`: neither `PYTHONPATH` nor the current folder is looked into. The packages of a virtual
//! environment are found by the place of its interpreter, and those of the person (`pip install --user`) are added by
//! the driver.

mod find;
mod run;

use std::path::PathBuf;

use serde::{Serialize, Serializer};
use thiserror::Error;

pub use find::find;
pub use run::time;

/// A Python that was found, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interpreter {
    /// The program, as it was found: a link in a virtual environment stays one, for its place says which packages it has.
    pub path: PathBuf,
    /// For a person: `the setting`, `VIRTUAL_ENV`, `.venv in /proj`, `CONDA_PREFIX`, `python3 in PATH`.
    pub found_by: String,
    /// An environment of the workspace that would have been taken if the workspace were trusted.
    pub passed_over: Option<PathBuf>,
}

/// Why no Python was found.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NoPython {
    /// The one that was chosen is none.
    #[error("the chosen Python `{}` cannot be used: {reason}", .path.display())]
    Chosen {
        /// As it was chosen.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// There is none in any of the places.
    #[error("no Python was found (looked at {}); choose one in the settings{}", .looked.join(", "), way_out(.passed_over.as_ref()))]
    Nowhere {
        /// The places, in order.
        looked: Vec<String>,
        /// An environment of the workspace that was left alone because the workspace is not trusted.
        passed_over: Option<PathBuf>,
    },
}

/// What to do about an environment that was passed over.
fn way_out(path: Option<&PathBuf>) -> String {
    path.map_or_else(String::new, |path| {
        let path = path.display();
        format!(", or trust the workspace to use its own `{path}`")
    })
}

/// A value that an expression reads, which is made up.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Input {
    /// What is assigned: `X`, `self.X`, `model.coef_`.
    pub target: String,
    /// Its sizes; none for a number.
    pub shape: Vec<u64>,
    /// `float64` or `float32`.
    pub dtype: &'static str,
}

/// Two expressions to time.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Request {
    /// Imports that come first: `import numpy as np`.
    pub imports: Vec<String>,
    /// Standard normal values.
    pub inputs: Vec<Input>,
    /// Whole numbers by what they are assigned to: `n = 1000`.
    pub integers: Vec<(String, u64)>,
    /// The expression as it stands in the file.
    pub original: String,
    /// The expression that is suggested.
    pub optimized: String,
    /// How long to measure. A few runs are always done.
    pub seconds: f64,
    /// Of the values.
    pub seed: u64,
}

/// How one expression did.
#[derive(Clone, PartialEq, Debug, Serialize, serde::Deserialize)]
pub struct Measured {
    /// Seconds of one evaluation, in the middle.
    pub seconds_median: f64,
    /// The least.
    pub seconds_min: f64,
    /// Samples that were timed.
    pub runs: usize,
    /// Evaluations in each sample: more than one where a single one is too short for the clock.
    pub batch: u64,
    /// Bytes at most beside the inputs, as far as Python and NumPy take them; `None` where that could not be seen.
    pub peak_bytes: Option<u64>,
}

/// How two expressions compare.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Timing {
    /// As it stands in the file.
    pub original: Measured,
    /// As suggested.
    pub optimized: Measured,
    /// The largest difference over the largest magnitude; infinite where shapes differ. JSON has `null` for infinity.
    #[serde(serialize_with = "finite_or_null")]
    pub max_relative_error: f64,
    /// Whether both have the same rank and sizes.
    pub same_shape: bool,
    /// Whether both have the same type of cells.
    pub same_dtype: bool,
    /// Version of Python.
    pub python: String,
    /// Version of NumPy.
    pub numpy: String,
    /// A quarter of the pairs have a lower ratio, original to optimized.
    pub ratio_low: f64,
    /// A quarter of the pairs have a higher one.
    pub ratio_high: f64,
}

fn finite_or_null<S: Serializer>(number: &f64, to: S) -> Result<S::Ok, S::Error> {
    number.is_finite().then_some(number).serialize(to)
}

/// One of the two expressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// As it stands in the file.
    Original,
    /// As suggested.
    Optimized,
}

impl std::fmt::Display for Form {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Form::Original => "the original",
            Form::Optimized => "the suggestion",
        })
    }
}

/// Why there are no times.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum PythonError {
    /// The program could not be run, or is no Python that serves.
    #[error("`{}` could not be run: {reason}", .path.display())]
    Start {
        /// The program.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// It has no NumPy.
    #[error("`{path}` has no NumPy that works ({reason}); choose another Python in the settings, or install it: {path} -m pip install numpy", path = .path.display())]
    NoNumpy {
        /// The interpreter.
        path: PathBuf,
        /// What Python said.
        reason: String,
    },
    /// An expression raised an exception.
    #[error("{form} raised an exception: {message}")]
    Raised {
        /// Which.
        form: Form,
        /// Python's words.
        message: String,
    },
    /// The request asks for what is not done.
    #[error("not timed: {0}")]
    Refused(String),
    /// Something beside the expressions does not work.
    #[error("{0}")]
    Failed(String),
    /// The memory limit was reached.
    #[error("{}: out of memory{}", .form.map_or_else(|| "the inputs".to_owned(), |form| form.to_string()), .limit_bytes.map_or_else(String::new, |b| format!(", the limit is {:.0} MB", b as f64 / 1e6)))]
    OutOfMemory {
        /// Which expression; `None` where the inputs alone are too much, or Python did not say.
        form: Option<Form>,
        /// The limit, where there was one.
        limit_bytes: Option<u64>,
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
    /// Python ended without an answer.
    #[error("Python ended without a result ({status}){}", if .detail.is_empty() { String::new() } else { format!(": {}", .detail) })]
    Crashed {
        /// Exit code or signal.
        status: String,
        /// The beginning and the end of what it wrote to its error stream.
        detail: String,
    },
    /// The answer is none.
    #[error("Python said what could not be understood: {0}")]
    Protocol(String),
}
