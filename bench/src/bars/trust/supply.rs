//! Licences, sources and known faults of all packages: `cargo xtask supply`, as a bar.

use anyhow::Result;

use super::{Options, Program};
use crate::report::Report;
use xtask::supply;

pub(super) fn measure(report: &mut Report, _: &Program, _: &Options) -> Result<()> {
    let checked = supply::toolbox().and_then(|tools| supply::check(&tools));
    let (seen, holds) = match checked {
        Ok(()) => ("clean".to_owned(), true),
        Err(error) => (format!("{error:#}"), false),
    };
    report.bar(
        "`cargo deny check` and `npm audit`",
        &seen,
        "clean, or said where a database cannot be reached",
        holds,
    );
    Ok(())
}
