//! The database: everything that is known of files, computed when asked for and kept until something it read changes.
//!
//! Inputs are the texts of scripts, the beginnings of data and metadata files, and the settings. An input that no
//! one has set is read through [`crate::Files`] when a query first asks for it; nothing else here looks at a disk. Queries
//! are pure functions of inputs and of other queries.

pub(crate) mod api;
pub(crate) mod assemble;
mod chain;
mod change;
pub(crate) mod database;
mod imports;
mod inlined;
pub(crate) mod inputs;
mod key;
mod outline;
mod queries;
pub(crate) mod recorded;
pub(crate) mod resolve;
mod row;
mod rows;
mod segment_tree;
pub(crate) mod segments;
pub(crate) mod signature;
pub(crate) mod unit;
pub(crate) mod world;
