//! `cargo xtask bars TOPIC`: measures what the product promises and compares each figure with its target.
//!
//! A topic is a module and a line in [`Topic`]. Nothing here may loosen a target, leave out a bar without saying so,
//! or know an answer beforehand: every figure comes from running the release build or from analysing what it wrote.

mod analysed;
mod array;
mod array_speed;
mod broken;
mod build_times;
mod editors;
mod extensions;
mod forms;
mod fresh;
mod fusion;
mod house;
mod language;
mod losses;
mod options;
mod processor;
mod program;
mod python;
mod runtime;
mod server;
mod sketch_session;
mod sketches;
mod story;
mod sumac;
mod sumproduct;
mod timing;
mod trust;
mod truth;

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::ValueEnum;

use crate::report::Report;

pub(crate) use analysed::Analysed;
pub(crate) use sumac::Sumac;

/// The command line of `cargo xtask bars`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What to measure
    topic: Topic,
    /// Also clone the repository and run the commands of its README there, with nothing built or installed before
    #[arg(long)]
    fresh: bool,
    /// A checkout of apache/systemds, which the bars of the language, of the runtime and of the server are measured on
    #[arg(long, value_name = "PATH")]
    checkout: Option<PathBuf>,
    #[command(flatten)]
    options: options::Options,
}

/// What can be measured.
#[derive(Clone, Copy, ValueEnum)]
enum Topic {
    /// From opening a script to a proved, checked and measured suggestion
    Story,
    /// All of DML: its grammar, analysis, formatting and editing
    Language,
    /// The optimizer: derivations, decisions, soundness, time, and the paper's workloads in SystemDS
    Sumproduct,
    /// Fused operators: values, choices, planning, and what they take
    Fusion,
    /// Array programs: encodings, and loop nests by way of sketches
    Array,
    /// Scripts that run: SystemDS's values, the machine's limits, workers that die
    Runtime,
    /// Sketches: whether what fits is found, and what guides are worth
    Sketches,
    /// The language server under a person's hands: waiting, growing, cancelling, remembering
    Server,
    /// Nothing false: values, proofs, edits and claims, on inputs that were not known beforehand
    Truth,
    /// Nothing gets in, nothing gets lost, nothing loses digits: escapes, faults, rules, accuracy, fuzzing
    Trust,
    /// NumPy: what suggestions are worth there, and that they are right
    Python,
    /// The sources: circles of imports between files, what it takes to add something, how long builds take
    House,
}

/// Measures a topic; an error if a bar is missed.
pub(crate) fn run(args: &Args) -> Result<()> {
    let mut report = Report::default();
    match args.topic {
        Topic::Story => story::measure(&mut report, args.fresh)?,
        Topic::Fusion => fusion::measure(&mut report)?,
        Topic::Array => array::measure(&mut report)?,
        Topic::Sumproduct => sumproduct::measure(&mut report)?,
        Topic::Sketches => sketches::measure(&mut report)?,
        Topic::Runtime => runtime::measure(&mut report, args.checkout.as_deref())?,
        Topic::Server => server::measure(&mut report, args.checkout.as_deref())?,
        Topic::Language => language::measure(&mut report, args.checkout.as_deref())?,
        Topic::Truth => options::measure(&mut report, &truth::BARS, &args.options)?,
        Topic::House => {
            house::measure(&mut report)?;
            extensions::measure(&mut report)?;
            build_times::measure(&mut report, args.fresh)?;
        }
        Topic::Trust => options::measure(&mut report, &trust::BARS, &args.options)?,
        Topic::Python => options::measure(&mut report, &python::BARS, &args.options)?,
    }
    report.finish()?;
    if let (Topic::Truth | Topic::Trust | Topic::Python, Some(slice)) =
        (args.topic, args.options.slice())
    {
        bail!(
            "this was a slice ({slice}): what it measured holds, and it says nothing of the rest"
        );
    }
    Ok(())
}
