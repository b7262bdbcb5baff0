//! The builtin functions of SystemDS as data: names, parameters, results and their sizes, and what each one does.
//!
//! The rows stand in `table/*.sig`, one file a group, in a small signature language ([`parse`] reads it once):
//!
//! ```text
//! lm(X: matrix, y: matrix, icpt: int = 0, verbose: bool = TRUE) -> (B: matrix[ncol(X) + (icpt > 0), 1])
//!     Fits a linear regression.
//!     icpt: {0, 1} whether an intercept is fitted
//!     @impure
//! ```
//!
//! Everyone who names a builtin reads this table: the checks, completion, help, and `docs/builtins.md`. This crate
//! must never know of scripts, values or editors, and it never says more of a function than SystemDS promises.

pub mod docs;
mod model;
pub mod parse;
mod print;
mod table;

pub use model::{
    Builtin, Extent, Group, Kind, Param, Presence, ResultValue, ShapeRule, Size, Source,
};
pub use table::{all, find};
