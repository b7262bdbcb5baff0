//! TVM as a peer: seven schedules for the product of two matrices, beside the loop nests of the same names.
//!
//! The schedules stand in `matmul.py`; nothing of TVM is in the product. The nests are compiled by our benchmark and run
//! in turns with TVM's: some of them are a few hundredths apart, which two series one after the other cannot tell on a machine that
//! others use.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::bench::figures::{self, Figures};
use crate::report::Report;
use xtask::tools::Toolbox;
use xtask::{shell, workspace};

/// Names a folder that `pip install --target` filled with TVM, to be used instead of an installation of our own.
const FOLDER_VARIABLE: &str = "SUMAC_TVM";
const PACKAGE: &str = "apache-tvm==0.27.0.post1";

/// The nests that both have.
pub(crate) const NAMES: [&str; 7] = [
    "baseline",
    "blocking",
    "vectorization",
    "loop_perm",
    "array_packing",
    "cache_blocks",
    "parallel",
];
pub(crate) const SIZES: [u32; 2] = [1024, 1056];
pub(crate) const TYPES: [&str; 2] = ["f32", "f64"];

/// Where TVM is, or would be.
fn folder() -> Result<PathBuf> {
    match std::env::var_os(FOLDER_VARIABLE) {
        Some(named) => Ok(std::path::absolute(PathBuf::from(named))?),
        None => Ok(Toolbox::open()?.dir.join("tvm")),
    }
}

fn is_installed(folder: &std::path::Path) -> bool {
    folder.join("tvm").is_dir()
}

/// Compares all variants; installs TVM if need be.
///
/// # Errors
/// It cannot be installed or run, or the nests cannot be compiled.
pub(super) fn measure(report: &mut Report) -> Result<()> {
    let folder = folder()?;
    if !is_installed(&folder) {
        shell::run(
            Command::new("python3")
                .args(["-m", "pip", "install", "--quiet", "--target"])
                .arg(&folder)
                .arg(PACKAGE),
        )?;
    }
    compare(report, &measured(&folder)?);
    Ok(())
}

/// What both take, `1024/f32/blocking/own`, `1024/f32/blocking/tvm` and so on in milliseconds; `None` where TVM is not installed.
///
/// # Errors
/// It is there and does not run.
pub(crate) fn figures_if_installed() -> Result<Option<Figures>> {
    let folder = folder()?;
    is_installed(&folder).then(|| measured(&folder)).transpose()
}

fn measured(folder: &std::path::Path) -> Result<Figures> {
    let nests = tempfile::tempdir()?;
    let path = nests.path().to_str().context("a path that is text")?;
    figures::of_package_with("sumac-array", "speed", &["--objects", path])?;
    let script = workspace::root().join("bench/src/peer/tvm/matmul.py");
    let output = shell::read(
        Command::new("python3")
            .arg(script)
            .arg(nests.path())
            .args(SIZES.map(|size| size.to_string()))
            .env("PYTHONPATH", folder),
    )?;
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
    ensure!(!figures.is_empty(), "the schedules printed no figures");
    Ok(figures)
}

/// Each variant beside TVM's of the same name.
pub(crate) fn compare(report: &mut Report, figures: &Figures) {
    for size in SIZES {
        for ty in TYPES {
            for name in NAMES {
                let of = |side: &str| {
                    let figure = figures.get(&format!("{size}/{ty}/{name}/{side}"));
                    figure.copied().unwrap_or(f64::NAN)
                };
                let (own, other) = (of("own"), of("tvm"));
                report.bar(
                    &format!("{name}, {ty}, {size}"),
                    &format!("{own:.2} ms; TVM {other:.2} ms"),
                    "as fast as TVM's of the same name",
                    own <= other,
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slower_variant_and_a_missing_figure_are_missed() {
        let mut figures = Figures::new();
        for size in SIZES {
            for ty in TYPES {
                for name in NAMES {
                    for side in ["own", "tvm"] {
                        figures.insert(format!("{size}/{ty}/{name}/{side}"), 10.0);
                    }
                }
            }
        }
        let all = SIZES.len() * TYPES.len() * NAMES.len();
        let counts = |figures: &Figures| {
            let mut report = Report::default();
            compare(&mut report, figures);
            report.counts()
        };
        assert_eq!(counts(&figures), (all, 0, 0));
        figures.insert("1024/f32/blocking/tvm".to_owned(), 9.0);
        figures.remove("1056/f64/parallel/own");
        assert_eq!(counts(&figures), (all - 2, 2, 0));
    }
}
