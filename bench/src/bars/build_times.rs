//! How long a person waits for the first result, and a developer for the next one: the first command of the README from an empty target
//! folder, beside the commit before builds were looked at, and a release build after a change in `ide`.
//!
//! Clones commits into a temporary folder; never builds the work tree. What cargo downloads is there before a clock starts.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use super::fresh::{FIRST, cargo};
use crate::report::Report;
use xtask::{shell, workspace};

/// The last commit that optimized the whole program at the link of each release build.
const BEFORE: &str = "eea4012^";
/// Share of its time that the first result may take.
const SHARE: f64 = 0.5;
/// Seconds that a release build may take after a change in `ide`.
const AFTER_CHANGE: f64 = 60.0;
/// Where the change is made.
const CHANGED: &str = "server/ide/src/lib.rs";

pub(super) fn measure(report: &mut Report, wanted: bool) -> Result<()> {
    report.heading("How long builds take, in seconds, from an empty target folder");
    let share = format!("<= {SHARE} of that of {BEFORE}");
    let rebuilt = format!("<= {AFTER_CHANGE} s");
    let (first, again) = (
        "cargo run --release -- optimize",
        "a release build after a change in ide",
    );
    if !wanted {
        report.not_run(first, "needs --fresh", &share);
        report.not_run(again, "needs --fresh", &rebuilt);
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let clones = [("before", BEFORE), ("now", "HEAD")].map(|(name, commit)| {
        let path = folder.path().join(name);
        cloned(&path, commit).map(|()| path)
    });
    let [before, now] = clones;
    let (before, now) = (before?, now?);
    let before = seconds(&before, &FIRST)?;
    let after = seconds(&now, &FIRST)?;
    report.bar(
        first,
        &format!("{after:.0} s beside {before:.0} s"),
        &share,
        after <= SHARE * before,
    );
    let path = now.join(CHANGED);
    let text = fs::read_to_string(&path)?;
    fs::write(&path, format!("{text}\n// Changed.\n"))?;
    let took = seconds(&now, &["build", "--release"])?;
    report.bar(
        again,
        &format!("{took:.0} s"),
        &rebuilt,
        took <= AFTER_CHANGE,
    );
    Ok(())
}

/// A commit in a folder of its own, with all that its build downloads.
fn cloned(folder: &Path, commit: &str) -> Result<()> {
    let mut clone = Command::new("git");
    clone.args(["clone", "--quiet", "--no-checkout", "--shared"]);
    shell::run(clone.arg(workspace::root()).arg(folder))?;
    let name = shell::read(
        Command::new("git")
            .args(["rev-parse", commit])
            .current_dir(workspace::root()),
    )?;
    let mut checkout = Command::new("git");
    checkout.args(["checkout", "--quiet", "--detach", name.trim()]);
    shell::run(checkout.current_dir(folder))?;
    shell::run(Command::new("cargo").arg("fetch").current_dir(folder))
}

/// Seconds that a command of cargo takes there.
fn seconds(folder: &Path, arguments: &[&str]) -> Result<f64> {
    let mut command = cargo(folder, arguments);
    command.stdout(Stdio::null());
    let clock = Instant::now();
    let status = command.status().context("cannot start cargo")?;
    let took = clock.elapsed().as_secs_f64();
    ensure!(status.success(), "{} fails", shell::shown(&command));
    Ok(took)
}
