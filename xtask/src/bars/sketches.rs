//! The bars of sketches: that the search for terms that fit is right, and what guides are worth.
//!
//! Only the order and the targets stand here. Tests hold the bars by their assertions, and print the figures.

use std::process::Command;

use anyhow::{Context, Result};

use crate::report::Report;
use crate::{shell, workspace};

/// Random e-graphs that extraction is held against.
const CASES: &str = "5000";

/// Tests: what is run, what the line that holds the figure contains, the bar, and its target.
const TESTS: [(&[&str], &str, &str, &str); 3] = [
    (
        &["-p", "sumac-sketch", "--test", "agree"],
        " cases agree",
        "satisfaction, extraction and its cost against looking at every term",
        "5000 random e-graphs with sketches, none differs",
    ),
    (
        &["-p", "sumac-tests", "--test", "sketches"],
        "sketches: ",
        "the paper's five workloads and six forms within a twentieth of the budget",
        "all with guides, at most half without",
    ),
    (
        &["-p", "sumac-sumproduct", "--lib", "editing_the_last_guide"],
        "1 passed",
        "editing the last of three guides",
        "runs that guide only, as counted",
    ),
];

/// What is promised and cannot be measured yet: the bar, why, and its target.
const NOT_YET: [(&str, &str, &str); 2] = [
    (
        "a sketch search in an editor that takes long",
        "editors do not search by sketches yet",
        "progress and a best-so-far, and ends within 50 ms of a cancel",
    ),
    (
        "sketches in real editors",
        "editors do not search by sketches yet",
        "all features in VS Code and Neovim",
    ),
];

/// Measures all bars.
///
/// # Errors
/// None today; as the other topics have it.
pub(super) fn measure(report: &mut Report) -> Result<()> {
    report.heading("What holds by test");
    for (args, figure, name, target) in TESTS {
        let seen = run(args).and_then(|output| {
            for line in output.lines().filter(|line| line.contains("reached")) {
                report.note(line);
            }
            let line = output.lines().find(|line| line.contains(figure));
            line.map(|line| line.trim().to_owned())
                .with_context(|| format!("no line with `{figure}`"))
        });
        if let Some(seen) = report.expect(name, target, seen) {
            let holds = unguided(&seen).is_none_or(|(unguided, all)| 2 * unguided <= all);
            report.bar(name, &seen, target, holds);
        }
    }
    report.heading("In an editor");
    for (name, why, target) in NOT_YET {
        report.not_run(name, why, target);
    }
    Ok(())
}

/// How many of how many forms the unguided search reaches, of the line `sketches: 11 of 11 reached with guides, 5 without`.
fn unguided(line: &str) -> Option<(usize, usize)> {
    let (guided, without) = line.strip_prefix("sketches: ")?.split_once(", ")?;
    let all = guided.split(' ').nth(2)?;
    let unguided = without.split(' ').next()?;
    Some((unguided.parse().ok()?, all.parse().ok()?))
}

/// Runs tests in the release profile; what they print if all of them pass.
fn run(args: &[&str]) -> Result<String> {
    shell::read(
        Command::new("cargo")
            .args(["test", "--release"])
            .args(args)
            .args(["--", "--nocapture"])
            .env("SKETCH_CASES", CASES)
            .current_dir(workspace::root()),
    )
}

#[cfg(test)]
mod tests {
    use super::unguided;

    #[test]
    fn the_line_of_the_workloads_is_read() {
        let line = "sketches: 11 of 11 reached with guides, 5 without";
        assert_eq!(unguided(line), Some((5, 11)));
        assert_eq!(unguided("5000 cases agree"), None);
    }
}
