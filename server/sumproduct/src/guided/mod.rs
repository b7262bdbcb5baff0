//! Sketch-guided search: a person says by sketches what a form is to look like on the way and at its end, and one search
//! after another looks for it (sketch-guided equality saturation, section 3.3).
//!
//! The graph is one of linear algebra ([`language`]), not of relations: a sketch is written in operators, and so it is
//! matched. [`rules`] are equations in sets that people name; [`stage`] is one search, [`run`] the sequence of them.
//! Every form that leaves this module is proved equal to the expression that came in, by the canonical form.
//!
//! Must never know scripts, files or positions; and no clock decides a result.

mod apply;
mod asks;
#[cfg(test)]
pub(crate) mod audit;
mod cache;
mod cost;
mod filter;
mod growth;
mod guide_cache;
mod language;
mod listed;
mod lower;
mod operators;
mod pattern;
mod reach;
mod rules;
mod run;
mod shapes;
mod stage;
mod synthesized_guide;
#[cfg(test)]
mod tests;

pub use cache::Cache;
pub use cost::{COSTS, Minimized};
pub use guide_cache::GuideStore;
pub use listed::{Refused, prove};
pub use reach::{could_apply, fits};
pub use rules::RULE_SETS;
pub use run::{Asked, Found, Miss, Progress, Reached, Unreached, guided, rules_of, vocabulary};
pub use stage::{Ended, Round, StageLimits, UNITS};
