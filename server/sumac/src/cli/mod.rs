//! The command line: one file for each command, over the same functions that the language server uses.

mod args;
mod array;
mod calibrate;
mod chain;
mod check;
pub(crate) mod diff;
mod engine;
mod exit;
mod explain;
mod facts;
mod fmt;
mod form;
mod fuse;
mod input;
mod language;
mod lsp;
mod optimize;
mod output;
mod pages;
mod parse;
mod place;
mod prove;
mod render;
mod run;
mod said;
mod searching;
mod sketch;
mod time;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;
use sumac_vectors::Tier;

use args::{Check, Cli, Command, Common};
use clap::Parser;
use output::Output;
use said::Said;

pub use exit::{Exit, Usage};

/// Runs the command line.
#[must_use]
pub fn main(args: impl IntoIterator<Item = OsString>) -> Exit {
    let args = args::normalize(args.into_iter().collect());
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            return match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                    // These are results.
                    let output = Output::new(&Common::default());
                    output.written(error.print());
                    at_last(Exit::Done, &output)
                }
                _ => {
                    // Nobody is left to be told that it cannot be told.
                    let _ = error.print();
                    Exit::Usage
                }
            };
        }
    };
    let output = Output::new(&cli.common);
    if let Err(message) = Tier::asked() {
        output.error(message);
        return Exit::Usage;
    }
    let exit = dispatch(&cli.command, &cli.common, &output).unwrap_or_else(|Usage(message)| {
        output.error(message);
        Exit::Usage
    });
    match cli.command {
        // What they say on the standard output is no result of a command, and a client that does not read holds it for ever.
        Command::Lsp(_) | Command::Worker => exit,
        _ => at_last(exit, &output),
    }
}

/// How a command ends whose results may not have got where they should.
fn at_last(exit: Exit, output: &Output) -> Exit {
    if output.is_written() {
        exit
    } else {
        exit.max(Exit::Found)
    }
}

fn dispatch(command: &Command, common: &Common, output: &Output) -> Result<Exit, Usage> {
    let said = || Said::new(common);
    match command {
        Command::Lsp(args) => Ok(lsp::run(args, output)),
        Command::Parse(args) => Ok(parse::run(args, output)),
        Command::Check(Check {
            explain: Some(code),
            ..
        }) => pages::run(code, output),
        Command::Check(args) => check::run(args, said()?, output),
        Command::Facts(args) => facts::run(args, &said()?, output),
        Command::Optimize(args) => optimize::run(args, &said()?, output),
        Command::Explain(args) => explain::run(args, &said()?, output),
        Command::Prove(args) => prove::run(args, &common.facts, output),
        Command::Sketch(args) => sketch::run(args, &said()?, output),
        Command::Run(args) => run::run(args, &said()?, output),
        Command::Time(args) => time::run(args, &said()?, output),
        Command::Fuse(args) => fuse::run(args, &said()?, output),
        Command::Array(args) => array::run(args, common, output),
        Command::Fmt(args) => fmt::run(args, &said()?, output),
        Command::Calibrate(args) => Ok(calibrate::run(args, output)),
        Command::Worker => Ok(worker()),
    }
}

/// One job from the standard input, for the process that started this one.
fn worker() -> Exit {
    let ended = sumac_engine::worker_main();
    if ended == ExitCode::SUCCESS {
        Exit::Done
    } else {
        Exit::Found
    }
}
