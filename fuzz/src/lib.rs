//! What must hold of any bytes, each property written once: coverage-guided targets look for bytes of which it does not hold,
//! and a test of the main workspace replays the committed corpus with a stable compiler.
//!
//! A property panics where it does not hold, and depends on nothing but its bytes. It must never open a connection, run what
//! the bytes say outside of this process, or write anywhere but in a temporary folder of its own.
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod bytes;
mod cache_entries;
mod canonical;
mod configuration;
mod data_files;
mod dml_parse;
mod edits;
mod expressions;
mod extraction;
mod facts;
mod format;
mod messages;
mod places;
mod sketches;

/// A property and its name, which is that of its target and of its folder in `corpus`.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name.
    pub name: &'static str,
    /// Panics if the property does not hold of the bytes.
    pub check: fn(&[u8]),
}

const fn target(name: &'static str, check: fn(&[u8])) -> Target {
    Target { name, check }
}

/// All targets, in the order of their names.
pub const TARGETS: [Target; 11] = [
    target("cache_entries", cache_entries::check),
    target("canonical", canonical::check),
    target("configuration", configuration::check),
    target("data_files", data_files::check),
    target("dml_parse", dml_parse::check),
    target("edits", edits::check),
    target("extraction", extraction::check),
    target("facts", facts::check),
    target("format", format::check),
    target("messages", messages::check),
    target("sketches", sketches::check),
];

/// Checks the property of a target.
///
/// # Panics
/// The property does not hold of the bytes, or there is no target of this name.
pub fn check(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    let target = target.unwrap_or_else(|| panic!("there is no target `{name}`"));
    (target.check)(data);
}
