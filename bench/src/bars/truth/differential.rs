//! Random scripts in every way that there is to run one, against loops over cells: `cargo xtask differential`, as a bar.
//!
//! It runs the libraries of this checkout, not the program under measurement: policies, threads and compression are theirs.

use anyhow::Result;

use super::{Options, Program};
use crate::differential;
use crate::report::Report;

const SCRIPTS: usize = 30_000;
/// From so many scripts on, building with all optimizations pays.
const MANY: usize = 10_000;

pub(super) fn measure(report: &mut Report, _: &Program, options: &Options) -> Result<()> {
    let scripts = options.count(SCRIPTS);
    differential::measure(report, scripts as u64, options.seed, scripts >= MANY);
    Ok(())
}
