//! `cargo xtask …`. What it does, the library says.
#![expect(clippy::print_stderr, reason = "a program for the terminal")]

use std::process::ExitCode;

fn main() -> ExitCode {
    match xtask::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
