//! Prices: what a DAG costs on a machine, by the operators that an engine has, in one process or on a cluster.
//!
//! Estimates are made from shapes and sparsity alone. This crate must never know a script language, measure anything, or decide
//! which of two forms is taken.
//!
//! ```
//! use sumac_cost::{Machine, Priced};
//! use sumac_la::{Dag, Op, Type};
//!
//! let mut dag = Dag::default();
//! let x = dag.input("X", Type::matrix(1000, 100));
//! let sum = dag.op(Op::Sum, [x]).unwrap();
//! let cost = dag.cost(&[sum], &Machine::default()).unwrap();
//! assert_eq!(cost.flops, 100_000.0);
//! ```

mod chains;
mod cluster;
mod cost;
mod engine;
mod fused;
mod hoist;
mod machine;
mod memory;
mod polynomial;
mod priced;
mod region;
mod total;

pub use cluster::Cluster;
pub use cost::{Cost, matrix_bytes, op_cost, reads_against_rows};
pub use engine::Engine;
pub use fused::MOST_SAMPLED;
pub use hoist::Hoisted;
pub use machine::{FIGURES, Figure, Machine, Unit};
pub use memory::divisor_that_fits;
pub use polynomial::{Monomial, Order, Polynomial, product_text};
pub use priced::Priced;
pub use region::{Reads, Region, Regions};
