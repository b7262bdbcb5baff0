//! `cargo xtask bench server [WHAT]`: how long the server makes a person wait, over stdio with the release build.
//!
//! One file for each thing that is measured; each judges its figures by the targets that stand in it. Nothing here looks
//! into the server: what it costs is asked of the system, what it knows by the protocol.

mod cancel;
mod clients;
mod counting;
mod endurance;
mod heavy;
mod latency;
mod scaling;
mod typing;
mod workspace;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use clap::ValueEnum;

use crate::bars::Sumac;
use crate::client::document::Document;
use crate::client::{Launch, Session};
use crate::report::Report;

/// What can be measured of the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum What {
    /// From a keystroke to diagnostics and to the hint, and answers while a search runs
    Latency,
    /// What an edit costs in scripts of 200, 2,000 and 20,000 lines
    Scaling,
    /// Searches that an edit asks for and that it should not ask for
    Counting,
    /// From a cancel to a quiet processor
    Cancel,
    /// Thousands of scripts: time, memory, the first file
    Workspace,
    /// A hundred thousand edits: memory, and answers against a fresh server's
    Endurance,
    /// The same session through VS Code's and Neovim's capabilities
    Clients,
}

impl What {
    /// Everything, in the order of the report.
    const ALL: [What; 7] = [
        What::Latency,
        What::Scaling,
        What::Counting,
        What::Cancel,
        What::Workspace,
        What::Clients,
        What::Endurance,
    ];
}

/// The command line of `cargo xtask bench server`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What to measure; everything if nothing is named
    what: Option<What>,
    /// Measure this program instead of the release build of this checkout
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
    /// A checkout of apache/systemds: the workspace that is measured
    #[arg(long, value_name = "PATH")]
    checkout: Option<PathBuf>,
    /// Type less than the bars ask for: edits of `endurance`, things of each kind of `scaling`
    #[arg(long, value_name = "N")]
    edits: Option<usize>,
    /// Measure `scaling` in scripts of these lengths only
    #[arg(long, value_name = "LINES", value_delimiter = ',')]
    lines: Vec<usize>,
}

/// What is measured with, beside the server.
#[derive(Clone, Copy, Default)]
struct With<'a> {
    checkout: Option<&'a Path>,
    edits: Option<usize>,
    lines: &'a [usize],
}

/// Measures and prints; an error if a bar is missed.
///
/// # Errors
/// There is no server to measure, or a bar is missed.
pub(crate) fn run(args: &Args) -> Result<()> {
    let sumac = match &args.program {
        Some(program) => Sumac {
            program: program.clone(),
        },
        None => Sumac::build_release()?,
    };
    let mut report = Report::default();
    let with = With {
        checkout: args.checkout.as_deref(),
        edits: args.edits,
        lines: &args.lines,
    };
    match args.what {
        Some(what) => measure(&mut report, what, &sumac, with),
        None => measure_each(&mut report, &sumac, with),
    }
    report.finish()
}

/// Measures everything.
pub(crate) fn measure_all(report: &mut Report, sumac: &Sumac, checkout: Option<&Path>) {
    let with = With {
        checkout,
        ..With::default()
    };
    measure_each(report, sumac, with);
}

fn measure_each(report: &mut Report, sumac: &Sumac, with: With<'_>) {
    for what in What::ALL {
        measure(report, what, sumac, with);
    }
}

fn measure(report: &mut Report, what: What, sumac: &Sumac, with: With<'_>) {
    match what {
        What::Latency => latency::measure(report, sumac),
        What::Scaling => scaling::measure(report, sumac, with),
        What::Counting => counting::measure(report, sumac),
        What::Cancel => cancel::measure(report, sumac),
        What::Clients => clients::measure(report, sumac),
        What::Endurance => endurance::measure(report, sumac, with.edits),
        What::Workspace => workspace::measure(report, sumac, with.checkout),
    }
}

/// A session with a script open and everything about it known.
fn settled(program: &Path, text: &str) -> Result<(Session, Document)> {
    let mut session = Session::start(&Launch::new(program))?;
    let document = session.open(Path::new("/scripts/long.dml"), text)?;
    session.diagnostics(&document)?;
    session.settle()?;
    Ok((session, document))
}

/// `12.3 ms`.
fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}
