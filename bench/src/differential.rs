//! `cargo xtask differential --scripts N`: random scripts under every fusion policy, compressed and not, with one thread and with
//! two, against an evaluator that knows nothing but loops over cells.
//!
//! What is run stands in `tests/tests/differential`; here it is run as often as one likes, and its figures are read. The same
//! seeds give the same scripts.

use std::process::Command;

use anyhow::{Context, Result};

use crate::report::Report;
use xtask::{shell, workspace};

/// The command line of `cargo xtask differential`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many scripts
    #[arg(long, value_name = "N", default_value_t = 2000)]
    scripts: u64,
    /// The seed of the first of them; each following script has the next one
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Build with all optimizations first: worth it from some ten thousand scripts on
    #[arg(long)]
    release: bool,
}

/// Threads that the scripts are run with.
const THREADS: [u64; 2] = [1, 2];

/// Runs the scripts; fails if one differs.
pub(crate) fn run(args: &Args) -> Result<()> {
    let mut report = Report::default();
    measure(&mut report, args.scripts, args.seed, args.release);
    report.finish()
}

/// The same as bars of a report, one for each number of threads.
pub(crate) fn measure(report: &mut Report, scripts: u64, seed: u64, release: bool) {
    report.heading("Random scripts against loops over cells");
    for threads in THREADS {
        let name = format!("differences with {threads} threads");
        let target = format!("0 of {scripts} scripts from seed {seed} on");
        let figure = differences(scripts, seed, threads, release);
        if let Some((line, count)) = report.expect(&name, &target, figure) {
            report.bar(&name, &line, &target, count == 0);
        }
    }
}

/// What the run says of itself, and the number of differences in it.
fn differences(scripts: u64, seed: u64, threads: u64, release: bool) -> Result<(String, u64)> {
    let mut command = Command::new("cargo");
    command.arg("test");
    if release {
        command.arg("--release");
    }
    command
        .args(["--package", "sumac-tests", "--test", "differential"])
        .args(["--", "--nocapture", "scripts_give"])
        .env("SUMAC_DIFFERENTIAL_SCRIPTS", scripts.to_string())
        .env("SUMAC_DIFFERENTIAL_SEED", seed.to_string())
        .env("RAYON_NUM_THREADS", threads.to_string())
        .current_dir(workspace::root());
    // A run with differences fails as a test, and says what they are.
    let text = match shell::read(&mut command) {
        Ok(text) => text,
        Err(error) => {
            let text = format!("{error:#}");
            println!("{text}");
            text
        }
    };
    let line = text
        .lines()
        .find(|line| line.contains(" scripts from seed "))
        .context("it did not say how many scripts it ran")?;
    let count = line
        .rsplit(": ")
        .next()
        .and_then(|end| end.split(' ').next())
        .and_then(|count| count.parse().ok())
        .with_context(|| format!("no number of differences in `{line}`"))?;
    Ok((line.to_owned(), count))
}
