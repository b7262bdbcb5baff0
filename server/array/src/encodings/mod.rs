//! Four ways to keep functions in an e-graph, side by side: parameters by name or by De Bruijn index, substitution by
//! small steps in the graph or by way of the smallest term (sketch-guided equality saturation, Table 2).
//!
//! Terms have no types here, as in the paper's comparison. Searches of the product use one encoding only, the one that wins
//! here, with types; this module keeps the others so that the choice can be measured again. Nothing else may use it.

mod goals;
mod pattern;
mod plain;
mod rewrite;
mod tree;

pub use goals::{GOALS, Goal, goal};
pub use rewrite::{Outcome, search};

/// How functions and substitution are written down.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Encoding {
    /// Substitution by way of the smallest term, not by small steps.
    pub extraction: bool,
    /// Parameters by De Bruijn index, not by name.
    pub de_bruijn: bool,
}

/// All four, the naive one first.
pub const ENCODINGS: [Encoding; 4] = [
    Encoding {
        extraction: false,
        de_bruijn: false,
    },
    Encoding {
        extraction: false,
        de_bruijn: true,
    },
    Encoding {
        extraction: true,
        de_bruijn: false,
    },
    Encoding {
        extraction: true,
        de_bruijn: true,
    },
];

impl Encoding {
    /// In words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match (self.extraction, self.de_bruijn) {
            (false, false) => "explicit, named",
            (false, true) => "explicit, De Bruijn",
            (true, false) => "extraction, named",
            (true, true) => "extraction, De Bruijn",
        }
    }
}

#[cfg(test)]
mod tests;
