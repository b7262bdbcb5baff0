//! Sketches: programs with holes, their text, and the search for terms that fit them in any e-graph of egg.
//!
//! A sketch stands for a set of terms (sketch-guided equality saturation, section 3). [`text`] reads sketches as people
//! write them; [`Sketches`] holds them over the heads of any egg language, with conditions on class data; [`found`],
//! [`Extractor`], [`best_terms`] and [`nearest`] look for terms in an e-graph.
//!
//! What the paper leaves open is decided so:
//!
//! - *Shared parts.* A term is a DAG: equal subterms are one. The search for a cheapest term counts trees, because only
//!   then is it exact in polynomial time; [`Extractor::refined`] then counts each shared part once and improves on that.
//! - *`contains` under sharing.* A shared part lies below each of its users, so it satisfies the `contains` of all of
//!   them and is paid for once. Two `contains` may be satisfied by one and the same part.
//! - *Annotations* are conditions on the data of an e-class. All terms of a class have the same shape, so there such a
//!   condition says the same of each; of estimates, such as sparsity, it speaks of the tightest that is known.
//!
//! This crate must never know an operator, a cost model or a rule.

mod extract;
mod found;
mod nearest;
mod refine;
mod satisfy;
mod sketch;
pub mod text;
mod top;

pub use extract::{Chosen, Extractor, LocalCost, Score};
pub use found::{found, found_classes, found_unless};
pub use nearest::{Nearest, nearest, nearest_until};
pub use satisfy::satisfies;
pub use sketch::{Condition, Shape, SketchId, Sketches};
pub use top::best_terms;
