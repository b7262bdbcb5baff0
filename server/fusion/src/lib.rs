//! Operator-fusion plans: which operators of a DAG are computed together, why, and what each fused operator does.
//!
//! Four steps, each a module: [`explore`] finds every valid partial plan in one pass and keeps them in a memo table;
//! [`partition`] cuts the table into parts that can be decided alone; [`search`] finds the cheapest choice of what is
//! written to memory in between; [`kernel`] is what a fused operator computes, as data that a runtime executes and
//! people read.
//!
//! This crate is pure data over the `la` DAG. It must never know scripts, positions, e-graphs or matrices, and it never
//! executes anything. The same DAG, options and rates always give the same plan.

pub mod bits;
pub mod build;
pub mod cache;
pub mod costing;
mod cuts;
pub mod explore;
pub mod graph;
pub mod kernel;
pub mod memo;
pub mod opened;
pub mod partition;
pub mod placement;
pub mod plan;
mod print;
pub mod rates;
pub mod schedule;
pub mod search;
mod shared;
pub mod template;
mod templates;

pub use cache::{Cache, Statistics};
pub use explore::explore;
pub use graph::Graph;
pub use kernel::{Access, Finish, Kernel, Output, Slot, Step};
pub use memo::{Entry, Memo, Reference};
pub use partition::{Partition, Point, PointKind, partitions};
pub use placement::{Moves, Placement};
pub use plan::{Options, Plan, PlannedOperator, Policy, Share, plan};
pub use print::sign;
pub use rates::Rates;
pub use schedule::Unit;
pub use search::{Found, Limits};
pub use template::{Close, Pattern, Template};
