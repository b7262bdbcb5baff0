//! Running nests fast: by a compiler where the system has one, and by blocks of vectors always.
//!
//! Both run only nests all of whose places were proven to be inside of their buffers. Nothing here chooses loops. What a nest
//! means is what [`crate::nest::run`] says; sums may differ from it in their last bits, for products are not rounded before they
//! are added where the machine can do without.

mod aligned;
pub mod block;
mod bounds;
mod compiled;
mod machine;
mod measure;
mod plan;
mod real;
mod sums;

pub use aligned::Aligned;
pub use bounds::proven;
pub use compiled::{Compiled, Compiler};
pub use machine::Machine;
pub use measure::{Times, measure};
pub use real::Real;
