//! `cargo xtask replay FILE`: says to a server again what a client once said, and holds the answers against those of then.

mod play;
mod recording;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use anyhow::Result;
use clap::ValueEnum;

use crate::bars::Sumac;
use crate::client::{Launch, Session};

/// The command line of `cargo xtask replay`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What `sumac lsp --record FILE` wrote
    file: PathBuf,
    /// When to say the next thing
    #[arg(long, value_enum, default_value_t = Speed::Fast)]
    speed: Speed,
    /// Replay against this program instead of the release build of this checkout
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
}

/// When the client says the next thing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Speed {
    /// As long after the start as in the recording
    AsRecorded,
    /// As soon as the server has said what it had said by then in the recording
    Fast,
}

/// Replays every session of the file; an error if an answer differs.
///
/// # Errors
/// The file is no recording, the server does not start, or an answer differs.
pub(crate) fn run(args: &Args) -> Result<()> {
    let sessions = recording::read(&args.file)?;
    let program = match &args.program {
        Some(program) => program.clone(),
        None => Sumac::build_release()?.program,
    };
    let mut differences = 0;
    for (index, entries) in sessions.iter().enumerate() {
        println!(
            "session {} of {}: {} messages",
            index + 1,
            sessions.len(),
            entries.len()
        );
        let session = Session::spawn(&Launch::new(&program))?;
        let played = play::play(session, entries, args.speed);
        println!("{played}");
        differences += played.differences.len();
    }
    anyhow::ensure!(
        differences == 0,
        "{differences} answers differ from the recorded ones"
    );
    println!("no answer differs");
    Ok(())
}
