//! Configuration: `sumac.toml`, the client's settings and the command line, in layers of the same keys.
//!
//! The command line counts more than the client's settings, these more than the nearest `sumac.toml`, and that more
//! than the defaults. A wrong key or value is a [`Problem`] with its place; it never stops anything by itself, and
//! everything else in the file still counts.

mod client;
mod file;
mod layer;
mod ranges;
mod schema;
mod values;

pub use client::from_client;
pub use file::{FILE_NAME, Found, find, load, nearest_file, read};
pub use layer::{Layer, Problem, Wrong, keys};
pub use schema::{
    Cluster, CodeLens, Config, Diagnostics, Engine, Format, InlayHints, Limits, Search,
};
pub use values::{FactValue, Level, Memory, NotNegative, Positive, Scalar, bytes, seconds};
