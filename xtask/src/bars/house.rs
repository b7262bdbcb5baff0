//! `cargo xtask bars house`: whether the sources can be read and changed one at a time.
//!
//! It reads the checkout and builds nothing.

use anyhow::Result;

use crate::report::Report;
use crate::tidy::circles::{self, MOST_FILES};

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
    Ok(())
}
