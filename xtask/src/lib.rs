//! `cargo xtask …`: the habits of the house, in Rust.
//!
//! One subcommand is one module with two public items: `Args`, what the command line says, and `run`,
//! which does it. A new habit is a module, a line in [`Task`] and a line in [`run`]. What measures the product lies in `bench`, a
//! program of its own, which only those build who call it: [`LABORATORY`] names its commands.
//! Nothing here is part of the product, and nothing here writes outside the checkout and the folder of test tools.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "for the terminal: what is printed is the result"
)]

mod codegen;
pub mod setup;
pub mod shell;
pub mod supply;
mod test;
pub mod tidy;
pub mod tools;
pub mod workspace;

use std::ffi::OsString;
use std::process::Command;

use anyhow::Result;
use clap::{Arg, CommandFactory, FromArgMatches, Parser, Subcommand};

/// Tests, set-up, generated files and tidiness of this repository.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install what the tests need, then run all of them
    Test(test::Args),
    /// Only install what the tests need
    Setup(setup::Args),
    /// Check licences, sources and known faults of all packages; write notices and a bill of materials
    Supply(supply::Args),
    /// Regenerate the committed generated files (the parsers, the page of builtins)
    Codegen(codegen::Args),
    /// Check the conventions no compiler knows: module comments, file lengths, leftovers
    Tidy(tidy::Args),
}

/// The commands of the package `sumac-bench` by name, and what they do.
pub const LABORATORY: [(&str, &str); 9] = [
    (
        "bars",
        "Measure what the product promises, figure by figure, against its targets",
    ),
    ("bench", "Measure one thing and print its figures"),
    (
        "corpus",
        "Parse every script of a checkout of apache/systemds and hold that against what SystemDS accepts",
    ),
    (
        "differential",
        "Run random scripts in every way and hold what they give against an evaluator of loops over cells",
    ),
    (
        "format-corpus",
        "Format every script of a checkout and check that nothing is lost",
    ),
    (
        "fuzz",
        "Look for bytes on which what must hold of any bytes does not, with coverage as a guide",
    ),
    (
        "peer",
        "Compare what we say about scripts with what SystemDS says",
    ),
    (
        "replay",
        "Say to a server again what a client once said, and compare its answers with those of then",
    ),
    (
        "stress",
        "Type into a server, like a person or like a machine, and hold what it says against a fresh server",
    ),
];

/// What `cargo xtask` takes.
#[must_use]
pub fn command() -> clap::Command {
    let words = || {
        Arg::new(WORDS)
            .num_args(0..)
            .trailing_var_arg(true)
            .allow_hyphen_values(true)
            .value_parser(clap::value_parser!(OsString))
    };
    let laboratory = LABORATORY.map(|(name, about)| {
        let command = clap::Command::new(name).about(about);
        command.disable_help_flag(true).arg(words())
    });
    Cli::command().subcommands(laboratory)
}

/// What is handed on as it is.
const WORDS: &str = "words";

/// Does what the command line of this process says.
///
/// # Errors
/// What was to be done did not succeed, in words for people.
pub fn run() -> Result<()> {
    let matches = command().get_matches();
    if let Some((name, below)) = matches.subcommand()
        && LABORATORY.iter().any(|(known, _)| *known == name)
    {
        let words = below.get_many::<OsString>(WORDS).into_iter().flatten();
        return in_laboratory(name, words);
    }
    match Cli::from_arg_matches(&matches)?.task {
        Task::Test(args) => test::run(&args),
        Task::Setup(args) => setup::run(&args),
        Task::Supply(args) => supply::run(&args),
        Task::Codegen(args) => codegen::run(&args),
        Task::Tidy(args) => tidy::run(&args),
    }
}

/// Builds the program that measures, and runs it with these words.
fn in_laboratory<'a>(name: &str, words: impl Iterator<Item = &'a OsString>) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["run", "--quiet", "--package", "sumac-bench", "--", name])
        .args(words)
        .status()?;
    // It has said what there is to say.
    std::process::exit(status.code().unwrap_or(1));
}
