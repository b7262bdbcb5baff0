//! The bars of the kernel runtime: scripts give what SystemDS gives, kernels reach the machine's limits, and a worker
//! that dies takes nothing along.
//!
//! Each group of bars can be run alone (`cargo xtask peer runs`, `cargo xtask bench kernels`); its targets stand there.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::Sumac;
use crate::bench::kernels;
use crate::peer::{algorithms, runs};
use crate::report::Report;
use xtask::{shell, workspace};

/// Tests of what happens when a worker dies, or may not go on: package, and names of its tests.
const ROBUST: &[(&str, &[&str], &str)] = &[
    (
        "sumac-engine",
        &["killed"],
        "a worker is killed in each of 100 runs, and the next run works",
    ),
    (
        "sumac-engine",
        &["worker"],
        "memory, time and places to write are limited, and say so",
    ),
    (
        "sumac-runtime",
        &["confinement"],
        "the system refuses what a run may not do",
    ),
];

/// Measures all bars of the runtime.
///
/// # Errors
/// The program does not build.
pub(super) fn measure(report: &mut Report, checkout: Option<&Path>) -> Result<()> {
    let sumac = Sumac::build_release()?;
    let target = "SystemDS's values: 95 % of codegen, 90 % of the others";
    match checkout {
        Some(checkout) => {
            let measured = runs::measure(report, &runs::Args::of(checkout, &sumac.program));
            report.expect("scripts of SystemDS", target, measured);
        }
        None => report.not_run("scripts of SystemDS", "no --checkout is named", target),
    }
    let measured = algorithms::measure(report, &algorithms::Args::default());
    report.expect(
        "whole algorithms beside SystemDS",
        "never slower, 2 times faster without and 4 times with the optimizer",
        measured,
    );
    let measured = kernels::measure_all(report, &kernels::Args::default());
    report.expect("kernels", "every kernel at its limit", measured);
    report.heading("Workers that die");
    for (package, tests, what) in ROBUST {
        let mut command = Command::new("cargo");
        command.args(["test", "--quiet", "--package", package]);
        for test in *tests {
            command.args(["--test", test]);
        }
        let passed = shell::run(command.current_dir(workspace::root()));
        if report.expect(what, "all tests pass", passed).is_some() {
            report.bar(what, "all tests pass", "all tests pass", true);
        }
    }
    Ok(())
}
