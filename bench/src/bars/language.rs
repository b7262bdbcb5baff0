//! The bars of the language: read, analysed, formatted and edited as SystemDS and a person expect it.
//!
//! Only the order stands here; each group of bars is a command of its own that can be run alone.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::editors;
use crate::bench::reparse;
use crate::report::Report;
use crate::{corpus, corpus_format, peer};
use xtask::{shell, workspace};

/// Measures all bars of the language.
///
/// # Errors
/// There is no checkout to measure on.
pub(super) fn measure(report: &mut Report, checkout: Option<&Path>) -> Result<()> {
    let checkout = corpus::checkout(checkout)?;
    corpus::measure(report, &checkout)?;
    peer::tree::measure(report, &checkout, false)?;
    reparse::measure(report)?;
    report.heading("What an edit computes again, counted");
    counting(report);
    peer::shapes::measure(report, &checkout, false)?;
    peer::check::measure(report, &checkout)?;
    peer::builtins::measure(report, &checkout)?;
    corpus_format::measure(report, &checkout)?;
    report.heading("Every feature in a real editor");
    editors::measure(report, editors::FEATURES, 1)
}

/// The tests that count queries: their assertions are the bar.
fn counting(report: &mut Report) {
    const TARGET: &str = "all pass";
    let name = "tests that count the queries which an edit runs again";
    let ended = shell::read(
        Command::new("cargo")
            .args(["test", "--workspace", "--test", "incremental"])
            .current_dir(workspace::root()),
    );
    if let Some(output) = report.expect(name, TARGET, ended) {
        let seen = output
            .lines()
            .find_map(|line| line.strip_prefix("test result: "))
            .unwrap_or("no test was run")
            .to_owned();
        let holds = seen.starts_with("ok.") && !seen.contains(" 0 passed");
        report.bar(name, &seen, TARGET, holds);
    }
}
