//! Functional array programs: a typed lambda calculus of patterns over arrays, with sizes in its types.
//!
//! A program says what is computed ([`Program`]); rules rewrite it into one that says how. What a program means is what
//! the interpreter says ([`interpret`]). This crate must never know scripts, editors, or the runtime's kernels.

pub mod algebra;
mod apply;
mod arena;
pub mod encodings;
pub mod exec;
mod graph;
mod grow;
pub mod guided;
mod infer;
mod interpret;
mod matching;
mod nat;
pub mod nest;
mod node;
mod prim;
mod program;
pub mod rules;
#[cfg(test)]
mod sampled;
pub mod sketch;
pub mod steps;
pub mod text;
pub mod tiles;
mod types;
mod unify;
pub mod value;
mod vectors;

pub use arena::{Arena, normal};
pub use graph::{Calculus, Class, Graph};
pub use grow::{Ended, Growth, Limits, Round, grow};
pub use interpret::interpret;
pub use matching::View;
pub use nat::{Nat, NatVar};
pub use node::{Bits, Free, Head, Node, Term, size};
pub use prim::{PRIMS, Prim, Row};
pub use program::{Program, Sizes};
pub use types::{Kind, NatId, Scalar, Type, TypeId, TypeVar, Types};
