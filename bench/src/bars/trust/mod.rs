//! `cargo xtask bars trust`: nothing gets in, nothing gets lost, nothing loses digits.
//!
//! A bar is a module and a line in [`BARS`]. What is measured is the program, the libraries of this checkout where a module says
//! so, and never an answer that is written down here.

mod accuracy;
mod attacks;
mod escapes;
mod faults;
mod fuzz;
mod generated;
mod rules;
mod supply;
mod undefined;

use super::options::{Bar, Entry, Options};
use super::program::Program;

/// All bars, in the order in which they are measured: the quick ones first.
pub(super) const BARS: [Entry; 9] = [
    (
        Bar::Supply,
        "Licences, sources and known faults of packages",
        supply::measure,
    ),
    (
        Bar::Attacks,
        "Each kind of attack that once succeeded, as tests",
        attacks::measure,
    ),
    (
        Bar::Escapes,
        "Ways out, with and without Landlock",
        escapes::measure,
    ),
    (
        Bar::Faults,
        "A thousand faults of processes, pipes, disks, files and clocks",
        faults::measure,
    ),
    (
        Bar::Undefined,
        "Undefined behaviour and orders of threads",
        undefined::measure,
    ),
    (
        Bar::Rules,
        "Every rewrite rule: fires, is equal, and what digits it loses",
        rules::measure,
    ),
    (
        Bar::Generated,
        "Random scripts in every way to run one",
        generated::measure,
    ),
    (
        Bar::Accuracy,
        "Digits that suggestions lose, against a search of its own",
        accuracy::measure,
    ),
    (Bar::Fuzz, "Fuzz targets", fuzz::measure),
];
