//! Faults that need no chance: full disks, clients that do not read, files that were cut off, workers that are killed. What chance
//! finds beyond these, `cargo xtask bars trust --only faults` looks for.
#![cfg(target_os = "linux")]

mod disk;
mod files;
mod server;
#[path = "../support/mod.rs"]
mod support;

use std::process::Output;

use support::Folder;

/// How it ended, and what it said on its error stream. It never fell over.
#[track_caller]
fn told(output: &Output) -> (i32, String) {
    let told = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(!told.contains("panicked"), "{told}");
    let code = output.status.code();
    (
        code.unwrap_or_else(|| panic!("ended by a signal: {told}")),
        told,
    )
}
