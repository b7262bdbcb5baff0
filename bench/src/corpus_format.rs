//! `cargo xtask format-corpus PATH`: the formatter over every well-formed script of a checkout, in process.
//!
//! Checks what it promises (the same tree, every comment, a second pass that changes nothing) and that no line is
//! longer than it must be. Reads only; the formatted scripts go nowhere.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use rayon::prelude::*;
use sumac_syntax::format::{FormatOptions, format};
use sumac_syntax::parse;

use crate::corpus;
use crate::report::Report;

/// The command line of `cargo xtask format-corpus`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A folder with scripts, such as a checkout of SystemDS
    path: PathBuf,
}

/// Milliseconds that the slowest script may take.
const SLOWEST: u128 = 1000;

enum Outcome {
    Broken,
    Failed(String),
    Done { changed: bool, took: Duration },
}

/// Formats every script under the path; fails if one promise is not kept.
pub(crate) fn run(args: &Args) -> Result<()> {
    let mut report = Report::default();
    measure(&mut report, &args.path)?;
    report.finish()
}

/// Formats every script under the path.
///
/// # Errors
/// There is no script.
pub(crate) fn measure(report: &mut Report, path: &Path) -> Result<()> {
    let files = corpus::scripts(path)?;
    let outcomes: Vec<(&PathBuf, Outcome)> =
        files.par_iter().map(|file| (file, check(file))).collect();
    let (mut accepted, mut formatted, mut changed) = (0, 0, 0);
    let mut slowest = Duration::ZERO;
    for (file, outcome) in &outcomes {
        match outcome {
            Outcome::Broken => continue,
            Outcome::Failed(reason) => println!("{}: {reason}", file.display()),
            Outcome::Done {
                changed: differs,
                took,
            } => {
                formatted += 1;
                changed += usize::from(*differs);
                slowest = slowest.max(*took);
            }
        }
        accepted += 1;
    }
    report.heading("The formatter over every well-formed script");
    report.bar(
        "well-formed scripts",
        &format!("{accepted} of {}", files.len()),
        "some",
        accepted > 0,
    );
    report.bar(
        "the same tree, all comments, nothing changed by a second pass",
        &formatted.to_string(),
        &format!("all {accepted}"),
        formatted == accepted,
    );
    report.note(&format!("{changed} scripts are laid out differently"));
    let slowest = slowest.as_millis();
    report.bar(
        "the slowest",
        &format!("{slowest} ms"),
        &format!("{SLOWEST} ms"),
        slowest <= SLOWEST,
    );
    Ok(())
}

fn check(file: &Path) -> Outcome {
    // What is no UTF-8 is no script.
    let Ok(text) = std::fs::read_to_string(file) else {
        return Outcome::Broken;
    };
    let script = parse(text.as_str());
    if !script.errors().is_empty() {
        return Outcome::Broken;
    }
    let options = FormatOptions::default();
    let start = Instant::now();
    let first = match format(&script, &options) {
        Ok(first) => first,
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    let took = start.elapsed();
    match format(&parse(first.as_str()), &options) {
        Ok(second) if second == first => Outcome::Done {
            changed: first != text,
            took,
        },
        Ok(second) => {
            let lines = first.lines().zip(second.lines()).zip(1..);
            let line = lines.into_iter().find(|((a, b), _)| a != b);
            Outcome::Failed(match line {
                Some(((a, b), line)) => format!("not stable in line {line}: `{a}` becomes `{b}`"),
                None => "not stable at its end".to_owned(),
            })
        }
        Err(error) => Outcome::Failed(format!("cannot be formatted again: {error}")),
    }
}
