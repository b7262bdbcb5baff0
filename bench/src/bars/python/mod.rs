//! `cargo xtask bars python`: what people who write NumPy are told, and what it is worth in real NumPy.
//!
//! A bar is a module and a line in [`BARS`]. Every figure comes from running the program on what a table names or a seed makes, and
//! from a NumPy that knows nothing of it.

mod cases;
mod functions;
mod numpy;
mod random;

use super::options::{Bar, Entry, Options};
use super::program::Program;

/// All bars.
pub(super) const BARS: [Entry; 2] = [
    (Bar::NumpyCases, "Cases from public code", cases::measure),
    (
        Bar::NumpyRandom,
        "Random functions of NumPy, as written and as suggested",
        random::measure,
    ),
];
