//! What it takes to add something: patches under `tests/extension/`, each of which adds one operator, one rule or one engine to a copy of
//! the checkout, where it is built and tested.
//!
//! Above the first file of a patch stand its reason and the commands that show that it works, each behind `Run: `. Must change nothing in
//! the checkout itself.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::report::Report;
use xtask::{shell, workspace};

/// The patches, and how many files of the product each may touch.
const EXTENSIONS: [(&str, usize); 5] = [
    ("operator", 3),
    ("rule", 1),
    ("sketch-rule", 1),
    ("array-rule", 1),
    ("engine", 2),
];

/// What is built of the copies.
fn built() -> PathBuf {
    workspace::target().join("extension")
}

fn file_of(name: &str) -> PathBuf {
    let folder = workspace::root().join("tests/extension");
    folder.join(format!("{name}.patch"))
}

pub(super) fn measure(report: &mut Report) -> Result<()> {
    report.heading("What it takes to add something");
    // Outside of the checkout, whose files tests of a copy inside would take for their own; at one place, so that little is built anew.
    let copy = std::env::temp_dir().join("sumac-extension");
    for (name, most) in EXTENSIONS {
        let patch = fs::read_to_string(file_of(name))?;
        let files = touched(&patch).len();
        report.bar(
            &format!("files of the product that an added {name} touches"),
            &files.to_string(),
            &format!("<= {most}"),
            files <= most,
        );
        let tried = copied(&copy).and_then(|()| added(&copy, name, &patch));
        let (seen, holds) = match &tried {
            Ok(()) => ("it does".to_owned(), true),
            Err(error) => (format!("{error:#}"), false),
        };
        report.bar(&format!("an added {name} works"), &seen, "it does", holds);
    }
    if copy.is_dir() {
        fs::remove_dir_all(&copy)?;
    }
    Ok(())
}

/// The files of the product that a patch changes: neither tests nor what people read.
fn touched(patch: &str) -> BTreeSet<&str> {
    let files = patch.lines().filter_map(|line| line.strip_prefix("+++ b/"));
    files
        .filter(|file| !file.contains("/tests/") && !file.ends_with(".md"))
        .collect()
}

/// The commands of a patch.
fn commands(patch: &str) -> impl Iterator<Item = Vec<&str>> {
    let lines = patch.lines().filter_map(|line| line.strip_prefix("Run: "));
    lines.map(|line| line.split_whitespace().collect())
}

/// A copy of the last commit, as it was committed.
fn copied(copy: &Path) -> Result<()> {
    if copy.is_dir() {
        fs::remove_dir_all(copy)?;
    }
    let mut clone = Command::new("git");
    clone.args(["clone", "--quiet", "--shared"]);
    shell::run(clone.arg(workspace::root()).arg(copy))
}

/// Applies a patch to a copy and runs its commands there.
fn added(copy: &Path, name: &str, patch: &str) -> Result<()> {
    let mut apply = Command::new("git");
    apply.current_dir(copy).arg("apply").arg(file_of(name));
    shell::run(&mut apply)?;
    for words in commands(patch) {
        let (program, arguments) = words.split_first().context("an empty command")?;
        anyhow::ensure!(
            *program == "cargo",
            "a patch may run cargo, and not `{program}`"
        );
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(copy)
            .env("CARGO_TARGET_DIR", built())
            .env_remove("CARGO_MANIFEST_DIR");
        shell::run(&mut command)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_patch_says_how_it_is_tried_and_fits_to_the_checkout() {
        for (name, most) in EXTENSIONS {
            let patch = fs::read_to_string(file_of(name)).unwrap();
            assert!(commands(&patch).count() > 0, "{name}");
            assert!((1..=most).contains(&touched(&patch).len()), "{name}");
            let mut check = Command::new("git");
            check.current_dir(workspace::root());
            check.args(["apply", "--check"]).arg(file_of(name));
            let checked = check.output().unwrap();
            let said = String::from_utf8_lossy(&checked.stderr);
            assert!(checked.status.success(), "{name}: {said}");
        }
    }

    #[test]
    fn tests_and_pages_are_no_files_of_the_product() {
        let patch = "Run: cargo test\n+++ b/server/la/src/table.rs\n+++ b/tests/tests/a.rs\n+++ b/docs/b.md\n";
        assert_eq!(
            touched(patch).into_iter().collect::<Vec<_>>(),
            ["server/la/src/table.rs"]
        );
    }
}
