//! `cargo xtask peer WHAT PATH`: compares what we say about scripts with what SystemDS itself says about them, and our loop nests
//! with TVM's.
//!
//! A comparison is a module and a line in [`What`]. Every expectation comes from running SystemDS; none is written here.

pub(crate) mod algorithms;
pub(crate) mod builtins;
pub(crate) mod check;
mod compiler;
mod conversation;
mod costs;
pub(crate) mod fusion;
mod guess;
pub(crate) mod refusals;
mod reviewed;
pub(crate) mod runs;
mod scripts;
pub(crate) mod shapes;
pub(crate) mod suggestions;
pub(crate) mod systemds;
pub(crate) mod tree;
pub(crate) mod tvm;
pub(crate) mod workloads;

use std::path::PathBuf;

use anyhow::Result;
use clap::Subcommand;

use crate::report::Report;

/// The command line of `cargo xtask peer`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

/// What can be compared.
#[derive(Subcommand)]
enum What {
    /// The table of builtins, name by name and parameter by parameter
    Builtins {
        /// A checkout of apache/systemds
        checkout: PathBuf,
    },
    /// Every error that we report below a checkout of apache/systemds, beside SystemDS's verdict
    Check {
        /// The checkout
        checkout: PathBuf,
    },
    /// The size of every variable of every script below a checkout of apache/systemds
    Shapes {
        /// The checkout
        checkout: PathBuf,
        /// Also print what only one side knows
        #[arg(long)]
        all: bool,
    },
    /// The structure of every statement of every script below a checkout of apache/systemds
    Tree {
        /// The checkout
        checkout: PathBuf,
        /// Also write down how SystemDS takes each script, for `cargo xtask corpus`
        #[arg(long)]
        record: bool,
    },
    /// What SystemDS's own test scripts print and write, run by both
    Runs(runs::Args),
    /// Thousands of small scripts that SystemDS may refuse, beside what we say of them
    Refusals(refusals::Args),
    /// Everything that is suggested: compiled by SystemDS, and a sample run as written and as suggested
    Suggestions(suggestions::Args),
    /// What SystemDS's operators take, and the figures of the machine that fit these times best
    Costs,
    /// The fusion paper's examples in SystemDS with and without generated code, NumPy, SciPy and JAX
    Fusion(fusion::Args),
    /// Whole algorithms, run by both
    Algorithms(algorithms::Args),
    /// Loop nests for a product of matrices, beside TVM's schedules of the same names
    Tvm,
    /// The paper's workloads in SystemDS, as written and as suggested
    Workloads,
}

/// Compares; an error if a bar is missed.
///
/// # Errors
/// SystemDS cannot be installed or run, or a bar is missed.
pub(crate) fn run(args: &Args) -> Result<()> {
    let mut report = Report::default();
    match &args.what {
        What::Builtins { checkout } => builtins::measure(&mut report, checkout)?,
        What::Check { checkout } => check::measure(&mut report, checkout)?,
        What::Shapes { checkout, all } => shapes::measure(&mut report, checkout, *all)?,
        What::Runs(args) => runs::measure(&mut report, args)?,
        What::Refusals(args) => refusals::measure(&mut report, args)?,
        What::Suggestions(args) => {
            suggestions::measure(&mut report, args)?;
        }
        What::Costs => costs::measure(&mut report)?,
        What::Fusion(args) => fusion::measure(&mut report, args)?,
        What::Algorithms(args) => algorithms::measure(&mut report, args)?,
        What::Tvm => tvm::measure(&mut report)?,
        What::Workloads => workloads::measure(&mut report)?,
        What::Tree { checkout, record } => tree::measure(&mut report, checkout, *record)?,
    }
    report.finish()
}
