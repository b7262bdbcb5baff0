//! Two hundred thousand random scripts in every way that there is to run one, against loops over cells:
//! `cargo xtask differential`, as a bar.
//!
//! It runs the libraries of this checkout, not the program under measurement. A slice with a seed of its own measures other scripts:
//! each following script has the next seed.

use anyhow::Result;

use super::{Options, Program};
use crate::differential;
use crate::report::Report;

const SCRIPTS: usize = 200_000;

pub(super) fn measure(report: &mut Report, _: &Program, options: &Options) -> Result<()> {
    differential::measure(report, options.count(SCRIPTS) as u64, options.seed, true);
    Ok(())
}
