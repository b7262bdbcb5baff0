//! `cargo xtask bars house`: whether the sources can be read and changed one at a time.
//!
//! It reads the checkout and builds nothing; what builds stands in `extensions`.

use anyhow::Result;

use crate::report::Report;
use xtask::tidy::circles::{self, MOST_FILES};
use xtask::{tidy, workspace};

/// Lines that the map of the sources may have.
const MAP_LINES: usize = 250;

pub(super) fn measure(report: &mut Report) -> Result<()> {
    report.heading("Circles of imports between files");
    for circle in circles::largest()? {
        let files = circle.files.len();
        report.bar(
            &circle.name,
            &format!("{files} files"),
            &format!("<= {MOST_FILES}"),
            files <= MOST_FILES,
        );
    }
    report.heading("Files and documents");
    let found = tidy::findings()?;
    let none = |report: &mut Report, what: &str, count: usize| {
        report.bar(what, &count.to_string(), "0", count == 0);
    };
    none(report, "files of more than 500 lines of code", found.long);
    none(
        report,
        "files, links and commands that documents mention and are not there",
        found.missing,
    );
    let map = std::fs::read_to_string(workspace::root().join("ARCHITECTURE.md"))?;
    let lines = map.lines().count();
    report.bar(
        "lines of ARCHITECTURE.md",
        &lines.to_string(),
        &format!("<= {MAP_LINES}"),
        lines <= MAP_LINES,
    );
    Ok(())
}
