//! The bars of sketches: that the search for terms that fit is right, and what guides are worth.
//!
//! Only the order and the targets stand here. Tests hold the bars by their assertions, and print the figures.

use std::process::Command;

use anyhow::{Context, Result};

use super::{Sumac, editors, sketch_session};
use crate::report::Report;
use xtask::{shell, workspace};

/// Random e-graphs that extraction is held against.
const CASES: &str = "5000";

/// Tests: what is run, what the line that holds the figure contains, the bar, and its target.
const TESTS: [(&[&str], &str, &str, &str); 8] = [
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
    (
        &["-p", "sumac-tests", "--test", "growths"],
        "growths: ",
        "searches that look through what others grew",
        "each finds what it finds alone",
    ),
    (
        &["-p", "sumac-sumproduct", "--lib", "guided::filter"],
        "3 passed",
        "growth filters",
        "all forms below one are found, and none above it is made",
    ),
    (
        &["-p", "sumac-sumproduct", "--lib", "guided::listed"],
        "3 passed",
        "rules that a sketch file lists",
        "proved for all sizes before they run, refused with a reason otherwise",
    ),
    (
        &["-p", "sumac-tests", "--test", "offers"],
        "offers: ",
        "sketches that a menu offers, beside real searches",
        "none that fits is left out",
    ),
    (
        &["-p", "sumac-sketch", "--test", "text"],
        "0 failed",
        "both readers of sketch files, and their layout",
        "one tree, all comments, a second pass changes nothing",
    ),
];

/// What sketches are in an editor, and the tests in VS Code and Neovim that show it.
#[rustfmt::skip]
const FEATURES: &[(&str, &[&str])] = &[
    ("diagnostics of sketch files",   &["a wrong operator in a sketch is marked, until it is put right"]),
    ("colours of sketch files",       &["parameters, operators and rules of a sketch have colours of their own"]),
    ("completion in sketch files",    &["completion in a sketch offers what may stand there"]),
    ("hover in sketch files",         &["hover on a sketch says what it is for and what fits it"]),
    ("definition across imports",     &["an abstraction leads to its definition in another sketch file"]),
    ("rename across imports",         &["an abstraction is renamed in every sketch file"]),
    ("layout of sketch files",        &["a sketch file is laid out, comments and all"]),
    ("rules of a person's own",       &["a rule that does not hold is marked with values that show it"]),
    ("pins across files",             &["a sketch is renamed with the pins in scripts, and leads to them"]),
    ("a sketch as a code action",     &["a sketch of the workspace is an action on the statement, and writes the form that fits"]),
    ("a preview before the edit",     &["what sketches make of a statement is shown before one is chosen"]),
    ("a sketch that does not fit",    &["a sketch that does not fit says which guide was not reached"]),
    ("a lens on a sketch",            &["a lens on a sketch says where it fits, and shows the places"]),
    ("a sketch from a form",          &["a sketch is written from the suggested form"]),
    ("a sketch from an edit",         &["an edit of a statement becomes a sketch above it"]),
    ("a pinned sketch",               &["a pinned sketch makes the hint, and a pin that leads nowhere is marked"]),
];

/// Measures all bars.
///
/// # Errors
/// There is no server to measure, or the editors' tests cannot be started.
pub(super) fn measure(report: &mut Report) -> Result<()> {
    report.heading("What holds by test");
    for (args, figure, name, target) in TESTS {
        let seen = run(args).and_then(|output| {
            let is_figure =
                |line: &&str| line.contains("reached") || line.starts_with("an edited goal");
            output
                .lines()
                .filter(is_figure)
                .for_each(|line| report.note(line));
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
    sketch_session::measure(report, &Sumac::build_release()?);
    editors::measure(report, FEATURES, 2)
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
