//! SPORES: sum-product optimization by relational equality saturation.
//!
//! An expression of linear algebra becomes relations ([`translate`]), its polyterm is planned and stated
//! ([`expand`]), the rules of relational algebra grow an e-graph ([`rules`], [`saturate`]), the cheapest term is
//! chosen ([`candidates`], [`extract`]) and comes back as linear algebra. [`optimize()`] is that way from end to end.
//!
//! This crate sees only `la`'s DAG. It must never know scripts, positions, kernels or clocks that decide results.

mod axes;
mod build;
mod candidates;
pub mod canonical;
mod degrees;
mod derive;
mod expand;
pub mod explain;
mod extract;
mod fold;
mod footprint;
mod fusions;
mod grow;
pub mod guided;
mod invariants;
mod joint;
mod mirrors;
mod normalized;
mod optimize;
mod options;
mod prices;
mod problem;
mod ra;
#[cfg(test)]
mod rule_audit;
mod rules;
mod saturate;
#[cfg(test)]
mod soundness;
mod symmetry;
mod tidy;
mod translate;

pub use derive::{Derivation, derives};
pub use grow::Graph;
pub use optimize::{Loop, NoOutcome, Outcome, Phases, Request, SearchStats, optimize, price};
pub use options::{CostModel, Extraction, Options, Strategy, node_budget};
pub use problem::Problem;
pub use saturate::Stopped;
