//! Every fuzz target with coverage as a guide, half an hour each: `cargo xtask fuzz`, as a bar.
//!
//! It builds the libraries of this checkout, not the program under measurement.

use anyhow::Result;

use super::{Options, Program};
use crate::fuzz;
use crate::report::Report;

const MINUTES: f64 = 30.0;

pub(super) fn measure(report: &mut Report, _: &Program, options: &Options) -> Result<()> {
    fuzz::measure(report, MINUTES * options.share)
}
