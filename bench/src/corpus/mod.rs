//! `cargo xtask corpus PATH`: every script of a checkout of apache/systemds through our parser, in process, held against
//! how SystemDS's own parser takes it ([`list`]).

pub(crate) mod list;
mod scripts;

use std::ops::Range;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use rayon::prelude::*;
use sumac_syntax::parse;

use crate::report::Report;
use list::Taken;
pub(crate) use scripts::scripts;

/// Rejected scripts that must have an error; the others are wrong in ways that only SystemDS's lexer minds.
const REJECTED: usize = 65;
const THREADS: usize = 2;
const SECONDS: f64 = 1.0;
/// How often all scripts are parsed for the figure.
const PASSES: usize = 5;

/// The command line of `cargo xtask corpus`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The checkout
    checkout: PathBuf,
}

/// A script in memory.
struct Script {
    path: String,
    text: String,
    taken: Taken,
}

/// A name, how many must be as they should (or all), and which scripts belong.
type Group = (&'static str, Option<usize>, fn(&Taken) -> bool);

/// Names a checkout of apache/systemds where the command line does not.
const CHECKOUT_VARIABLE: &str = "SYSTEMDS_CHECKOUT";

/// The checkout that the command line names, or the environment.
///
/// # Errors
/// Neither does.
pub(crate) fn checkout(given: Option<&Path>) -> Result<PathBuf> {
    given
        .map(Path::to_path_buf)
        .or_else(|| std::env::var_os(CHECKOUT_VARIABLE).map(PathBuf::from))
        .with_context(|| {
            format!(
                "a checkout of apache/systemds at {} is needed: name it by --checkout PATH or by {CHECKOUT_VARIABLE}",
                list::COMMIT
            )
        })
}

/// Parses all scripts; an error if a bar is missed.
///
/// # Errors
/// As of [`measure`], or a bar is missed.
pub(crate) fn run(args: &Args) -> Result<()> {
    let mut report = Report::default();
    measure(&mut report, &args.checkout)?;
    report.finish()
}

/// Parses all scripts below the checkout.
///
/// # Errors
/// The checkout is another one than the list is of.
pub(crate) fn measure(report: &mut Report, checkout: &Path) -> Result<()> {
    let scripts = load(checkout)?;
    report.heading(&format!(
        "The scripts of apache/systemds at {}",
        list::COMMIT
    ));
    // A panic is counted below; its message is printed as it happens.
    let outcomes: Vec<Option<Result<(), String>>> = scripts
        .par_iter()
        .map(|script| catch_unwind(|| check(script)).ok())
        .collect();
    let panics = outcomes.iter().filter(|outcome| outcome.is_none()).count();
    let groups: [Group; 3] = [
        ("accepted cleanly, no error from us", None, |taken| {
            *taken == Taken::Clean
        }),
        (
            "characters skipped, errors exactly there, the rest understood",
            None,
            |taken| matches!(taken, Taken::Skipped(_)),
        ),
        ("rejected, an error from us", Some(REJECTED), |taken| {
            *taken == Taken::Rejected
        }),
    ];
    for (name, wanted, belongs) in groups {
        let pairs = scripts.iter().zip(&outcomes);
        let chosen: Vec<_> = pairs.filter(|(script, _)| belongs(&script.taken)).collect();
        let good = chosen
            .iter()
            .filter(|(_, outcome)| matches!(outcome, Some(Ok(()))))
            .count();
        let wanted = wanted.unwrap_or(chosen.len());
        report.bar(
            name,
            &format!("{good} of {}", chosen.len()),
            &format!("at least {wanted}"),
            good >= wanted && good > 0,
        );
        for (script, outcome) in chosen {
            if let Some(Err(why)) = outcome {
                report.note(&format!("{}: {why}", script.path));
            }
        }
    }
    report.bar("panics", &panics.to_string(), "0", panics == 0);
    time(report, &scripts)
}

fn load(checkout: &Path) -> Result<Vec<Script>> {
    let list = list::read()?;
    let mut loaded = Vec::new();
    let mut unknown = Vec::new();
    for file in scripts(checkout)? {
        let path = list::relative(checkout, &file)?;
        let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {path}"))?;
        match list.get(&path) {
            Some(taken) => loaded.push(Script {
                path,
                text,
                taken: taken.clone(),
            }),
            None => unknown.push(path),
        }
    }
    anyhow::ensure!(
        unknown.is_empty() && loaded.len() == list.len(),
        "{} holds {} of the {} scripts of commit {} and {} others{}: is another commit checked out?",
        checkout.display(),
        loaded.len(),
        list.len(),
        list::COMMIT,
        unknown.len(),
        unknown
            .first()
            .map(|path| format!(" ({path})"))
            .unwrap_or_default()
    );
    Ok(loaded)
}

/// What is wrong with how we read a script.
fn check(script: &Script) -> Result<(), String> {
    let parse = parse(script.text.as_str());
    let first = parse.errors().first().map(|error| {
        let line = parse.lines().line(error.range.start) + 1;
        format!("line {line}: {}", error.message)
    });
    match &script.taken {
        Taken::Clean => first.map_or(Ok(()), Err),
        Taken::Rejected => first.map_or(Err("no error".to_owned()), |_| Ok(())),
        Taken::Skipped(ranges) => {
            let skipped = bytes(&script.text, ranges);
            let errors: Vec<Range<usize>> = parse
                .errors()
                .iter()
                .map(|error| error.range.start..error.range.end)
                .collect();
            if errors != skipped {
                return Err(format!("errors at {errors:?}, skipped are {skipped:?}"));
            }
            // To the parser skipped characters are what spaces are.
            let mut blank = script.text.clone();
            for range in skipped {
                let spaces = " ".repeat(range.len());
                blank.replace_range(range, &spaces);
            }
            let blank = sumac_syntax::parse(blank);
            match blank.errors().is_empty() && blank.program() == parse.program() {
                true => Ok(()),
                false => Err("is read differently without the skipped characters".to_owned()),
            }
        }
    }
}

/// Ranges of characters as ranges of bytes, without white space at their ends.
fn bytes(text: &str, ranges: &[(usize, usize)]) -> Vec<Range<usize>> {
    let places: Vec<usize> = text
        .char_indices()
        .map(|(at, _)| at)
        .chain([text.len()])
        .collect();
    let place = |at: usize| places.get(at).copied().unwrap_or(text.len());
    ranges
        .iter()
        .map(|(start, end)| {
            let (start, end) = (place(*start), place(*end));
            start..start + text[start..end].trim_end().len()
        })
        .collect()
}

fn time(report: &mut Report, scripts: &[Script]) -> Result<()> {
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(THREADS)
        .build()?;
    let pass = || {
        let started = Instant::now();
        let errors: usize = scripts
            .par_iter()
            .map(|script| {
                let parse = parse(script.text.as_str());
                parse.errors().len() + parse.comments().len() + parse.program().statements.len()
            })
            .sum();
        std::hint::black_box(errors);
        started.elapsed().as_secs_f64()
    };
    let mut seconds: Vec<f64> = (0..PASSES).map(|_| threads.install(pass)).collect();
    let first = seconds[0];
    seconds.sort_by(f64::total_cmp);
    let median = seconds[PASSES / 2];
    let size: usize = scripts.iter().map(|script| script.text.len()).sum();
    report.bar(
        "wall time of all scripts",
        &format!("median {median:.2} s of {PASSES} passes, the first {first:.2} s"),
        &format!("median < {SECONDS} s on {THREADS} threads"),
        median < SECONDS,
    );
    report.note(&format!(
        "{} scripts, {:.1} MB; from text in memory to typed tree, errors and comments; reading from disk is outside",
        scripts.len(),
        size as f64 / 1e6
    ));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_become_bytes_and_white_space_is_left_out() {
        assert_eq!(bytes("é$$x. y", &[(1, 3), (4, 6)]), [2..4, 5..6]);
    }

    #[test]
    fn each_kind_of_script_is_judged_by_its_own_rule() {
        let judged = |text: &str, taken| {
            check(&Script {
                path: String::new(),
                text: text.to_owned(),
                taken,
            })
            .is_ok()
        };
        assert!(judged("x = 1", Taken::Clean) && !judged("x = ", Taken::Clean));
        assert!(judged("x = ", Taken::Rejected) && !judged("x = 1", Taken::Rejected));
        assert!(judged("x = $$1", Taken::Skipped(vec![(4, 6)])));
        assert!(!judged("x = $$1", Taken::Skipped(vec![(3, 5)])));
        assert!(!judged("x = 1", Taken::Skipped(vec![(4, 5)])));
    }
}
