//! How long searches take. The work is a benchmark of the workspace's tests, compiled in the release profile; this
//! runs it, shows its tables, and reads its figures.

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::{Context, Result};

use crate::{shell, workspace};

/// Milliseconds by name: `small-median`, `small-p95`, `large-slowest`.
pub(crate) type Figures = BTreeMap<String, f64>;

/// Runs the benchmark, prints what it prints, and gives its figures.
///
/// # Errors
/// It does not build, or a block could not be searched.
pub(crate) fn run() -> Result<Figures> {
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["bench", "--package", "sumac-tests", "--bench", "saturation"])
        .current_dir(workspace::root());
    let output = shell::read(&mut command)?;
    let mut figures = Figures::new();
    for line in output.lines() {
        match line.strip_prefix("figure ") {
            Some(figure) => {
                let (name, value) = figure.split_once(' ').context("a figure has a value")?;
                figures.insert(name.to_owned(), value.parse()?);
            }
            None => println!("{line}"),
        }
    }
    Ok(figures)
}
