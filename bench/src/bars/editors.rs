//! Every editing feature in a real VS Code or a real Neovim: which test shows which feature, and whether it passed.
//!
//! The table knows titles of tests and nothing else: what a test asserts stands in the test.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::report::Report;
use xtask::workspace;

const TARGET: &str = "its tests pass";

/// A feature, and the tests that show it: all of them must run and pass.
#[rustfmt::skip]
pub(super) const FEATURES: &[(&str, &[&str])] = &[
    ("completion",           &["completion writes a function with its dots and its parentheses"]),
    ("signature help",       &["signature help marks the parameter at the cursor"]),
    ("hover",                &["hover of a builtin says what it does"]),
    ("definition",           &["a call leads to the function in another file"]),
    ("type definition",      &["a variable leads to its assignment, and its type to the function that made it"]),
    ("references",           &["references are found in files that are not open"]),
    ("rename",               &["a function is renamed in every file", "a name that is taken is refused, and the message says by what"]),
    ("document highlight",   &["other places of a name are highlighted, reads and writes apart"]),
    ("document symbols",     &["the outline of a script is offered"]),
    ("workspace symbols",    &["functions of the workspace are found by a part of their name"]),
    ("folding",              &["a function folds, and its closing brace stays"]),
    ("selection ranges",     &["a selection grows from the word to the statement"]),
    ("call hierarchy",       &["callers are listed across files"]),
    ("document links",       &["paths are links to scripts and data"]),
    ("semantic tokens",      &["sparse matrices and dense ones have colours of their own", "colours follow an edit"]),
    ("shape hints",          &["shapes and references come when they are switched on"]),
    ("reference lenses",     &["a click on the number of references shows them"]),
    ("linked editing",       &["a namespace and its uses are edited together"]),
    ("diagnostics",          &["a mismatch is shown with the places that explain it", "sumac.toml decides how serious a diagnostic is, as soon as it is saved"]),
    ("quick fixes",          &["a quick fix transposes the operand that would fit", "a diagnostic can be allowed for one statement"]),
    ("failed asserts",       &["an assert that does not hold comes with the values that refute it"]),
    ("alternatives",         &["the alternatives stand side by side, and one of them can be chosen", "a form that was made for an earlier text is not applied"]),
    ("formatting",           &["a document is formatted, comments and all"]),
    ("range formatting",     &["a selection is formatted, and only that", "a range is formatted, and only that"]),
    ("on-type formatting",   &["a typed brace puts its line where it belongs"]),
    ("file watching",        &["a file that changes on disk is followed"]),
];

/// Runs the tests in both editors and looks every feature up in what they print: each of its tests must pass in so many of
/// the editors.
///
/// # Errors
/// The tests cannot be started.
pub(super) fn measure(
    report: &mut Report,
    features: &[(&str, &[&str])],
    editors: usize,
) -> Result<()> {
    let (passed, all_passed) = run()?;
    report.bar(
        "both editors' tests",
        if all_passed { "all pass" } else { "some fail" },
        "all pass",
        all_passed,
    );
    for (feature, tests) in features {
        let missing: Vec<&str> = tests
            .iter()
            .filter(|test| passed.iter().filter(|line| line.contains(**test)).count() < editors)
            .copied()
            .collect();
        let seen = if missing.is_empty() {
            format!("{} pass", tests.len())
        } else {
            format!("not passed: {}", missing.join("; "))
        };
        report.bar(feature, &seen, TARGET, missing.is_empty());
    }
    Ok(())
}

/// The lines of tests that passed, and whether all did. What the tests print is printed on.
fn run() -> Result<(Vec<String>, bool)> {
    let mut child = Command::new("cargo")
        .args(["xtask", "test", "--only", "vscode", "--only", "neovim"])
        .current_dir(workspace::root())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start cargo")?;
    let output = child.stdout.take().context("the tests have no output")?;
    let mut passed = Vec::new();
    for line in BufReader::new(output).lines() {
        let line = line?;
        println!("        {line}");
        if is_pass(&line) {
            passed.push(line);
        }
    }
    Ok((passed, child.wait()?.success()))
}

/// `ok      title` as Neovim's harness prints it, `[  1.2 s] ok     title` as that of VS Code does.
fn is_pass(line: &str) -> bool {
    let words = line.split_once("] ").map_or(line, |(_, words)| words);
    words.trim_start().starts_with("ok ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_passed_tests_count() {
        assert!(is_pass("ok      a function folds"));
        assert!(is_pass("[   1.2 s] ok     a function folds"));
        assert!(!is_pass("[   1.2 s] FAILED a function folds"));
        assert!(!is_pass("a function folds ok "));
    }
}
