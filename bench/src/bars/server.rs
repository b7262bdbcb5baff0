//! The bars of the server: that it never makes a person wait.
//!
//! Each group of bars is a part of `cargo xtask bench server` that can be run alone; its targets stand there.

use std::path::Path;

use anyhow::Result;

use super::Sumac;
use crate::bench::server;
use crate::report::Report;

/// Measures all bars of the server.
///
/// # Errors
/// There is no server to measure.
pub(super) fn measure(report: &mut Report, checkout: Option<&Path>) -> Result<()> {
    server::measure_all(report, &Sumac::build_release()?, checkout);
    Ok(())
}
