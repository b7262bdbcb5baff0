//! Everything that is suggested over the corpus, in SystemDS 3.4: `cargo xtask peer suggestions`, as a bar.
//!
//! The corpus is the scripts of a checkout of apache/systemds, the fixtures, and generated ones that SystemDS can run.

use anyhow::Result;

use super::{Options, Program};
use crate::corpus;
use crate::peer::suggestions;
use crate::report::Report;

/// Scripts that are generated: more than are run, for not all of them have a suggestion.
const GENERATED: usize = 1050;
const RUN: usize = 500;

pub(super) fn measure(report: &mut Report, program: &Program, options: &Options) -> Result<()> {
    if let Err(error) = corpus::checkout(None) {
        let name = "scripts of a checkout of apache/systemds";
        report.bar(name, &format!("{error:#}"), "among the corpus", false);
    }
    let wanted = options.count(RUN);
    let args = suggestions::Args::new(
        options.count(GENERATED),
        options.seed,
        wanted,
        program.path().to_path_buf(),
    );
    let ran = suggestions::measure(report, &args)?;
    report.bar(
        "scripts run by SystemDS as written and as suggested",
        &ran.to_string(),
        &format!(">= {wanted}"),
        ran >= wanted,
    );
    Ok(())
}
