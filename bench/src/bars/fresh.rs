//! The two commands of the README in a fresh clone: nothing built before, none of the test tools installed before.
//!
//! Clones the last commit, never the work tree; writes only below a temporary folder (apart from what the system's
//! package manager installs).

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};

use crate::report::Report;
use xtask::{shell, workspace};

/// The first command of the README, after `cargo`.
pub(super) const FIRST: [&str; 5] = [
    "run",
    "--release",
    "--",
    "optimize",
    "fixtures/als_loss.dml",
];
const COMMANDS: [&[&str]; 2] = [&FIRST, &["xtask", "test"]];
const TARGET: &str = "exit code 0";

pub(super) fn measure(report: &mut Report, wanted: bool) {
    if !wanted {
        for arguments in COMMANDS {
            report.not_run(&name(arguments), "needs --fresh", TARGET);
        }
        return;
    }
    let cloned = clone();
    let Some(folder) = report.expect("git clone", "a clone of the last commit", cloned) else {
        return;
    };
    for arguments in COMMANDS {
        let clock = Instant::now();
        let ended = run(folder.path(), arguments);
        let seconds = clock.elapsed().as_secs_f64();
        if let Some(status) = report.expect(&name(arguments), TARGET, ended) {
            let seen = format!("{status} after {seconds:.0} s");
            report.bar(&name(arguments), &seen, TARGET, status.success());
        }
    }
}

fn name(arguments: &[&str]) -> String {
    format!("cargo {}", arguments.join(" "))
}

fn clone() -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    shell::run(
        Command::new("git")
            .args(["clone", "--quiet", "--no-hardlinks"])
            .arg(workspace::root())
            .arg(folder.path().join("clone")),
    )?;
    Ok(folder)
}

fn run(folder: &Path, arguments: &[&str]) -> Result<std::process::ExitStatus> {
    let mut command = cargo(&folder.join("clone"), arguments);
    command.env("SUMAC_TOOLS", folder.join("tools"));
    println!("$ {}", shell::shown(&command));
    command.status().context("cannot start cargo")
}

/// Cargo in a clone: neither what this very program was started with nor another target folder reaches it.
pub(super) fn cargo(clone: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command
        .args(arguments)
        .current_dir(clone)
        .stdin(Stdio::null());
    for name in ["CARGO_TARGET_DIR", "CARGO_MANIFEST_DIR", "SUMAC_SERVER"] {
        command.env_remove(name);
    }
    command
}
