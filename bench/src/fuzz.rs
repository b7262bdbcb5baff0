//! `cargo xtask fuzz`: looks for bytes on which what must hold of any bytes does not, with coverage as a guide; or replays those
//! that are committed.
//!
//! What must hold stands in `fuzz/src`. New inputs of a run are kept in `fuzz/target/corpus`, never in the committed corpus, and
//! what breaks a target in `fuzz/artifacts`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::report::Report;
use xtask::tools::{Tool, Toolbox};
use xtask::{setup, shell, workspace};

/// The command line of `cargo xtask fuzz`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Minutes for each target
    #[arg(long, value_name = "N", default_value_t = 1.0)]
    minutes: f64,
    /// Only this target
    #[arg(long, value_name = "NAME")]
    target: Option<String>,
    /// Look for nothing new: replay the committed corpus with the workspace's own compiler
    #[arg(long)]
    replay: bool,
    /// Replay this file, with the workspace's own compiler
    #[arg(long, value_name = "FILE", requires = "target")]
    input: Option<PathBuf>,
}

/// The toolchain whose compiler counts what a program passes.
pub(crate) const TOOLCHAIN: &str = "nightly";
/// What the targets are built with. More units than one: a build takes half as long, and a run hardly longer.
const BUILD: [&str; 4] = ["--features", "targets", "--codegen-units", "16"];
/// Seconds that one input may take, and megabytes.
const LIMITS: [&str; 2] = ["-timeout=60", "-rss_limit_mb=4096"];
/// What the names of files begin with that break a target.
const BROKEN: [&str; 4] = ["crash-", "timeout-", "oom-", "leak-"];

/// What became of a target.
struct Row {
    target: String,
    runs: u64,
    seconds: f64,
    crashes: Vec<PathBuf>,
}

/// Runs the targets, or replays; fails if a property does not hold.
pub(crate) fn run(args: &Args) -> Result<()> {
    let all = targets()?;
    let wanted: Vec<String> = match &args.target {
        Some(name) => {
            ensure!(
                all.contains(name),
                "there is no target `{name}`; there are {}",
                all.join(", ")
            );
            vec![name.clone()]
        }
        None => all,
    };
    if args.replay || args.input.is_some() {
        return replay(args);
    }
    let rows = look(&wanted, args.minutes)?;
    report(&rows)
}

/// Builds the targets and looks for new inputs that break them, so many minutes for each.
///
/// # Errors
/// No time is given, the toolchain or cargo-fuzz is missing, or a target cannot be built or run.
fn look(targets: &[String], minutes: f64) -> Result<Vec<Row>> {
    ensure!(
        minutes > 0.0 && minutes.is_finite(),
        "expected a number of minutes above 0"
    );
    check_toolchain()?;
    let tools = Toolbox::open()?;
    let needs = [Tool::CargoFuzz];
    setup::announce(&tools, &needs);
    if let Some(reason) = setup::install(&tools, &needs).into_values().next() {
        bail!(reason);
    }
    let program = tools.cargo_fuzz();
    let mut build = cargo_fuzz(&program, "build");
    build.args(BUILD);
    if let [only] = targets {
        build.arg(only);
    }
    shell::run(&mut build)?;
    targets
        .iter()
        .map(|target| fuzz(&program, target, minutes))
        .collect()
}

/// Every target as a bar of a report: so many minutes, and nothing that breaks it.
///
/// # Errors
/// As of a run that looks for new inputs.
pub(crate) fn measure(lines: &mut Report, minutes: f64) -> Result<()> {
    for row in look(&targets()?, minutes)? {
        lines.bar(
            &row.target,
            &format!(
                "{} runs in {:.1} minutes, {} crashes",
                row.runs,
                row.seconds / 60.0,
                row.crashes.len()
            ),
            &format!("{minutes:.1} minutes, 0 crashes"),
            row.crashes.is_empty() && row.seconds >= minutes * 60.0,
        );
    }
    Ok(())
}

/// The names of all targets.
fn targets() -> Result<Vec<String>> {
    let folder = folder().join("fuzz_targets");
    let entries =
        fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let names = entries.filter_map(|entry| {
        let path = entry.ok()?.path();
        let is_target = path.extension().is_some_and(|extension| extension == "rs");
        is_target.then(|| {
            path.file_stem()
                .map(|stem| stem.to_string_lossy().into_owned())
        })?
    });
    let names: BTreeSet<String> = names.collect();
    Ok(names.into_iter().collect())
}

fn folder() -> PathBuf {
    workspace::root().join("fuzz")
}

/// The committed corpus, or one file, as a test of the workspace.
fn replay(args: &Args) -> Result<()> {
    let mut command = Command::new("cargo");
    command
        .args(["test", "--package", "sumac-tests", "--test", "fuzz_corpus"])
        .current_dir(workspace::root());
    if let Some(target) = &args.target {
        command.env("SUMAC_FUZZ_TARGET", target);
    }
    if let Some(input) = &args.input {
        command.env("SUMAC_FUZZ_INPUT", std::path::absolute(input)?);
    }
    shell::run(&mut command)
}

pub(crate) fn check_toolchain() -> Result<()> {
    let mut rustc = Command::new("rustup");
    rustc.args(["run", TOOLCHAIN, "rustc", "--version"]);
    let version = shell::read(&mut rustc).with_context(|| {
        format!(
            "this needs a {TOOLCHAIN} toolchain, and none answers: `rustup toolchain install {TOOLCHAIN}` brings it; \
             `cargo xtask fuzz --replay` needs none"
        )
    })?;
    println!("{}", version.trim());
    Ok(())
}

/// A command of cargo-fuzz on this checkout, with the compiler that it needs.
fn cargo_fuzz(program: &Path, word: &str) -> Command {
    let mut command = Command::new(program);
    command
        .args([word, "--fuzz-dir"])
        .arg(folder())
        .current_dir(workspace::root())
        .env("RUSTUP_TOOLCHAIN", TOOLCHAIN)
        // Of the cargo that runs this program.
        .env_remove("CARGO")
        .env_remove("RUSTC");
    command
}

/// Runs one target until its time is over or something breaks it.
fn fuzz(program: &Path, target: &str, minutes: f64) -> Result<Row> {
    let found = folder().join("target/corpus").join(target);
    fs::create_dir_all(&found).with_context(|| format!("cannot make {}", found.display()))?;
    let artifacts = folder().join("artifacts").join(target);
    let before = broken(&artifacts);
    let mut command = cargo_fuzz(program, "run");
    command
        .args(BUILD)
        .arg(target)
        .args([found, folder().join("corpus").join(target)])
        .arg("--")
        .args(LIMITS)
        .args(["-print_final_stats=1", "-close_fd_mask=1"])
        .arg(format!("-dict={}", folder().join("words.dict").display()))
        .arg(format!("-max_total_time={:.0}", (minutes * 60.0).ceil()));
    println!("$ {}", shell::shown(&command));
    let started = Instant::now();
    let output = command.stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("cannot start `{}`", shell::shown(&command)))?;
    let seconds = started.elapsed().as_secs_f64();
    let told = String::from_utf8_lossy(&output.stderr);
    let log = folder().join("target").join(format!("{target}.log"));
    fs::write(&log, &*told).with_context(|| format!("cannot write {}", log.display()))?;
    let crashes: Vec<PathBuf> = broken(&artifacts).difference(&before).cloned().collect();
    ensure!(
        output.status.success() || !crashes.is_empty(),
        "`{}` failed: {}; what it wrote is in {}",
        shell::shown(&command),
        output.status,
        log.display()
    );
    let row = Row {
        target: target.to_owned(),
        runs: executed(&told),
        seconds,
        crashes,
    };
    println!("{}", line(&row));
    Ok(row)
}

/// The files that break a target.
fn broken(artifacts: &Path) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(artifacts).into_iter().flatten().flatten();
    let is_broken = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        BROKEN.iter().any(|start| name.starts_with(start))
    };
    entries
        .map(|entry| entry.path())
        .filter(is_broken)
        .collect()
}

/// How often a target ran, as it says at its end.
fn executed(told: &str) -> u64 {
    let mut counts = told.lines().filter_map(|line| {
        let count = line.strip_prefix("stat::number_of_executed_units:")?;
        count.trim().parse().ok()
    });
    counts.next_back().unwrap_or_default()
}

fn line(row: &Row) -> String {
    format!(
        "{:<16} {:>12} {:>9.0} {:>8}",
        row.target,
        row.runs,
        row.seconds,
        row.crashes.len()
    )
}

fn report(rows: &[Row]) -> Result<()> {
    println!(
        "\n{:<16} {:>12} {:>9} {:>8}",
        "target", "runs", "seconds", "crashes"
    );
    for row in rows {
        println!("{}", line(row));
    }
    let mut count = 0;
    for row in rows {
        for file in &row.crashes {
            count += 1;
            println!(
                "\n{} breaks {}; `cargo xtask fuzz --target {} --input {}` replays it",
                file.display(),
                row.target,
                row.target,
                file.display()
            );
        }
    }
    ensure!(count == 0, "{count} files break a target");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_runs_is_the_one_that_is_said_last() {
        let told = "#2 INITED cov: 7\nstat::number_of_executed_units: 1234\nstat::average_exec_per_sec:     56\n";
        assert_eq!(executed(told), 1234);
        assert_eq!(executed("no word of it"), 0);
    }

    #[test]
    fn only_what_breaks_a_target_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["crash-1", "slow-unit-2", "timeout-3"] {
            fs::write(folder.path().join(name), "").expect("written");
        }
        let expected = ["crash-1", "timeout-3"].map(|name| folder.path().join(name));
        assert_eq!(broken(folder.path()), BTreeSet::from(expected));
        assert_eq!(broken(&folder.path().join("none")), BTreeSet::new());
    }

    #[test]
    fn a_target_that_is_not_there_is_named_with_those_that_are() {
        let args = Args {
            minutes: 1.0,
            target: Some("none".to_owned()),
            replay: true,
            input: None,
        };
        let error = run(&args).expect_err("there is none").to_string();
        assert!(
            error.contains("`none`") && error.contains("dml_parse"),
            "{error}"
        );
    }
}
