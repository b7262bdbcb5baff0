//! What the benchmarks of the workspace's tests measure. The work is theirs, compiled in the release profile; this
//! runs one, shows its tables, and reads its figures.

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::{Context, Result};

use xtask::{shell, workspace};

/// Figures by name, as in `small-median`.
pub(crate) type Figures = BTreeMap<String, f64>;

/// Runs the benchmark of this name, prints what it prints, and gives its figures.
///
/// # Errors
/// It does not build, or it failed.
pub(crate) fn of(bench: &str) -> Result<Figures> {
    of_package("sumac-tests", bench)
}

/// As [`of`], where the benchmark is another package's.
///
/// # Errors
/// As [`of`].
pub(crate) fn of_package(package: &str, bench: &str) -> Result<Figures> {
    of_package_with(package, bench, &[])
}

/// As [`of_package`], with arguments to the benchmark.
///
/// # Errors
/// As [`of`].
pub(crate) fn of_package_with(package: &str, bench: &str, arguments: &[&str]) -> Result<Figures> {
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["bench", "--package", package, "--bench", bench, "--"])
        .args(arguments)
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
