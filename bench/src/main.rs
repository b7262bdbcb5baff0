//! The laboratory: `cargo xtask bars`, `peer`, `stress` and what else measures the product or holds it against others.
//!
//! One subcommand is one module with two public items: `Args`, what the command line says, and `run`, which does it. A new one is a
//! module, a line in [`Task`], a line in [`run`], and one in `xtask::LABORATORY`, by which `cargo xtask` finds it.
//! Nothing here is part of the product, and nothing here writes outside the checkout and the folder of test tools.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal: what it prints is its result"
)]

mod bars;
mod bench;
mod client;
mod corpus;
mod corpus_format;
mod difference;
mod differential;
mod fuzz;
mod peer;
mod replay;
mod report;
mod stress;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// What the product promises, measured.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Measure what the product promises, figure by figure, against its targets
    Bars(bars::Args),
    /// Measure one thing and print its figures
    Bench(bench::Args),
    /// Parse every script of a checkout of apache/systemds and hold that against what SystemDS accepts
    Corpus(corpus::Args),
    /// Run random scripts in every way and hold what they give against an evaluator of loops over cells
    Differential(differential::Args),
    /// Format every script of a checkout and check that nothing is lost
    FormatCorpus(corpus_format::Args),
    /// Look for bytes on which what must hold of any bytes does not, with coverage as a guide
    Fuzz(fuzz::Args),
    /// Compare what we say about scripts with what SystemDS says
    Peer(peer::Args),
    /// Say to a server again what a client once said, and compare its answers with those of then
    Replay(replay::Args),
    /// Type into a server, like a person or like a machine, and hold what it says against a fresh server
    Stress(stress::Args),
}

fn run(task: &Task) -> anyhow::Result<()> {
    match task {
        Task::Bars(args) => bars::run(args),
        Task::Bench(args) => bench::run(args),
        Task::Corpus(args) => corpus::run(args),
        Task::Differential(args) => differential::run(args),
        Task::FormatCorpus(args) => corpus_format::run(args),
        Task::Fuzz(args) => fuzz::run(args),
        Task::Peer(args) => peer::run(args),
        Task::Replay(args) => replay::run(args),
        Task::Stress(args) => stress::run(args),
    }
}

fn main() -> ExitCode {
    match run(&Cli::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use xtask::{LABORATORY, shell, tidy, workspace};

    use super::Cli;

    #[test]
    fn cargo_xtask_lists_what_there_is_and_says_the_same_of_it() {
        let mut own: Vec<_> = Cli::command()
            .get_subcommands()
            .map(|it| {
                (
                    it.get_name().to_owned(),
                    it.get_about().unwrap().to_string(),
                )
            })
            .collect();
        own.sort();
        let listed = LABORATORY.map(|(name, about)| (name.to_owned(), about.to_owned()));
        assert_eq!(own, listed);
    }

    /// All commands after `cargo xtask`, with what stands below them.
    fn program() -> clap::Command {
        let own = xtask::command();
        let own = own
            .get_subcommands()
            .filter(|it| LABORATORY.iter().all(|(name, _)| *name != it.get_name()));
        Cli::command().subcommands(own.cloned())
    }

    /// The commands after `cargo xtask` in a document that `program` does not know.
    fn unknown_commands(program: &clap::Command, text: &str) -> Vec<String> {
        let commands = text.split("cargo xtask ").skip(1);
        let unknown = commands.filter(|words| !knows(program, words));
        let first_two = |words: &str| {
            words
                .split_whitespace()
                .take(2)
                .collect::<Vec<_>>()
                .join(" ")
        };
        unknown.map(first_two).collect()
    }

    fn knows(program: &clap::Command, words: &str) -> bool {
        let is_word = |c: char| c.is_ascii_lowercase() || c == '-';
        let mut words = words.split(' ').map(|word| {
            let end = word.find(|c| !is_word(c)).unwrap_or(word.len());
            (&word[..end], end == word.len())
        });
        let Some((first, is_whole)) = words.next() else {
            return true;
        };
        let Some(command) = program.find_subcommand(first) else {
            return false;
        };
        // An option, a file or the end of what is quoted says nothing of a command below.
        let second = words
            .next()
            .filter(|_| is_whole && command.has_subcommands());
        match second {
            Some((second, _)) if !second.is_empty() && !second.starts_with('-') => {
                command.find_subcommand(second).is_some()
            }
            _ => true,
        }
    }

    #[test]
    fn commands_that_documents_mention_are_there() {
        let root = workspace::root();
        let mut git = std::process::Command::new("git");
        let listed = shell::read(git.args(["ls-files", "*.md"]).current_dir(&root)).unwrap();
        let documents = listed.lines().filter(|path| tidy::mentions::is_ours(path));
        let unknown: Vec<(String, Vec<String>)> = documents
            .map(|path| {
                let text = std::fs::read_to_string(root.join(path)).unwrap_or_default();
                let unknown = unknown_commands(&program(), &text);
                (path.to_owned(), unknown)
            })
            .filter(|(_, unknown)| !unknown.is_empty())
            .collect();
        assert_eq!(unknown, []);
    }

    #[test]
    fn a_command_that_is_gone_is_found() {
        let program = clap::Command::new("xtask")
            .subcommand(clap::Command::new("tidy"))
            .subcommand(clap::Command::new("bench").subcommand(clap::Command::new("reparse")));
        let text = "`cargo xtask tidy`, `cargo xtask bench reparse`, `cargo xtask bench --help`";
        assert_eq!(unknown_commands(&program, text), [""; 0]);
        let text = "`cargo xtask tidied` and `cargo xtask bench parse`";
        assert_eq!(
            unknown_commands(&program, text),
            ["tidied` and", "bench parse`"]
        );
    }
}
