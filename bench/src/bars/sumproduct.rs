//! The bars of the sum-product optimizer: what it derives, decides, keeps, and how long it takes.
//!
//! Only the order and the targets stand here. Tests hold the first four by their assertions, and print the figures.

use std::process::Command;

use anyhow::{Context, Result};

use crate::bench::figures;
use crate::peer;
use crate::report::Report;
use xtask::{shell, workspace};

/// Tests of the whole workspace: the binary, the line that holds its figure, the bar, and its target.
const TESTS: [(&str, &str, &str, &str); 5] = [
    (
        "derivations",
        "figure 14: ",
        "patterns of Figure 14 that saturation derives",
        "84 of 84",
    ),
    (
        "derivations",
        "SystemDS: ",
        "rewrites of SystemDS that saturation derives",
        ">= 120, each other with its reason",
    ),
    (
        "completeness",
        " pairs from seed ",
        "prove against exact evaluation",
        "10000 pairs, none undecided, none wrong",
    ),
    (
        "optimizer",
        " expressions from seed ",
        "suggestions against evaluation",
        "20000 expressions, 0 failures within 1e-9",
    ),
    (
        "extraction",
        " compared, ",
        "exact extraction against greedy, fixtures and random expressions",
        "never worse",
    ),
];

/// Milliseconds: the figure of the benchmark, what it is of, and its limit.
const TIMES: [(&str, &str, f64); 5] = [
    (
        "small-median",
        "median of blocks of up to 15 operators",
        30.0,
    ),
    ("small-p95", "95th percentile of these", 200.0),
    // Below this the whole search is done before a first result would be shown.
    ("cancel-slowest", "slowest end of a cancelled search", 10.0),
    (
        "cancel-exact-slowest",
        "the same with exact extraction",
        10.0,
    ),
    ("large-slowest", "slowest of blocks of 200 operators", 300.0),
];

/// Measures all bars.
///
/// # Errors
/// The program does not build, or SystemDS cannot be installed.
pub(super) fn measure(report: &mut Report) -> Result<()> {
    report.heading("What holds by test");
    for (binary, figure, name, target) in TESTS {
        let seen = run(binary).and_then(|output| {
            let line = output.lines().find(|line| line.contains(figure));
            line.map(str::to_owned)
                .with_context(|| format!("no line with `{figure}`"))
        });
        if let Some(seen) = report.expect(name, target, seen) {
            report.bar(name, &seen, target, true);
        }
    }
    report.heading("How long a search takes");
    let figures = report.expect("the benchmark", "it runs", figures::of("saturation"));
    for (figure, name, limit) in TIMES {
        let seen = figures.as_ref().and_then(|figures| figures.get(figure));
        let text = seen.map_or_else(|| "not measured".to_owned(), |ms| format!("{ms:.1} ms"));
        let holds = seen.is_some_and(|ms| *ms < limit);
        report.bar(name, &text, &format!("< {limit} ms"), holds);
    }
    peer::workloads::measure(report)
}

/// Runs one binary of tests; what it prints if all of them pass.
fn run(binary: &str) -> Result<String> {
    shell::read(
        Command::new("cargo")
            .args(["test", "--workspace", "--test", binary, "--", "--nocapture"])
            .current_dir(workspace::root()),
    )
}
