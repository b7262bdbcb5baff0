//! `cargo xtask bars truth`: nothing that Sumac computes, proves, edits or claims is false.
//!
//! A bar is a module and a line in [`BARS`]. Every figure comes from running the program on what a seed generates or a
//! table of cases names. A part of the bars, a share of their inputs, or another program than the one built here is
//! only ever a look: it never ends as if all had held.

pub(super) mod blocks;
mod bounds;
mod cases;
mod corpus;
mod damaged;
mod data;
mod differential;
mod expressions;
mod other_sizes;
mod prints;
mod prove;
mod timed;

use super::options::{Bar, Entry, Options};
use super::program::Program;
use super::{processor, program};

/// All bars, in the order in which they are measured: the quick ones first.
pub(super) const BARS: [Entry; 8] = [
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
