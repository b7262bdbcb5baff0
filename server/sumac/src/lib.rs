//! The parts of the binary `sumac`, as a library so that tests can drive them in process.
//!
//! The only crate that speaks protocol or terminal. What is shown is decided below, in `sumac-ide`.

pub mod cli;
pub mod config;
mod data_files;
pub mod languages;
mod learned_guides;
pub mod lsp;
pub mod machine;
mod measure;
mod nests;
mod outputs;
mod private;
pub mod script;
pub mod sketches;
pub mod store;
