//! `cargo xtask bench WHAT`: measures one thing on the release build and prints the figures.

pub(crate) mod figures;
pub(crate) mod kernels;
pub(crate) mod keystroke;
pub(crate) mod reparse;
pub(crate) mod server;
pub(crate) mod synthetic;
pub(crate) mod times;

use anyhow::Result;
use clap::Subcommand;

use crate::bars::Sumac;
use crate::report::Report;

/// The command line of `cargo xtask bench`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

/// What can be measured.
#[derive(Subcommand)]
enum What {
    /// The same searches under other ways to write down bound indices, in process
    Encodings,
    /// Kernels beside NumPy, SciPy and what the machine allows
    Kernels(kernels::Args),
    /// From a keystroke in the loss of fixtures/als_loss.dml to the hint that belongs to it, over stdio
    Keystroke {
        /// How many keystrokes
        #[arg(long, default_value_t = keystroke::ROUNDS)]
        rounds: usize,
    },
    /// One-character edits of a script of 5,000 lines, in process: the text, the tree and the errors after each
    Reparse,
    /// How long the server makes a person wait, over stdio
    Server(server::Args),
    /// Translation, saturation and extraction for the algorithms of the paper, and for random blocks, in process
    Saturation,
}

/// Measures and prints.
///
/// # Errors
/// There was nothing to measure, or a hint did not belong to the text it was shown with.
pub(crate) fn run(args: &Args) -> Result<()> {
    match &args.what {
        What::Keystroke { rounds } => {
            let latency = keystroke::measure(&Sumac::build_release()?, *rounds)?;
            println!("{latency}");
            anyhow::ensure!(latency.wrong.is_empty(), "hints of another text were shown");
            Ok(())
        }
        What::Kernels(args) => kernels::run(args),
        What::Server(args) => server::run(args),
        What::Encodings => figures::of("encodings").map(drop),
        What::Saturation => figures::of("saturation").map(drop),
        What::Reparse => {
            let mut report = Report::default();
            reparse::measure(&mut report)?;
            report.finish()
        }
    }
}
