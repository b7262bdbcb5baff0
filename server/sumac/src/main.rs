//! The binary `sumac`: language server and command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    sumac::cli::main(std::env::args_os()).into()
}
