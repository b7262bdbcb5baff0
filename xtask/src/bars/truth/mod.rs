//! `cargo xtask bars truth`: nothing that Sumac computes, proves, edits or claims is false.
//!
//! A bar is a module and a line in [`BARS`]. Every figure comes from running the program on what a seed generates or a
//! table of cases names. A part of the bars, a share of their inputs, or another program than the one built here is
//! only ever a look: it never ends as if all had held.

mod blocks;
mod bounds;
mod cases;
mod corpus;
mod damaged;
mod data;
mod differential;
mod expressions;
mod options;
mod other_sizes;
mod prints;
mod processor;
mod program;
mod prove;
mod timed;

use anyhow::Result;

use options::Bar;
pub(crate) use options::Options;
use program::Program;

use super::Sumac;
use crate::report::Report;

/// What measures a bar.
type Measure = fn(&mut Report, &Program, &Options) -> Result<()>;

/// All bars, in the order in which they are measured: the quick ones first.
const BARS: [(Bar, &str, Measure); 8] = [
    (Bar::Prove, "Verdicts of `sumac prove`", prove::measure),
    (Bar::Cases, "Cases of hostile hands", cases::measure),
    (
        Bar::OtherSizes,
        "Suggestions under other sizes, arguments and callers than the facts say",
        other_sizes::measure,
    ),
    (Bar::Bounds, "Memory and time of a search", bounds::measure),
    (Bar::Damaged, "Edits beside syntax errors", damaged::measure),
    (
        Bar::Differential,
        "Random scripts under every fusion policy",
        differential::measure,
    ),
    (
        Bar::Corpus,
        "Suggestions over the corpus, in SystemDS",
        corpus::measure,
    ),
    (Bar::Timed, "What suggestions gain, timed", timed::measure),
];

/// Measures all bars, or those that the options name.
///
/// # Errors
/// The options make no sense, or there is no program to measure.
pub(super) fn measure(report: &mut Report, options: &Options) -> Result<()> {
    options.check()?;
    let program = match &options.program {
        Some(path) => Program::at(path)?,
        None => Program::at(&Sumac::build_release()?.program)?,
    };
    report.heading("What is measured");
    report.note(&format!(
        "{}\nseed {}, {}\n{}",
        program.shown(),
        options.seed,
        options.shown(),
        processor::shown(),
    ));
    for (bar, title, measure) in BARS {
        if !options.wants(bar) {
            continue;
        }
        report.heading(title);
        let name = bar.name();
        let measured = measure(report, &program, options);
        report.expect(&name, "can be measured", measured);
    }
    Ok(())
}
